"""Each feed of a scan alone in its failure, and asked again as its task's own rule says."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.sources import feeds, tracking
from flows.news_scan import news_scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

RSS = '<rss version="2.0"><channel><title>Any</title><item><guid>1</guid><title>One</title></item></channel></rss>'


@pytest.fixture
def site(httpserver: HTTPServer, settle: Callable[[str], None]) -> HTTPServer:
    """A server with a good feed and one that answers 500, both followed."""
    httpserver.expect_request("/good.xml").respond_with_data(RSS)
    httpserver.expect_request("/bad.xml").respond_with_data(status=500)
    listed = (f'[[feeds]]\nurl = "{httpserver.url_for(f"/{name}.xml")}"\nname = "{name}"\n' for name in ("bad", "good"))
    settle(f'[network]\nallow_hosts = ["{httpserver.host}"]\n' + "".join(listed))
    return httpserver


@pytest.mark.usefixtures("site", "no_waiting")
def test_a_defect_that_one_feed_meets_hides_no_other(
    workspace: Workspace, run: Callable[..., RunRecord], monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    look = feeds.look

    async def broken(workspace: Workspace, feed: Any, *more: Any, **others: Any) -> Any:
        if feed.name == "bad":
            raise KeyError("a defect")
        return await look(workspace, feed, *more, **others)

    monkeypatch.setattr(feeds, "look", broken)
    record = run(news_scan)
    assert (record.outcome, record.counts["news"]) == ("done", 1)
    assert record.problems == [
        "bad met a defect of Daybook (KeyError) and was left out; please report what its log says."
    ]
    assert "[news] One" in workspace.daily_note(now.date()).read_text()


@pytest.mark.usefixtures("no_waiting")
def test_a_feed_is_tried_again_at_once_at_its_first_failure_in_a_row_only(
    run: Callable[..., RunRecord], site: HTTPServer, now: datetime
) -> None:
    asked = []
    for hours in (0, 1, 4):
        run(news_scan, at=now + timedelta(hours=hours), scheduled=True)
        asked.append(sum(request.path == "/bad.xml" for request, _ in site.log))
    assert asked == [3, 4, 5]


@pytest.mark.usefixtures("no_waiting")
def test_feeds_that_fail_keep_no_other_of_their_host_from_being_read(
    run: Callable[..., RunRecord], settle: Callable[[str], None], httpserver: HTTPServer, now: datetime
) -> None:
    bad, good = [f"bad{number}" for number in range(4)], [f"good{number}" for number in range(5)]
    for name in bad:
        httpserver.expect_request(f"/{name}.xml").respond_with_data(status=503)
    for name in good:
        httpserver.expect_request(f"/{name}.xml").respond_with_data(RSS.replace("One", f"What {name} tells today"))
    listed = [f'[[feeds]]\nurl = "{httpserver.url_for(f"/{name}.xml")}"\nname = "{name}"\n' for name in [*bad, *good]]
    settle(f'[network]\nallow_hosts = ["{httpserver.host}"]\n' + "".join(listed))
    first = run(news_scan, scheduled=True)
    assert (first.outcome, first.counts["news"], len(first.problems)) == ("done", 5, 4)
    # The last one of the bad is asked without a second try.
    assert [sum(request.path == f"/{name}.xml" for request, _ in httpserver.log) for name in bad] == [3, 3, 3, 1]
    httpserver.clear_log()
    second = run(news_scan, at=now + timedelta(days=1), scheduled=True)
    assert [request.path for request, _ in httpserver.log] == [f"/{name}.xml" for name in [*good, *bad]]
    assert (second.outcome, len(second.problems)) == ("nothing-to-do", 4)


@pytest.mark.usefixtures("no_waiting")
def test_a_host_that_wants_to_be_asked_less_is_left_and_what_was_not_asked_did_not_fail(
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    now: datetime,
    workspace: Workspace,
) -> None:
    names = [f"busy{number}" for number in range(3)] + ["good"]
    for name in names[:3]:
        httpserver.expect_request(f"/{name}.xml").respond_with_data(status=429)
    httpserver.expect_request("/good.xml").respond_with_data(RSS)
    listed = [f'[[feeds]]\nurl = "{httpserver.url_for(f"/{name}.xml")}"\nname = "{name}"\n' for name in names]
    settle(f'[network]\nallow_hosts = ["{httpserver.host}"]\n' + "".join(listed))
    first = run(news_scan, scheduled=True)
    assert (len(httpserver.log), len(first.problems)) == (3, 3)
    assert first.checks[0].summary == ("News scan: no feed could be read (3 failed); 1 feed left for the next scan.")
    assert [state.failures for state in tracking.load(workspace, now).feeds.values()] == [1, 1, 1]
    second = run(news_scan, at=now + timedelta(minutes=1), scheduled=True)
    assert ([request.path for request, _ in httpserver.log][3:], second.counts["news"]) == (["/good.xml"], 1)
    assert second.problems[0] == (
        "busy0 failed once and is asked again at 14:40; to ask it now: `daybook feeds test busy0`."
    )
    run(news_scan, at=now + timedelta(minutes=2))
    by_hand = [request.path for request, _ in httpserver.log][4:]
    assert by_hand == ["/good.xml", "/busy0.xml", "/busy1.xml", "/busy2.xml"]
