"""
A review from end to end, in the three steps the tasks call: look, ask, decide.

Unread note lines -> window -> extract (model) -> verify (code) -> merge -> ledger -> marks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.review import extract, marks, posting, window
from daybook.review.entries import LONGTERM, Known
from daybook.review.known import read_memory
from daybook.review.merge import Applied, Author
from daybook.review.posting import Posted
from daybook.review.verify import Verdict, verify

if TYPE_CHECKING:
    from datetime import date, datetime

    from daybook.review.entries import Memory
    from daybook.review.extract import Batch, Call, Extraction
    from daybook.review.window import Window
    from daybook.schedule.record import OperationResult
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Look:
    """
    What a review has before it.

    Attributes:
        window: The lines.
        memory: What memory holds.
        calls: What would be asked.
        known: Whether each of these calls was answered before.
    """

    window: Window
    memory: Memory
    calls: tuple[Call, ...]
    known: tuple[bool, ...]

    @property
    def fresh(self) -> tuple[Call, ...]:
        """Calls that were not answered before."""
        return tuple(call for call, known in zip(self.calls, self.known, strict=True) if not known)

    @property
    def problems(self) -> tuple[str, ...]:
        """What the operator should know of the window."""
        stale = f"{self.window.stale} unread note lines are over 30 days old; read them with `review --since`."
        return (*self.window.problems, *([stale] if self.window.stale else []))


@dataclass(frozen=True)
class Judged:
    """A call's operations with their verdicts."""

    batch: Batch
    verdicts: tuple[Verdict, ...]


def look(workspace: Workspace, settings: Settings, today: date, *, since: date | None = None) -> Look:
    """
    Build the window, and see which of its calls were answered before.

    Raises:
        UnreadableFileError: MEMORY.md or a topic is there and cannot be read.
        PromptError: The workspace's own prompt cannot be rendered.
    """
    seen = window.build(workspace, today, extract.reader_of(settings), since=since)
    calls = tuple(extract.calls_for(workspace, settings, seen))
    answered = _answered(workspace)
    return Look(seen, read_memory(workspace), calls, tuple(call.digest in answered for call in calls))


def judge(seen: Look, extracted: Extraction) -> list[Judged]:
    """Verify every call's operations; what one call adds, the next one knows."""
    judged: list[Judged] = []
    memory = seen.memory
    for batch in extracted.batches:
        verdicts = verify(batch.operations, batch.call.lines, memory, adds=batch.adds)
        judged.append(Judged(batch, tuple(verdicts)))
        added = [v.operation for v in verdicts if v.fate == "apply" and v.operation.kind == "add"]
        known = [
            Known(id=f"n{number}", file=LONGTERM, section=one.section, text=one.text, owned=True)
            for number, one in enumerate(added, start=len(memory.entries) + 1)
        ]
        memory = replace(memory, entries=(*memory.entries, *known))
    return judged


def carry_out(
    workspace: Workspace, seen: Look, judged: list[Judged], *, waiting: bool, run: str, now: datetime
) -> Posted:
    """
    Apply and propose, then mark the lines that are settled, and remember the calls that need not be made again.

    Args:
        workspace: Whose memory.
        seen: What the review had before it.
        judged: Every call's verdicts.
        waiting: Whether lines were left for want of a model.
        run: Id of the run, for the ledger.
        now: The present instant.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; nothing was written, and no line counts as read.
    """
    extract.remember_waiting(workspace, now, waiting=waiting)
    parts = []
    for one in judged:
        author = Author(run=run, channel="review", model=one.batch.model, prompt=one.batch.prompt)
        part = posting.post(workspace, one.verdicts, author, now)
        read = [mark for line in one.batch.call.lines for mark in line.marks if mark not in part.unsettled]
        marks.add(workspace, read, one.batch.reader, run=run, now=now)
        if not part.unsettled:
            _remember(workspace, one.batch, now)
        parts.append(part)
    marks.add(workspace, seen.window.passed, "none", run=run, now=now)
    return Posted(
        tuple(result for part in parts for result in part.results),
        tuple(line for part in parts for line in part.diff),
        frozenset[str]().union(*(part.unsettled for part in parts)),
    )


def preview(judged: list[Judged]) -> list[OperationResult]:
    """Say what would become of every operation, for a dry run."""
    return [posting.result(Applied(verdict)) for one in judged for verdict in one.verdicts]


def _answered(workspace: Workspace) -> frozenset[str]:
    found = set()
    for row in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # A row torn by a kill means that one call may be made twice.
        try:
            found.add(str(json.loads(row)["digest"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def _remember(workspace: Workspace, batch: Batch, now: datetime) -> None:
    row = {"at": stamp(now), "digest": batch.call.digest, "origin": batch.call.origin, "model": batch.model}
    data = f"{json.dumps(row)}\n".encode()
    files.append(_path(workspace), data, mode=files.PRIVATE_FILE_MODE)


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "reviews.jsonl")
