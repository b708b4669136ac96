import re
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from daybook.memory import blocks
from daybook.memory.markdown import Document, parse

PIECES = [
    *(
        "# A",
        "## B ##",
        "### C #c",
        "####### seven",
        "#none",
        "  ## in",
        "   # three",
        "    # four",
        "#",
        "## ",
        "\t# t",
    ),
    *(
        "- a",
        "- b <!-- pin -->",
        "* c",
        "+ d",
        "  - n",
        "    - nn",
        " - one",
        "-   wide",
        "-",
        "-\ttab",
        "- # h",
        "- ```",
    ),
    *(
        "1. x",
        "2. y",
        "1) z",
        "```",
        "````",
        "~~~",
        "  ```",
        "text",
        "  more",
        "    code",
        "",
        "",
        "",
        "---",
        "***",
        "===",
    ),
    *("<!-- c -->", "<!-- open", "-->", "- <!--", "<div>", "</div>", "<pre>", "</pre>", "- - -", "> q", "Ü 北京 🙂"),
    *("<a>", "<?x", "?>", "- > q", "> - q", "- **bold** x", "- 12 x", "- 1. x", "- [ ] x", "- ---", "- <div>", "- `c`"),
    *(
        "- ``` x",
        "``` md",
        "``` `x",
        "~~~ `x",
        "   - three",
        "-    - code",
        "\t- t",
        "   2. in",
        "--",
        "=",
        "\\- a",
        "+",
    ),
    *("Title\n=====", "Title\n---", "- " + "x" * 5000, "```sh\n# no\n- no\n```", "- x\n  ```\n- out\n  ```"),
    *("~~~\n- no\n```\n~~~~", "<!--\n- no\n# no\n-->", "- x\n\n\n  y", "-\n  later", "<div>\n- no\n</div>\n"),
    *("- **Lead**: in\n  - nested\n    wrapped\nlazy\n\n  para", "1. x\n   - in\n\n   more"),
]
MARKDOWN = st.lists(st.sampled_from(PIECES), max_size=12).map("\n".join)
# A table row at the margin ends an entry here, though it is text that wraps for CommonMark.
WITH_TABLES = st.lists(st.sampled_from([*PIECES, "| a |", "| - |\n| # x |"]), max_size=12).map("\n".join)

INDENTED = [
    *(" " * indent + line for indent in range(9) for line in ("- a", "b")),
    *("-", "  -", "1. x", "10) y", "   - z", "- - d", "-   w", "", "# H", "> - q", "- ```", "\t- t", "<b>"),
]


def headings(data: bytes) -> list[tuple[str, int, int]]:
    return [(section.title, section.level, section.line) for section in parse(data).sections]


def texts(data: bytes) -> list[str]:
    return [entry.text for entry in parse(data).entries]


def read_line_by_line(data: bytes) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        for quick in ("PLAIN", "NESTED"):
            patch.setattr(blocks, quick, re.compile(rb"(?!)"))
        return parse.__wrapped__(data)  # what was read before is remembered


@settings(derandomize=True, deadline=None)
@given(st.binary())
def test_the_lines_of_any_bytes_are_those_bytes(data: bytes) -> None:
    assert b"".join(parse(data).lines) == data


@settings(derandomize=True, deadline=None, max_examples=300)
@given(WITH_TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_the_lines_of_any_markdown_are_its_bytes(text: str, newline: str, bom: bool, end: bool) -> None:
    data = (b"\xef\xbb\xbf" if bom else b"") + (text.replace("\n", newline) + (newline if end else "")).encode()
    document = parse(data)
    assert b"".join(document.lines) == data
    spans = [(entry.start, entry.end) for entry in document.entries]
    assert all(a < b <= c for (a, b), (c, _) in pairwise([*spans, (len(document.lines), 0)]))


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(WITH_TABLES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_plain_bullets_that_are_read_at_once_are_read_alike(text: str, newline: str, bom: bool) -> None:
    data = (b"\xef\xbb\xbf" if bom else b"") + text.replace("\n", newline).encode()
    assert parse(data) == read_line_by_line(data)


@settings(derandomize=True, deadline=None, max_examples=1000)
@given(st.lists(st.sampled_from(INDENTED), max_size=9).map("\n".join))
def test_plain_bullets_below_others_are_read_alike_at_every_depth(text: str) -> None:
    assert parse(text.encode()) == read_line_by_line(text.encode())


def test_no_two_signs_make_a_bullet_plain_that_is_not() -> None:
    signs = [chr(code) for code in range(33, 127)]
    for pair in map("".join, product(signs, signs)):
        rests = ("", " x", "x", pair[1], ". y")
        data = "".join(f"para\n- {pair}{rest}\n===\n- a\n  - {pair}{rest}\n  b\n" for rest in rests).encode()
        assert parse(data) == read_line_by_line(data), pair


@settings(derandomize=True, deadline=None, max_examples=1500)
@given(MARKDOWN.filter(lambda text: not text.startswith("---")))
def test_headings_and_bullets_are_those_of_markdown_it(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (tokens[index + 1].content, int(token.tag[1]), token.map[0])
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0 and token.markup.startswith("#") and token.map
    ]
    bullets = {t.map[0]: t.map for t in tokens if t.type == "list_item_open" and t.level == 1 and t.markup in "-*+"}
    assert headings(text.encode()) == expected
    entries = {entry.start for entry in parse(text.encode()).entries}
    lines = text.split("\n")
    said = {start: " ".join(lines[span[0] : span[1]]) for start, span in bullets.items()}
    # A bullet without words is no entry.
    assert entries == {start for start, words in said.items() if words.replace("<!-- pin -->", "").strip("-*+ \t")}


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "```md"])
def test_signs_inside_a_fence_are_nothing(fence: str) -> None:
    data = f"# Real\n{fence}\n# not\n- not\n~~\n``\n{fence.rstrip('md')}\n- real\n".encode()
    assert headings(data) == [("Real", 1, 0)]
    assert texts(data) == ["real"]


