"""Each feed of a scan alone in its failure, and asked again as its task's own rule says."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.sources import feeds
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

    async def broken(workspace: Workspace, feed: Any, *more: Any) -> Any:
        if feed.name == "bad":
            raise KeyError("a defect")
        return await look(workspace, feed, *more)

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
