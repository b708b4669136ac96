"""A feed that moves, goes for good, or fails all day: what its server hears of us."""

from __future__ import annotations

import asyncio
import re
import ssl
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from prefect.states import exception_to_failed_state
from pytest_httpserver import HTTPServer as Server
from werkzeug import Response

from daybook.errors import SourceError, UnreadableFileError
from daybook.network import getting
from daybook.network.getting import HostError
from daybook.settings import Feed, Network
from daybook.sources import cursors, feeds, fetching, standing, tracking
from daybook.sources.feeds import Gone, News, Unchanged
from daybook.sources.fetching import Waiting, feed_key
from tasks.fetch_news import RETRIES, may_help

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.sources.standing import Standing
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
DAY = timedelta(days=1)
LOCAL = Network(allow_hosts=("localhost", "127.0.0.1"))
ANY = re.compile(".*")
RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>T</title>{}</channel></rss>'


class Site:
    """Answers by path, and what was heard."""

    def __init__(self, server: HTTPServer) -> None:
        """Answer 404 everywhere."""
        self.server = server
        self.heard: list[str] = []
        self.answers: dict[str, tuple[int, str, dict[str, str]]] = {}
        server.expect_request(ANY).respond_with_handler(self._answer)

    def say(self, path: str, status: int, body: str = "", **headers: str) -> None:
        """Answer so at a path from now on."""
        self.answers[path] = status, body, {name.replace("_", "-"): value for name, value in headers.items()}

    def publish(self, path: str, *titles: str) -> None:
        """Stand there as a feed."""
        items = "".join(f"<item><guid>{title}</guid><title>{title}</title></item>" for title in titles)
        self.say(path, 200, RSS.format(items), Content_Type="application/rss+xml", ETag=f'"{path}{len(titles)}"')

    def _answer(self, request: Any) -> Response:
        self.heard.append(request.path)
        status, body, headers = self.answers.get(request.path, (404, "", {}))
        if headers.get("ETag") and request.headers.get("If-None-Match") == headers["ETag"]:
            return Response(status=304)
        return Response(body, status, headers)


@pytest.fixture
def site(httpserver: HTTPServer) -> Site:
    return Site(httpserver)


def feed_at(site: Site, path: str = "/feed", user: str = "") -> Feed:
    return Feed(url=site.server.url_for(path).replace("//", f"//{user}"), name="The feed")


def look(workspace: Workspace, feed: Feed, now: datetime = NOW) -> Any:
    return asyncio.run(feeds.look(workspace, feed, LOCAL, now))


def commit(workspace: Workspace, feed: Feed, now: datetime = NOW) -> tuple[Any, tuple[str, ...]]:
    """Look and commit, as a scan does; the look or failure, and what the commit reports."""
    try:
        one = look(workspace, feed, now)
    except SourceError as error:
        one = feeds.failed(feed, error)
    scan = feeds.scan([one], [])
    return one, tracking.commit(workspace, scan.progress, now)


def standing_of(workspace: Workspace, feed: Feed) -> Standing:
    return standing.load(workspace).get(feed_key(feed.url), standing.NOTHING)


def may_retry(error: SourceError) -> bool:
    async def condition() -> bool:
        return await may_help(None, None, await exception_to_failed_state(error))

    return asyncio.run(condition())


def test_a_feed_that_moved_for_good_is_asked_there_from_the_next_look_on(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 301, Location="/new?token=abcdef123456")
    site.publish("/new", "one")
    one, reports = commit(workspace, feed)
    assert ([item.title for item in one.fresh], site.heard) == (["one"], ["/feed", "/new"])
    (told,) = reports
    assert told.startswith(f"The feed has moved for good to {site.server.host}:{site.server.port}/new, and is asked")
    assert "abcdef123456" not in told + workspace.source_tracking.read_text()
    assert standing_of(workspace, feed).moved_to == site.server.url_for("/new?token=abcdef123456")
    site.publish("/new", "two", "one")
    one, reports = commit(workspace, feed, NOW + DAY)
    assert ([item.title for item in one.fresh], reports, site.heard[2:]) == (["two"], (), ["/new"])
    assert cursors.seen(workspace, "feed", feed_key(feed.url)).known is True
    one, _ = commit(workspace, feed, NOW + 2 * DAY)
    assert (isinstance(one, Unchanged), site.heard[3:]) == (True, ["/new"])


