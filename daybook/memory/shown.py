"""
Remember on which days a session was shown MEMORY.md: what is noted back on such a day, word for word, is an echo.

One row a day in private state; an idle day has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from daybook.workspace import Workspace


def remember(workspace: Workspace, day: date) -> None:
    """Note that a session of this day was shown MEMORY.md."""
    row = f"{day.isoformat()}\n".encode()
    files.append(_path(workspace), lambda present: b"" if present.endswith(row) else row, mode=files.PRIVATE_FILE_MODE)


def days(workspace: Workspace) -> frozenset[str]:
    """ISO dates of those days."""
    return frozenset((files.read_if_exists(_path(workspace)) or b"").decode("ascii", "replace").split())


def _path(workspace: Workspace) -> Path:
    return workspace.private / "shown"
