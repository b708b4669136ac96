"""Commit what changed in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.upkeep import committing

if TYPE_CHECKING:
    from datetime import datetime

    from daybook import git
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def commit_memory(workspace: Workspace, message: str, now: datetime) -> git.Outcome:
    """Commit MEMORY.md, topics, archive, ledger and daily notes by path."""
    return committing.commit(workspace, message, now)
