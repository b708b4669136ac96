"""Since when a review has been waiting for its model: after a day the extractive rules stand in."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import stamp

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

WAITS = timedelta(days=1)


def remember_waiting(workspace: Workspace, now: datetime, *, waiting: bool) -> None:
    """Keep since when a review waits; forget it when it waits no more."""
    path = _path(workspace)
    if not waiting:
        folders.remove(path)
    elif _since(workspace, now) is None:
        present = files.read_if_exists(path)
        files.replace(path, f"{stamp(now)}\n".encode(), expected=present, mode=files.PRIVATE_FILE_MODE)


def waited(workspace: Workspace, now: datetime) -> bool:
    """Whether it has waited long enough."""
    since = _since(workspace, now)
    return since is not None and now - since >= WAITS


def _since(workspace: Workspace, now: datetime) -> datetime | None:
    """Read since when; what is damaged, or written by a clock that was ahead, says nothing and is written anew."""
    text = files.read_if_exists(_path(workspace)) or b""
    try:
        since = datetime.fromisoformat(text.decode().strip())
    except ValueError:
        return None
    return since if since.tzinfo is not None and since <= now else None


def _path(workspace: Workspace) -> Path:
    return workspace.private / "review-waits-since"
