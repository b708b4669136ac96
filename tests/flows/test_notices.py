"""What a night and a morning tell the operator."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.errors import NoticeError
from flows import reporting
from flows.heartbeat import heartbeat
from flows.news_scan import news_scan

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
MORNING = datetime(2026, 2, 8, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
FEED = b"""<rss version="2.0"><channel><title>Feed</title>
<item><guid>1</guid><title>Heat pumps get cheaper</title><link>https://example.org/1</link></item></channel></rss>"""


def settings(server: HTTPServer, *, brief: str = "texts", ping: str = "/ping") -> str:
    host = f"{server.host}:{server.port}"
    return (
        f'timezone = "UTC"\nquiet_hours = "23:00-08:00"\n[network]\nallow_hosts = ["{server.host}"]\n'
        f'[notify]\nurls = ["json://{host}/hook"]\nbrief = "{brief}"\nping_url = "http://{host}{ping}"\n'
        f'[[feeds]]\nurl = "http://{host}/feed.xml"\nname = "Feed"\n[checks.inbox]\nevery = "1h"\n'
    )


def told(server: HTTPServer) -> list[str]:
    return [json.loads(request.data)["message"] for request, _ in server.log if request.path == "/hook"]


def pings(server: HTTPServer) -> int:
    return sum(request.path == "/ping" for request, _ in server.log)


def test_a_night_and_a_morning_come_to_one_message_and_a_ping_a_beat(
    workspace: Workspace, run: Callable[..., RunRecord], settle: Callable[[str], None], httpserver: HTTPServer
) -> None:
    """Turns red when the morning is told in pieces, twice, or not at all, or a good beat pings nobody."""
    for path in ("/hook", "/ping"):
        httpserver.expect_request(path).respond_with_data("ok")
    httpserver.expect_request("/feed.xml").respond_with_data(FEED, content_type="application/rss+xml")
    settle(settings(httpserver))
    workspace.inbox.write_text("- Lesson: the router of the hall needs a fixed address.\n- the key hangs there\n")
    run(heartbeat, at=MORNING - 6 * HOUR, scheduled=True)
    assert (told(httpserver), pings(httpserver)) == ([], 1)
    run(news_scan, at=MORNING, scheduled=True)
    assert told(httpserver) == []
    beat = run(heartbeat, at=MORNING, scheduled=True)
    morning = """2 changes of memory, 1 signal.

Learned
+ the router of the hall needs a fixed address.
+ the key hangs there

News
* Heat pumps get cheaper (https://example.org/1)

Models: nothing spent this month."""
    assert (beat.notices, told(httpserver)) == (["brief:2026-02-08 was told."], [morning])
    later = run(heartbeat, at=MORNING + HOUR, scheduled=True)
    assert (later.notices, len(told(httpserver)), pings(httpserver)) == ([], 1, 3)


def test_a_monitor_that_cannot_be_reached_is_a_problem_and_no_failure(
    run: Callable[..., RunRecord], settle: Callable[[str], None], httpserver: HTTPServer
) -> None:
    """Turns red when a dead man's switch that is down takes the beat down with it, or nobody hears of it."""
    httpserver.expect_request("/feed.xml").respond_with_data(FEED, content_type="application/rss+xml")
    httpserver.expect_request("/other").respond_with_data("no", status=404)
    settle(settings(httpserver, ping="/other"))
    beat = run(heartbeat, at=MORNING + HOUR, scheduled=True)
    assert (beat.outcome, [one for one in beat.problems if "ping_url" in one]) == (
        "done",
        ["notify.ping_url answered 404; check the address."],
    )
    assert "/other" not in beat.model_dump_json()


def test_a_feed_that_is_down_is_no_reason_to_raise_the_alarm(
    run: Callable[..., RunRecord], settle: Callable[[str], None], httpserver: HTTPServer
) -> None:
    """Turns red when somebody else's server makes a dead man's switch say that the heart stopped."""
    for path in ("/hook", "/ping"):
        httpserver.expect_request(path).respond_with_data("ok")
    httpserver.expect_request("/feed.xml").respond_with_data("gone", status=404)
    settle(settings(httpserver))
    beat = run(heartbeat, at=MORNING + HOUR, scheduled=True)
    assert {one.check: one.outcome for one in beat.checks}["news"] == "failed"
    assert pings(httpserver) == 1


@pytest.mark.parametrize("parts", [("tell_of_models", "_commit", "_publish"), ("brief", "ping")])
def test_whatever_fails_after_the_work_is_done_ends_no_beat_and_hides_nothing_else(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    parts: tuple[str, ...],
) -> None:
    """Turns red when a notice that cannot be told makes a beat fail whose notes stand, or keeps the rest from it."""
    for path in ("/hook", "/ping"):
        httpserver.expect_request(path).respond_with_data("ok")
    httpserver.expect_request("/feed.xml").respond_with_data(FEED, content_type="application/rss+xml")
    settle(settings(httpserver))
    run(heartbeat, at=MORNING - 6 * HOUR, scheduled=True)
    workspace.heartbeat_state.unlink()
    workspace.inbox.write_text("- Lesson: the router of the hall needs a fixed address.\n")
    httpserver.clear_log()
    # Of the first part a sentence of ours is told, of the others their kind alone.
    errors = iter([NoticeError("It could not be kept."), *[RuntimeError("token=abcdef0123456789")] * 2])

    async def broken(_: object) -> None:
        raise next(errors)

    for part in parts:
        monkeypatch.setattr(sys.modules["flows.heartbeat"] if part == "ping" else reporting, part, broken)
    beat = run(heartbeat, at=MORNING + HOUR, scheduled=True)
    names = [{"_commit": "commit", "_publish": "state"}.get(part, part) for part in parts[1:]]
    assert (beat.outcome, beat.problems) == (
        "done",
        ["It could not be kept.", *(f"{name} failed: RuntimeError." for name in names)],
    )
    assert (workspace.heartbeat_state.exists(), len(told(httpserver)), pings(httpserver)) == (
        "_publish" not in parts,
        int("brief" not in parts),
        int("ping" not in parts),
    )
