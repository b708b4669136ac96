"""Pick the strongest few of what all feeds have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.sources.reporting import of_news

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from daybook.models.trying import Pace
    from daybook.settings import Settings
    from daybook.sources.feeds import FeedLook
    from daybook.sources.finding import Finding
    from daybook.sources.tracking import Failure
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def rank_news(
    workspace: Workspace,
    settings: Settings,
    looks: Sequence[FeedLook | Failure],
    today: date,
    now: datetime,
    pace: Pace,
) -> Finding:
    """Rank by a model where one is configured and answers, else by interests, weight and freshness."""
    return await of_news(workspace, settings, looks, today, now, pace)
