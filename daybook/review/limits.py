"""Keep what a review does within its quotas; what is over waits, and nothing of it is lost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook.curation.entries import LONGTERM, Known
from daybook.review.likeness import Near, Statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.review.operations import Operation
    from daybook.review.verdict import Verdict
    from daybook.review.window import Evidence

MAX_ADDS = 7


@dataclass(frozen=True)
class _Place:
    """Where an Add was met first: the call, its place there, and whether it was within the quota."""

    call: int
    index: int
    entry: Known | None


class Limits:
    """
    What one review may still do, over all its calls.

    Equal Adds become one that rests on the lines of all. An Add close to one before it waits beside it.
    """

    def __init__(self, retirements: int, *, apart: bool = False) -> None:
        """
        Begin a review.

        Args:
            retirements: How many entries may still be retired in the present seven days.
            apart: Whether Adds go to a topic, where close ones may stand side by side.
        """
        self._retirements = retirements
        self._apart = apart
        self._stated = Statements[_Place]()
        self._near = Near()
        self._calls = 0

    def keep(self, verdicts: Sequence[Verdict], adds: int) -> list[Verdict]:
        """
        Keep the verdicts of the next call within the quotas.

        Args:
            verdicts: In order.
            adds: How many Adds this call may make.
        """
        self._calls += 1
        kept: list[Verdict] = []
        more: dict[int, list[Evidence]] = defaultdict(list)
        for verdict in verdicts:
            if verdict.fate != "apply" or (verdict.operation.kind != "add" and not verdict.loses):
                kept.append(verdict)
            elif verdict.operation.kind != "add":
                kept.append(verdict if self._retirements > 0 else _waits(verdict))
                self._retirements -= 1
            elif (before := self._stated.find(verdict.operation.text)) is None:
                kept.append(self._first(verdict, len(kept), room=adds > 0))
                adds -= kept[-1].fate == "apply"
            elif before.call == self._calls:
                more[before.index] += verdict.sources
            else:
                kept.append(_again(verdict, before))
        for index, sources in more.items():
            kept[index] = replace(kept[index], sources=tuple(dict.fromkeys((*kept[index].sources, *sources))))
        return kept

    def _first(self, verdict: Verdict, index: int, *, room: bool) -> Verdict:
        """Judge an Add that was not met before."""
        beside = None if self._apart else self._near.find(verdict.operation.text)
        applied = beside is None and room
        entry = _entry(verdict.operation) if applied and not self._apart else None
        self._stated.add(verdict.operation.text, _Place(self._calls, index, entry))
        if beside is not None:
            return replace(verdict, fate="propose", entry=beside, code="supersedes", promotes=False)
        if entry is not None:
            self._near.add(entry)
        return verdict if applied else _waits(verdict)


def _entry(operation: Operation) -> Known:
    """The entry that an Add to MEMORY.md will be."""
    return Known(id="", file=LONGTERM, section=operation.section, text=operation.text, owned=True)


def _again(verdict: Verdict, before: _Place) -> Verdict:
    """What an earlier call of this review adds is confirmed; what it leaves for later waits with it."""
    if before.entry is None:
        return _waits(verdict)
    operation = verdict.operation.model_copy(update={"kind": "confirm"})
    return replace(verdict, operation=operation, entry=before.entry, promotes=False)


def _waits(verdict: Verdict) -> Verdict:
    return replace(verdict, fate="later", code="quota")
