"""Remove what is past keeping."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.upkeep import tidying

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def tidy_up(workspace: Workspace, now: datetime) -> int:
    """Let go what is past keeping of run records and private state; how many rows and files."""
    return tidying.tidy(workspace, now)