def test_a_move_that_is_not_for_good_or_ends_in_no_feed_is_not_recorded(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 302, Location="/new")
    site.publish("/new", "one")
    commit(workspace, feed)
    assert standing_of(workspace, feed) == standing.NOTHING
    site.say("/feed", 301, Location="/login")
    site.say("/login", 200, "<html><title>Log in</title></html>", Content_Type="text/html")
    commit(workspace, feed)
    assert standing_of(workspace, feed) == standing.NOTHING


@pytest.mark.parametrize("status", [404, 410])
def test_where_the_new_address_fails_for_good_the_configured_one_is_asked_again(
    workspace: Workspace, site: Site, status: int
) -> None:
    feed = feed_at(site)
    site.say("/feed", 308, Location="/new")
    site.publish("/new", "one")
    commit(workspace, feed)
    site.say("/new", status)
    site.publish("/feed", "one", "two")
    del site.heard[:]
    one, _ = commit(workspace, feed, NOW + DAY)
    assert ([item.title for item in one.fresh], site.heard) == (["two"], ["/new", "/feed"])
    assert standing_of(workspace, feed) == standing.NOTHING


def test_where_the_new_address_fails_again_and_again_the_configured_one_is_asked(
    workspace: Workspace, site: Site
) -> None:
    feed = feed_at(site)
    site.say("/feed", 301, Location="/new")
    site.publish("/new", "one")
    commit(workspace, feed)
    site.say("/new", 503)
    site.publish("/feed", "one", "two")
    del site.heard[:]
    for days in range(1, 5):
        one, _ = commit(workspace, feed, NOW + days * DAY)
    assert (site.heard, [item.title for item in one.fresh]) == (["/new"] * 3 + ["/feed"], ["two"])


def test_what_the_new_address_said_last_is_not_shown_to_the_configured_one(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 301, Location="/new")
    site.say("/new", 200, RSS.format("<item><guid>1</guid><title>one</title></item>"), ETag='"same"')
    commit(workspace, feed)
    site.say("/new", 404)
    site.say("/feed", 200, RSS.format("<item><guid>2</guid><title>two</title></item>"), ETag='"same"')
    one, _ = commit(workspace, feed, NOW + DAY)
    assert [item.title for item in one.fresh] == ["two"]


