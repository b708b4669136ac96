"""
News: look at each feed by itself, then make one scan of what they all have.

The flow writes the scan's lines and then calls `tracking.commit` with the looks' progress; before that
nothing is moved on, so that a crash in between loses nothing.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, assert_never

from daybook import clock
from daybook.errors import DaybookError, SourceError
from daybook.sources import asking, cursors, tracking
from daybook.sources import standing as standings
from daybook.sources.feed_memory import remembered
from daybook.sources.fetching import FeedWaiting, GoneForGood, NotAsked, NotModified, Waiting, feed_key, feed_name
from daybook.sources.parse_child import MAX_ENTRIES
from daybook.sources.standing import Standing
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from daybook.settings import Feed, Network
    from daybook.sources.feed_memory import Known
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
        skipped: How many entries were too broken to be items, or too many.
    """

    name: str
    fresh: tuple[Item, ...]
    progress: tracking.Progress
    skipped: int = 0


@dataclass(frozen=True)
class Unchanged:
    """The feed has not changed since the last look."""

    name: str
    progress: tracking.Progress


@dataclass(frozen=True)
class Gone:
    """
    The feed is gone for good (410), and is not asked again by itself.

    Attributes:
        name: The feed's.
        since: When its server said so.
        progress: To be committed where it was said just now; None where it was known.
    """

    name: str
    since: datetime
    progress: tracking.Failure | None = None


