"""Scan the feeds and note the strongest few."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import RunRecord
from daybook.sources import feeds
from daybook.sources.fetching import feed_name
from daybook.sources.politeness import Turns
from daybook.sources.reporting import untrusted
from flows.reporting import report, settle
from flows.starting import finished, run_name, started
from tasks.fetch_news import fetch_news
from tasks.rank_news import rank_news

if TYPE_CHECKING:
    from daybook.settings import Feed
    from daybook.sources.feeds import FeedLook
    from daybook.sources.finding import Finding
    from daybook.sources.tracking import Failure


@flow(name="news-scan", flow_run_name=run_name, persist_result=False)
async def news_scan(dry_run: bool = False) -> State[RunRecord]:
    """
    Scan the feeds and note the strongest few.

    Args:
        dry_run: Fetch and rank, but write nothing.
    """
    async with started("news-scan", "news", dry_run=dry_run) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        await report(run, [await look_at_news(run)])
        await settle(run)
    return finished(run.record)


async def look_at_news(run: Occasion) -> Finding:
    """Fetch every feed, few at once and one of each host, each alone in its failure, and rank what they have."""
    if "feeds" in run.loaded.inert:
        return untrusted("news", "feeds")
    turns = Turns()
    looks = await asyncio.gather(*(_one(run, feed, turns) for feed in run.settings.feeds))
    return await rank_news(run.workspace, run.settings, looks, run.today, run.now, run.pace)


async def _one(run: Occasion, feed: Feed, turns: Turns) -> FeedLook | Failure:
    try:
        async with turns.turn(feed.url, feed_name(feed)):
            return await fetch_news(run.workspace, feed, run.settings.network, run.now)
    except Exception as error:  # noqa: BLE001 - a defect that one feed meets must not hide the others; its run logs it
        return feeds.failed(feed, error)
