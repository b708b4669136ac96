"""
News: look at each feed by itself, then make one scan of what they all have.

The flow writes the scan's lines and then calls `tracking.commit` with the looks' progress; before that
nothing is moved on, so that a crash in between loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, assert_never

from daybook.sources import cursors, tracking
from daybook.sources.fetching import NotModified, Waiting, feed_key, feed_name, fetch
from daybook.sources.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from daybook.errors import SourceError
    from daybook.settings import Feed, Network
    from daybook.sources.items import Item
    from daybook.workspace import Workspace

FIRST_CONTACT_ITEMS = 5


@dataclass(frozen=True)
class News:
    """
    What a feed has.

    Attributes:
        name: The feed's.
        fresh: Items not seen before, newest first.
        progress: To be committed after the note.
    """

    name: str
    fresh: tuple[Item, ...]
    progress: tracking.Progress


@dataclass(frozen=True)
class Unchanged:
    """The feed has not changed since the last look."""

    name: str
    progress: tracking.Progress


FeedLook = News | Unchanged | Waiting


@dataclass(frozen=True)
class Scan:
    """
    One news scan over all feeds.

    Attributes:
        found: How many items were new.
        signals: The strongest few of them, strongest first.
        notes: A tagged line for each signal, in the same order.
        summary: Our own words, fit for a trusted line.
        problems: One sentence for each feed that failed.
        waiting: Names of feeds that are left alone for now.
        progress: For `tracking.commit`, after the note was written.
    """

    found: int
    signals: tuple[Item, ...]
    notes: tuple[str, ...]
    summary: str
    problems: tuple[str, ...]
    waiting: tuple[str, ...]
    progress: tuple[tracking.Progress | tracking.Failure, ...]


async def look(workspace: Workspace, feed: Feed, network: Network, now: datetime) -> FeedLook:
    """
    Fetch a feed and keep what was not seen before.

    At first contact only the newest few are news; the rest counts as seen. Where private state was lost,
    everything is fetched again, and what is not surely newer than the last good look counts as seen.

    Raises:
        SourceError: It could not be had or parsed; says whether a later try may help.
    """
    key = feed_key(feed.url)
    state = tracking.load(workspace, now).feeds.get(key, tracking.FeedState())
    seen = cursors.seen(workspace, "feed", key)
    validators = state if seen.known else state.model_copy(update={"etag": None, "last_modified": None})
    answer = await fetch(feed, validators, network, now)
    match answer:
        case Waiting():
            return answer
        case NotModified():
            return Unchanged(feed_name(feed), tracking.Progress("feed", key, feed_name(feed)))
    items = await parse(answer, feed, now)
    progress = tracking.Progress(
        "feed",
        key,
        feed_name(feed),
        validators=(answer.etag, answer.last_modified),
        seen=tuple(item.id for item in items),
    )
    return News(feed_name(feed), _fresh(items, seen, state.last_ok, now), progress)


def failed(feed: Feed, error: SourceError) -> tracking.Failure:
    """Turn the error of a look into a value for `scan`."""
    return tracking.failure("feed", feed_key(feed.url), feed_name(feed), error)


def fresh_items(looks: Iterable[FeedLook | tracking.Failure]) -> list[Item]:
    """List what is new in all feeds."""
    return [item for one in looks if isinstance(one, News) for item in one.fresh]


def scan(looks: Iterable[FeedLook | tracking.Failure], signals: Sequence[Item]) -> Scan:
    """
    Make one scan of the looks at all feeds.

    Args:
        looks: One for each feed, failed ones as `failed` makes them.
        signals: What was chosen of what is new, strongest first.
    """
    found = 0
    progress: list[tracking.Progress | tracking.Failure] = []
    waiting = []
    for one in looks:
        match one:
            case News():
                found += len(one.fresh)
                progress.append(one.progress)
            case Unchanged():
                progress.append(one.progress)
            case Waiting():
                waiting.append(one.name)
            case tracking.Failure():
                progress.append(one)
            case _:
                assert_never(one)
    problems = tuple(each.reason for each in progress if isinstance(each, tracking.Failure))
    return Scan(
        found=found,
        signals=tuple(signals),
        notes=tuple(item.note for item in signals),
        summary=_summary(len(signals), found, len(problems)),
        problems=problems,
        waiting=tuple(waiting),
        progress=tuple(progress),
    )


def _fresh(items: tuple[Item, ...], seen: cursors.Seen, last_ok: datetime | None, now: datetime) -> tuple[Item, ...]:
    if seen.known:
        return tuple(item for item in items if item.id not in seen.items)
    if last_ok is None:
        return items[:FIRST_CONTACT_ITEMS]
    # A time that was clamped to now says nothing about when the item came.
    after, now = last_ok, now.astimezone(UTC)
    return tuple(item for item in items if item.published is not None and after < item.published < now)


def _summary(signals: int, found: int, problems: int) -> str:
    plural = "" if signals == 1 else "s"
    text = f"found {signals} strong signal{plural} of {found}" if found else "nothing new"
    failed_part = f"; {problems} feed{'' if problems == 1 else 's'} failed" if problems else ""
    return f"News scan: {text}{failed_part}."
