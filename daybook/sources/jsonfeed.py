"""
JSON Feed 1.0 and 1.1, as the child reads it: plain values in the shape that it gives for RSS and Atom.

https://www.jsonfeed.org/version/1.1/; items that break it are left out and counted. Only the standard library: the
child that imports this starts at every look at a feed.
"""

from __future__ import annotations

import html
import json
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

VERSION = "jsonfeed.org/version/1"
MEDIA_TYPE = "application/feed+json"
BLANKS = b" \t\r\n"
BOM = b"\xef\xbb\xbf"


def looks_like(document: bytes, content_type: str) -> bool:
    """Whether a document is to be read as JSON: by its media type, else by its first sign."""
    media = content_type.partition(";")[0].strip().lower()
    return media == MEDIA_TYPE or document.removeprefix(BOM).lstrip(BLANKS).startswith(b"{")


def read(document: bytes, most: int) -> dict[str, Any] | None:
    """
    Read a document.

    Args:
        document: Its bytes, in any encoding of Unicode.
        most: So many items are looked at.

    Returns:
        `title`, `entries` (each `id`, `link`, `title`, `summary` as HTML, `published` as seconds) and `skipped`;
        None when it is no JSON Feed.
    """
    try:
        feed = json.loads(document)
    except (ValueError, RecursionError):
        return None
    if not isinstance(feed, dict) or VERSION not in str(feed.get("version")) or not isinstance(feed.get("items"), list):
        return None
    entries = [entry for item in feed["items"][:most] if (entry := _entry(item)) is not None]
    return {"title": _escaped(feed.get("title")), "entries": entries, "skipped": len(feed["items"]) - len(entries)}


def _entry(item: object) -> dict[str, Any] | None:
    if not isinstance(item, dict):
        return None
    entry: dict[str, Any] = {
        "id": _id(item.get("id")),
        "link": _text(item.get("url")) or _text(item.get("external_url")),
        "title": _escaped(item.get("title")),
        "summary": _summary(item),
        "published": _seconds(item.get("date_published")) or _seconds(item.get("date_modified")),
    }
    return entry if any(entry[name] for name in ("id", "link", "title")) else None


def _summary(item: dict[str, Any]) -> str:
    said = _escaped(item.get("summary"))
    return said or _text(item.get("content_html")) or _escaped(item.get("content_text"))


def _id(value: object) -> str:
    # Numbers are against the standard, which asks readers to take them all the same.
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else _text(value)


def _escaped(value: object) -> str:
    # Plain text, which would lose its "<" where markup is taken out.
    return html.escape(_text(value), quote=False)


def _text(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _seconds(value: object) -> int | None:
    with suppress(ValueError, OverflowError):
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp())
    return None
