"""
Secrets leave by shape and by value; prose about them stays.

No key stands in here or in `shapes/`: each is made from the pattern of its shape when the test runs.
"""

from __future__ import annotations

import logging
import random
import re
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import daybook
from daybook.guard import logs, secrets
from daybook.guard.cleaning import clean
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SHAPES = Path(__file__).with_name("shapes")
PACKAGE = Path(daybook.__file__).parent
RANDOM_PART = re.compile(r"\[([^\]]+)\]\{(\d+)\}")
RANGE = re.compile("(.)-(.)")
# So many of a secret's characters in a row would help somebody.
PIECE_CHARS = 8
SAMPLES = 2
# A shape counts as found if every key of it is gone from every sentence.
GOALS = {"first": 0.95, "second": 0.95, "third": 0.9}
FEWEST = {"first": 80, "second": 60, "third": 25}
GITHUB = "ghp_[A-Za-z0-9]{36}"
AWS = "AKIA[A-Z2-7]{16}"
OPENAI = "sk-proj-[A-Za-z0-9]{60}"
INNOCENT = [line for line in (SHAPES / "innocent.txt").read_text("utf-8").splitlines() if not line.startswith("# ")]


def made(pattern: str, seed: object = 0) -> tuple[str, list[str]]:
    """Make a key of a pattern, the same one for the same seed; with those parts of it that are random."""
    dice = random.Random(f"{pattern} {seed}")  # noqa: S311 - the same keys every time, and none of them opens anything
    parts: list[str] = []

    def part(match: re.Match[str]) -> str:
        signs = RANGE.sub(lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))), match[1])
        parts.append("".join(dice.choice(signs) for _ in range(int(match[2]))))
        return parts[-1]

    return RANDOM_PART.sub(part, pattern), parts


def shapes(corpus: str) -> dict[str, tuple[str, list[str]]]:
    """Give the pattern of each shape, and the sentences it is tried in."""
    table = tomllib.loads((SHAPES / f"{corpus}.toml").read_text("utf-8"))
    everywhere = {name: (pattern, table["sentences"]) for name, pattern in table["shapes"].items()}
    return everywhere | {name: (pattern, said) for name, (pattern, *said) in table["assigned"].items()}


def lines(corpus: str) -> Iterator[str]:
    """Give every sentence with a key in it."""
    for pattern, said in shapes(corpus).values():
        yield from (sentence.replace("{}", made(pattern)[0]) for sentence in said)


def left(text: str, parts: Iterable[str]) -> bool:
    """Whether a text still tells of a key."""
    return any(
        part[at : at + PIECE_CHARS] in text
        for part in parts
        if len(part) >= min(PIECE_CHARS, max(map(len, parts)))
        for at in range(max(1, len(part) - PIECE_CHARS + 1))
    )


@pytest.mark.parametrize("corpus", GOALS)
def test_o03_documented_shapes_of_keys_are_redacted_wherever_they_stand(corpus: str) -> None:
    """Turns red when shapes are no longer known, alone, in prose, in settings, in addresses or on a command line."""
    known = shapes(corpus)
    missed = {
        f"{name}: {sentence}"
        for name, (pattern, said) in known.items()
        for key, parts in (made(pattern, sample) for sample in range(SAMPLES))
        for sentence in said
        if left(redact(sentence.replace("{}", key)), parts)
    }
    found = len(known) - len({line.partition(":")[0] for line in missed})
    assert len(known) >= FEWEST[corpus]
    assert found >= GOALS[corpus] * len(known), sorted(missed)


@pytest.mark.parametrize("corpus", GOALS)
def test_redacting_a_key_twice_changes_nothing_more(corpus: str) -> None:
    once = [redact(line) for line in lines(corpus)]
    assert [redact(line) for line in once] == once


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([*lines("first"), *lines("second"), *INNOCENT]), min_size=1, max_size=3),
    st.sampled_from(["\n", " ", "", ": ", "=", '"']),
    st.text(max_size=20),
)
def test_redacting_anything_twice_changes_nothing_more(parts: list[str], between: str, end: str) -> None:
    once = redact(between.join(parts) + end)
    assert redact(once) == once


@pytest.mark.parametrize("line", INNOCENT)
def test_what_only_looks_like_a_secret_stays_as_it_is(line: str) -> None:
    assert redact(line) == line


def test_there_are_enough_lines_without_a_secret() -> None:
    assert len(INNOCENT) >= 60


