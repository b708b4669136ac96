"""Dated one-offs and deadlines end; what recurs, begins, or was learned on a date stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from daybook.curation.entries import Known, Memory
from daybook.language.themes import theme_of
from daybook.review.expiry import REASON, entry_expires_on, expired, expires_on, is_over

NOTED = date(2026, 1, 30)
TODAY = date(2026, 2, 7)
ENDS = [
    ("Dentist on 3 February at 15:00", "2026-02-03"),
    ("Deadline: tax return by 2026-02-01", "2026-02-01"),
    ("Concert tickets for 31 January", "2026-01-31"),
    ("Anna visits on 5 February", "2026-02-05"),
    ("Parcel arrives on Feb 4", "2026-02-04"),
    ("The parcel comes tomorrow", "2026-01-31"),
    ("Freeze until 3 February", "2026-02-03"),
    ("Urlaub vom 2. Februar bis 6. Februar", "2026-02-06"),
    ("Holiday from 2 to 6 February", "2026-02-06"),
    ("Der Zahnarzt ist am 3.2. um 10 Uhr", "2026-02-03"),
    ("Abgabe bis 3. Februar", "2026-02-03"),
    ("Échéance : 3 février", "2026-02-03"),
    ("Vacaciones hasta el 3 de febrero", "2026-02-03"),
    ("Consegna il 3 febbraio", "2026-02-03"),
    ("Férias até 3 de fevereiro", "2026-02-03"),
    ("Vergadering op 3 februari", "2026-02-03"),
    ("会议在2月3日", "2026-02-03"),
    ("Decided to keep the freeze until 3 March", "2026-03-03"),
    ("Dentist today at 15:00", "2026-01-30"),
]
STAYS = [
    *("Every 3 February we pay", "Since 3 February we deploy daily", "Birthday of Anna: 3 February"),
    *("Lesson: the certificate expires on 3 March", "The contract was signed on 30 January"),
    *("Decision of 2026-01-30: use tabs", "Starting 3 February standups at nine", "We move to Graz on 3 February"),
    *("Tom and Ann met on 30 January and agreed on tabs", "The lease began on 2025-03-01"),
    *("PostgreSQL 17 was released on 2024-09-26", "Ab 3. Februar gilt der neue Tarif", "Dès le 3 février, tabs"),
    *("Desde el 3 de febrero usamos tabs", "Dal 3 febbraio si usa tabs", "Vanaf 3 februari tabs"),
    *("从2月3日使用新版本", "Meetings on 3 February and 10 February", "Python 3.11 is the floor"),
    *("Preference: the train for the trip on 3 March", "Standup happens at 09:30", "Decided to ship on 3 February"),
    *("Maria met ACME today at 10:00", "The tax return was due on 3 January", "Fridays are for reviews"),
]
ENTRY = Known(
    "e1", "MEMORY.md", "Deadlines", "Deadline: tax return 3 February", owned=True, dates=frozenset({"2026-01-30"})
)


@pytest.mark.parametrize(("text", "last"), ENDS)
def test_a_one_off_matters_until_its_date(text: str, last: str) -> None:
    assert expires_on(text, NOTED, theme_of(text)) == date.fromisoformat(last)


@pytest.mark.parametrize("text", STAYS)
def test_in_doubt_a_statement_stays(text: str) -> None:
    assert expires_on(text, NOTED, theme_of(text)) is None


def test_m17_an_entry_whose_date_has_passed_is_retired_without_being_asked_about() -> None:
    """Turns red when a past deadline stays in memory."""
    (verdict,) = expired(Memory((ENTRY,)), TODAY)
    assert (verdict.fate, verdict.operation.kind, verdict.entry, verdict.sources) == ("apply", "retire", ENTRY, ())
    assert (verdict.reason, verdict.loses) == (REASON, False)
    assert expired(Memory((ENTRY,)), date(2026, 2, 3)) == []


@pytest.mark.parametrize(
    "change",
    [
        {"owned": False},
        {"protected": True},
        {"edited": True},
        {"accepted": True},
        {"text": "Deadline: tax return tomorrow"},
        {"text": "Deadline: tax return on Tuesday"},
        {"text": "Tax return every 3 February"},
        {"text": "Anna lives in Graz since 3 February"},
        {"section": "Preferences", "text": "Likes the trip on 3 February"},
        {"dates": frozenset[str]()},
        {"adopted": True},
    ],
)
def test_an_entry_stays_where_it_is_not_ours_or_its_date_is_not_plain(change: dict[str, object]) -> None:
    assert expired(Memory((replace(ENTRY, **change),)), TODAY) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Deadline: tax return 2026-02-03", date(2026, 2, 3)),
        ("Contract runs until 31 December 2026", date(2026, 12, 31)),
        ("Concert on 2026-02-03", None),
        ("Deadline: tax return 3 February", None),
    ],
)
def test_an_adopted_entry_needs_a_deadline_with_a_year(text: str, last: date | None) -> None:
    entry = replace(ENTRY, text=text, section="Notes", adopted=True, dates=frozenset({"2026-02-01"}))
    assert entry_expires_on(entry) == last


def test_an_unmarked_event_among_the_lessons_ends_and_a_plain_date_there_does_not() -> None:
    event = replace(ENTRY, section="Lessons Learned", text="Dentist on 3 February")
    plain = replace(ENTRY, section="Lessons Learned", text="Big news on 3 February")
    assert (entry_expires_on(event), entry_expires_on(plain)) == (date(2026, 2, 3), None)


def test_m22_what_was_past_when_it_was_adopted_is_not_taken_away() -> None:
    """Turns red when the first review of an agent's own folder archives what it finds there."""
    past = replace(ENTRY, text="Contract runs until 2024-05-01", adopted=True, dates=frozenset({"2026-02-01"}))
    coming = replace(past, text="Contract runs until 2026-02-05")
    assert (is_over(past, date(2026, 2, 7)), is_over(coming, date(2026, 2, 7))) == (False, True)


