"""
The child that reads one document from outside: `python -P parse_child.py`, with limits on its time and memory.

It reads a line of JSON (`kind`, `content_type`, `base`) and then the document, and writes one JSON object, for a feed
`{"title", "entries": [...], "skipped"}`, for a list of feeds `{"outlines": [...]}`, or `{"error": "..."}`. A page that
is no feed comes with the `links` of those that it names. What it imports of ours needs the standard library alone.
"""

from __future__ import annotations

import calendar
import io
import json
import re
import resource
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urljoin

CPU_LIMIT_S = 5
MEMORY_LIMIT_BYTES = 1 << 30
MAX_ENTRIES = 2_000
FIELD_CHARS = {"id": 2_000, "link": 2_000, "title": 2_000, "summary": 4_000}
NO_FEED = "is no RSS, Atom or JSON feed"
BLANKS = b" \t\r\n"
BOM = b"\xef\xbb\xbf"


def parse(document: bytes, content_type: str, base: str) -> dict[str, Any]:
    """Parse a feed into plain values, each field capped: a 1 kB entity bomb becomes a 1 MB title."""
    from daybook.sources import discovery, jsonfeed  # noqa: PLC0415 - after the limits are set

    if jsonfeed.looks_like(document, content_type):
        read = jsonfeed.read(document, MAX_ENTRIES)
        return {"error": NO_FEED} if read is None else _capped(read, base)
    answer = _parse_xml(document, content_type, base)
    if answer.get("error") == NO_FEED:
        answer["links"] = discovery.links(document, content_type, base)
    return answer


def main() -> None:
    """Set the limits, read standard input, answer on standard output."""
    for what, limit in ((resource.RLIMIT_CPU, CPU_LIMIT_S), (resource.RLIMIT_AS, MEMORY_LIMIT_BYTES)):
        # macOS refuses a limit on memory; the parent's clock still holds.
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (limit, limit))
    head, _, document = sys.stdin.buffer.read().partition(b"\n")
    about = json.loads(head)
    if about["kind"] == "outlines":
        from daybook.sources import opml  # noqa: PLC0415 - after the limits are set

        answer = opml.read(document)
    else:
        answer = parse(document, about["content_type"], about["base"])
    sys.stdout.write(json.dumps(answer))


def _parse_xml(document: bytes, content_type: str, base: str) -> dict[str, Any]:
    import feedparser  # noqa: PLC0415 - after the limits are set

    headers = {"content-type": content_type} if content_type else {}
    # A blank line before its declaration makes XML of no kind of it.
    body = document.removeprefix(BOM).lstrip(BLANKS)
    document = body if body.startswith(b"<") else document
    try:
        # A stream, because feedparser opens a text that looks like an address or a file name.
        parsed = feedparser.parse(io.BytesIO(document), response_headers=headers)
        found = parsed.get("entries", [])
        entries = [_fields(entry) for entry in found[:MAX_ENTRIES]]
        title = parsed.get("feed", {}).get("title")
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, re.error) as error:
        return {"error": f"cannot be parsed ({type(error).__name__})"}
    except RecursionError:
        return {"error": "is nested too deeply"}
    if not parsed.get("version") and not entries:
        return {"error": NO_FEED}
    return _capped({"title": title, "entries": entries, "skipped": len(found) - len(entries)}, base)


def _fields(entry: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {name: entry.get(name) for name in FIELD_CHARS}
    if fields["link"] == fields["id"] and not str(fields["id"]).startswith(("http://", "https://")):
        fields["link"] = ""  # an id that nobody meant as a link
    if not fields["summary"]:
        contents = entry.get("content") or [{}]
        fields["summary"] = contents[0].get("value")
    fields["published"] = _seconds(entry.get("published_parsed") or entry.get("updated_parsed"))
    return fields


def _capped(answer: dict[str, Any], base: str) -> dict[str, Any]:
    """Cap every text, and resolve links here: feedparser would make ids of them too, which changed with the base."""
    answer["title"] = _text(answer["title"])[: FIELD_CHARS["title"]]
    for entry in answer["entries"]:
        entry |= {name: _text(entry[name])[:limit] for name, limit in FIELD_CHARS.items()}
        if entry["link"] and base:
            with suppress(ValueError):
                entry["link"] = urljoin(base, entry["link"])
    return answer


def _text(value: object) -> str:
    # A surrogate cannot be written as UTF-8.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _seconds(value: Any) -> int | None:
    with suppress(TypeError, ValueError, OverflowError):
        return calendar.timegm(value)
    return None


if __name__ == "__main__":
    main()
