"""Commit what a run changed in memory to the workspace's own git repository, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import git
from daybook.curation.observing import peek
from daybook.ledger import versions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from daybook.workspace import Workspace


def commit(workspace: Workspace, run: str, message: str, now: datetime, notes: Iterable[str] = ()) -> git.Outcome:
    """
    Commit the files of memory that a run wrote, and the ledger, by path; everything else stays as it is staged.

    A file that an accident emptied or took apart is left out: the commit would look like ours.

    Args:
        workspace: Whose memory.
        run: The run.
        message: One line.
        now: The commit's time.
        notes: Daily notes the run appended to, inside the workspace.
    """
    held = peek(workspace, now).changes.held
    names = [name for name in (*versions.written_by(workspace, run), *notes) if name not in held]
    paths = [workspace.root / name for name in dict.fromkeys(names)]
    return git.commit(workspace, [*paths, workspace.ledger], message, now)
