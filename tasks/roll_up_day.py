"""Write the roll-up of a day, and of missed ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.schedule import rollup

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.memory import journal
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def roll_up_day(workspace: Workspace, settings: Settings, slot: datetime, *, final: bool) -> list[journal.Entry]:
    """Form a line for the slot's day and for each of the last fourteen that has none."""
    return rollup.entries(workspace, slot, settings.zone, final=final)
