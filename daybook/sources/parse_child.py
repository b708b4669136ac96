"""
The child that parses one feed: `python -P parse_child.py`, with limits on its time and memory.

It reads a line of JSON (`content_type`, `base`) and then the document, and writes one JSON object:
`{"entries": [...]}` or `{"error": "..."}`. It imports nothing of ours, so that it starts fast.
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
MAX_ENTRIES = 300
FIELD_CHARS = {"id": 2_000, "link": 2_000, "title": 2_000, "summary": 4_000}
NO_FEED = "is no RSS or Atom feed"


def parse(document: bytes, content_type: str, base: str) -> dict[str, Any]:
    """Parse a document into plain values, each field capped: a 1 kB entity bomb becomes a 1 MB title."""
    import feedparser  # noqa: PLC0415 - after the limits are set

    headers = {"content-type": content_type} if content_type else {}
    try:
        # A stream, because feedparser opens a text that looks like an address or a file name.
        parsed = feedparser.parse(io.BytesIO(document), response_headers=headers)
        entries = [_entry(entry, base) for entry in parsed.get("entries", [])[:MAX_ENTRIES]]
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, re.error) as error:
        return {"error": f"cannot be parsed ({type(error).__name__})"}
    except RecursionError:
        return {"error": "is nested too deeply"}
    if not parsed.get("version") and not entries:
        return {"error": NO_FEED}
    return {"entries": entries}


def main() -> None:
    """Set the limits, parse standard input, answer on standard output."""
    for what, limit in ((resource.RLIMIT_CPU, CPU_LIMIT_S), (resource.RLIMIT_AS, MEMORY_LIMIT_BYTES)):
        # macOS refuses a limit on memory; the parent's clock still holds.
        with suppress(OSError, ValueError):
            resource.setrlimit(what, (limit, limit))
    head, _, document = sys.stdin.buffer.read().partition(b"\n")
    about = json.loads(head)
    answer = parse(document, about["content_type"], about["base"])
    sys.stdout.write(json.dumps(answer))


def _entry(entry: Any, base: str) -> dict[str, Any]:
    fields: dict[str, Any] = {name: _text(entry.get(name))[:limit] for name, limit in FIELD_CHARS.items()}
    if fields["link"] == fields["id"] and not fields["id"].startswith(("http://", "https://")):
        fields["link"] = ""  # an id that nobody meant as a link
    # Resolved here and not by feedparser, which would make ids of it too: they changed with the feed's address.
    if fields["link"] and base:
        with suppress(ValueError):
            fields["link"] = urljoin(base, fields["link"])
    if not fields["summary"]:
        contents = entry.get("content") or [{}]
        fields["summary"] = _text(contents[0].get("value"))[: FIELD_CHARS["summary"]]
    fields["published"] = _seconds(entry.get("published_parsed") or entry.get("updated_parsed"))
    return fields


def _text(value: object) -> str:
    # A surrogate cannot be written as UTF-8.
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _seconds(value: Any) -> int | None:
    with suppress(TypeError, ValueError, OverflowError):
        return calendar.timegm(value)
    return None


if __name__ == "__main__":
    main()
