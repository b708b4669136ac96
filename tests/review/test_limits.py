"""What a review does stays within its quotas; what is over waits, what is equal becomes one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from daybook.curation.entries import Known
from daybook.review.limits import Limits
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from daybook.review.operations import Kind

DAY = date(2026, 2, 7)
FACTS = ("Backups run on Sunday", "Maria sings alto", "Port 8443 serves the wiki")


def line(number: int) -> Evidence:
    day = DAY + timedelta(days=number)
    return Evidence(number, day, f"memory/{day}.md", number, "08:00", "said", "", "trusted", (f"m{number}",))


def add(text: str, number: int = 1) -> Verdict:
    return Verdict("apply", Operation(kind="add", text=text, section="Facts", sources=(number,)), (line(number),))


def change(kind: Kind, **changes: Any) -> Verdict:
    entry = Known("e1", "MEMORY.md", "Facts", "Backups run on Sunday", owned=True)
    return Verdict("apply", Operation(kind=kind, entry="e1", sources=(1,)), (line(1),), entry, **changes)


def fates(verdicts: list[Verdict]) -> list[tuple[str, str | None]]:
    return [(one.fate, one.code) for one in verdicts]


def test_m28_adds_over_the_quota_of_a_call_wait_and_the_next_call_has_its_own() -> None:
    """Turns red when what is over the quota is refused, or left out."""
    limits = Limits(3)
    assert fates(limits.keep([add(text) for text in FACTS], 2)) == [("apply", None)] * 2 + [("later", "quota")]
    assert fates(limits.keep([add("Tea is better cold")], 1)) == [("apply", None)]


def test_m12_retirements_over_the_quota_wait_and_what_expired_is_exempt() -> None:
    """Turns red when more than the quota of seven days is retired, by Retire or by a Revise that takes away."""
    verdicts = [
        change("retire", loses=True),
        change("retire", reason="its date has passed"),
        change("revise", loses=True),
        change("revise"),
        change("retire", loses=True),
    ]
    limits = Limits(2)
    assert [one.fate for one in limits.keep(verdicts, 7)] == ["apply"] * 4 + ["later"]
    assert fates(limits.keep([change("retire", loses=True)], 7)) == [("later", "quota")]


def test_m15_equal_adds_of_a_call_become_one_that_rests_on_all_lines() -> None:
    """Turns red when a fact said ten times becomes ten entries, or loses its other sources."""
    (verdict,) = Limits(3).keep([add("Maria sings alto.", number) for number in range(1, 11)], 7)
    assert [source.number for source in verdict.sources] == list(range(1, 11))


def test_what_an_earlier_call_adds_a_later_one_confirms() -> None:
    limits = Limits(3)
    limits.keep([add(FACTS[0])], 7)
    (verdict,) = limits.keep([add("backups run on Sunday", 2)], 7)
    assert (verdict.operation.kind, verdict.entry and verdict.entry.text) == ("confirm", FACTS[0])


def test_what_waits_in_one_call_waits_in_the_next() -> None:
    limits = Limits(3)
    limits.keep([add(FACTS[0])], 0)
    assert fates(limits.keep([add(FACTS[0])], 7)) == [("later", "quota")]


def test_two_values_of_one_fact_in_one_review_do_not_stand_side_by_side() -> None:
    limits = Limits(3)
    limits.keep([add("Deadline is March 3")], 7)
    (verdict,) = limits.keep([add("Deadline is March 13")], 7)
    assert (verdict.fate, verdict.code, verdict.entry and verdict.entry.text) == (
        "propose",
        "supersedes",
        "Deadline is March 3",
    )
    assert (
        fates(Limits(3, apart=True).keep([add("Deadline is March 3"), add("Deadline is March 13")], 7))
        == [("apply", None)] * 2
    )


def test_what_is_not_to_be_applied_passes_through() -> None:
    verdicts = [change("retire", loses=True, code="quota"), add(FACTS[0])]
    proposed = [Verdict("propose", one.operation, one.sources, one.entry, "foreign") for one in verdicts]
    assert Limits(0).keep(proposed, 0) == proposed
