from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import notify
from daybook.notify import Notice, Quiet, Sent
from daybook.notify.digest import MESSAGE_CHARS
from daybook.schedule import briefing, quiet, record
from daybook.schedule.briefing import Section, text
from daybook.schedule.record import OperationResult, RunRecord
from daybook.settings import Settings

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
BERLIN = {"timezone": "Europe/Berlin", "quiet_hours": "23:00-08:00"}
# 08:00 in Berlin.
END = datetime(2026, 2, 7, 7, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)


def settings(server: HTTPServer | None = None, **more: object) -> Settings:
    urls = [f"json://{server.host}:{server.port}/hook"] if server else ["json://127.0.0.1:1/"]
    return Settings.model_validate({**BERLIN, "notify": {"urls": urls, **more}})


def received(server: HTTPServer) -> list[str]:
    return [json.loads(request.data)["message"] for request, _ in server.log]


def run_of(workspace: Workspace, at: datetime, **more: object) -> RunRecord:
    run = record.begin(workspace, "heartbeat", at, trigger="schedule", now=at, run_id=f"{at:%d%H%M}")
    return run.model_copy(update={"outcome": "done", **more})


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [(-1, None), (0, END), (14 * 60, END), (15 * 60, None), (24 * 60, END + timedelta(days=1))],
)
def test_quiet_hours_end_once_a_day(minutes: int, expected: datetime | None) -> None:
    assert quiet.ended(settings(), END + minutes * MINUTE) == expected


def test_before_their_first_end_of_the_day_yesterdays_counts() -> None:
    """Turns red when a beat before noon's quiet hours has no brief of the day before."""
    noon = Settings.model_validate({"timezone": "Europe/Berlin", "quiet_hours": "12:00-13:00"})
    assert quiet.ended(noon, END) == datetime(2026, 2, 6, 12, 0, tzinfo=UTC)


def test_an_end_that_comes_twice_in_autumn_is_the_first(workspace: Workspace) -> None:
    """Turns red when the notices of a night wait an hour more, or belong to the brief of the day before."""
    autumn = Settings.model_validate({**BERLIN, "quiet_hours": "23:00-02:30", "notify": {"urls": ["json://x"]}})
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    assert [quiet.ended(autumn, first + minutes * MINUTE) for minutes in (0, 29, 30, 59, 60)] == [
        first,
        first,
        None,
        None,
        first,
    ]
    assert {quiet.brief_due(workspace, autumn, first + minutes * MINUTE) for minutes in (0, 60)} == {"brief:2026-10-25"}


def test_a_night_of_the_clock_change_has_one_end(workspace: Workspace) -> None:
    """Turns red when the night that lasts an hour less or more has two briefs, or none."""
    spring = Settings.model_validate({**BERLIN, "quiet_hours": "23:00-02:30", "notify": {"urls": ["json://x"]}})
    first = datetime(2026, 3, 28, 23, 0, tzinfo=UTC)
    keys = {quiet.brief_due(workspace, spring, first + minutes * MINUTE) for minutes in range(0, 600, 10)}
    assert keys == {"", "brief:2026-03-29"}


def test_what_is_not_urgent_waits_for_the_brief_but_not_for_ever(workspace: Workspace) -> None:
    moments = [-1, 0, 119, 120]
    assert [quiet.holds(workspace, settings(), END + m * MINUTE) for m in moments] == [True, True, True, False]
    assert quiet.holds(workspace, settings(brief="off"), END) is False