def test_a_move_from_https_into_the_open_is_followed_but_not_kept_and_takes_no_password_along(
    workspace: Workspace, site: Site, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    trusted = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(getting, "_certificates", lambda: trusted)
    site.publish("/new", "one")
    with Server(host="127.0.0.1", ssl_context=context) as secured:
        secured.expect_request("/feed").respond_with_data(status=301, headers={"Location": site.server.url_for("/new")})
        feed = Feed(url=secured.url_for("/feed").replace("//", "//me:pass-word-1@"), name="The feed")
        one, reports = commit(workspace, feed)
        heard = [*secured.log, *site.server.log]
    assert ([item.title for item in one.fresh], reports) == (["one"], ())
    assert standing_of(workspace, feed) == standing.NOTHING
    assert ["Authorization" in request.headers for request, _ in heard] == [True, False]


def test_a_move_home_is_no_move(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 301, Location="/new")
    site.publish("/new", "one")
    commit(workspace, feed)
    site.say("/new", 301, Location="/feed")
    site.publish("/feed", "one")
    commit(workspace, feed, NOW + DAY)
    assert standing_of(workspace, feed) == standing.NOTHING


def test_a_password_goes_along_to_the_new_address_of_the_same_host_alone(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site, user="me:pass-word-1@")
    site.say("/feed", 301, Location="/new")
    site.publish("/new", "one")
    commit(workspace, feed)
    commit(workspace, feed, NOW + DAY)
    assert ["Authorization" in request.headers for request, _ in site.server.log] == [True, True, True]
    assert "pass-word-1" not in (workspace.private / standing.FILE).read_text()


def test_an_address_that_somebody_wrote_into_the_workspace_is_not_asked(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.publish("/feed", "one")
    commit(workspace, feed)
    text = workspace.source_tracking.read_text().replace(
        '"name"', f'"moved_to": "{site.server.url_for("/evil")}", "name"'
    )
    workspace.source_tracking.write_text(text)
    commit(workspace, feed, NOW + DAY)
    assert site.heard == ["/feed", "/feed"]


def test_a_feed_that_is_gone_is_told_once_as_a_failure_and_never_asked_again(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 410)
    one, _ = commit(workspace, feed)
    assert (isinstance(one, Gone), site.heard) == (True, ["/feed"])
    assert feeds.scan([one], []).problems == (standing.gone_sentence("The feed", NOW),)
    workspace.source_tracking.unlink()
    one, _ = commit(workspace, feed, NOW + 30 * DAY)
    scan = feeds.scan([one], [])
    assert (one, site.heard) == (Gone("The feed", NOW), ["/feed"])
    assert (scan.gone, scan.problems, scan.remarks) == (("The feed",), (), (standing.gone_sentence("The feed", NOW),))


def test_a_feed_that_is_gone_is_published_and_counts_no_failures(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 410)
    commit(workspace, feed)
    state = tracking.load(workspace, NOW).feeds[feed_key(feed.url)]
    assert (state.gone, state.failures, state.next_allowed) == (NOW, 0, None)


def test_a_feed_that_is_forgotten_is_asked_again(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 410)
    commit(workspace, feed)
    standing.forget(workspace, feed_key(feed.url), NOW)
    site.publish("/feed", "back")
    one, _ = commit(workspace, feed, NOW + DAY)
    assert [item.title for item in one.fresh] == ["back"]
    assert tracking.load(workspace, NOW + DAY).feeds[feed_key(feed.url)].gone is None


def test_a_damaged_private_file_is_set_aside_and_costs_a_redirect(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    (workspace.private / standing.FILE).write_text("{")
    site.say("/feed", 301, Location="/new")
    site.publish("/new", "one")
    _, reports = commit(workspace, feed)
    assert [("corrupt" in sentence, "moved for good" in sentence) for sentence in reports] == [
        (True, False),
        (False, True),
    ]
    assert (workspace.private / standing.FILE).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("minutes", [5, 15, 30, 60])
@pytest.mark.parametrize("moved", [False, True], ids=["in its place", "moved"])
def test_a_feed_that_answers_500_for_a_day_is_fetched_at_most_twelve_times(
    workspace: Workspace, site: Site, minutes: int, moved: bool
) -> None:
    feed = feed_at(site)
    if moved:
        site.say("/feed", 301, Location="/new")
        site.publish("/new", "one")
        commit(workspace, feed, NOW - DAY)
    site.say("/feed", 500)
    site.say("/new", 500)
    del site.heard[:]
    beat, looks = NOW, 0
    while beat < NOW + DAY:
        one = one_beat(workspace, feed, beat)
        looks += not isinstance(one, Waiting)
        beat += timedelta(minutes=minutes)
    assert 4 < looks < len(site.heard) <= 12
    site.publish("/new", "one", "two")
    site.publish("/feed", "one", "two")
    assert isinstance(one_beat(workspace, feed, NOW + 2 * DAY), News)


def one_beat(workspace: Workspace, feed: Feed, now: datetime) -> Any:
    """Look as the flow does, with its task's own rule for trying again."""
    one: Any = None
    for turn in range(RETRIES + 1):
        try:
            one = look(workspace, feed, now)
            break
        except SourceError as error:
            one = feeds.failed(feed, error)
            if turn == RETRIES or not may_retry(error):
                break
    tracking.commit(workspace, feeds.scan([one], []).progress, now)
    return one


@pytest.mark.parametrize(("status", "again"), [(503, True), (429, False), (404, False)])
def test_only_what_a_second_try_may_mend_is_tried_at_once(
    workspace: Workspace, site: Site, status: int, again: bool
) -> None:
    feed = feed_at(site)
    site.say("/feed", status)
    with pytest.raises(SourceError) as caught:
        look(workspace, feed)
    assert may_retry(caught.value) is again


def test_a_time_out_is_not_tried_again_at_once(
    workspace: Workspace, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "TOTAL_TIMEOUT_S", 0)
    with pytest.raises(HostError, match="took longer") as caught:
        look(workspace, feed_at(site))
    assert may_retry(caught.value) is False


def test_a_wait_that_a_server_asks_for_is_kept_over_runs(workspace: Workspace, site: Site) -> None:
    feed = feed_at(site)
    site.say("/feed", 503, Retry_After="7200")
    one_beat(workspace, feed, NOW)
    assert isinstance(one_beat(workspace, feed, NOW + timedelta(minutes=119)), Waiting)
    one_beat(workspace, feed, NOW + timedelta(minutes=120))
    assert site.heard == ["/feed", "/feed"]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (KeyError("x"), "The feed met a defect of Daybook (KeyError) and was left out"),
        (UnreadableFileError("It is locked."), "The feed was not looked at: It is locked."),
        (SourceError("The feed failed."), "The feed failed."),
    ],
)
def test_any_error_of_one_feed_becomes_its_own_failure(error: Exception, sentence: str) -> None:
    failure = feeds.failed(Feed(url="https://e.org/f", name="The feed"), error)
    assert failure.reason.startswith(sentence)
