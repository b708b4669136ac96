"""Publish when each check last ran and will next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.schedule import planning

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def publish_state(workspace: Workspace, settings: Settings, now: datetime) -> list[str]:
    """
    Write memory/heartbeat-state.json.

    Returns:
        Problems met, as sentences.
    """
    return planning.publish(workspace, settings, now)
