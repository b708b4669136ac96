"""Commit what changed in memory to the workspace's own git repository, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import git
from daybook.curation.observing import peek

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


def commit(workspace: Workspace, message: str, now: datetime) -> git.Outcome:
    """
    Commit MEMORY.md, topics, archive, ledger and daily notes by path; everything else stays as it is staged.

    A file that an accident emptied or took apart is left out: the commit would look like ours.
    """
    held = peek(workspace, now).changes.held
    paths = [path for path in git.memory_paths(workspace) if workspace.relative(path) not in held]
    return git.commit(workspace, paths, message, now)
