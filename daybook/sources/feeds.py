"""
News: look at each feed by itself, then make one scan of what they all have.

The flow writes the scan's lines and then calls `tracking.commit` with the looks' progress; before that
nothing is moved on, so that a crash in between loses nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, assert_never

from daybook.errors import DaybookError, SourceError
from daybook.sources import cursors, tracking
from daybook.sources import standing as standings
from daybook.sources.asking import ask
from daybook.sources.fetching import GoneForGood, NotModified, Waiting, feed_key, feed_name
from daybook.sources.parse_child import MAX_ENTRIES
from daybook.sources.standing import Standing
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


FeedLook = News | Unchanged | Waiting | Gone


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
    gone: tuple[str, ...]
    remarks: tuple[str, ...]
    progress: tuple[tracking.Progress | tracking.Failure, ...]


async def look(workspace: Workspace, feed: Feed, network: Network, now: datetime) -> FeedLook:
    """
    Fetch a feed and keep what was not seen before.

    At first contact only the newest few are news; the rest counts as seen. Where private state was lost,
    everything is fetched again, and what is not surely newer than the last good look counts as seen.

    Raises:
        SourceError: It could not be had or parsed; says whether a later try may help, and asks for none at once
            where the last look failed too.
    """
    key, name = feed_key(feed.url), feed_name(feed)
    known = standings.load(workspace).get(key, standings.NOTHING)
    if known.gone_at is not None:
        return Gone(name, known.gone_at)
    state = tracking.load(workspace, now).feeds.get(key, tracking.FeedState())
    seen = cursors.seen(workspace, "feed", key)
    validators = state if seen.known else state.model_copy(update={"etag": None, "last_modified": None})
    found, moved_to = await ask(feed, validators, known, network, now)
    match found:
        case Waiting():
            return found
        case GoneForGood():
            sentence = standings.gone_sentence(name, now)
            return Gone(name, now, tracking.Failure("feed", key, name, sentence, standing=Standing(gone_at=now)))
    standing = Standing(moved_to=moved_to)
    progress = tracking.Progress("feed", key, name, standing=standing if standing != known else None)
    if isinstance(found, NotModified):
        return Unchanged(name, progress)
    items = found.parsed.items
    progress = replace(progress, validators=found.validators, seen=tuple(item.id for item in items))
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
            case Waiting():
                waiting.append(one.name)
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
        summary=_summary(len(signals), found, len(problems)),
        problems=problems,
        waiting=tuple(waiting),
        gone=tuple(one.name for one in gone),
        remarks=(*remarks, *(standings.gone_sentence(one.name, one.since) for one in gone)),
        progress=tuple(progress),
    )


def _left_out(news: News) -> str:
    are = "is" if news.skipped == 1 else "are"
    why = f"broken, or beyond the first {MAX_ENTRIES}"
    return f"{news.name} holds {counted(news.skipped, 'item')} that {are} {why}, and left out."


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
