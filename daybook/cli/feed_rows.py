"""A feed as the commands under `daybook feeds` take it and tell it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from daybook.errors import UsageError
from daybook.guard.cleaning import clean
from daybook.network.addresses import shown
from daybook.settings import Feed
from daybook.sources.fetching import feed_name
from daybook.sources.items import TAG
from daybook.wording import counted

if TYPE_CHECKING:
    from daybook.sources.probing import Found

NEWEST = 3
NAME_CHARS = 60
LIKE = "write one like https://example.org/feed.xml"


def made(url: str, name: str | None, weight: float) -> Feed:
    """
    Make a feed of what was given; an address may come without its `https://`, or as `feed:`.

    Args:
        url: Its address.
        name: Made one harmless line, since whatever reads the file may print it.
        weight: From 0 to 10.

    Raises:
        UsageError: It is none.
    """
    text = url.strip()
    if text.casefold().startswith("feed:"):
        text = text[len("feed:") :].removeprefix("//")
    if "://" not in text:
        text = f"https://{text}"
    try:
        feed = Feed(url=text, name=clean(name or "", limit=NAME_CHARS) or None, weight=weight)
    except ValidationError as error:
        what = ".".join(str(part) for part in error.errors()[0]["loc"])
        wrong = f"is no web address; {LIKE}" if what == "url" else "has no weight from 0 to 10; give another one"
        raise UsageError(f"{clean(shown(text), limit=200)} {wrong}.") from None
    if not shown(text).strip("/") or shown(text) == "an unreadable address" or not text.isprintable():
        raise UsageError(f"{clean(text, limit=60)!r} is no web address; {LIKE}.")
    return feed


def told(found: Found) -> list[str]:
    """Say what stands at an address: its title, where it has moved to, its newest items."""
    count = counted(len(found.items), "item")
    lines = [
        f"{found.title}: {count} at {shown(found.feed.url)}" if found.title else f"{shown(found.feed.url)}: {count}"
    ]
    lines += [f"  it has moved for good to {found.moved_to}"] if found.moved_to else []
    lines += [f"  {counted(found.skipped, 'broken item')} left out"] if found.skipped else []
    return lines + [f"  {item.note.removeprefix(TAG).strip()}" for item in found.items[:NEWEST]]


def called(feed: Feed, where: str | None = None) -> str:
    """Name a feed with its address behind it, or, where that is all its name, once."""
    name, where = feed_name(feed), where or shown(feed.url)
    return name if name == where else f"{name} ({where})"


def row(feed: Feed) -> dict[str, Any]:
    """Give a feed for JSON, its address without secrets."""
    return {"name": feed_name(feed), "address": shown(feed.url), "weight": feed.weight}