@pytest.mark.parametrize(
    "path",
    [
        *sorted(path for path in (PACKAGE / "examples").rglob("*") if path.is_file()),
        *(PACKAGE.parent / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ],
    ids=lambda path: path.name,
)
def test_no_file_that_comes_with_daybook_raises_an_alarm(path: Path) -> None:
    text = path.read_text("utf-8")
    assert redact(text) == text


@pytest.mark.parametrize("cut", [5, 10, 20, 30, 36])
@pytest.mark.parametrize("wrap", ["\n", "\r\n", "=\n", "\n> "])
def test_o03_a_key_that_a_line_break_wraps_is_redacted_whole(cut: int, wrap: str) -> None:
    """Turns red when the second half of a wrapped key stays."""
    key, parts = made(GITHUB)
    text = f"it is {key[: cut + 4]}{wrap}{key[cut + 4 :]} since May"
    for shown in (redact(text), clean(text)):
        assert not left(shown, [parts[0][:cut], parts[0][cut:]] if PIECE_CHARS <= cut <= 28 else [parts[0]])
        assert "it is [redacted:" in shown


def test_a_line_break_behind_a_whole_key_takes_nothing_of_the_next_line() -> None:
    assert redact(f"{made(GITHUB)[0]}\nNext2 came Ann").endswith("]\nNext2 came Ann")


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e"])
@pytest.mark.parametrize("pattern", [GITHUB, AWS, OPENAI])
def test_o03_an_invisible_sign_hides_no_key(sign: str, pattern: str) -> None:
    key, parts = made(pattern)
    text = f"it is {key[:3]}{sign}{key[3:14]}{sign}{key[14:]} since May"
    for shown in (redact(text), clean(text)):
        assert not left(shown, [*parts, parts[0][:9], parts[0][11:]])
        assert shown.startswith("it is [redacted:")
        assert shown.endswith("] since May")


@pytest.mark.parametrize("pattern", [GITHUB, AWS, OPENAI])
def test_o03_full_width_letters_hide_no_key(pattern: str) -> None:
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in made(pattern)[0])
    for shown in (redact(f"鍵は{wide}です"), clean(f"鍵は{wide}です")):
        assert re.fullmatch(r"鍵は\[redacted:[a-z-]+\]です", shown)


def test_a_text_with_full_width_letters_and_no_secret_stays_as_it_is() -> None:
    assert redact("ＰＤＦを２枚、\u200b送りました：Ａ４") == "ＰＤＦを２枚、\u200b送りました：Ａ４"


@pytest.mark.parametrize("start", ["-----", "\u200b-----", "--\u200b---"])
def test_o03_a_private_key_whose_first_dashes_are_lost_is_redacted(start: str) -> None:
    """Turns red when flattening a line that begins with dashes saves the key behind them."""
    body = made("MII[A-Za-z0-9/+]{200}")[0]
    kind = "PRIVATE KEY-----"
    shown = clean(f"{start}BEGIN\u200b RSA {kind}\n{body}\n-----END RSA {kind}")
    assert body[10:18] not in shown


@pytest.mark.parametrize("filler", ["a", "sk-", "://:", "password password ", "password:", "eyJ", " "])
def test_a_long_text_is_redacted_to_its_end(filler: str) -> None:
    key, parts = made(OPENAI)
    shown = redact(f"{filler * (20_000 // len(filler))} {key} .")
    assert not left(shown, parts)
    assert shown.endswith("] .")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password = hunter2secret", "password = [redacted:assigned]"),
        (
            "GET https://x.org/feed?token=abcdef1234567890&page=2",
            "GET https://x.org/feed?token=[redacted:url-secret]&page=2",
        ),
        ("https://user:pw12345678@host/x", "https://user:[redacted:connection-string-password]@host/x"),
        ("Authorization: Bearer abcdefghijklmnop1234567", "Authorization: Bearer [redacted:bearer-token]"),
        ("app password: abcd efgh ijkl mnop", "app password: [redacted:app-password]"),
        ("The password is hunter2secret.", "The password is [redacted:assigned]."),
        ('{"token": "abcdef1234567890", "a": 1}', '{"token": "[redacted:assigned]", "a": 1}'),
        ("Das Passwort lautet „hunter2secret“.", "Das Passwort lautet „[redacted:assigned]“."),
        ("secret: sommer2026, not sommer", "secret: [redacted:assigned], not sommer"),
        ("密码是hunter2secret。", "密码是[redacted:assigned]。"),
        # The library refuses a placeholder that holds the secret.
        ("https://me:pass@x.org", "https://me:[redacted:connection-string-password]@x.org"),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize("spans", [[(2, 8), (4, 6)], [(2, 6), (4, 8)], [(4, 8), (2, 8)], [(2, 8), (2, 4)]])
def test_o03_of_findings_that_overlap_no_part_is_left(spans: list[tuple[int, int]]) -> None:
    """Turns red when the length of one placeholder moves the place of another, and a part of a secret stays."""
    found = [SimpleNamespace(start=start, end=end, type="api_key", action="redact") for start, end in spans]
    assert secrets._without("a SECRET b", found).replace("[redacted:api-key]", "") == "a  b"


def test_a_known_value_is_redacted_though_it_has_no_shape() -> None:
    assert redact("it is correct-horse today", ["correct-horse", "it"]) == "it is [redacted:known] today"


def test_what_was_resolved_once_is_redacted_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())
    secrets.remember(["open-sesame", "on"])
    assert redact("on Sunday open-sesame opened") == "on Sunday [redacted:known] opened"


def test_a_log_line_and_its_traceback_are_redacted(caplog: pytest.LogCaptureFixture) -> None:
    number, key = made(AWS)[0], made(OPENAI)[0]
    before = logging.getLogRecordFactory()
    try:
        logs.redact_all()
        try:
            int(number)
        except ValueError:
            logging.getLogger("test").exception("asked with %s", key)
    finally:
        logging.setLogRecordFactory(before)
    assert number not in caplog.text
    assert key not in caplog.text
    assert "ValueError: invalid literal for int() with base 10: '[redacted:aws-access-key-id]'" in caplog.text


def test_half_a_pair_of_surrogates_stops_nothing() -> None:
    """Turns red when one mail in an odd encoding ends the reading of its mailbox."""
    assert secrets.redact("a \ud800 b") == "a ? b"
