"""Judge whether a line that says an entry again counts for it: never its own line, never an echo, once a date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.language.themes import unmarked
from daybook.review.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.curation.entries import Known, Memory
    from daybook.review.operations import Operation
    from daybook.review.window import Evidence

EDGES = " .*_`\"'"


def confirm(operation: Operation, trusted: Sequence[Evidence], entry: Known, memory: Memory) -> Verdict:
    """
    Confirm an entry; one that does not count is applied all the same, so that its line is settled.

    Args:
        operation: An Add that equals the entry, or a Confirm.
        trusted: The lines that say so.
        entry: The entry.
        memory: On which dates a session was shown it.
    """
    if operation.kind != "confirm":
        operation = operation.model_copy(update={"kind": "confirm", "entry": entry.id})
    counting = tuple(line for line in trusted if _counts(line, entry, memory))
    return Verdict("apply", operation, counting or tuple(trusted), entry, counts=bool(counting))


def _counts(line: Evidence, entry: Known, memory: Memory) -> bool:
    day = line.day.isoformat()
    if day in entry.dates or not entry.lines.isdisjoint(line.marks):
        return False
    return day not in memory.shown or _folded(unmarked(line.text)) != _folded(entry.text)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split()).strip(EDGES)
