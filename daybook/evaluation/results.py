"""Figures: what one case came to, and what those of a set came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer

from daybook.clock import stamp
from daybook.evaluation.answering import ANSWERED
from daybook.models.outcomes import Used

if TYPE_CHECKING:
    from collections.abc import Iterable


class CaseResult(BaseModel):
    """
    What one case came to, as it is saved.

    Attributes:
        group: The set it is of.
        content: Hash of what was asked and expected.
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
    content: str
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
    at: Annotated[AwareDatetime, PlainSerializer(stamp)]
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
        matched: How much of what was kept was expected, over all that were answered.
        kept: How much was not refused.
        expected: How much was expected of those that were answered.
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
    def precision(self) -> float | None:
        """Part of what was kept that was expected; None where nothing was answered."""
        return part(self.matched, self.kept) if self.answered else None

    @property
    def recall(self) -> float | None:
        """Part of what was expected that came; None where nothing was answered."""
        return part(self.matched, self.expected) if self.answered else None


def part(matched: int, of: int) -> float:
    """Give a part of a whole; of nothing it is 1."""
    return matched / of if of else 1.0


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
            expected=sum(one.expected for one in these if one.answered),
            refused=reduce(add, (Counter(one.refused) for one in these), Counter[str]()),
            used=reduce(add, (one.used for one in these), Used()),
        )
        for group, these in groups.items()
    ]
