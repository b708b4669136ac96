from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daybook.errors import SettingsError
from daybook.settings import Feed
from daybook.sources.feed_blocks import values, with_feeds, without_feed

ONE, TWO = Feed(url="https://e.org/1"), Feed(url="https://e.org/2?a=b", name='T"wo\\', weight=2.5)
BLOCK_ONE = '[[feeds]]\nurl = "https://e.org/1"\n'
BLOCK_TWO = '[[feeds]]\nurl = "https://e.org/2?a=b"\nname = "T\\"wo\\\\"\nweight = 2.5\n'
TRICKY = '''# [[feeds]]
note = """
[[feeds]]
url = "not one" \\""" " # still text
"""
other = \'\'\'
[[feeds]]\'\'\'
list = [
  "[[feeds]]", # ]
  [1],
]
[checks.x]
command = ["a", "#b", 'c"']
'''
PIECES = ["", "\n", "# a comment\n", 'timezone = "UTC"\n', "[network]\nallow_hosts = []\n", BLOCK_ONE, TRICKY, "[a]\n"]


def test_a_feed_is_put_behind_everything_else() -> None:
    assert with_feeds("", [ONE]) == BLOCK_ONE
    assert with_feeds('a = "b"', [ONE, TWO]) == f'a = "b"\n\n{BLOCK_ONE}\n{BLOCK_TWO}'
    assert with_feeds("# only\n", [ONE]) == f"# only\n\n{BLOCK_ONE}"


def test_line_ends_and_a_byte_order_mark_stay() -> None:
    assert with_feeds("\ufeffa = 1\r\n", [ONE]) == "\ufeffa = 1\r\n\r\n" + BLOCK_ONE.replace("\n", "\r\n")
    assert with_feeds("\ufeff", [ONE]) == f"\ufeff{BLOCK_ONE}"
    text = "\ufeffa = 1\r\n\r\n" + BLOCK_ONE.replace("\n", "\r\n") + "\r\n[b]\r\nc = 1\r\n"
    assert without_feed(text, 0) == "\ufeffa = 1\r\n\r\n[b]\r\nc = 1\r\n"


@pytest.mark.parametrize(("number", "left"), [(0, BLOCK_TWO), (1, BLOCK_ONE)])
def test_a_byte_order_mark_before_the_first_block_is_no_part_of_it(number: int, left: str) -> None:
    assert without_feed(f"\ufeff{BLOCK_ONE}{BLOCK_TWO}", number) == f"\ufeff{left}"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_one_block_goes_and_every_other_byte_stays(number: int) -> None:
    blocks = [
        "[[feeds]] # first\nurl = 'https://e.org/0' # why\n",
        ' [[ "feeds" ]]\nname = "b"\n\nurl = "https://e.org/1"\n',
        '[[feeds]]\nurl = """https://e.org/\\\n  [[feeds]]"""\n',
    ]
    rest = ["# above the first\n", "# behind the first\n\n", "\n# above the last\n", "# end"]
    text = TRICKY + "".join(f"{a}{b}" for a, b in zip(rest, [*blocks, ""], strict=True))
    left = [block if at != number else "" for at, block in enumerate([*blocks, ""])]
    without = TRICKY + "".join(f"{a}{b}" for a, b in zip(rest, left, strict=True))
    without = without.replace("\n\n\n", "\n\n")  # of the blank lines around it, one goes too
    assert without_feed(text, number) == without
    assert len(tomllib.loads(without)["feeds"]) == 2


@pytest.mark.parametrize("text", ['feeds = [{url = "https://e.org/1"}]\n', "feeds = []\n[a]\n"])
def test_feeds_that_are_written_in_another_way_are_left_to_the_operator(text: str) -> None:
    with pytest.raises(SettingsError, match="edit them there by hand"):
        with_feeds(text, [ONE])


@pytest.mark.parametrize(
    "text",
    ['feeds = [{url = "https://e.org/1"}]\n', f"{BLOCK_ONE}[feeds.more]\na = 1\n", '[["\\u0066eeds"]]\nurl = "x"\n'],
)
def test_a_block_that_is_not_plain_is_not_cut(text: str) -> None:
    with pytest.raises(SettingsError, match="edit them there by hand"):
        without_feed(text, 0)


@given(st.lists(st.sampled_from(PIECES), max_size=5, unique=True), st.booleans())
def test_what_is_added_can_be_taken_away_again(pieces: list[str], crlf: bool) -> None:
    text = "".join(pieces)
    text = text.replace("\n", "\r\n") if crlf else text
    try:
        known = len(values(text).get("feeds", []))
    except ValueError:
        return
    added = with_feeds(text, [TWO])
    assert added.startswith(text)
    assert without_feed(added, known) == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_name_comes_back_as_it_was(name: str) -> None:
    feed = Feed(url="https://e.org/1", name=name)
    (found,) = values(with_feeds("", [feed]))["feeds"]
    assert found.get("name", "") == name
