from __future__ import annotations

import json
import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from daybook.memory import inbox
from daybook.schedule.published import HeartbeatState
from daybook.schedule.record import RunRecord
from flows.heartbeat import heartbeat
from flows.news_scan import news_scan

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

BEAT = timedelta(minutes=30)
FEED = b"""<rss version="2.0"><channel><title>Feed</title>
<item><guid>1</guid><title>One item</title><link>https://example.org/1</link></item></channel></rss>"""


def records(workspace: Workspace) -> list[dict[str, Any]]:
    return [json.loads(path.read_bytes()) for path in sorted(workspace.runs_dir.rglob("*.json"))]


def state(workspace: Workspace) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(workspace.heartbeat_state.read_bytes())
    return found


def note(workspace: Workspace, now: datetime) -> list[str]:
    path = workspace.daily_note(now.date())
    return path.read_text().splitlines() if path.exists() else []


def feeds(server: HTTPServer) -> str:
    return (
        f'[network]\nallow_hosts = ["{server.host}"]\n[[feeds]]\nurl = "{server.url_for("/feed.xml")}"\nname = "Feed"\n'
    )


def test_a_beat_in_a_new_workspace_does_nothing_and_says_so(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    before = workspace.longterm.read_bytes()
    record = run(heartbeat)
    assert (record.outcome, record.problems, record.note_lines) == ("nothing-to-do", [], [])
    assert records(workspace) == [record.model_dump(mode="json")]
    jsonschema.validate(records(workspace)[0], RunRecord.model_json_schema())
    jsonschema.validate(state(workspace), HeartbeatState.model_json_schema())
    checks = state(workspace)["daybook"]["checks"]
    assert {name: check["why"] for name, check in checks.items()} == {
        "news": "not-configured",
        "mail": "not-configured",
        "inbox": "not-yet",
        "review": "not-yet",
        "day": "own-deployment",
    }
    assert checks["review"]["last"] == "2026-02-07T14:30:00Z"
    assert state(workspace)["lastChecks"] == {"review": int(now.timestamp())}
    assert not workspace.daily_note(now.date()).exists()
    assert workspace.longterm.read_bytes() == before


def test_c1_an_idle_beat_asks_nobody_and_writes_no_line(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    gemini: Any,
    httpserver: HTTPServer,
    now: datetime,
) -> None:
    gemini.will_say({"operations": []})
    httpserver.expect_request("/feed.xml").respond_with_data(FEED, content_type="application/rss+xml")
    settle(feeds(httpserver))
    workspace.daily_note(now.date()).write_text("- 09:00 - Moved the router to the hall.\n")
    first = run(heartbeat, scheduled=True)
    assert {check.check: check.outcome for check in first.checks} == {"news": "done", "review": "done"}
    asked, lines = len(httpserver.log), note(workspace, now)
    assert asked == 3  # the feed, the trusted line, and the line from outside
    second = run(heartbeat, at=now + BEAT, scheduled=True)
    assert (second.outcome, second.checks, second.summary) == ("nothing-to-do", [], "Nothing was due.")
    assert (len(httpserver.log), note(workspace, now), second.models) == (asked, lines, [])


@pytest.mark.parametrize("text", ["", "# Heartbeat\n", "<!-- - check mail every 30 min -->\n"])
def test_c6_a_heartbeat_file_that_says_nothing_costs_nothing(
    text: str, workspace: Workspace, run: Callable[..., RunRecord], gemini: Any, now: datetime
) -> None:
    """Turns red if HEARTBEAT.md, whatever is or is not in it, makes a beat ask a model, write a line, or try again."""
    (workspace.root / "HEARTBEAT.md").write_text(text)
    beats = [run(heartbeat, at=now + number * BEAT, scheduled=True) for number in range(3)]
    assert [(beat.outcome, beat.models, beat.note_lines) for beat in beats] == [("nothing-to-do", [], [])] * 3
    # The first beat looks whether there is anything to review, and no later one does.
    assert [[check.check for check in beat.checks] for beat in beats] == [["review"], [], []]
    assert gemini.bodies == []
    assert (workspace.root / "HEARTBEAT.md").read_text() == text


@pytest.mark.usefixtures("no_waiting")
def test_one_failing_check_never_stops_another(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    monkeypatch: pytest.MonkeyPatch,
    now: datetime,
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "any")
    httpserver.expect_request("/feed.xml").respond_with_data("no", status=500)
    mailbox = '[[mailboxes]]\nhost = "127.0.0.1"\nport = 1\nuser = "me"\nsecurity = "plain"\n'
    settle(
        f"{feeds(httpserver)}{mailbox}password_env = 'MAIL_PASSWORD'\n"
        "[checks.disk]\nevery = '1h'\ncommand = ['/bin/sh', '-c', 'echo full >&2; exit 1']\n"
        "[checks.sky]\nevery = '1h'\ncommand = ['/bin/echo', 'clear sky']\n"
        "[checks.gone]\nevery = '1h'\ncommand = ['/nowhere/program']\n"
    )
    workspace.inbox.write_text("- Lesson: the router needs a fixed address.\n")
    record = run(heartbeat, scheduled=True)
    assert {check.check: check.outcome for check in record.checks} == {
        "news": "failed",
        "mail": "failed",
        "disk": "failed",
        "sky": "done",
        "gone": "failed",
        "inbox": "done",
        "review": "done",
    }
    assert record.outcome == "failed"
    assert record.problems == [
        "Feed answered 500; it is tried again later.",
        "The mailbox of me at 127.0.0.1:1 cannot be read (Connection refused); check host, port and folder.",
        "Check disk ended with exit code 1; run its command by hand.",
        "checks.gone.command cannot be started: No such file or directory; check its path.",
    ]
    assert len(httpserver.log) == 3
    lines = note(workspace, now)
    assert "- 14:30 - [cmd:sky] clear sky" in lines
    assert "- 14:30 - [cmd:disk] full" in lines
    assert "- 14:30 - Lesson: the router needs a fixed address." in lines
    assert "- the router needs a fixed address." in workspace.longterm.read_text().splitlines()
    assert not workspace.inbox.exists()


def test_s15_a_scan_and_a_beat_in_the_same_minute_are_one_scan(
    workspace: Workspace,
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    httpserver: HTTPServer,
    now: datetime,
) -> None:
    httpserver.expect_request("/feed.xml").respond_with_data(FEED, content_type="application/rss+xml")
    settle(feeds(httpserver))
    eight = now.replace(hour=8, minute=0)
    for flow, at in ((news_scan, eight), (heartbeat, eight), (heartbeat, eight + BEAT)):
        run(flow, at=at, scheduled=True)
    assert len(httpserver.log) == 1
    assert [line for line in note(workspace, now) if "[news]" in line] == [
        "- 08:00 - [news] One item (https://example.org/1)"
    ]


def test_a_dry_beat_says_what_is_due_and_uses_no_slot_up(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    workspace.inbox.write_text("- Lesson: the router needs a fixed address.\n")
    dry = run(heartbeat, dry_run=True)
    assert {check.check: check.outcome for check in dry.checks} == {"inbox": "dry-run", "review": "dry-run"}
    assert workspace.inbox.exists()
    assert not workspace.heartbeat_state.exists()
    real = run(heartbeat, at=now + BEAT, scheduled=True)
    assert real.outcome == "done"


def test_m24_a_last_line_without_a_newline_is_posted_by_a_later_beat(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    workspace.inbox.write_text("- Lesson: the router needs a fixed address.")
    run(heartbeat, scheduled=True)
    for path in inbox.claimed_files(workspace):
        os.utime(path, (now.timestamp(), now.timestamp()))
    later = now + timedelta(hours=13)
    run(heartbeat, at=later, scheduled=True)
    lines = note(workspace, now) + note(workspace, later)
    assert [line for line in lines if line.endswith("Lesson: the router needs a fixed address.")] != []


def test_m24_late_bytes_of_a_claimed_inbox_are_posted_by_a_later_beat(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    workspace.inbox.write_text("- Lesson: the router needs a fixed address.\n")
    with workspace.inbox.open("a") as writer:
        run(heartbeat, scheduled=True)
        writer.write("- Lesson: the printer needs a fixed address too.\n")
    later = now + timedelta(hours=13)
    run(heartbeat, at=later, scheduled=True)
    lines = note(workspace, now) + note(workspace, later)
    assert [line for line in lines if line.endswith("Lesson: the printer needs a fixed address too.")] != []


def test_a_command_can_be_tried_by_hand_and_one_that_failed_waits_for_its_next_turn(
    workspace: Workspace, run: Callable[..., RunRecord], settle: Callable[[str], None], now: datetime
) -> None:
    """Turns red when a failing command fills the note beat by beat, or a mended one cannot be tried."""
    program = workspace.root / "program"
    settle(f'timezone = "UTC"\n[checks.mine]\nevery = "12h"\ncommand = ["/bin/sh", "{program}"]\n')
    beats = [run(heartbeat, at=now + number * BEAT, scheduled=True) for number in range(3)]
    assert [[check.outcome for check in beat.checks if check.check == "mine"] for beat in beats] == [["failed"], [], []]
    program.write_text("echo all is well\n")
    tried = run(heartbeat, at=now + 4 * BEAT, check="mine")
    assert [(check.check, check.outcome, check.summary) for check in tried.checks] == [
        ("mine", "done", "mine: 1 line.")
    ]
    assert note(workspace, now + 4 * BEAT)[-1].endswith("- [cmd:mine] all is well")


def test_urgent_mail_that_reaches_nobody_is_said(
    run: Callable[..., RunRecord],
    settle: Callable[[str], None],
    dovecot: Any,
    mail_password: str,
    monkeypatch: pytest.MonkeyPatch,
    now: datetime,
) -> None:
    """Turns red when urgent mail is noted and nobody learns that there is no address to tell it to."""
    monkeypatch.setenv("MAIL_PASSWORD", mail_password)
    settle(
        f'[[mailboxes]]\nhost = "127.0.0.1"\nport = {dovecot.port}\nuser = "unheard"\nsecurity = "plain"\n'
        'password_env = "MAIL_PASSWORD"\nvip = ["boss@example.org"]\n'
    )
    letter = b"From: boss@example.org\r\nSubject: Now\r\nMessage-ID: <1@x>\r\n\r\nx"
    dovecot.append("unheard", letter, at=now - timedelta(hours=1))
    record = run(heartbeat, scheduled=True)
    assert "1 urgent notice reached nobody: [notify] of daybook.toml names no address that counts." in record.problems
