"""An Add goes under a heading that is there and fits, else all share one new heading."""

from __future__ import annotations

from datetime import date

import pytest

from daybook.review.operations import Operation
from daybook.review.placing import Places
from daybook.review.window import Evidence


def chosen(places: Places, text: str, *, section: str = "", heading: str = "", dated: bool = False) -> str:
    line = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 1, "08:00", text, heading, "trusted", ("m1",))
    operation = Operation(kind="add", text=text, section=section, sources=(1,))
    return places.choose(operation, [line], dated=dated)


@pytest.mark.parametrize(
    ("sections", "text", "expected"),
    [
        (("Notes", "Lessons"), "Lesson: check twice", "Lessons"),
        (("Notes", "Erkenntnisse"), "Lesson: check twice", "Erkenntnisse"),
        (("Décisions",), "Decision: use tabs", "Décisions"),
        (("Preferencias",), "User prefers tea", "Preferencias"),
        (("Scadenze",), "Deadline: 3 marzo", "Scadenze"),
        (("Lições", "Geral"), "The shop opens at nine", "Geral"),
        (("Besluiten", "Algemeen"), "The shop opens at nine", "Algemeen"),
        (("Release notes", "Lessons"), "The shop opens at nine", "Lessons"),
        ((), "The shop opens at nine", "Lessons Learned"),
    ],
)
def test_an_open_heading_that_fits_is_taken_in_seven_languages(
    sections: tuple[str, ...], text: str, expected: str
) -> None:
    assert chosen(Places(sections), text) == expected


def test_a_named_heading_counts_if_it_is_there() -> None:
    places = Places(("Decisions", "House"))
    assert chosen(places, "Decision: paint it", section="house") == "House"
    assert chosen(places, "Decision: paint it", section="Invented") == "Decisions"


def test_all_that_fit_nowhere_share_the_first_new_heading() -> None:
    places = Places(("Decisions",))
    first = chosen(places, "Preference: tea")
    places.take(first)
    assert [first, chosen(places, "Lesson: check"), chosen(places, "Deadline: 3 March")] == ["Preferences"] * 3
    assert chosen(places, "Decision: paint it") == "Decisions"


def test_a_dated_one_off_stands_with_the_deadlines() -> None:
    assert chosen(Places(("Deadlines", "Notes")), "Dentist on 3 March", dated=True) == "Deadlines"


def test_a_heading_of_the_persons_own_is_told_and_not_gone_round() -> None:
    places = Places((), ("decisions",))
    places.take("Preferences")
    section = chosen(places, "Decision: paint it")
    assert (section, places.is_closed(section)) == ("Decisions", True)