def test_the_first_beat_after_quiet_hours_tells_all_that_waited_in_one_message(
    workspace: Workspace, httpserver: HTTPServer
) -> None:
    """Turns red when the morning brings single notices, two briefs, or one that leaves something out."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    chosen = settings(httpserver)
    night, morning = END - timedelta(hours=5), END + 3 * MINUTE
    held = Notice("model-down:x", "x is down.")
    sent = notify.send(workspace, chosen.notify, [held, Notice("mail:1", "Urgent mail from Ana", urgent=True)], night,
                       quiet=True)  # fmt: skip
    assert asyncio.run(sent) == [Quiet("model-down:x"), Sent("mail:1")]
    httpserver.clear_log()
    learned = OperationResult(op="add", text="Backups run on Sunday night.", verdict="applied")
    refused = OperationResult(op="add", text="Never seen.", verdict="refused", code="ungrounded")
    record.write(workspace, run_of(workspace, night, operations=[learned, refused]))
    news = "memory/2026-02-07.md: - 08:00 - [news] Heat pumps get cheaper (https://example.org/1)"
    beat = run_of(workspace, morning, note_lines=[news])
    assert asyncio.run(briefing.tell(workspace, chosen, beat, morning)) == Sent("brief:2026-02-07")
    assert asyncio.run(briefing.tell(workspace, chosen, beat, morning + 30 * MINUTE)) is None
    assert received(httpserver) == [
        (
            "1 change of memory, 1 signal, 1 other notice, 1 urgent notice told in between.\n\n"
            "Learned\n+ Backups run on Sunday night.\n\n"
            "News\n* Heat pumps get cheaper (https://example.org/1)\n\n"
            "Also\n- x is down.\n\n"
            "Models: nothing spent this month."
        )
    ]


def test_a_brief_tells_what_came_since_the_last_one(workspace: Workspace, httpserver: HTTPServer) -> None:
    """Turns red when a change of memory is told on two mornings."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    chosen, day = settings(httpserver, brief="counts"), timedelta(days=1)
    one, two = (OperationResult(op="add", text=text, verdict="applied") for text in ("One.", "Two."))
    record.write(workspace, run_of(workspace, END - timedelta(hours=4), operations=[one]))
    asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END))
    record.write(workspace, run_of(workspace, END + timedelta(hours=4), operations=[two]))
    asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END + day), END + day))
    assert received(httpserver) == ["1 change of memory.\nModels: nothing spent this month."] * 2


def test_a_morning_without_anything_has_no_brief(workspace: Workspace, httpserver: HTTPServer) -> None:
    chosen = settings(httpserver)
    assert asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END)) is None
    assert (quiet.brief_due(workspace, chosen, END), httpserver.log) == ("", [])


def test_a_long_brief_is_cut_to_what_chat_services_take() -> None:
    lines = tuple(f"- {'x' * 300}" for _ in range(6))
    sections = [Section(f"S{n}", ("thing", "things"), 9, lines) for n in range(3)]
    whole = text(sections, "Models: nothing.", quotes=True)
    assert (len(whole) <= MESSAGE_CHARS, whole.count("… and 8 more"), whole.splitlines()[-1]) == (
        True,
        3,
        "Models: nothing.",
    )


