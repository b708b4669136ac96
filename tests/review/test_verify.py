"""Code decides: each verdict has its code, and nothing reaches memory that no trusted line says."""

from __future__ import annotations

from datetime import date
from typing import Literal

import pytest

from daybook.curation.entries import Known, Memory
from daybook.review.operations import Kind, Operation
from daybook.review.verify import Verdict, verify
from daybook.review.window import Evidence

DAY = date(2026, 2, 7)
SECTIONS = ("Operator Preferences", "Lessons Learned", "Decisions")
OWNED = Known("e1", "MEMORY.md", "Lessons Learned", "Backups run every Sunday, from 03:00", owned=True)
THEIRS = Known("e2", "MEMORY.md", "Decisions", "Sources are kept in git", owned=False)
MEMORY = Memory((OWNED, THEIRS), SECTIONS)


def line(number: int, text: str, origin: Literal["trusted", "outside"] = "trusted") -> Evidence:
    return Evidence(number, DAY, "memory/2026-02-07.md", number, "08:00", text, "Morning", origin, (f"m{number}",))


def judged(
    kind: Kind,
    text: str = "",
    *,
    sources: tuple[int, ...] = (1,),
    lines: list[Evidence],
    entry: str = "",
    section: str = "",
) -> Verdict:
    operation = Operation(kind=kind, text=text, sources=sources, entry=entry, section=section)
    (verdict,) = verify([operation], lines, MEMORY)
    return verdict


UNLIKE = (
    "The anvil stands in the shed",
    "Candles burn for nine hours",
    "Maria sings alto on Sundays",
    "Port 8443 serves the wiki",
    "Tea is better without sugar",
    "Graz has two railway stations",
    "Invoices carry a purple stamp",
    "Hedgehogs sleep under the porch",
    "Python 3.11 is the floor",
    "Blue bins hold paper only",
)
FACT = "Decision: Links are checked on the day before (four of them were broken)"


@pytest.mark.parametrize(
    ("text", "lines", "sources", "fate", "code"),
    [
        ("Links are checked on the day before", [line(1, FACT)], (1,), "apply", None),
        (FACT, [line(1, FACT)], (1,), "apply", None),
        (FACT, [line(1, FACT)], (), "refuse", "no-source"),
        (FACT, [line(1, FACT)], (2,), "refuse", "no-source"),
        (FACT, [line(1, FACT)], (1, 9), "refuse", "no-source"),
        (FACT, [line(1, FACT, "outside")], (1,), "propose", "outside-only"),
        ("Links get looked at on the day before", [line(1, FACT)], (1,), "propose", "ungrounded"),
        ("Links are checked by Maria", [line(1, FACT)], (1,), "refuse", "ungrounded"),
        ("Links are checked at 14:00", [line(1, FACT)], (1,), "refuse", "ungrounded"),
        ("x " * 200, [line(1, "x " * 200)], (1,), "refuse", "too-long"),
        (
            "Deadline: the report is due tomorrow",
            [line(1, "Deadline: the report is due tomorrow")],
            (1,),
            "propose",
            "relative-date",
        ),
        ("We meet on Friday", [line(1, "We meet on Friday")], (1,), "propose", "relative-date"),
        ("___", [line(1, "___")], (1,), "refuse", "ungrounded"),
        ("Key AKIAIOSFODNN7EXAMPLE", [line(1, "Key AKIAIOSFODNN7EXAMPLE")], (1,), "refuse", "secret"),
        ("Key [redacted:aws-key-id]", [line(1, "Key [redacted:aws-key-id]")], (1,), "refuse", "secret"),
    ],
)
def test_an_add_is_applied_only_if_a_trusted_line_says_it(
    text: str, lines: list[Evidence], sources: tuple[int, ...], fate: str, code: str | None
) -> None:
    verdict = judged("add", text, sources=sources, lines=lines)
    assert (verdict.fate, verdict.code) == (fate, code)


def test_an_add_that_equals_an_entry_is_a_confirm() -> None:
    verdict = judged("add", "Sources are kept in git.", lines=[line(1, "Sources are kept in git.")])
    assert (verdict.fate, verdict.operation.kind, verdict.entry) == ("apply", "confirm", THEIRS)


def test_m18_an_add_close_to_an_entry_waits_beside_it_as_a_proposal() -> None:
    """Turns red when two values of one fact come to stand silently side by side."""
    text = "Backups run every Sunday, from 04:00"
    verdict = judged("add", text, lines=[line(1, text)])
    assert (verdict.fate, verdict.code, verdict.entry) == ("propose", "supersedes", OWNED)


