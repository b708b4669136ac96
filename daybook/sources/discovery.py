"""
The feeds that a web page names in its link tags, as the child finds them.

Only the standard library, as in `jsonfeed`.
"""

from __future__ import annotations

import re
from contextlib import suppress
from html.parser import HTMLParser
from urllib.parse import urljoin

FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"},
)
PAGE_BYTES = 1_000_000
MOST = 20
CHARSET = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,30})""", re.IGNORECASE)
TYPED_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w-]{2,30})", re.IGNORECASE)
CHARSET_WITHIN_BYTES = 4_096


def links(page: bytes, content_type: str, base: str) -> list[dict[str, str]]:
    """
    Find the feeds of a page, in its order.

    Args:
        page: The document.
        content_type: As the server named it, for its encoding.
        base: The page's own address.

    Returns:
        Each with `url` (absolute, http or https) and `title`; each address once, at most 20.
    """
    reader = _Reader(base)
    reader.feed(_decoded(page[:PAGE_BYTES], content_type))
    return list(reader.found.values())[:MOST]


class _Reader(HTMLParser):
    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self.base = base
        self.base_is_said = False
        self.found: dict[str, dict[str, str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: (value or "").strip() for name, value in attrs}
        with suppress(ValueError):
            if tag == "base" and given.get("href") and not self.base_is_said:
                self.base, self.base_is_said = urljoin(self.base, given["href"]), True
            elif tag == "link":
                self._link(given)

    def _link(self, given: dict[str, str]) -> None:
        kind = given.get("type", "").partition(";")[0].strip().lower()
        if "alternate" not in given.get("rel", "").lower().split() or kind not in FEED_TYPES or not given.get("href"):
            return
        url = urljoin(self.base, given["href"])
        if url.startswith(("http://", "https://")):
            self.found.setdefault(url, {"url": url, "title": given.get("title", "")})


def _decoded(page: bytes, content_type: str) -> str:
    found = TYPED_CHARSET.search(content_type)
    said = CHARSET.search(page[:CHARSET_WITHIN_BYTES])
    name = found[1] if found else said[1].decode("ascii", "replace") if said else "utf-8"
    try:
        text = page.decode(name, "replace")
    except (LookupError, UnicodeError):
        # Not all that Python calls an encoding can read every page.
        return page.decode("utf-8", "replace")
    # A surrogate cannot be written as UTF-8.
    return text.encode("utf-8", "replace").decode("utf-8")
