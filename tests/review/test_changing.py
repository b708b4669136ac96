"""A change of an entry: ours, newer, of the same, and what takes away is asked about."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Literal

import pytest

from daybook.curation.entries import Known, Memory, statement_hash
from daybook.review.changing import loses
from daybook.review.expiry import REASON
from daybook.review.operations import Operation
from daybook.review.verify import verify
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from daybook.review.operations import Kind
    from daybook.review.verdict import Verdict

TODAY = date(2026, 2, 7)
ENTRY = Known(
    "e1",
    "MEMORY.md",
    "Facts",
    "Backups run every Sunday at 03:00 on the NAS",
    owned=True,
    dates=frozenset({"2026-01-10", "2026-02-01"}),
    lines=frozenset({"old"}),
)


def line(text: str, *, day: int = 5, mark: str = "new", origin: Literal["trusted", "outside"] = "trusted") -> Evidence:
    return Evidence(1, date(2026, 2, day), f"memory/2026-02-0{day}.md", 1, "08:00", text, "", origin, (mark,))


def judged(kind: Kind, said: Evidence, text: str = "", entry: Known = ENTRY, memory: Memory | None = None) -> Verdict:
    operation = Operation(kind=kind, text=text, entry="e1", sources=(1,))
    memory = replace(memory or Memory(), entries=(entry,))
    (verdict,) = verify([operation], [said], memory, today=TODAY)
    return verdict


def test_a_retire_that_a_newer_line_of_the_same_may_say_is_asked_about() -> None:
    verdict = judged("retire", line("The NAS no longer takes backups"))
    assert (verdict.fate, verdict.code, verdict.asks, verdict.loses) == ("propose", "second-opinion", "ended", True)


@pytest.mark.parametrize(
    "said",
    [
        line("The NAS no longer takes backups", day=1),
        line("Had lunch with Bob"),
        line("Backups run every Sunday at 03:00 on the NAS"),
        line("Lesson: Backups run every Sunday at 03:00 on the NAS (checked)"),
    ],
)
def test_an_older_line_another_matter_and_a_repeat_are_not_even_asked_about(said: Evidence) -> None:
    verdict = judged("retire", said)
    assert (verdict.fate, verdict.code, verdict.asks) == ("propose", "second-opinion", None)


@pytest.mark.parametrize("change", [{"owned": False}, {"protected": True}, {"edited": True}, {"accepted": True}])
def test_what_is_not_daybooks_own_is_never_asked_about(change: dict[str, bool]) -> None:
    verdict = judged("retire", line("The NAS no longer takes backups"), entry=replace(ENTRY, **change))  # type: ignore[arg-type]
    assert (verdict.fate, verdict.code, verdict.asks) == ("propose", "foreign", None)


def test_when_nothing_may_be_retired_any_more_the_retire_waits_unasked() -> None:
    verdict = judged("retire", line("The NAS no longer takes backups"), memory=Memory(retirements=0))
    assert (verdict.fate, verdict.code, verdict.asks) == ("later", "quota", None)


def test_an_entry_whose_own_date_has_passed_is_retired_without_an_opinion() -> None:
    entry = replace(ENTRY, text="Dentist on 3 February at 15:00")
    verdict = judged("retire", line("Tidied the list"), entry=entry)
    assert (verdict.fate, verdict.reason, verdict.loses) == ("apply", REASON, False)


def test_a_revise_that_takes_something_away_counts_as_a_retire() -> None:
    text = "Backups run every Sunday at 04:30 on the NAS"
    verdict = judged("revise", line(text), text)
    assert (verdict.fate, verdict.code, verdict.asks, verdict.loses) == ("propose", "second-opinion", "ended", True)
    assert judged("revise", line(text), text, entry=replace(ENTRY, accepted=True)).asks is None


def test_a_revise_that_is_a_rewording_is_asked_about_and_one_that_also_loses_is_not() -> None:
    said = line("Backups really run every Sunday at 03:00 on the NAS and on tape")
    text = "Backups run every Sunday at 03:00 on the NAS and on tape"
    verdict = judged("revise", said, text)
    assert (verdict.fate, verdict.code, verdict.asks) == ("propose", "ungrounded", "says")
    losing = judged("revise", line("Backups really run every Monday on tape"), "Backups run every Monday on tape")
    assert (losing.fate, losing.code, losing.asks) == ("propose", "ungrounded", None)


def test_a_revise_of_a_persons_edit_waits_for_the_person() -> None:
    text = "Backups run every Sunday at 03:00 on the NAS, with tape"
    verdict = judged("revise", line(text), text, entry=replace(ENTRY, edited=True))
    assert (verdict.fate, verdict.code) == ("propose", "foreign")


def test_a_revise_to_what_is_over_or_forgotten_or_there_already_is_not_made() -> None:
    text = "Backups stop on the NAS until 6 February"
    assert judged("revise", line(text), text).code == "expired"
    forgotten = Memory(forgotten=frozenset({statement_hash(text)}))
    assert judged("revise", line(text), text, memory=forgotten).code == "forgotten"
    other = replace(ENTRY, id="e2", text="Backups of the NAS run every Sunday")
    operation = Operation(kind="revise", text=other.text, entry="e1", sources=(1,))
    (verdict,) = verify([operation], [line(other.text)], Memory((ENTRY, other)), today=TODAY)
    assert (verdict.fate, verdict.code) == ("propose", "supersedes")


@pytest.mark.parametrize(
    ("new", "takes_away"),
    [
        ("Backups run every Sunday at 03:00 on the NAS, and on tape", False),
        ("Backups run every Sunday at 03:00 on the new NAS", False),
        ("Backups never run every Sunday at 03:00 on the NAS", True),
        ("Backups run every Sunday at 03:00", True),
        ("On Sunday at 03:00 Ann feeds the NAS", True),
    ],
)
def test_a_lost_identifier_other_polarity_and_other_words_take_away(new: str, takes_away: bool) -> None:
    assert loses(ENTRY.text, new, TODAY) is takes_away


def test_m16_working_somewhere_is_not_superseded_by_an_account_there() -> None:
    """Turns red when a fact is replaced by another one about the same names."""
    entry = replace(ENTRY, text="Maria works at ACME")
    text = "Maria administers ACME's account"
    revise = judged("revise", line(text), text, entry=entry)
    assert (revise.fate, revise.loses) == ("propose", True)
    assert judged("retire", line(text), entry=entry).fate == "propose"
    assert judged("confirm", line(text), entry=entry).fate == "refuse"
    (add,) = verify([Operation(kind="add", text=text, sources=(1,))], [line(text)], Memory((entry,)), today=TODAY)
    assert (add.fate, add.code) == ("apply", None)


@pytest.mark.parametrize(
    ("said", "shown", "counts"),
    [
        (line(ENTRY.text), False, True),
        (line(ENTRY.text), True, False),
        (line(f"Lesson: {ENTRY.text.casefold()}."), True, False),
        (line(f"Decision: {ENTRY.text}", day=6), False, True),
        (line(ENTRY.text, mark="old"), False, False),
        (line(ENTRY.text, day=1), False, False),
    ],
)
def test_a_confirm_counts_once_a_date_and_never_for_its_own_line_or_an_echo(
    said: Evidence, shown: bool, counts: bool
) -> None:
    days = frozenset({said.day.isoformat()} if shown else ())
    for kind in ("confirm", "add"):
        text = said.text if kind == "add" else ""
        verdict = judged(kind, said, text, memory=Memory(shown=days))  # type: ignore[arg-type]
        if kind == "add" and verdict.operation.kind == "add":
            continue
        assert (verdict.fate, verdict.operation.kind, verdict.counts) == ("apply", "confirm", counts)


def test_only_the_lines_that_count_are_kept_of_a_confirm() -> None:
    lines = [line(ENTRY.text, mark="old"), replace(line(ENTRY.text, day=6), number=2)]
    operation = Operation(kind="confirm", entry="e1", sources=(1, 2))
    (verdict,) = verify([operation], lines, Memory((ENTRY,)), today=TODAY)
    assert ([one.number for one in verdict.sources], verdict.counts) == ([2], True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Maria is allergic to nuts", "Maria is allergic to cats"),
        ("our red bike has good brakes", "our red bike has bad brakes"),
        ("the boiler needs water every week", "the boiler needs oil every week"),
        ("Ana lends Ben the bike", "Ben lends Ana the bike"),
        ("the guard opens the gate for the baker", "the baker opens the gate for the guard"),
        ("the flat belongs to Ana", "the flat above belongs to Ana's sister"),
        ("use the blue key", "use the blue key, Jonas joked"),
        ("use the blue key", "use the blue key, maybe"),
        ("use the blue key", "use the blue key until sold"),
        ("Maria is allergic to nuts, cats and milk", "Maria is allergic to cats and milk products"),
    ],
)
def test_a_revise_is_free_only_if_it_adds(old: str, new: str) -> None:
    entry = replace(ENTRY, text=old)
    assert loses(old, new, TODAY)
    verdict = judged("revise", line(new), new, entry=entry)
    assert (verdict.fate, verdict.loses) == ("propose", True)
    assert judged("revise", line(new), new, entry=entry, memory=Memory(retirements=0)).fate in {"later", "propose"}


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("Maria is allergic to nuts", "Maria is allergic to cats", True),
        ("the rent of the flat is 500 euros", "the rent of the flat is 550 euros", True),
        ("Ana lends Ben the bike", "Ben lends Ana the bike", False),
        ("the guard opens the gate for the baker", "the baker opens the gate for the guard", False),
        ("never send parcels on Fridays", "parcels on Fridays arrive late", False),
        ("Maria is allergic to nuts and cats and fish", "Maria is allergic to cats", False),
    ],
)
def test_a_changed_value_is_asked_about_and_a_swapped_role_is_not(old: str, new: str, asked: bool) -> None:
    verdict = judged("revise", line(new), new, entry=replace(ENTRY, text=old))
    assert verdict.asks == ("ended" if asked else None)


@pytest.mark.parametrize(
    ("entry", "said", "asked"),
    [
        ("Maria owns the red car", "Maria sold the red car", True),
        ("Maria owns the red car", "Maria no longer owns the red car", True),
        ("Der Vertrag mit Maria läuft in Graz", "Der Vertrag mit Maria ist gekündigt", True),
        ("the rent of the flat is 500 euros", "the rent of the flat is 550 euros", True),
        ("Maria owns the red car", "Maria washed the red car", False),
        ("Maria owns the red car", "Jonas asked whether Maria still owns the car", False),
        ("Maria owns the red car", "Jonas said that Maria sold the red car", False),
        ("the cellar key is blue", "The cellar key was not lost", False),
        ("the cellar key is blue", "Lesson: the cellar key hangs in the hall", False),
        ("Maria is allergic to nuts", "Bought nuts at the market with Maria", False),
    ],
)
def test_a_retire_is_asked_about_only_if_the_line_may_say_that_it_ended(entry: str, said: str, asked: bool) -> None:
    """Turns red when a model that agrees to anything can empty the memory."""
    verdict = judged("retire", line(said), entry=replace(ENTRY, text=entry))
    assert (verdict.fate, verdict.asks) == ("propose", "ended" if asked else None)
