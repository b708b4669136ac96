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
from daybook.review import extract as extraction
from daybook.review import marks, posting, window
from daybook.review.known import read_memory
from daybook.review.merge import Applied, Author
from daybook.review.posting import Posted
from daybook.review.verify import LONGTERM, Known, Verdict, verify

if TYPE_CHECKING:
    from datetime import date, datetime

    from daybook.review.extract import Batch, Extraction
    from daybook.review.verify import Memory
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
        digest: Hash of lines, memory and readers.
        same: Whether the last review saw exactly this.
    """

    window: Window
    memory: Memory
    digest: str
    same: bool


@dataclass(frozen=True)
class Judged:
    """A call's operations with their verdicts."""

    batch: Batch
    verdicts: tuple[Verdict, ...]


def look(workspace: Workspace, settings: Settings, today: date, *, since: date | None = None) -> Look:
    """
    Build the window, and see whether it was reviewed already.

    Raises:
        UnreadableFileError: MEMORY.md or a topic is there and cannot be read.
    """
    seen = window.build(workspace, today, extraction.reader_of(settings), since=since)
    memory = read_memory(workspace)
    digest = window.digest(seen.lines, *extraction.readers(workspace, settings))
    return Look(seen, memory, digest, same=digest == _last_digest(workspace))


def judge(seen: Look, extracted: Extraction) -> list[Judged]:
    """Verify every call's operations; what one call adds, the next one knows."""
    judged: list[Judged] = []
    memory = seen.memory
    for batch in extracted.batches:
        verdicts = verify(batch.operations, batch.lines, memory, adds=batch.adds)
        judged.append(Judged(batch, tuple(verdicts)))
        added = [v.operation for v in verdicts if v.fate == "apply" and v.operation.kind == "add"]
        known = [
            Known(id=f"n{number}", file=LONGTERM, section=one.section, text=one.text, owned=True)
            for number, one in enumerate(added, start=len(memory.entries) + 1)
        ]
        memory = replace(memory, entries=(*memory.entries, *known))
    return judged


def carry_out(
    workspace: Workspace, seen: Look, judged: list[Judged], *, whole: bool, run: str, now: datetime
) -> Posted:
    """
    Apply and propose, then mark the lines that are settled.

    Args:
        workspace: Whose memory.
        seen: What the review had before it.
        judged: Every call's verdicts.
        whole: Whether every line was read, so that the same window need not be asked again.
        run: Id of the run, for the ledger.
        now: The present instant.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; nothing was written, and no line counts as read.
    """
    parts = []
    for one in judged:
        author = Author(run=run, channel="review", model=one.batch.model, prompt=one.batch.prompt)
        part = posting.post(workspace, one.verdicts, author, now)
        read = [mark for line in one.batch.lines for mark in line.marks if mark not in part.unsettled]
        marks.add(workspace, read, one.batch.reader, run=run, now=now)
        parts.append(part)
    marks.add(workspace, seen.window.passed, "none", run=run, now=now)
    unsettled = frozenset[str]().union(*(part.unsettled for part in parts))
    if whole and not unsettled:
        _remember(workspace, seen.digest, now)
    return Posted(
        tuple(result for part in parts for result in part.results),
        tuple(line for part in parts for line in part.diff),
        unsettled,
    )


def preview(judged: list[Judged]) -> list[OperationResult]:
    """Say what would become of every operation, for a dry run."""
    return [posting.result(Applied(verdict)) for one in judged for verdict in one.verdicts]


def _last_digest(workspace: Workspace) -> str | None:
    data = files.read_if_exists(_path(workspace))
    rows = data.splitlines() if data else []
    for row in reversed(rows):
        # A row torn by a kill means that one window may be asked about twice.
        try:
            return str(json.loads(row)["digest"])
        except (ValueError, KeyError, TypeError):
            continue
    return None


def _remember(workspace: Workspace, digest: str, now: datetime) -> None:
    row = json.dumps({"at": stamp(now), "digest": digest})
    files.append(_path(workspace), f"{row}\n".encode(), mode=files.PRIVATE_FILE_MODE)


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "reviews.jsonl")
