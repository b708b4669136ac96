from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from daybook.errors import SourceError
from daybook.settings import Feed, Network
from daybook.sources import cursors, feeds, tracking
from daybook.sources.feeds import Gone, News
from daybook.sources.fetching import FeedWaiting, NotAsked, feed_key
from daybook.sources.politeness import AT_ONCE
from daybook.sources.ranking import rank

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

FEEDS = Path(__file__).parents[2] / ".." / "shared" / "data" / "feeds"
NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
LOCAL = Network(allow_hosts=("localhost", "127.0.0.1"))


class Site:
    """A feed on a real server that answers 304 as servers do."""

    def __init__(self, server: Any) -> None:
        """Publish nothing yet."""
        self.server = server
        self.feed = Feed(url=server.url_for("/feed.xml"), name="The feed")
        self.version = 0
        self.titles: list[tuple[str, datetime | None]] = []

    def publish(self, *titles: str, at: datetime | None = NOW) -> None:
        """Put new items on top, under a new validator."""
        self.version += 1
        self.titles = [*((title, at) for title in titles), *self.titles]
        self.server.clear_all_handlers()
        headers = {"ETag": f'"{self.version}"', "Content-Type": "application/rss+xml"}
        self.server.expect_request("/feed.xml", headers={"If-None-Match": f'"{self.version}"'}).respond_with_data(
            status=304
        )
        self.server.expect_request("/feed.xml").respond_with_data(self.document(), headers=headers)

    def document(self) -> str:
        """The feed as it is now."""
        items = "".join(
            f"<item><guid>{title}</guid><title>{title}</title>"
            + (f"<pubDate>{at:%a, %d %b %Y %H:%M:%S} GMT</pubDate>" if at else "")
            + "</item>"
            for title, at in self.titles
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>{items}</channel></rss>'


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


def look(workspace: Any, site: Site, now: datetime = NOW) -> feeds.FeedLook:
    return asyncio.run(feeds.look(workspace, site.feed, LOCAL, now))


def fresh(workspace: Any, site: Site, now: datetime = NOW) -> list[str] | None:
    """Look and commit; the titles that are new, None for an unchanged feed."""
    one = look(workspace, site, now)
    assert not isinstance(one, FeedWaiting | NotAsked | Gone)
    tracking.commit(workspace, [one.progress], now)
    return [item.title for item in one.fresh] if isinstance(one, feeds.News) else None


def test_an_item_is_news_once_and_a_304_is_unchanged(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    assert fresh(workspace, site) == ["one"]
    assert fresh(workspace, site) is None
    site.publish("two", at=NOW + DAY)
    assert fresh(workspace, site, NOW + DAY) == ["two"]


def test_first_contact_does_not_flood(workspace: Workspace, site: Site) -> None:
    for number in range(20):
        site.publish(f"item {number}", at=NOW - timedelta(hours=20 - number))
    assert fresh(workspace, site) == [f"item {number}" for number in (19, 18, 17, 16, 15)]
    site.publish("newer", at=NOW + DAY)
    assert fresh(workspace, site, NOW + DAY) == ["newer"]


def test_what_was_not_committed_is_given_again(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    fresh(workspace, site)
    site.publish("two")
    first, again = look(workspace, site), look(workspace, site)
    assert [item.id for item in first.fresh] == [item.id for item in again.fresh]
    assert fresh(workspace, site) == ["two"]


def test_an_empty_feed_is_known_after_its_first_look(workspace: Workspace, site: Site) -> None:
    site.publish()
    assert fresh(workspace, site) == []
    site.publish(*(f"item {number}" for number in range(9)))
    assert len(fresh(workspace, site)) == 9


def test_a_lost_published_file_costs_a_refetch_and_no_more(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    fresh(workspace, site)
    workspace.source_tracking.unlink()
    assert fresh(workspace, site) == []
    assert fresh(workspace, site) is None


def test_lost_private_state_tells_nothing_twice_and_misses_nothing_new(workspace: Workspace, site: Site) -> None:
    site.publish("old", at=NOW - DAY)
    fresh(workspace, site)
    (workspace.private / "seen-news.jsonl").unlink()
    assert fresh(workspace, site, NOW + DAY) == []
    (workspace.private / "seen-news.jsonl").unlink()
    site.publish("new", at=NOW + DAY + timedelta(hours=1))
    assert fresh(workspace, site, NOW + 2 * DAY) == ["new"]


def test_m30_a_rolled_back_published_file_tells_nothing_twice(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    fresh(workspace, site)
    old = workspace.source_tracking.read_bytes()
    site.publish("two")
    fresh(workspace, site)
    workspace.source_tracking.write_bytes(old)
    assert fresh(workspace, site) == []


def test_a_failed_feed_waits_and_a_good_look_clears_it(
    workspace: Workspace, site: Site, httpserver: HTTPServer
) -> None:
    httpserver.expect_request("/feed.xml").respond_with_data(status=503, headers={"Retry-After": "3600"})
    with pytest.raises(SourceError) as caught:
        look(workspace, site)
    tracking.commit(workspace, [feeds.failed(site.feed, caught.value)], NOW)
    assert look(workspace, site, NOW + timedelta(minutes=59)) == FeedWaiting("The feed", NOW + timedelta(hours=1), 1)
    site.publish("one")
    assert fresh(workspace, site, NOW + timedelta(hours=1)) == ["one"]
    state = tracking.load(workspace, NOW + DAY).feeds[feed_key(site.feed.url)]
    assert (state.failures, state.next_allowed, state.etag) == (0, None, '"1"')


def test_a_scan_tells_the_strongest_few_of_all_feeds_and_each_bad_feed(workspace: Workspace, site: Site) -> None:
    site.publish("Weather", "Python 3.15", "Football", "Energy prices", "Chess")
    bad = Feed(url="https://example.org/bad.xml", name="Bad feed")
    failure = feeds.failed(bad, SourceError("Bad feed answered 500; it is tried again later.", transient=True))
    looks = [look(workspace, site), failure, FeedWaiting("Slow feed", NOW, 2), NotAsked("Late feed")]
    scan = feeds.scan(looks, rank(feeds.fresh_items(looks), ["python", "energy"], NOW, 2))
    assert scan.notes == ("[news] Energy prices", "[news] Python 3.15")
    assert scan.summary == "News scan: found 2 strong signals of 5; 1 feed failed; 1 feed left for the next scan."
    assert (scan.found, scan.waiting, scan.unasked) == (5, ("Slow feed",), ("Late feed",))
    assert feeds.scan([failure], []).summary == "News scan: no feed could be read (1 failed)."
    again = "to ask it now: `daybook feeds test 'Slow feed'`."
    assert feeds.waits(looks, UTC, NOW) == (f"Slow feed failed 2 times and is asked again at {NOW:%H:%M}; {again}",)
    assert feeds.waits(looks, UTC, NOW - DAY) == (
        f"Slow feed failed 2 times and is asked again at {NOW:%Y-%m-%d %H:%M}; {again}",
    )
    assert scan.problems == ("Bad feed answered 500; it is tried again later.",)
    assert len(scan.progress) == 2


def test_a_scan_without_news_says_so(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    fresh(workspace, site)
    scan = feeds.scan([look(workspace, site)], [])
    assert (scan.summary, scan.notes) == ("News scan: nothing new.", ())


def test_one_signal_is_one_signal(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    looks = [look(workspace, site)]
    assert feeds.scan(looks, feeds.fresh_items(looks)).summary == "News scan: found 1 strong signal of 1."


def test_every_odd_feed_comes_over_http_as_it_is(workspace: Workspace, httpserver: HTTPServer) -> None:
    files = sorted(FEEDS.glob("*.xml"))
    if not files:
        pytest.skip("the feed corpus is missing")
    for file in files:
        httpserver.expect_request(f"/{file.name}").respond_with_data(file.read_bytes(), content_type="text/xml")
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(file: Path) -> feeds.FeedLook | SourceError:
        async with turns:
            try:
                feed = Feed(url=httpserver.url_for(f"/{file.name}"), name=file.name)
                return await feeds.look(workspace, feed, LOCAL, NOW)
            except SourceError as error:
                return error

    async def every() -> list[feeds.FeedLook | SourceError]:
        return await asyncio.gather(*map(one, files))

    found = dict(zip((file.name for file in files), asyncio.run(every()), strict=True))
    read = [name for name, look in found.items() if isinstance(look, News)]
    refused = {name: str(look) for name, look in found.items() if isinstance(look, SourceError)}
    assert (len(read) + len(refused), len(read) > len(refused)) == (len(files), True)
    assert [name for name, sentence in refused.items() if not sentence.startswith(name)] == []
    assert [name for name, look in found.items() if isinstance(look, News) and len(look.fresh) > 5] == []


def test_a_person_is_kept_waiting_by_a_wait_of_the_server_alone(
    workspace: Workspace, site: Site, httpserver: HTTPServer
) -> None:
    for headers, waited in (({}, False), ({"Retry-After": "3600"}, True)):
        httpserver.clear()
        httpserver.expect_request("/feed.xml").respond_with_data(status=503, headers=headers)
        with pytest.raises(SourceError) as caught:
            look(workspace, site)
        tracking.commit(workspace, [feeds.failed(site.feed, caught.value)], NOW)
        httpserver.clear()
        site.publish("one")
        assert isinstance(look(workspace, site, NOW + timedelta(minutes=1)), FeedWaiting)
        asked = asyncio.run(feeds.look(workspace, site.feed, LOCAL, NOW + timedelta(minutes=1), by_hand=True))
        assert isinstance(asked, FeedWaiting) is waited
        tracking.clear(workspace, feed_key(site.feed.url), NOW)
        assert isinstance(look(workspace, site, NOW + timedelta(minutes=1)), News)


def test_seen_rows_are_in_private_state_only(workspace: Workspace, site: Site) -> None:
    site.publish("one")
    fresh(workspace, site)
    assert cursors.seen(workspace, "feed", feed_key(site.feed.url)).known is True
    assert (workspace.private / "seen-news.jsonl").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in workspace.memory_dir.iterdir()) == ["source-tracking.json"]
