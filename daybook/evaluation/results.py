"""Figures: what one case came to, how many of a set were right, and where a result is worse than another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from daybook.clock import stamp
from daybook.evaluation.answering import ANSWERED
from daybook.models.outcomes import Used
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable


class CaseResult(BaseModel):
    """
    What one case came to, as it is saved.

    Attributes:
        group: The set it is of.
        outcome: `answered`, or why there was no answer.
        right: All that was expected came, and nothing else.
        matched: How much of what was kept was expected.
        kept: How much was not refused.
        expected: How much was expected.
        refused: How much was refused, by code.
        calls: Requests sent.
        usd: None when a price is unknown.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    group: str
    outcome: str
    right: bool
    matched: int
    kept: int
    expected: int
    refused: dict[str, int] = Field(default_factory=dict)
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = 0.0

    @property
    def answered(self) -> bool:
        """Whether there was an answer."""
        return self.outcome == ANSWERED

    @property
    def used(self) -> Used:
        """What it cost."""
        return Used(self.calls, self.tokens_in, self.tokens_out, self.usd)


class Result(BaseModel):
    """
    What the cases of a prompt came to, as it is saved.

    Attributes:
        at: When.
        prompt: Hash of the prompt's template; empty for the rules, which read none.
        cases: By name, in order.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    at: Annotated[datetime, PlainSerializer(stamp)]
    prompt: str
    cases: dict[str, CaseResult]


@dataclass(frozen=True)
class Figures:
    """
    What a set of cases came to.

    Attributes:
        group: The set.
        cases: How many.
        answered: How many were answered.
        right: How many came to what was expected and nothing else.
        matched: How much of what was kept was expected, over all of them.
        kept: How much was not refused.
        expected: How much was expected.
        refused: How much was refused, by code.
        used: What it cost.
    """

    group: str
    cases: int
    answered: int
    right: int
    matched: int
    kept: int
    expected: int
    refused: Counter[str] = field(default_factory=Counter)
    used: Used = field(default_factory=Used)

    @property
    def precision(self) -> float:
        """Part of what was kept that was expected; 1 where nothing was kept."""
        return self.matched / self.kept if self.kept else 1.0

    @property
    def recall(self) -> float:
        """Part of what was expected that came; 1 where nothing was expected."""
        return self.matched / self.expected if self.expected else 1.0


def figures(cases: Iterable[CaseResult]) -> list[Figures]:
    """Add cases up, set by set in the order in which they come."""
    groups: dict[str, list[CaseResult]] = {}
    for one in cases:
        groups.setdefault(one.group, []).append(one)
    return [
        Figures(
            group=group,
            cases=len(these),
            answered=sum(one.answered for one in these),
            right=sum(one.right for one in these),
            matched=sum(one.matched for one in these),
            kept=sum(one.kept for one in these),
            expected=sum(one.expected for one in these),
            refused=reduce(add, (Counter(one.refused) for one in these), Counter[str]()),
            used=reduce(add, (one.used for one in these), Used()),
        )
        for group, these in groups.items()
    ]


def drops(new: Result, old: Result) -> list[str]:
    """
    Say where a result is worse than the one before it, a sentence each.

    Only cases that both have are compared, in the sets in which they are now; one without an answer comes to nothing.
    """
    both = {name: one for name, one in new.cases.items() if name in old.cases}
    now = figures(both.values())
    before = figures(old.cases[name].model_copy(update={"group": one.group}) for name, one in both.items())
    found = []
    for one, other in zip(now, before, strict=True):
        if one.precision < other.precision:
            parts = f"{one.matched} of {one.kept} after {other.matched} of {other.kept}"
            found.append(f"{one.group}: precision fell from {other.precision:.3f} to {one.precision:.3f} ({parts}).")
        if one.recall < other.recall:
            parts = f"{one.matched} after {other.matched} of {one.expected}"
            found.append(f"{one.group}: recall fell from {other.recall:.3f} to {one.recall:.3f} ({parts}).")
    return found


def difference(new: Result, old: Result) -> str | None:
    """Say that two results are not of the same cases; None where they are."""
    more, gone = new.cases.keys() - old.cases.keys(), old.cases.keys() - new.cases.keys()
    if not more and not gone:
        return None
    parts = [f"{len(more)} new"] * bool(more) + [f"{len(gone)} gone"] * bool(gone)
    shared = counted(len(new.cases.keys() & old.cases.keys()), "case")
    return f"The saved result is of other cases ({', '.join(parts)}); compared are the {shared} that both have."