FeedLook = News | Unchanged | FeedWaiting | NotAsked | Gone


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
        unasked: Names of feeds that wait for the next scan.
        gone: Names of feeds that are known to be gone for good.
        remarks: Sentences on feeds that did not fail: that they are gone, or hold broken items.
        progress: For `tracking.commit`, after the note was written.
    """

    found: int
    signals: tuple[Item, ...]
    notes: tuple[str, ...]
    summary: str
    problems: tuple[str, ...]
    waiting: tuple[str, ...]
    unasked: tuple[str, ...]
    gone: tuple[str, ...]
    remarks: tuple[str, ...]
    progress: tuple[tracking.Progress | tracking.Failure, ...]


async def look(
    workspace: Workspace,
    feed: Feed,
    network: Network,
    now: datetime,
    *,
    known: Known | None = None,
    by_hand: bool = False,
) -> FeedLook:
    """
    Fetch a feed and keep what was not seen before.

    At first contact only the newest few are news; the rest counts as seen. Where private state was lost,
    everything is fetched again, and what is not surely newer than the last good look counts as seen.

    Args:
        workspace: Whose.
        feed: Which.
        network: Private hosts that are allowed.
        now: Aware.
        known: What is known of it; left out: it is read for this feed alone.
        by_hand: Whether a person asks, who may have mended something: then no wait counts but its server's own.

    Raises:
        SourceError: It could not be had or parsed; says whether a later try may help, and a `HostError` or
            `LaterError` that none at once does.
    """
    key, name = feed_key(feed.url), feed_name(feed)
    known = known or remembered(workspace, [feed], now)[0]
    standing, state, seen = known.standing, known.state, known.seen
    if standing.gone_at is not None:
        return Gone(name, standing.gone_at)
    blank = {} if seen.known else {"etag": None, "last_modified": None}
    until = state.retry_after if by_hand else state.next_allowed
    asked_with = state.model_copy(update={"next_allowed": until, **blank})
    found, moved_to = await asking.ask(feed, asked_with, known, network, now)
    match found:
        case Waiting():
            return FeedWaiting(name, found.until, state.failures)
        case GoneForGood():
            sentence = standings.gone_sentence(name, now)
            return Gone(name, now, tracking.Failure("feed", key, name, sentence, standing=Standing(gone_at=now)))
    moved = Standing(moved_to=moved_to)
    progress = tracking.Progress("feed", key, name, standing=moved if moved != standing else None)
    if isinstance(found, NotModified):
        return Unchanged(name, progress)
    items = found.parsed.items
    ids = (*(item.id for item in items), *found.parsed.seen_again)
    progress = replace(progress, validators=found.validators, seen=ids)
    return News(name, _fresh(items, seen, state.last_ok, now), progress, found.parsed.skipped)


def failed(feed: Feed, error: Exception) -> tracking.Failure:
    """Turn the error of a look into a value for `scan`; also one that nobody foresaw, which is a defect of ours."""
    key, name = feed_key(feed.url), feed_name(feed)
    match error:
        case SourceError():
            return tracking.failure("feed", key, name, error)
        case DaybookError():
            return tracking.Failure("feed", key, name, f"{name} was not looked at: {error}")
        case _:
            what = type(error).__name__
            sentence = f"{name} met a defect of Daybook ({what}) and was left out; please report what its log says."
            return tracking.Failure("feed", key, name, sentence)


def fresh_items(looks: Iterable[FeedLook | tracking.Failure]) -> list[Item]:
    """List what is new in all feeds."""
    return [item for one in looks if isinstance(one, News) for item in one.fresh]


def waits(looks: Iterable[FeedLook | tracking.Failure], zone: tzinfo, now: datetime) -> tuple[str, ...]:
    """
    Say of each feed that is left alone until when, and how not to wait.

    Args:
        looks: One for each feed.
        zone: The operator's.
        now: What is asked again on another day is told with its date.
    """
    return tuple(_waits(one, zone, now) for one in looks if isinstance(one, FeedWaiting))


def scan(looks: Iterable[FeedLook | tracking.Failure], signals: Sequence[Item]) -> Scan:
    """
    Make one scan of the looks at all feeds.

    Args:
        looks: One for each feed, failed ones as `failed` makes them.
        signals: What was chosen of what is new, strongest first.
    """
    found = 0
    progress: list[tracking.Progress | tracking.Failure] = []
    waiting: list[str] = []
    unasked: list[str] = []
    gone: list[Gone] = []
    remarks: list[str] = []
    for one in looks:
        match one:
            case News():
                found += len(one.fresh)
                progress.append(one.progress)
                remarks += [_left_out(one)] if one.skipped else []
            case Unchanged():
                progress.append(one.progress)
            case FeedWaiting():
                waiting.append(one.name)
            case NotAsked():
                unasked.append(one.name)
            case Gone():
                gone += [one] if one.progress is None else []
                progress += [one.progress] if one.progress is not None else []
            case tracking.Failure():
                progress.append(one)
            case _:
                assert_never(one)
    problems = tuple(each.reason for each in progress if isinstance(each, tracking.Failure))
    return Scan(
        found=found,
        signals=tuple(signals),
        notes=tuple(item.note for item in signals),
        summary=_summary(len(signals), found, len(progress) - len(problems), len(problems), len(unasked)),
        problems=problems,
        waiting=tuple(waiting),
        unasked=tuple(unasked),
        gone=tuple(one.name for one in gone),
        remarks=(*remarks, *(standings.gone_sentence(one.name, one.since) for one in gone)),
        progress=tuple(progress),
    )


def _waits(one: FeedWaiting, zone: tzinfo, now: datetime) -> str:
    until = clock.local(one.until, zone)
    at = f"{until:%H:%M}" if until.date() == clock.local(now, zone).date() else f"{until:%Y-%m-%d %H:%M}"
    times = "once" if one.failures == 1 else f"{one.failures} times"
    again = f"to ask it now: `daybook feeds test {shlex.quote(one.name)}`"
    return f"{one.name} failed {times} and is asked again at {at}; {again}."


def _left_out(news: News) -> str:
    are = "is" if news.skipped == 1 else "are"
    why = f"broken, or beyond the first {MAX_ENTRIES}"
    return f"{news.name} holds {counted(news.skipped, 'item')} that {are} {why}, and left out."


def _fresh(items: tuple[Item, ...], seen: cursors.Seen, last_ok: datetime | None, now: datetime) -> tuple[Item, ...]:
    if seen.known:
        return items
    if last_ok is None:
        return items[:FIRST_CONTACT_ITEMS]
    # A time that was clamped to now says nothing about when the item came.
    after, now = last_ok, now.astimezone(UTC)
    return tuple(item for item in items if item.published is not None and after < item.published < now)


def _summary(signals: int, found: int, read: int, problems: int, unasked: int) -> str:
    later = f"; {counted(unasked, 'feed')} left for the next scan" if unasked else ""
    if problems and not read:
        return f"News scan: no feed could be read ({problems} failed){later}."
    text = f"found {counted(signals, 'strong signal')} of {found}" if found else "nothing new"
    failed_part = f"; {counted(problems, 'feed')} failed" if problems else ""
    return f"News scan: {text}{failed_part}{later}."
