"""Tell the operator what there is to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook import notify
from daybook.schedule import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def notify_operator(
    workspace: Workspace, settings: Settings, notices: Sequence[notify.Notice], now: datetime
) -> list[notify.Outcome]:
    """Send notices; one that cannot be sent is an outcome, not an error."""
    held = quiet.holds(workspace, settings, now)
    return await notify.send(workspace, settings.notify, notices, now, quiet=held)
