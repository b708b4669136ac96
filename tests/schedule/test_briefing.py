"""What a brief tells, and of which runs."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook import notify
from daybook.notify import Failed, GivenUp, Later, Notice, Outcome, Sent
from daybook.schedule import briefing, record
from daybook.schedule.record import OperationResult, RunRecord
from daybook.settings import Settings

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
# 08:00 in Berlin, when quiet hours end.
END = datetime(2026, 2, 7, 7, 0, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOTHING_SPENT = "Models: nothing spent this month."


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/broken").respond_with_data("no", status=500)
    return httpserver


def settings(server: HTTPServer, path: str = "/hook", **more: object) -> Settings:
    urls = [f"json://{server.host}:{server.port}{path}"]
    return Settings.model_validate(
        {"timezone": "Europe/Berlin", "quiet_hours": "23:00-08:00", "notify": {"urls": urls, **more}}
    )


def received(server: HTTPServer) -> list[str]:
    return [json.loads(request.data)["message"] for request, _ in server.log if request.path == "/hook"]


def run_of(workspace: Workspace, at: datetime, **more: object) -> RunRecord:
    run = record.begin(workspace, "heartbeat", at, trigger="schedule", now=at, run_id=f"{at:%m%d%H%M}")
    return run.model_copy(update={"outcome": "done", **more})


def scan(workspace: Workspace, at: datetime, story: str, **more: Any) -> None:
    """Leave the record of a scan that found one story."""
    line = f"memory/{at:%Y-%m-%d}.md: - {at:%H:%M} - [news] {story}"
    record.write(workspace, run_of(workspace, at, flow="news-scan", note_lines=[line], **more))


def tell(workspace: Workspace, chosen: Settings, at: datetime) -> Outcome | None:
    return asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, at), at))


def stories(message: str) -> list[str]:
    return [line.removeprefix("* ") for line in message.splitlines() if line.startswith("* ")]


@pytest.mark.parametrize("days", [1, 3])
def test_what_a_brief_told_that_no_address_took_is_in_the_next_one(
    workspace: Workspace, server: HTTPServer, days: int
) -> None:
    """Turns red when a service that is down for some mornings takes what they would have told with it."""
    expected = []
    for day in range(days):
        scan(workspace, END + day * DAY - HOUR, f"Story {day}")
        expected.append(f"Story {day}")
        assert isinstance(tell(workspace, settings(server, "/broken"), END + day * DAY), Failed)
    scan(workspace, END + days * DAY - HOUR, "Today's")
    assert tell(workspace, settings(server), END + days * DAY) == Sent(f"brief:2026-02-{7 + days:02}")
    scan(workspace, END + (days + 1) * DAY - HOUR, "Tomorrow's")
    tell(workspace, settings(server), END + (days + 1) * DAY)
    assert [stories(one) for one in received(server)] == [[*expected, "Today's"], ["Tomorrow's"]]


def test_a_brief_that_nobody_took_is_made_anew_the_same_morning_with_all_of_it(
    workspace: Workspace, server: HTTPServer
) -> None:
    """Turns red when the second try leaves out what the first one told of."""
    scan(workspace, END - HOUR, "One")
    assert isinstance(tell(workspace, settings(server, "/broken"), END), Failed)
    assert tell(workspace, settings(server), END + 10 * MINUTE) == Later("brief:2026-02-07")
    scan(workspace, END + 5 * MINUTE, "Two")
    assert tell(workspace, settings(server), END + 20 * MINUTE) == Sent("brief:2026-02-07")
    assert [stories(one) for one in received(server)] == [["One", "Two"]]


def test_a_brief_that_a_kill_left_unsure_is_not_told_again(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a run that was killed while it sent the brief has the same told on two mornings."""
    scan(workspace, END - HOUR, "One")
    tell(workspace, settings(server), END)
    path = workspace.private / "told.jsonl"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if '"begin"' in line))
    scan(workspace, END + HOUR, "Two")
    assert tell(workspace, settings(server), END + MINUTE) is None
    tell(workspace, settings(server), END + DAY)
    assert [stories(one) for one in received(server)] == [["One"], ["Two"]]


