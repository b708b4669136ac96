"""A forgotten text is known whole, with whatever a note line has around it, and not by its letters."""

from __future__ import annotations

import pytest

from daybook.memory import longterm
from daybook.memory.forgotten import Words, folded

TEA = Words.of(["Tea", "tea over coffee"], ["once it was said"])


@pytest.mark.parametrize(
    "text",
    [
        "tea",
        "  TEA. ",
        "- tea",
        "- [ ] tea",
        "- 08:00 - tea",
        "- 08:00 - [mail] tea",
        "- 08:00 - Lesson: tea",
        "+ - tea",
        "memory/2026-02-07.md: - 08:00 - tea over  coffee",
        "- 09:30 - Once it was said.",
    ],
)
def test_a_line_that_says_it_is_known(text: str) -> None:
    assert (TEA.says(text), TEA.stand_in(text)) == (True, True)


@pytest.mark.parametrize(
    ("text", "among_others"),
    [
        ("- 08:00 - steam", False),
        ("teapot", False),
        ("tea2", False),
        ("the tea, please", True),
        ("(tea)", True),
        ("", False),
        ("- 08:00 -", False),
    ],
)
def test_a_line_that_only_speaks_of_it_does_not_say_it(text: str, among_others: bool) -> None:
    """Turns red when letters within a word count, or a word of a sentence counts as the sentence."""
    assert (TEA.says(text), TEA.stand_in(text), TEA.quoted_in(text)) == (False, among_others, False)


def test_only_what_is_more_than_a_word_or_two_is_quoted() -> None:
    assert TEA.quoted_in("Jana: tea over coffee, always")
    assert not TEA.quoted_in("Jana: tea, always")


def test_scripts_without_spaces_have_no_edges_of_words() -> None:
    assert Words.of(["猫が好き"]).stand_in("私は猫が好きです")


def test_what_has_no_word_forgets_nothing() -> None:
    empty = Words.of(["", " . "], ["\n"])
    assert (empty.says(""), empty.stand_in("."), empty.says("- "), folded(" . ")) == (False, False, False, "")


def test_what_cannot_be_written_is_refused_without_its_words() -> None:
    """Turns red when an error that ends up in a log quotes an entry."""
    document = longterm.parse(b"# A\n\n- my secret illness\n")
    (entry,) = document.entries
    wrong = (
        [longterm.Remove(entry), longterm.Remove(entry)],
        [longterm.Revise(entry, "<!-- my secret illness")],
        [longterm.Insert(b"my secret illness", "A")],
        [longterm.Add("my secret\nillness", "x")],
    )
    for edits in wrong:
        with pytest.raises(ValueError, match=r"not an entry|cannot stand|not the lines|not a heading") as caught:
            longterm.apply(document, edits)
        assert "secret" not in str(caught.value)
