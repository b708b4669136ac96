"""
Which note lines were read by a review: a mark per line hash, in private state.

A mark is set only when that line's operations are in the ledger or refused for good. A line has a mark per
kind of reader: what the extractive rules have read, a model may still be offered later.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.clock import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from daybook.workspace import Workspace

Reader = Literal["model", "extractive", "none"]
HASH_CHARS = 32


def mark_of(day: date, text: str, number: int) -> str:
    """
    Hash of a note line.

    Args:
        day: The note's date.
        text: The line's text.
        number: Its number among equal lines of that date, from 1: an honest repeat is a line of its own.
    """
    return hashlib.sha256(f"{day.isoformat()}\0{text}\0{number}".encode()).hexdigest()[:HASH_CHARS]


def read(workspace: Workspace) -> dict[str, Reader]:
    """Marks set so far, each with its last reader."""
    marks: dict[str, Reader] = {}
    for row in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # A mark torn by a kill is a line that is read again, which does no harm.
        try:
            mark = json.loads(row)
            marks[str(mark["line"])] = mark["by"]
        except (ValueError, KeyError, TypeError):
            continue
    return marks


def add(workspace: Workspace, lines: Iterable[str], reader: Reader, *, run: str, now: datetime) -> None:
    """Mark lines as read."""
    rows = [json.dumps({"line": line, "by": reader, "run": run, "at": stamp(now)}) for line in lines]
    if rows:
        files.append(_path(workspace), ("\n".join(rows) + "\n").encode(), mode=files.PRIVATE_FILE_MODE, follow=True)


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "marks.jsonl")
