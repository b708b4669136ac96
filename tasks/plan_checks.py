"""Ask which checks are due."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.schedule.planning import Plan, plan

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def plan_checks(workspace: Workspace, settings: Settings, slot: datetime, now: datetime) -> Plan:
    """Decide what a beat at *slot* has to do; reads files only."""
    return plan(workspace, settings, slot, now)