LASTS = """
Ana's name day is 19 March 2026|Namenstag 19. März|Todestag von Oma: 13. März 2026|Hochzeitstag 13. März 2026
Tax year ends 5 April|Fiscal year ends on 31 March|Independence Day is July 4|fête des mères le 31 mai 2026
fête nationale 14 juillet 2026|结婚纪念日 3月3日|Feiertag: 3. Oktober 2026|Quarter ends 31 March 2026
Bin day is 13 March 2026 and fortnightly|Müllabfuhr 13.03.2026, dann 14-tägig
alle zwei Wochen Besuch, nächstes Mal 13. März 2026|om de week vergadering, 13 maart 2026
reunião quinzenal, 13 de março de 2026|riunione a settimane alterne, 13 marzo 2026|两周一次会议，2026年3月13日
Use key A until 3 March 2026, key B after|Ana is CEO until 3 March 2026, then Ben|I lived in Rome until 3 March 2026
Ana was CEO until 3 March 2026|By 3 March 2026 we had 200 users|by 3 March 2026 all laptops were encrypted
pin the API at 2026-03-03|DOB 2026-03-03|Contract with Acme dated 3 March 2026|Version 2026-03-03 of the API is stable
The patent expires on 3 March 2026 unless renewed|Ubuntu 24.04 reaches end of life on 2029-04-01
"""


@pytest.mark.parametrize("text", [one for one in LASTS.replace("\n", "|").split("|") if one])
def test_what_recurs_begins_or_is_told_for_good_stays(text: str) -> None:
    entry = replace(ENTRY, text=text, section="Notes")
    assert (expires_on(text, NOTED, None), entry_expires_on(entry)) == (None, None)


@pytest.mark.parametrize("text", ["Big news on 3 March 2026", "Ana sings on 3 March", "The kitchen on 2026-03-03"])
def test_a_plain_date_of_an_entry_counts_only_as_a_deadline(text: str) -> None:
    assert entry_expires_on(replace(ENTRY, text=text, section="Notes")) is None
    assert entry_expires_on(replace(ENTRY, text=f"Deadline: {text}", section="Notes")) == date(2026, 3, 3)
    assert expires_on(text, NOTED, None) == date(2026, 3, 3)
