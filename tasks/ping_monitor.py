"""Tell a dead man's switch that the heart beats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.notify import pinging

if TYPE_CHECKING:
    from daybook.settings import Settings


@task(cache_policy=NO_CACHE, persist_result=False)
async def ping_monitor(settings: Settings) -> str:
    """Fetch `notify.ping_url`; a sentence where that failed, which holds no address."""
    return await pinging.ping(settings.notify, settings.network)