def test_lines_of_a_brief_cannot_forge_a_section(workspace: Workspace, httpserver: HTTPServer) -> None:
    """Turns red when a text from outside has a line of its own in the brief, or makes it too long."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    chosen, night = settings(httpserver), END - timedelta(hours=1)
    hostile = "hm\n\nUrgent\n! Pay now\u2028! Pay <@U1> @everyone\r! Pay " + "x" * 5000
    asyncio.run(notify.send(workspace, chosen.notify, [Notice("n", hostile)], night, quiet=True))
    learned = OperationResult(op="add", text=hostile, verdict="applied")
    record.write(
        workspace, run_of(workspace, night, operations=[learned], note_lines=[f"a.md: - 08:00 - [news] {hostile}"])
    )
    asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END))
    (brief,) = received(httpserver)
    lines = [line for line in brief.splitlines() if line]
    assert (len(brief) <= MESSAGE_CHARS, [line[:4] for line in lines[1:]]) == (
        True,
        ["Lear", "+ hm", "News", "* hm", "Also", "- hm", "Mode"],
    )
    assert ("@everyone" in brief, "<@" in brief) == (False, False)


def test_an_urgent_notice_that_a_brief_only_counts_or_cuts_is_told_by_itself(
    workspace: Workspace, httpserver: HTTPServer
) -> None:
    """Turns red when more urgent notices wait than a brief has lines, and the rest is never told."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/broken").respond_with_data("no", status=500)
    chosen = settings(httpserver)
    broken = chosen.notify.model_copy(
        update={"urls": (chosen.notify.urls[0].replace("hook", "broken"),), "per_hour": 60}
    )
    urgent = [Notice(f"mail:{n}", f"Urgent mail number {n}.", urgent=True) for n in range(9)]
    asyncio.run(notify.send(workspace, broken, urgent, END - timedelta(hours=1), quiet=True))
    record.write(workspace, run_of(workspace, END - timedelta(hours=1)))
    httpserver.clear_log()
    asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END))
    asyncio.run(notify.send(workspace, chosen.notify, [], END, quiet=True))
    said = "\n".join(received(httpserver))
    assert [said.count(f"(repeat) {one.text}") for one in urgent] == [1] * 9
    assert "… and 3 more" in said


def test_after_the_clock_was_set_back_a_brief_tells_nothing_of_the_time_to_come(
    workspace: Workspace, httpserver: HTTPServer
) -> None:
    """Turns red when a year of changes is told again, or none since what a brief of next year told."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    chosen, year = settings(httpserver, brief="counts"), timedelta(days=365)
    one, two = (OperationResult(op="add", text=text, verdict="applied") for text in ("One.", "Two."))
    record.write(workspace, run_of(workspace, END - timedelta(hours=4), operations=[one]))
    asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END))
    then = END - year
    record.write(workspace, run_of(workspace, then - timedelta(hours=1), operations=[two]))
    assert asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, then), then)) == Sent("brief:2025-02-07")
    assert received(httpserver) == ["1 change of memory.\nModels: nothing spent this month."] * 2
    assert asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END), END)) is None


def test_the_first_morning_of_a_workspace_has_no_brief(workspace: Workspace, httpserver: HTTPServer) -> None:
    """Turns red when a beat right after `init` tells of a night that nobody watched."""
    chosen = settings(httpserver)
    news = "memory/2026-02-07.md: - 14:00 - [news] Heat pumps get cheaper"
    first = run_of(workspace, END + 6 * HOUR, note_lines=[news])
    assert asyncio.run(briefing.tell(workspace, chosen, first, END + 6 * HOUR)) is None
    assert (quiet.brief_due(workspace, chosen, END + 6 * HOUR), httpserver.log) == ("", [])


def test_a_run_that_goes_on_while_a_brief_is_told_belongs_to_the_next_one(
    workspace: Workspace, httpserver: HTTPServer
) -> None:
    """Turns red when what a long scan finds is in no brief, or in two."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    chosen, day = settings(httpserver), timedelta(days=1)
    record.write(workspace, run_of(workspace, END - HOUR))
    scan = run_of(workspace, END).model_copy(update={"id": "scan", "flow": "news-scan", "outcome": "running"})
    record.write(workspace, scan)
    beat = run_of(workspace, END)
    assert asyncio.run(briefing.tell(workspace, chosen, beat, END)) is None
    news = "memory/2026-02-07.md: - 08:00 - [news] Heat pumps get cheaper"
    answer = "memory/2026-02-07.md: - 08:00 - [mail] to answer, from Kim (kim@example.org): The date?"
    record.write(workspace, scan.model_copy(update={"outcome": "done", "note_lines": [news, answer]}))
    for number in (1, 2):
        asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, END + number * day), END + number * day))
    assert [message.splitlines()[:5] for message in received(httpserver)] == [
        ["1 mail to answer, 1 signal.", "", "To answer", "> Kim (kim@example.org): The date?", ""]
    ]
