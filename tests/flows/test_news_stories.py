"""One story from two feeds: told once, also over scans, and after a kill between note and cursor."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from flows import reporting
from flows.news_scan import news_scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

TITLE = "Heat pumps are cheaper now"


def feed(*items: tuple[str, str]) -> str:
    rows = "".join(
        f"<item><guid>{link}</guid><title>{title}</title><link>{link}</link></item>" for title, link in items
    )
    return f'<rss version="2.0"><channel><title>Any</title>{rows}</channel></rss>'


@pytest.fixture
def site(httpserver: HTTPServer, settle: Callable[[str], None]) -> HTTPServer:
    """A server whose feeds `a`, which weighs more, and `b` are followed."""
    listed = (f'[[feeds]]\nurl = "{httpserver.url_for(f"/{name}")}"\nname = "{name}"\n' for name in ("a", "b"))
    settle(f'[network]\nallow_hosts = ["{httpserver.host}"]\n' + "weight = 2\n".join(listed))
    return httpserver


def noted(workspace: Workspace, now: datetime) -> list[str]:
    lines = workspace.daily_note(now.date()).read_text().splitlines()
    return [line.partition("[news] ")[2] for line in lines if "[news]" in line]


def test_a_story_of_two_feeds_is_told_once_over_scans(
    workspace: Workspace, run: Callable[..., RunRecord], site: HTTPServer, now: datetime
) -> None:
    site.expect_request("/a").respond_with_data(feed((TITLE, "https://e.org/a")))
    site.expect_oneshot_request("/b").respond_with_data(feed())
    site.expect_request("/b").respond_with_data(
        feed(
            (f"{TITLE} | Site b", "https://b.example/1"),
            ("Retold", "http://www.e.org/a/"),
            ("New", "https://b.example/2"),
        )
    )
    run(news_scan)
    second = run(news_scan, at=now + timedelta(hours=1))
    assert (second.counts["news"], second.counts["signals"]) == (1, 1)
    assert noted(workspace, now) == [f"{TITLE} (https://e.org/a)", "New (https://b.example/2)"]


@pytest.mark.usefixtures("no_waiting")
def test_a_story_that_a_kill_left_between_note_and_cursor_is_not_told_by_another_feed(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    site: HTTPServer,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site.expect_oneshot_request("/a").respond_with_data(feed((TITLE, "https://e.org/a")))
    site.expect_request("/a").respond_with_data(status=500)
    site.expect_request("/b").respond_with_data(feed((TITLE, "https://b.example/1")))

    async def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(reporting, "commit_sources", killed)
        with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever Prefect makes of it
            run(news_scan)
    assert noted(workspace, now) == [f"{TITLE} (https://e.org/a)"]
    assert run(news_scan, at=now + timedelta(hours=1)).counts == {"signals": 0, "news": 0}
    assert noted(workspace, now) == [f"{TITLE} (https://e.org/a)"]
