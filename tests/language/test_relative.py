"""What only the note's own date tells is recognised in seven languages, and habits are not."""

from __future__ import annotations

from datetime import date

import pytest

from daybook.language.dates import absolute, days_in, find_dates
from daybook.language.relative import is_relative, may_be_relative
from daybook.review.likeness import rough

MONDAY = date(2026, 3, 2)
RELATIVE = [
    *("due tomorrow", "on Friday", "we meet next week", "in two weeks", "three days ago", "meeting tonight"),
    *("by the end of the week", "due on the 14th", "nächste Woche", "in zwei Tagen", "Termin am Freitag"),
    *("la semaine prochaine", "ce soir", "dans trois jours", "la semana que viene", "hace dos días"),
    *("settimana prossima", "tra due giorni", "stasera", "semana que vem", "daqui a dois dias", "volgende week"),
    *("over twee dagen", "下周开会", "三天后", "明天", "завтра", "on Friday users get it"),
]
LASTING = [
    *("every Friday", "March 3", "Fridays", "never deploy on a Friday", "Friday deploys are banned", "hier ist es"),
    *("open Monday to Friday", "in 5 minutes", "rent is due on the 1st of each month", "run `today`", "los lunes"),
    *('the app "Today"', "always on Monday", "the last time", "von Montag bis Freitag", "x", "guten Morgen"),
]


@pytest.mark.parametrize("text", RELATIVE)
def test_a_day_that_only_the_note_tells_is_relative(text: str) -> None:
    assert is_relative(text)
    assert may_be_relative(frozenset(rough(text)))


@pytest.mark.parametrize("text", LASTING)
def test_habits_dates_and_mentions_hold_as_they_are(text: str) -> None:
    assert not is_relative(text)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Abgabe am 3.3. um drei", {"2026-03-03"}),
        ("Freitag, 6.3.", {"2026-03-06"}),
        ("Frist: 3.3.", {"2026-03-03"}),
        ("Use version 3.4. Then go", set()),
        ("Kapitel 3.4.", set()),
        ("Monday to Friday", {"weekday-0", "weekday-4"}),
    ],
)
def test_a_dotted_date_needs_a_word_that_says_so(text: str, dates: set[str]) -> None:
    assert find_dates(text, MONDAY) == dates


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Due  tomorrow (Tuesday)", "Due 2026-03-03 (2026-03-03)"),
        ("Call on the 3rd of March", "Call 2026-03-03"),
        ("MEET US on Friday", "MEET US 2026-03-06"),
        ("Never on Fridays", "Never weekday-4"),
        ("İ tomorrow", "i̇ 2026-03-03"),
        ("no date", "no date"),
    ],
)
def test_dates_are_written_alike(text: str, expected: str) -> None:
    assert absolute(text, MONDAY) == expected


def test_a_date_is_given_with_its_place() -> None:
    shown, (day,) = days_in("Due on March 3, 2026.", MONDAY)
    assert (shown[day.start : day.end], day.value, day.how) == ("March 3, 2026", "2026-03-03", "year")
