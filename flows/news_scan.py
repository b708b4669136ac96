"""Scan the feeds and note the strongest few."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import RunRecord
from daybook.sources import asking, feeds
from daybook.sources.feed_memory import remembered
from daybook.sources.fetching import NotAsked, feed_name
from daybook.sources.politeness import Turns, announced
from daybook.sources.reporting import untrusted
from daybook.wording import counted
from flows.reporting import report, settle
from flows.starting import finished, run_name, started
from tasks.fetch_news import fetch_news
from tasks.rank_news import rank_news

if TYPE_CHECKING:
    from daybook.settings import Feed
    from daybook.sources.feed_memory import Known
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
    """
    Fetch every feed, few at once and one of each host, each alone in its failure, and rank what they have.

    Those that failed least and were longest not read come first, so that no others keep them from their turn.
    """
    if "feeds" in run.loaded.inert:
        return untrusted("news", "feeds")
    followed, turns = run.settings.feeds, Turns()
    known = remembered(run.workspace, followed, run.now)
    order = sorted(range(len(followed)), key=lambda place: known[place].rank)
    with announced(f"Asking {counted(len(followed), 'feed')} …"):
        found = await asyncio.gather(*(_one(run, followed[place], known[place], turns) for place in order))
    looks = [look for _, look in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])]
    return await rank_news(run.workspace, run.settings, looks, run.today, run.now, run.pace)


async def _one(run: Occasion, feed: Feed, known: Known, turns: Turns) -> FeedLook | Failure:
    try:
        async with turns.turn(asking.address(feed, known.state, known.standing)) as turn:
            if turn == "leave":
                return NotAsked(feed_name(feed))
            ask = fetch_news if turn == "ask" else fetch_news.with_options(retries=0)
            return await ask(run.workspace, feed, run.settings.network, run.now, known=known, by_hand=run.by_hand)
    except Exception as error:  # noqa: BLE001 - a defect that one feed meets must not hide the others; its run logs it
        return feeds.failed(feed, error)