@pytest.mark.parametrize(
    ("kind", "entry", "text", "said", "fate", "code"),
    [
        ("confirm", "e1", "", "Backups run every Sunday, from 03:00", "apply", None),
        ("confirm", "e1", "", "Had lunch with Bob", "refuse", "ungrounded"),
        ("confirm", "e9", "", "Backups run on Sunday", "refuse", "conflict"),
        ("revise", "e9", "Backups run on Monday", "Backups run on Monday", "refuse", "conflict"),
        ("revise", "e2", "Sources are kept in a database", "Sources are kept in a database", "propose", "foreign"),
        (
            "revise",
            "e1",
            "Backups no longer run every Sunday, from 03:00",
            "Backups no longer run every Sunday, from 03:00",
            "propose",
            "second-opinion",
        ),
        ("retire", "e2", "", "Sources are gone", "propose", "foreign"),
        ("retire", "e1", "", "No more backups", "propose", "second-opinion"),
        ("revise", "e1", "Backups run on Monday", "Backups run on Monday", "propose", "second-opinion"),
        ("revise", "e1", "Backups run each night", "Backups run nightly", "propose", "ungrounded"),
        (
            "revise",
            "e1",
            "Backups run every Sunday, from 03:00, to the NAS",
            "Backups run every Sunday, from 03:00, to the NAS",
            "apply",
            None,
        ),
    ],
)
def test_a_change_of_an_entry_is_applied_only_to_ours_and_takes_nothing_away(
    kind: Kind, entry: str, text: str, said: str, fate: str, code: str | None
) -> None:
    verdict = judged(kind, text, lines=[line(1, said)], entry=entry)
    assert (verdict.fate, verdict.code) == (fate, code)


def test_m20_a_revise_that_has_nothing_to_do_with_its_entry_waits() -> None:
    """Turns red when an entry can be replaced by something else."""
    said = "The cat sleeps nowhere else"
    verdict = judged("revise", said, lines=[line(1, said)], entry="e1")
    assert (verdict.fate, verdict.code) == ("propose", "second-opinion")


def test_o10_outside_evidence_alone_confirms_and_retires_nothing() -> None:
    """Turns red when mail counts as a confirmation."""
    outside = [line(1, "[mail] Backups run on Sunday", "outside")]
    assert judged("confirm", lines=outside, entry="e1").fate == "refuse"
    assert judged("retire", lines=outside, entry="e1").fate == "propose"


def test_a_pinned_entry_is_protected_though_it_is_ours() -> None:
    pinned = Known("e1", "MEMORY.md", "Lessons Learned", "Backups run", owned=True, protected=True)
    operation = Operation(kind="retire", entry="e1", sources=(1,))
    (verdict,) = verify([operation], [line(1, "Backups run no more")], Memory((pinned,), SECTIONS))
    assert (verdict.fate, verdict.code) == ("propose", "foreign")


@pytest.mark.parametrize(
    ("section", "text", "chosen"),
    [
        ("decisions", "The shop opens at nine", "Decisions"),
        ("Made up", "Decision: the shop opens at nine", "Decisions"),
        ("", "Preference: tea with milk", "Operator Preferences"),
        ("", "The shop opens at nine", "Lessons Learned"),
    ],
)
def test_an_add_goes_under_a_heading_that_is_there(section: str, text: str, chosen: str) -> None:
    assert judged("add", text, lines=[line(1, text)], section=section).operation.section == chosen


def test_nothing_is_added_to_a_section_that_is_marked_as_the_persons_own() -> None:
    text = "Decision: the shop opens at nine"
    operation = Operation(kind="add", text=text, section="Decisions", sources=(1,))
    (verdict,) = verify([operation], [line(1, text)], Memory((), (), frozenset({"Decisions"})))
    assert (verdict.fate, verdict.code) == ("propose", "foreign")


def test_at_most_seven_adds_a_call_are_applied_and_the_rest_waits() -> None:
    lines = [line(number, text) for number, text in enumerate(UNLIKE, 1)]
    operations = [Operation(kind="add", text=one.text, sources=(one.number,)) for one in lines]
    verdicts = verify([*operations, operations[0]], lines, Memory((), SECTIONS))
    assert [one.fate for one in verdicts] == ["apply"] * 7 + ["later"] * 3
    assert {one.code for one in verdicts[7:]} == {"quota"}


def test_o02_a_proposed_text_is_flattened_before_it_is_judged() -> None:
    """Turns red when a model can write a heading or a second line."""
    verdict = judged("add", "## Links are checked\non the day before", lines=[line(1, FACT)])
    assert (verdict.fate, verdict.operation.text) == ("apply", "Links are checked on the day before")
