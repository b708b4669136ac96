from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from typing import Any

import pytest

from daybook.errors import SourceError
from daybook.settings import Feed
from daybook.sources import jsonfeed, parse_child
from daybook.sources.fetching import Fetched
from daybook.sources.parsing import Parsed, parse

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
FEED = Feed(url="https://example.org/feed.json", name="The feed")
VERSION = "https://jsonfeed.org/version/1.1"


def document(*items: Any, **more: Any) -> bytes:
    return json.dumps({"version": VERSION, "title": "T", "items": items} | more).encode()


def parsed(body: bytes, kind: str = "application/feed+json") -> Parsed:
    return asyncio.run(parse(Fetched(body, kind, "https://example.org/feed.json", None, None), FEED, NOW))


def test_an_item_has_what_its_entry_says() -> None:
    found = parsed(
        document(
            {
                "id": "1",
                "url": "/a",
                "external_url": "https://example.net/b",
                "title": "Heat < pumps & you",
                "content_html": "<p>Long <i>text</i></p>",
                "date_published": "2026-02-06T11:00:00+01:00",
            }
        )
    )
    (item,) = found.items
    assert (found.title, found.skipped, item.title) == ("T", 0, "Heat < pumps & you")
    assert (item.link, item.summary) == ("https://example.org/a", "Long text")
    assert item.published == datetime(2026, 2, 6, 10, tzinfo=UTC)


def test_a_number_is_an_id_and_the_same_at_every_look() -> None:
    number, text = parsed(document({"id": 7, "title": "A"})), parsed(document({"id": "7", "title": "B"}))
    assert number.items[0].id == text.items[0].id


@pytest.mark.parametrize(
    ("given", "title", "summary"),
    [
        ({"external_url": "https://e.net/x", "content_text": "1 < 2"}, "1 < 2", "1 < 2"),
        ({"title": "T", "summary": "S", "content_text": "C"}, "T", "S"),
        ({"title": "T", "content_text": None}, "T", ""),
    ],
)
def test_what_is_missing_is_taken_from_what_is_there(given: dict[str, Any], title: str, summary: str) -> None:
    (item,) = parsed(document({"id": "1", **given})).items
    assert (item.title, item.summary) == (title, summary)


def test_broken_items_are_left_out_and_counted() -> None:
    found = parsed(document(None, 3, "x", [], {}, {"content_text": "no id"}, {"id": True}, {"id": "1", "title": 5}))
    assert (found.skipped, found.items) == (7, ())
    found = parsed(document({"id": {}}, {"id": "1", "title": "good", "url": ["x"], "date_published": "soon"}))
    assert (found.skipped, [item.title for item in found.items]) == (1, ["good"])


@pytest.mark.parametrize("version", ["https://jsonfeed.org/version/1", "http://jsonfeed.org/version/1.1"])
@pytest.mark.parametrize("kind", ["application/feed+json; charset=utf-8", "application/json", "text/plain", ""])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_it_is_known_by_its_type_or_its_content(version: str, kind: str, encoding: str) -> None:
    body = "\n" * (encoding == "utf-8") + document({"id": "1", "title": "A"}, version=version).decode()
    assert [item.title for item in parsed(body.encode(encoding), kind).items] == ["A"]


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"items": []}',
        b'{"version": 1, "items": []}',
        b'{"version": "https://jsonfeed.org/version/1", "items": {}}',
        b'{"a":' * 100_000,
        b'{"version": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_feed_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(SourceError, match="is no RSS, Atom or JSON feed"):
        parsed(body)


def test_at_most_as_many_items_as_of_other_feeds_are_looked_at() -> None:
    found = parsed(document(*({"id": str(n), "title": f"t{n}"} for n in range(parse_child.MAX_ENTRIES + 9))))
    assert (len(found.items), found.skipped) == (parse_child.MAX_ENTRIES, 9)


def test_a_page_that_begins_with_a_brace_is_not_taken_for_xml() -> None:
    assert jsonfeed.looks_like(b"\xef\xbb\xbf \n{", "") is True
    assert jsonfeed.looks_like(b"<rss/>", "application/json") is False
