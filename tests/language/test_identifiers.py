from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook.language.dates import find_dates
from daybook.language.identifiers import identifiers

MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-03-03", "2026-03-03T09:00Z", "2026/3/3", "3 March 2026", "March 3", "March 3rd, 2026"),
        *("the 3rd of March", "Mar 3", "03.03.2026", "3.3.2026", "3/3/2026", "3. März", "am 3. März 2026"),
        *("3 mars", "3 de marzo de 2026", "3 marzo", "3 de março", "3 maart 2026", "tomorrow", "morgen"),
        *("demain", "mañana", "domani", "amanhã", "明天", "2026年3月3日", "on Tuesday", "am Dienstag", "mardi"),
        *("next Tuesday",),
    ],
)
def test_a_date_is_found_in_every_notation(text: str) -> None:
    assert find_dates(text, MONDAY) == {"2026-03-03"}


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("3/4/2026", set()),
        ("13/4/2026", {"2026-04-13"}),
        ("4/13/2026", {"2026-04-13"}),
        ("30 February", set()),
        ("version 3.4", set()),
        ("heute morgen", {"2026-03-02"}),
        ("guten Morgen", set()),
        ("the day after tomorrow", {"2026-03-04"}),
        ("last Friday", {"2026-02-27"}),
        ("today", {"2026-03-02"}),
        ("every Friday", {"weekday-4"}),
        ("Fridays", {"weekday-4"}),
        ("December 30", {"2025-12-30"}),
        ("20 December and 5 January", {"2025-12-20", "2026-01-05"}),
    ],
)
def test_dates_are_placed_by_the_notes_own_date(text: str, dates: set[str]) -> None:
    assert find_dates(text, MONDAY) == dates


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("about 20 minutes", {"number:20", "amount:20 min"}),
        ("wait 20min", {"number:20min", "amount:20 min"}),
        ("costs 1,000 tokens", {"number:1000", "amount:1000 token"}),
        ("at 03:00", {"number:3:00"}),
        ("Tom's deputy asks ACME", {"name:tom", "name:acme"}),
        ("Always use PG 17", {"name:pg", "number:17"}),
        ("ask bob@example.org", {"address:bob@example.org", "host:example.org"}),
        ("see https://a.example.org/x?y=1.", {"link:https://a.example.org/x?y=1", "host:a.example.org"}),
        ("read /etc/Hosts and docs/a.md", {"path:/etc/Hosts", "path:docs/a.md"}),
        ("run `make test` --force", {"code:make test", "command:--force"}),
        ("and/or", set()),
        ("on db-1.example.org", {"host:db-1.example.org", "number:db-1.example.org"}),
        ("服务器在北京。", {"name:服务器在北京"}),
        ("on March 3", {"date:2026-03-03"}),
        ("nothing of note", set()),
    ],
)
def test_what_a_text_names_is_found_with_its_kind(text: str, found: set[str]) -> None:
    assert identifiers(text, MONDAY) == found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("20 hours", "20 minutes"),
        ("db-1", "db-2"),
        ("March 3", "March 13"),
        ("/a/B", "/a/b"),
        ("-5", "5"),
        ("`-A`", "`-a`"),
    ],
)
def test_what_differs_is_named_differently(a: str, b: str) -> None:
    assert identifiers(a, MONDAY) != identifiers(b, MONDAY)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(max_size=80), st.dates(date(1, 1, 2), date(9999, 12, 30)))
def test_any_text_of_any_date_gets_an_answer(text: str, day: date) -> None:
    assert all(":" in found for found in identifiers(text, day))