def test_a_brief_looks_back_a_week_at_most(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a month without beats is told in one message."""
    scan(workspace, END - HOUR, "Before")
    tell(workspace, settings(server), END)
    for days in (10, 21, 23, 29):
        scan(workspace, END + days * DAY, f"Day {days}")
    tell(workspace, settings(server), END + 30 * DAY)
    assert [stories(one) for one in received(server)] == [["Before"], ["Day 23", "Day 29"]]


def test_a_brief_tells_no_dry_run_and_none_of_a_time_to_come(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when what was only looked at is told, or what a clock that was ahead left."""
    scan(workspace, END - HOUR, "Real")
    scan(workspace, END - 2 * HOUR, "Dry", dry_run=True, outcome="dry-run")
    scan(workspace, END + 10 * DAY, "To come")
    scan(workspace, END - 3 * HOUR, "Still at work", outcome="running")
    tell(workspace, settings(server), END)
    assert [stories(one) for one in received(server)] == [["Real"]]


def test_of_urgent_notices_a_brief_tells_what_nobody_heard_of_and_counts_the_rest(
    workspace: Workspace, server: HTTPServer
) -> None:
    """Turns red when the morning tells in full what was told at night, or leaves out what was not."""
    chosen, broken = settings(server), settings(server, "/broken")
    night = END - 4 * HOUR
    lost = Notice("mail:0", "Lost mail.", urgent=True)
    asyncio.run(notify.send(workspace, broken.notify, [lost], night - 4 * DAY, quiet=True))
    given_up = [
        asyncio.run(notify.send(workspace, broken.notify, [], night - at, quiet=True)) for at in (8 * HOUR, HOUR)
    ]
    assert given_up[1] == [GivenUp("mail:0")]
    urgent = [Notice(f"mail:{n}", f"Urgent mail {n}.", urgent=True) for n in (1, 2, 3)]
    asyncio.run(notify.send(workspace, chosen.notify, urgent[:2], night, quiet=True))
    asyncio.run(notify.send(workspace, broken.notify, urgent[2:], END, quiet=False))
    scan(workspace, night, "One")
    tell(workspace, chosen, END)
    first = (
        "2 urgent notices, 1 signal, 2 urgent notices told in between.\n\n"
        "Urgent\n! (repeat) Urgent mail 3.\n! (repeat) Lost mail.\n\n"
        f"News\n* One\n\n{NOTHING_SPENT}"
    )
    scan(workspace, END + HOUR, "Two")
    tell(workspace, chosen, END + DAY)
    assert received(server)[2:] == [first, f"1 signal.\n\nNews\n* Two\n\n{NOTHING_SPENT}"]


def test_a_morning_whose_urgent_notices_were_all_told_has_no_brief(workspace: Workspace, server: HTTPServer) -> None:
    chosen, told = settings(server), Notice("mail:1", "Urgent mail.", urgent=True)
    asyncio.run(notify.send(workspace, chosen.notify, [told], END - HOUR, quiet=True))
    record.write(workspace, run_of(workspace, END - HOUR))
    assert tell(workspace, chosen, END) is None
    assert received(server) == ["Urgent mail."]


@pytest.mark.parametrize(
    "rows",
    [
        b'{"key": "brief:2026-02-06", "runs": [["x"], {}, 1, null]}\n',
        b'{"key": ["brief:2026-02-06"], "runs": []}\n',
        b'{"key": {}, "runs": ["x"]}\n[]\n{"key": "k"}\n{"runs": []}\n',
        b"[" * 100_000 + b"\n\xff\n\0\n",
    ],
)
def test_damaged_rows_of_briefs_stop_none(workspace: Workspace, server: HTTPServer, rows: bytes) -> None:
    (workspace.private / "briefs.jsonl").write_bytes(rows)
    scan(workspace, END - HOUR, "One")
    assert tell(workspace, settings(server), END) == Sent("brief:2026-02-07")


@pytest.mark.parametrize("odd", ["\udcff", "\ud800 x", "\0", "\u2028Urgent", "\x1b[31m"])
def test_no_sign_of_a_record_stops_a_brief(workspace: Workspace, server: HTTPServer, odd: str) -> None:
    """Turns red when half a sign that a damaged mail left in a record ends every brief until the record goes."""
    scan(workspace, END - HOUR, f"A {odd} B", summary=f"{odd} failed", outcome="failed")
    learned = OperationResult(op="add", text=f"C {odd} D", verdict="applied")
    beat = run_of(workspace, END, operations=[learned], outcome="failed", summary=f"{odd} E")
    record.write(workspace, beat)
    assert asyncio.run(briefing.tell(workspace, settings(server), beat, END)) == Sent("brief:2026-02-07")
    (brief,) = received(server)
    assert [line[:3] for line in brief.splitlines() if line[:2] in {"+ ", "* "}] == ["+ C", "* A"]


def test_a_flood_of_proposals_and_runs_is_counted_and_six_of_each_are_made_fit_to_be_told(
    workspace: Workspace, server: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when a brief reads out what it has no room for."""
    made = []

    def harmless(text: str, *, limit: int) -> str:
        made.append(text)
        return text[:limit]

    monkeypatch.setattr(notify, "harmless", harmless)
    operations = [OperationResult(op="add", text=f"Fact {n}.", verdict="applied") for n in range(3_000)]
    lines = [f"memory/2026-02-07.md: - 08:00 - [news] Story {n}" for n in range(3_000)]
    record.write(workspace, run_of(workspace, END - HOUR, operations=operations, note_lines=lines))
    waiting = [Notice(f"n:{n}", f"Text {n}.", urgent=n % 2 == 0) for n in range(3_000)]
    rows = [
        {"at": "2026-02-07T06:00:00Z", "key": one.key, "state": "held", "urgent": one.urgent, "text": one.text}
        for one in waiting
    ]
    (workspace.private / "told.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    tell(workspace, settings(server), END)
    first = "1500 urgent notices, 3000 changes of memory, 3000 signals, 1500 other notices."
    assert (received(server)[0].splitlines()[0], len(made) <= 7 * briefing.MOST_LINES) == (first, True)
