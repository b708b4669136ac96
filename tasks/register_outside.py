"""Remember all outside text that was read, before anything else is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.guard import register

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def register_outside(workspace: Workspace, texts: Sequence[str], now: datetime) -> None:
    """Register it, also what no note will tell: an agent may read it elsewhere, and quote it."""
    register.see(workspace, texts, now)
