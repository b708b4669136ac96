"""Ask an address once what feed stands there, or which feeds its page names; nothing is remembered of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.network.addresses import shown
from daybook.sources.fetching import Fetched, feed_name, fetch
from daybook.sources.parsing import Page, Parsed, parse_or_links
from daybook.sources.tracking import FeedState

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import Feed, Network
    from daybook.sources.items import Item


@dataclass(frozen=True)
class Found:
    """
    A feed that stands at an address.

    Attributes:
        feed: As it would stand in daybook.toml.
        title: What it calls itself, cleaned.
        items: Newest first.
        skipped: How many entries were too broken to be items.
        moved_to: Where it has moved to for good, without secrets; empty where it has not.
    """

    feed: Feed
    title: str
    items: tuple[Item, ...]
    skipped: int
    moved_to: str


async def probe(feed: Feed, network: Network, now: datetime) -> Found | Page:
    """
    Ask an address what stands there, also of a feed that waits or is gone.

    Raises:
        SourceError: Nothing could be had there; the sentence says why.
    """
    answer = await fetch(feed, FeedState(), network, now)
    if not isinstance(answer, Fetched):
        raise SourceError(f"{feed_name(feed)} is gone for good (410).", transient=False)
    parsed = await parse_or_links(answer, feed, now)
    match parsed:
        case Page():
            return parsed
        case Parsed():
            moved_to = shown(answer.moved_to) if answer.moved_to else ""
            return Found(feed, parsed.title, parsed.items, parsed.skipped, moved_to)
