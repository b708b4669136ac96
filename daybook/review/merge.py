"""
Apply verified operations: look again under the lock, change only our own lines, and keep the caps.

What the file turned out to be decides: a verdict that no longer fits is refused or waits, never forced.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook.curation.entries import LONGTERM
from daybook.curation.observing import Observed, observe
from daybook.curation.room import Room
from daybook.curation.writing import Author, Plan, demote, write
from daybook.errors import ChangedFileError, UnreadableFileError
from daybook.ledger.record import Intent
from daybook.review.enacting import MAKES_ROOM, Attempt, plan_one

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.ledger.replay import Owned, State
    from daybook.review.verdict import Verdict
    from daybook.workspace import Workspace

__all__ = ["Applied", "Author", "Merged", "apply"]

TRIES = 5


@dataclass(frozen=True)
class Applied:
    """
    One verdict after the merge.

    Attributes:
        verdict: As it was, or changed to `later` or `refuse` by what the file turned out to be.
        file: Where it was applied, inside the workspace; empty if it was not.
    """

    verdict: Verdict
    file: str = ""


@dataclass(frozen=True)
class Merged:
    """
    What a merge came to.

    Attributes:
        results: One per verdict.
        moved: Entries that went from MEMORY.md to a topic to make room.
    """

    results: tuple[Applied, ...]
    moved: tuple[Intent, ...] = ()


def apply(
    workspace: Workspace,
    verdicts: Sequence[Verdict],
    author: Author,
    now: datetime,
    *,
    topic: str | None = None,
    observed: Observed | None = None,
) -> Merged:
    """
    Apply the verdicts that may be applied; the caller holds the workspace lock.

    Args:
        workspace: Whose memory.
        verdicts: In order; all but those to `apply` pass through.
        author: For the ledger.
        now: For the ledger.
        topic: Title of the topic that Adds go to; None for MEMORY.md, and what does not fit its caps goes to its
            section's topic.
        observed: What the caller has just observed.

    Raises:
        UnreadableFileError: MEMORY.md is missing, empty, wiped or cannot be read: nothing is written.
        ChangedFileError: It is edited faster than we can write.
    """
    ours: dict[int, Intent] = {}
    for _ in range(TRIES):
        observed = observed or observe(workspace, author.run, now)
        if LONGTERM in observed.changes.held:
            raise UnreadableFileError(observed.changes.held[LONGTERM])
        plan = Plan(workspace, observed, author, now)
        room = Room(plan.document(LONGTERM), _ours(observed.state))
        attempt, results = Attempt(plan, room, topic), list[Applied]()
        for verdict in verdicts:
            if verdict.fate == "apply" and verdict.entry is not None and verdict.counts:
                room.keep(verdict.entry.text)
        for index, verdict in enumerate(verdicts):
            results.append(_take_up(attempt, index, verdict, ours))
        for entry in room.bring_under():
            demote(plan, entry, MAKES_ROOM)
        try:
            write(plan)
        except ChangedFileError:
            observed = None
        else:
            return Merged(tuple(results), tuple(one for one in plan.intents if one.op == "demote"))
    raise ChangedFileError("MEMORY.md is being edited without pause; the review will try again at its next slot.")


def _ours(state: State) -> dict[str, Owned]:
    """Entries of MEMORY.md that may leave it to make room: what a person put in other words is theirs to keep there."""
    entries = state.of(LONGTERM)
    return {text: one for text, one in entries.items() if not one.edited or state.mode == "all"}


def _take_up(attempt: Attempt, index: int, verdict: Verdict, ours: dict[int, Intent]) -> Applied:
    """Plan one verdict; *ours* holds what an earlier try of this call meant to do, and may have done."""
    state = attempt.plan.observed.state
    earlier = ours.get(index)
    if earlier is not None and earlier.id in state.operations:
        return Applied(verdict, earlier.to or earlier.file)
    if verdict.fate != "apply":
        return Applied(verdict)
    planned = plan_one(attempt, verdict)
    if planned is None:
        return Applied(verdict, verdict.entry.file if verdict.entry else "")
    if not isinstance(planned, Intent):
        if planned == "held":
            return Applied(replace(verdict, fate="later", code="conflict"))
        return Applied(replace(verdict, fate="refuse", code=planned))
    attempt.plan.take(planned)
    ours[index] = planned
    return Applied(verdict, planned.to or planned.file)
