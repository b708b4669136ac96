"""Commit what changed in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.upkeep import committing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook import git
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def commit_memory(
    workspace: Workspace, run: str, message: str, now: datetime, notes: Sequence[str]
) -> git.Outcome:
    """Commit by path what this run wrote of memory, and the notes it appended to."""
    return committing.commit(workspace, run, message, now, notes)
