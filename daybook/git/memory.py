"""Which files are memory, and how a commit of them is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.memory import notes, topics

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from daybook.workspace import Workspace


def memory_paths(workspace: Workspace) -> list[Path]:
    """
    List what is memory and is there: MEMORY.md, topics, archive, ledger, daily notes.

    State, inbox and proposals are none: they change with every beat, or belong to this machine alone.
    """
    found = [workspace.longterm, *topics.topic_files(workspace), workspace.archive, workspace.ledger]
    found += [note.path for note in notes.note_files(workspace)]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def message(flow: str, day: date, added: int = 0, revised: int = 0, retired: int = 0) -> str:
    """Say what changed, in one line such as `review 2026-02-07: +3 ~1 -2`; without a change of entries, whose it is."""
    counts = [f"{sign}{count}" for sign, count in (("+", added), ("~", revised), ("-", retired)) if count]
    return f"{flow} {day.isoformat()}" + (f": {' '.join(counts)}" if counts else "")
