"""Tell the operator, in one message, what came while notices were held back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.schedule import briefing

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.notify import Outcome
    from daybook.schedule.record import RunRecord
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def tell_brief(workspace: Workspace, settings: Settings, run: RunRecord, now: datetime) -> Outcome | None:
    """Send the brief that is due; None where there is nothing to say."""
    return await briefing.tell(workspace, settings, run, now)
