"""For whom the beat of the morning waits, and how long."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.schedule import briefing, patience, record
from daybook.schedule.claim import Claim, take
from daybook.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
# 08:00 in Berlin: quiet hours end, and news are scanned.
END = datetime(2026, 2, 7, 7, 0, tzinfo=UTC)
MINUTE, HALF_AN_HOUR, DAY = timedelta(minutes=1), timedelta(minutes=30), timedelta(days=1)


def settings(**more: Any) -> Settings:
    return Settings.model_validate(
        {
            "timezone": "Europe/Berlin",
            "quiet_hours": "23:00-08:00",
            "notify": {"urls": ["json://127.0.0.1:1/"]},
            "feeds": [{"url": "https://example.org/feed"}],
            **more,
        }
    )


def run_of(workspace: Workspace, flow: str, at: datetime, **more: object) -> RunRecord:
    run = record.begin(workspace, flow, at, trigger="schedule", now=at, run_id=f"{flow}-{at:%d%H%M}")
    return run.model_copy(update=more)


def waited(
    workspace: Workspace, chosen: Settings, at: datetime = END, meanwhile: Callable[[int], None] = lambda _: None
) -> int:
    """Seconds that a beat waits, while something happens in each."""
    seconds = 0

    async def sleep(length_s: float) -> None:
        nonlocal seconds
        assert length_s == 1
        seconds += 1
        meanwhile(seconds)

    asyncio.run(patience.wait(workspace, chosen, run_of(workspace, "heartbeat", at), at, sleep))
    return seconds


def test_a_scan_that_begins_and_ends_in_the_same_minute_is_waited_for(workspace: Workspace) -> None:
    """Turns red when a scan whose process starts a second after the beat is told a day later."""

    def scan(second: int) -> None:
        outcomes = {5: "running", 20: "done"}
        if second in outcomes:
            record.write(workspace, run_of(workspace, "news-scan", END, outcome=outcomes[second]))

    assert waited(workspace, settings(), meanwhile=scan) == 20
    assert waited(workspace, settings()) == 0


@pytest.mark.parametrize(
    ("more", "expected_s"),
    [
        ({}, 60),
        ({"feeds": []}, 0),
        ({"checks": {"news": {"enabled": False}}}, 0),
        ({"schedule": {"news-scan": False}}, 0),
        ({"schedule": {"news-scan": "30 8 * * *"}}, 0),
        ({"schedule": {"news-scan": False, "review": "0 8 * * *"}}, 60),
        ({"notify": {"urls": ["json://127.0.0.1:1/"], "brief": "off"}}, 0),
        ({"notify": {}}, 0),
    ],
)
def test_only_what_is_to_run_at_the_instant_of_the_beat_is_waited_for_and_a_minute_at_most(
    workspace: Workspace, more: dict[str, object], expected_s: int
) -> None:
    """Turns red when a schedule that is paused in the UI holds a beat up for longer, or one that runs nothing does."""
    assert waited(workspace, settings(**more)) == expected_s


def test_what_the_beat_did_itself_is_not_waited_for(workspace: Workspace) -> None:
    claimed = take(workspace, "news", END, END)
    assert isinstance(claimed, Claim)
    claimed.done("done", END)
    claimed.release()
    assert waited(workspace, settings()) == 0


def test_what_was_done_for_an_earlier_instant_is_not_what_is_waited_for(workspace: Workspace) -> None:
    """Turns red when the scan of yesterday, or one by hand a little earlier, stands for the one of this morning."""
    claimed = take(workspace, "news", END - DAY, END - DAY)
    assert isinstance(claimed, Claim)
    claimed.done("done", END - DAY)
    claimed.release()
    record.write(workspace, run_of(workspace, "news-scan", END - 5 * MINUTE, outcome="done"))
    assert waited(workspace, settings()) == 60


def test_no_beat_is_waited_for_and_no_run_that_ended_or_began_long_before(workspace: Workspace) -> None:
    """Turns red when a beat that was killed, or a scan of yesterday that was, costs the morning a minute."""
    chosen = settings(feeds=[])
    record.write(workspace, run_of(workspace, "heartbeat", END - 5 * MINUTE))
    record.write(workspace, run_of(workspace, "review", END - 5 * MINUTE, outcome="failed"))
    record.write(workspace, run_of(workspace, "news-scan", END - 11 * MINUTE))
    assert waited(workspace, chosen) == 0
    record.write(workspace, run_of(workspace, "email-check", END - 5 * MINUTE))
    assert waited(workspace, chosen) == 60


def test_a_morning_waits_once_whatever_becomes_of_its_brief(workspace: Workspace) -> None:
    """Turns red when each beat of a morning waits for a scan that never comes, while the service is down."""
    chosen = settings(schedule={"news-scan": "30m"})
    record.write(workspace, run_of(workspace, "inbox-flush", END - DAY / 4, outcome="failed", summary="It failed."))
    times = []
    for beat in range(4):
        at = END + beat * HALF_AN_HOUR
        times.append(waited(workspace, chosen, at))
        asyncio.run(briefing.tell(workspace, chosen, run_of(workspace, "heartbeat", at, outcome="done"), at))
    assert times == [60, 0, 0, 0]