def test_a_fence_that_is_never_closed_reaches_to_the_end() -> None:
    document = parse(b"## A\n- a\n\n````\n```\n# not\n- not")
    assert [entry.text for entry in document.entries] == ["a"]
    assert document.unclosed == 3


def test_a_fence_inside_a_bullet_ends_with_the_bullet() -> None:
    document = parse(b"- a\n  ```\n  # not\n# Real\n")
    assert headings(b"- a\n  ```\n  # not\n# Real\n") == [("Real", 1, 3)]
    assert document.entries[0].end == 3
    assert document.unclosed is None


def test_comments_hide_what_stands_in_them() -> None:
    data = b"<!--\n# not\n- not\n-->\n# Real\n<!-- id: 7 -->\n- real\n<!-- never closed\n- not\n"
    assert headings(data) == [("Real", 1, 4)]
    assert texts(data) == ["real"]


def test_front_matter_is_no_heading_and_no_list() -> None:
    document = parse(b"\xef\xbb\xbf---\ntags:\n- a\n# b\n---\n- real")
    assert [entry.text for entry in document.entries] == ["real"]
    assert document.sections == ()
    assert document.first == 5


def test_front_matter_without_an_end_is_a_rule() -> None:
    assert texts(b"---\n- real\n") == ["real"]


def test_an_underline_below_a_list_is_a_rule_and_belongs_to_no_entry() -> None:
    document = parse(b"- a\n---\n- b\n------\ntext\n===\n")
    assert [(entry.text, entry.start, entry.end) for entry in document.entries] == [("a", 0, 1), ("b", 2, 3)]
    assert document.sections == ()


def test_an_entry_holds_wrapped_lines_nested_bullets_and_indented_paragraphs() -> None:
    data = b"- **Lead** in\nwrapped\n  more\n  - nested\n    - deep\n\n  later\n\n\n- next\n* other\n"
    document = parse(data)
    assert [(entry.text, entry.start, entry.end) for entry in document.entries] == [
        ("**Lead** in wrapped more - nested - deep later", 0, 7),
        ("next", 9, 10),
        ("other", 10, 11),
    ]


@pytest.mark.parametrize("below", [b"# H", b"```", b"| a | b |", b"> quote", b"***", b"<div>", b"1. one"])
def test_an_entry_ends_where_another_block_begins_at_the_margin(below: bytes) -> None:
    assert parse(b"- a\n" + below + b"\n").entries[0].end == 1


def test_numbered_items_are_no_entries() -> None:
    assert texts(b"1. one\n   - inner\n2. two\n") == []


@pytest.mark.parametrize("bullet", ["-", "*", "+"])
def test_every_bullet_counts(bullet: str) -> None:
    entry = parse(f" {bullet}   a\n".encode()).entries[0]
    assert (entry.text, entry.prefix) == ("a", f" {bullet}   ".encode())


def test_repeated_headings_are_sections_of_their_own() -> None:
    document = parse(b"## A\n- one\n## A\n- two\n")
    assert [(section.line, section.end) for section in document.sections] == [(0, 2), (2, 4)]
    assert [entry.section for entry in document.entries] == ["A", "A"]


def test_a_pin_is_seen_and_is_no_word() -> None:
    entry = parse(b"- a b <!-- PIN -->\n").entries[0]
    assert (entry.text, entry.pinned) == ("a b", True)
    assert not parse(b"- a b\n").entries[0].pinned


def test_a_section_is_mine_by_the_comment_under_its_heading_and_so_is_what_stands_below_it() -> None:
    data = b"# M\n## A\n\n<!-- mine -->\n- a\n### Sub\n- s\n## B\ntext\n<!-- mine -->\n- b\n"
    document = parse(data)
    assert [section.mine for section in document.sections] == [False, True, True, False]
    assert [entry.mine for entry in document.entries] == [True, True, False]


def test_odd_bytes_are_kept_and_shown() -> None:
    data = b"\xef\xbb\xbf- a\x00b\xff\x0b\x85\r\n- " + b"x" * 5000
    document = parse(data)
    assert b"".join(document.lines) == data
    assert [len(entry.text) for entry in document.entries] == [6, 5000]
    assert document.entries[0].text.startswith("a\x00b\ufffd")


@pytest.mark.parametrize("sign", [b"\x0b", b"\x0c", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8", b"\r"])
def test_only_a_line_feed_ends_a_line(sign: bytes) -> None:
    assert len(parse(b"- a" + sign + b"# b\n").lines) == 1
    assert headings(b"- a" + sign + b"# b\n") == []


def test_headings_keep_their_words_and_lose_their_signs() -> None:
    data = "##  Заметки и 笔记 🙂 ##\n# C#\n#\n### C # \n".encode()
    assert headings(data) == [("Заметки и 笔记 🙂", 2, 0), ("C#", 1, 1), ("", 1, 2), ("C", 3, 3)]


@pytest.mark.parametrize("line", [b"- " * 5000, b"<!--" * 5000, b"<a " + b" b=c" * 5000, b"#" + b" " * 20000 + b"x"])
def test_an_absurd_line_is_read(line: bytes) -> None:
    data = line * 3 + b"\n# Real\n"
    assert b"".join(parse(data).lines) == data
