"""From a document to the items or the feeds that it names: parsed in a child with limits, cleaned here."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.guard.outside import everything
from daybook.guard.secrets import redact
from daybook.network.addresses import safe_link, secrets_of
from daybook.sources import parse_child
from daybook.sources.cursors import item_id
from daybook.sources.fetching import feed_key, feed_name
from daybook.sources.items import Item
from daybook.sources.markup import text_of
from daybook.sources.process import run, small_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from daybook.settings import Feed
    from daybook.sources.fetching import Fetched

WALL_TIMEOUT_S = 15.0
# A document of 5 MB whose every character is written in six bytes, and some: only an entity bomb is longer.
OUTPUT_BYTES = 40_000_000
TITLE_CHARS = 200
FEED_TITLE_CHARS = 80
NEUTRAL_FOLDER = "/"
CHILD = str(Path(parse_child.__file__).resolve())
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Entry(BaseModel):
    """An entry as the child gives it."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str
    link: str
    title: str
    summary: str
    published: int | None


class Link(BaseModel):
    """A feed that a page, or a list of feeds, names: its address and title, as they stand there."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    url: str
    title: str


class _Answer(BaseModel):
    error: str | None = None
    title: str = ""
    entries: tuple[Entry, ...] = ()
    skipped: int = 0
    links: tuple[Link, ...] = ()
    outlines: tuple[Link, ...] = ()
    beyond: int = 0


ANSWER = TypeAdapter(_Answer)


@dataclass(frozen=True)
class Parsed:
    """
    What a feed's document holds.

    Attributes:
        title: What the feed calls itself, cleaned; may be empty.
        items: Newest first, as far as the feed says; without those that were seen before.
        seen_again: Ids of those.
        skipped: How many entries were too broken to be items.
    """

    title: str
    items: tuple[Item, ...]
    seen_again: tuple[str, ...]
    skipped: int


@dataclass(frozen=True)
class Page:
    """A document that is no feed, and the feeds that it names."""

    links: tuple[Link, ...]


async def parse(fetched: Fetched, feed: Feed, now: datetime, *, seen: frozenset[str] = frozenset()) -> Parsed:
    """
    Parse a feed's document.

    Args:
        fetched: The document.
        feed: Whose.
        now: No item is later.
        seen: Ids of items that are not wanted again; most of a feed is, and cleaning an item takes a millisecond.

    Raises:
        SourceError: It is no feed, or its parsing broke a limit.
    """
    found = await parse_or_links(fetched, feed, now, seen=seen)
    if isinstance(found, Page):
        sentence = f"{feed_name(feed)} {parse_child.NO_FEED}; check its address in daybook.toml."
        raise SourceError(sentence, transient=False)
    return found


async def parse_or_links(
    fetched: Fetched, feed: Feed, now: datetime, *, seen: frozenset[str] = frozenset()
) -> Parsed | Page:
    """
    Parse a document that may as well be a page that names feeds.

    Raises:
        SourceError: It cannot be parsed, or its parsing broke a limit.
    """
    name = feed_name(feed)
    about = {"kind": "feed", "content_type": fetched.content_type, "base": fetched.base}
    answer = await _ask_child(about, fetched.body, name)
    if answer.error == parse_child.NO_FEED:
        return Page(answer.links)
    if answer.error is not None:
        sentence = f"{name} {clean(answer.error, limit=80)}; check its address in daybook.toml."
        raise SourceError(sentence, transient=False)
    secrets = (*secrets_of(feed.url), *fetched.secrets)
    title = clean(text_of(answer.title), limit=FEED_TITLE_CHARS, secrets=secrets)
    entries = by_id(answer.entries, feed)
    fresh = {name: entry for name, entry in entries.items() if name not in seen}
    return Parsed(title, items(fresh, feed, now, fetched.secrets), tuple(seen & entries.keys()), answer.skipped)


async def outlines(document: bytes, name: str) -> tuple[tuple[Link, ...], int]:
    """
    Read a list of feeds (OPML).

    Returns:
        The feeds, and how many more of them there are than are read.

    Raises:
        SourceError: It is none; *name* begins the sentence.
    """
    answer = await _ask_child({"kind": "outlines"}, document, name)
    if answer.error is not None:
        raise SourceError(f"{name} {clean(answer.error, limit=120)}.", transient=False)
    return answer.outlines, answer.beyond


async def _ask_child(about: Mapping[str, str], document: bytes, name: str) -> _Answer:
    ended = await run(
        [sys.executable, "-P", CHILD],
        cwd=NEUTRAL_FOLDER,
        timeout_s=WALL_TIMEOUT_S,
        output_bytes=OUTPUT_BYTES,
        stdin=json.dumps(about).encode() + b"\n" + document,
        env=small_environment() | {"PYTHONIOENCODING": "utf-8"},
    )
    if ended.timed_out or ended.code or ended.cut:
        raise SourceError(f"{name} takes too much time or memory to parse; remove it.", transient=False)
    try:
        return ANSWER.validate_json(ended.stdout)
    except ValidationError:
        raise SourceError(f"{name} cannot be parsed; check its address in daybook.toml.", transient=False) from None


def by_id(entries: Iterable[Entry], feed: Feed) -> dict[str, Entry]:
    """
    Give the entries by their items' ids; the first of those that share one.

    An entry is known by its id, else its link, else its title. Where different entries of a feed share that, they are
    told apart by all of it. The feed's part of an id is that of its configured address, wherever it has moved to.
    """
    entries = tuple(entries)
    names = [entry.id or entry.link or entry.title for entry in entries]
    shared = Counter(name for name, _ in {(name, _whole(entry)) for name, entry in zip(names, entries, strict=True)})
    key, found = feed_key(feed.url), dict[str, Entry]()
    for name, entry in zip(names, entries, strict=True):
        found.setdefault(item_id(key, _whole(entry) if shared[name] > 1 else name), entry)
    return found


def items(entries: Mapping[str, Entry], feed: Feed, now: datetime, secrets: tuple[str, ...] = ()) -> tuple[Item, ...]:
    """
    Make items of entries, newest first as far as the feed says, then in the feed's order.

    Args:
        entries: By their items' ids.
        feed: Whose.
        now: No item is later.
        secrets: Of the address that it has moved to.
    """
    secrets = (*secrets_of(feed.url), *secrets)
    found = (_item(entry, name, feed, now, secrets) for name, entry in entries.items())
    return tuple(sorted(filter(None, found), key=lambda item: item.published or EPOCH, reverse=True))


def _item(entry: Entry, name: str, feed: Feed, now: datetime, secrets: tuple[str, ...]) -> Item | None:
    link = safe_link(entry.link)
    if link and clean(link, limit=len(link), secrets=secrets) != link:
        link = ""  # it carries a secret
    title = clean(text_of(entry.title), limit=TITLE_CHARS, secrets=secrets)
    summary = clean(text_of(entry.summary), secrets=secrets)
    if not (title or summary or link):
        return None
    return Item(
        id=name,
        title=title or clean(summary, limit=TITLE_CHARS) or "(without a title)",
        link=link,
        summary=summary,
        published=_published(entry.published, now),
        feed=feed_name(feed),
        weight=feed.weight,
        seen=everything(redact(f"{entry.title}\n{entry.summary}", secrets)),
    )


def _published(seconds: int | None, now: datetime) -> datetime | None:
    if seconds is None:
        return None
    try:
        return min(EPOCH + timedelta(seconds=seconds), now.astimezone(UTC))
    except OverflowError:
        return None


def _whole(entry: Entry) -> str:
    return f"{entry.id}\n{entry.link}\n{entry.title}"
