"""From a feed's document to its items: parsed in a child with limits, cleaned here."""

from __future__ import annotations

import json
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from daybook.errors import SourceError
from daybook.guard.cleaning import clean, without_markup
from daybook.network.addresses import safe_link, secrets_of
from daybook.sources import parse_child
from daybook.sources.cursors import item_id
from daybook.sources.fetching import feed_key, feed_name
from daybook.sources.items import Item
from daybook.sources.process import run, small_environment

if TYPE_CHECKING:
    from daybook.settings import Feed
    from daybook.sources.fetching import Fetched

WALL_TIMEOUT_S = 15.0
# Three hundred entries of four fields, each character of up to twelve bytes as JSON escapes it.
OUTPUT_BYTES = 40_000_000
TITLE_CHARS = 200
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


class _Answer(BaseModel):
    error: str | None = None
    entries: tuple[Entry, ...] = ()


ANSWER = TypeAdapter(_Answer)


async def parse(fetched: Fetched, feed: Feed, now: datetime) -> tuple[Item, ...]:
    """
    Parse a feed's document, newest item first as far as the feed says.

    Raises:
        SourceError: It is no feed, or its parsing broke a limit.
    """
    about = json.dumps({"content_type": fetched.content_type, "base": fetched.base})
    ended = await run(
        [sys.executable, "-P", CHILD],
        cwd=NEUTRAL_FOLDER,
        timeout_s=WALL_TIMEOUT_S,
        output_bytes=OUTPUT_BYTES,
        stdin=about.encode() + b"\n" + fetched.body,
        env=small_environment() | {"PYTHONIOENCODING": "utf-8"},
    )
    name = feed_name(feed)
    if ended.timed_out or ended.code or ended.cut:
        raise SourceError(f"{name} takes too much time or memory to parse; remove it.", transient=False)
    answer = _answer(ended.stdout)
    if answer is None or answer.error is not None:
        why = clean(answer.error or "", limit=80) if answer else "cannot be parsed"
        raise SourceError(f"{name} {why}; check its address in daybook.toml.", transient=False)
    return items(answer.entries, feed, now)


def items(entries: tuple[Entry, ...], feed: Feed, now: datetime) -> tuple[Item, ...]:
    """
    Make items of entries, newest first as far as the feed says, then in the feed's order.

    An entry is known by its id, else its link, else its title. Where different entries of a feed share
    that, they are told apart by all of it.
    """
    names = [entry.id or entry.link or entry.title for entry in entries]
    shared = Counter(name for name, _ in {(name, _whole(entry)) for name, entry in zip(names, entries, strict=True)})
    found: dict[str, Item] = {}
    for name, entry in zip(names, entries, strict=True):
        item = _item(entry, _whole(entry) if shared[name] > 1 else name, feed, now)
        if item is not None:
            found.setdefault(item.id, item)
    return tuple(sorted(found.values(), key=lambda item: item.published or EPOCH, reverse=True))


def _item(entry: Entry, name: str, feed: Feed, now: datetime) -> Item | None:
    secrets = secrets_of(feed.url)
    link = safe_link(entry.link)
    if link and clean(link, limit=len(link), secrets=secrets) != link:
        link = ""  # it carries a secret
    title = clean(without_markup(entry.title), limit=TITLE_CHARS, secrets=secrets)
    summary = clean(without_markup(entry.summary), secrets=secrets)
    if not (title or summary or link):
        return None
    return Item(
        id=item_id(feed_key(feed.url), name),
        title=title or clean(summary, limit=TITLE_CHARS) or "(without a title)",
        link=link,
        summary=summary,
        published=_published(entry.published, now),
        feed=feed_name(feed),
        weight=feed.weight,
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


def _answer(output: bytes) -> _Answer | None:
    try:
        return ANSWER.validate_json(output)
    except ValidationError:
        return None
