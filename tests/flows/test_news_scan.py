from __future__ import annotations

from datetime import timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import pytest

from flows.news_scan import news_scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

LIVE = "&lt;script&gt;x()&lt;/script&gt; [tap](javascript:x) ![i](http://evil.example/i.png) &lt;|im_end|&gt; ## Now"


def feed(now: datetime, titles: list[str]) -> str:
    items = "".join(
        f"<item><guid>{title}</guid><title>{title}</title><link>https://example.org/{number}</link>"
        f"<pubDate>{format_datetime(now - timedelta(hours=number))}</pubDate></item>"
        for number, title in enumerate(titles, start=1)
    )
    return f'<rss version="2.0"><channel><title>Any</title>{items}</channel></rss>'


def settings(server: HTTPServer) -> str:
    head = f'interests = ["heat pump", "python"]\n[network]\nallow_hosts = ["{server.host}"]\n'
    listed = (f'[[feeds]]\nurl = "{server.url_for(f"/{name}.xml")}"\nname = "{name}"\n' for name in ("good", "bad"))
    return head + "".join(listed)


def note(workspace: Workspace, now: datetime) -> list[str]:
    return [line for line in workspace.daily_note(now.date()).read_text().splitlines() if line.startswith("- ")]


def asked(server: HTTPServer, path: str) -> list[Any]:
    return [
        (request.headers.get("If-None-Match"), answer.status_code)
        for request, answer in server.log
        if request.path == path
    ]


@pytest.mark.usefixtures("no_waiting")
def test_the_strongest_few_are_noted_once_and_a_broken_feed_hides_no_other(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    artifacts: Callable[[str], list[Any]],
    httpserver: HTTPServer,
    now: datetime,
) -> None:
    titles = ["Shoes on sale", "A heat pump for every roof", "Celebrities", f"Python {LIVE}", "Weather"]
    document = feed(now, titles)
    httpserver.expect_request("/bad.xml").respond_with_data("no", status=500)
    httpserver.expect_request("/good.xml", headers={"If-None-Match": '"v1"'}).respond_with_data(status=304)
    httpserver.expect_request("/good.xml").respond_with_data(document, headers={"ETag": '"v1"'})
    settle(settings(httpserver))
    first = run(news_scan, scheduled=True)
    assert (first.outcome, first.counts) == ("done", {"signals": 3, "news": 5})
    assert first.problems == ["bad answered 500; it is tried again later."]
    summary, *signals = note(workspace, now)
    assert summary == "- 14:30 - News scan: found 3 strong signals of 5; 1 feed failed."
    assert "- 14:30 - [news] A heat pump for every roof (https://example.org/2)" in signals
    assert (len(signals), all("[news]" in line and line.endswith(")") for line in signals)) == (3, True)
    hostile = next(line for line in signals if "Python" in line)
    assert not [
        live for live in ("<script", "](", "![", "<|", "\n") if live in hostile.removesuffix("(https://example.org/4)")
    ]
    assert asked(httpserver, "/bad.xml") == [(None, 500)] * 3

    (rows,) = artifacts("news")
    cell = next(row["title"] for row in rows if "Python" in row["title"])
    assert not [live for live in ("<script", "![", "](", "<|") if live in cell.replace("\\", "\\ ")]
    assert [row["feed"] for row in rows] == ["good"] * 3

    second = run(news_scan, at=now + timedelta(days=1), scheduled=True)
    assert asked(httpserver, "/good.xml") == [(None, 200), ('"v1"', 304)]
    assert (second.counts, second.note_lines, len(artifacts("news"))) == ({"signals": 0, "news": 0}, [], 1)
    assert note(workspace, now) == [summary, *signals]


def test_items_are_noted_once_though_the_feed_gives_them_again(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    now: datetime,
) -> None:
    settle(settings(httpserver).rpartition("[[feeds]]")[0])
    httpserver.expect_oneshot_request("/good.xml").respond_with_data(feed(now, ["One", "Two"]))
    httpserver.expect_request("/good.xml").respond_with_data(feed(now, ["One", "Two", "Three"]))
    later = [now + timedelta(minutes=10), now + timedelta(minutes=20)]
    counts = [run(news_scan, at=at).counts["news"] for at in (now, *later)]
    assert counts == [2, 1, 0]
    noted = [line.partition("[news] ")[2].partition(" (")[0] for line in note(workspace, now) if "[news]" in line]
    assert sorted(noted) == ["One", "Three", "Two"]


def test_a_dry_scan_writes_nothing_and_the_next_one_still_has_the_news(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    now: datetime,
) -> None:
    settle(settings(httpserver).rpartition("[[feeds]]")[0])
    httpserver.expect_request("/good.xml").respond_with_data(feed(now, ["One"]), headers={"ETag": '"v1"'})
    dry = run(news_scan, dry_run=True)
    assert (dry.outcome, dry.counts["news"]) == ("dry-run", 1)
    assert not workspace.daily_note(now.date()).exists()
    assert not workspace.source_tracking.exists()
    assert run(news_scan, at=now + timedelta(minutes=1)).counts["news"] == 1
