"""Remove what is past keeping."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.memory import inbox, journal
from daybook.schedule import claim, record

if TYPE_CHECKING:
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def tidy_up(workspace: Workspace, now: datetime) -> int:
    """Remove run records, claims and finished journal entries of more than 90 days back; how many."""
    limit = now - timedelta(days=record.KEPT_DAYS)
    with workspace.lock():
        # Before their keys are forgotten: a claimed inbox without keys would be flushed again.
        inbox.remove_old(workspace, now, journal.written(workspace, ""))
        kept = tuple(f"{inbox.KEY_PREFIX}{path.name}:" for path in inbox.claimed_files(workspace))
        forgotten = journal.prune(workspace, limit.date(), keep=kept)
    return forgotten + claim.prune(workspace, limit) + record.prune(workspace, now.date())
