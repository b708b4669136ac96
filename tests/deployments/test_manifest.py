from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prefect.client.schemas.schedules import CronSchedule as ClientCron
from prefect.server.schemas.schedules import CronSchedule

from daybook.errors import SettingsError
from daybook.schedule.manifest import Cron, Interval, Plan, next_slot, plan, plans, previous_slot
from daybook.settings import DEPLOYMENTS, Settings

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
SPRING, AUTUMN = datetime(2026, 3, 29, tzinfo=UTC), datetime(2026, 10, 25, tzinfo=UTC)
HALF_HOURS = Interval(timedelta(minutes=30), datetime(2026, 1, 1, tzinfo=UTC))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def slots(schedule: Cron | Interval, start: datetime, end: datetime, zone: ZoneInfo) -> list[datetime]:
    found: list[datetime] = []
    while (slot := next_slot(schedule, found[-1] if found else start, zone)) and slot <= end:
        found.append(slot)
    return found


def test_manifest_holds_the_deployments_that_settings_know() -> None:
    assert tuple(found.name for found in plans(Settings())) == DEPLOYMENTS


def test_defaults_are_those_of_the_design() -> None:
    assert {found.name: found.schedule for found in plans(Settings())} == {
        "heartbeat": HALF_HOURS,
        "news-scan": Cron("0 8 * * *"),
        "email-check": None,
        "daily-note": Cron("55 23 * * *"),
        "inbox-flush": None,
        "review": Cron("30 3 * * *"),
    }


def test_every_plan_says_what_it_does_and_where_its_flow_is() -> None:
    for found in plans(Settings()):
        assert found.entrypoint == f"flows.{found.name.replace('-', '_')}.{found.name.replace('-', '_')}"
        assert found.full_name == f"{found.name}/{found.name}"
        assert found.description.endswith(".")
        assert "daybook" in found.tags


def test_settings_override_schedules() -> None:
    given_schedules = {"review": "15 4 * * MON-FRI", "heartbeat": "45m", "email-check": "2h", "news-scan": False}
    chosen = Settings.model_validate({"schedule": given_schedules})
    assert {found.name: found.schedule for found in plans(chosen)} == {
        "heartbeat": Interval(timedelta(minutes=45), HALF_HOURS.anchor),
        "news-scan": None,
        "email-check": Interval(timedelta(hours=2), HALF_HOURS.anchor),
        "daily-note": Cron("55 23 * * *"),
        "inbox-flush": None,
        "review": Cron("15 4 * * MON-FRI"),
    }


def test_one_plan_can_be_picked_by_name() -> None:
    found = plan(Settings(), "review")
    assert isinstance(found, Plan)
    assert found.name == "review"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("61 3 * * *", "bad minute"),
        ("30 3 * *", "a cron line has 5 fields, not 4"),
        ("0 30 3 * * *", "a cron line has 5 fields, not 6"),
        ("@daily", "a cron line has 5 fields, not 1"),
        ("30 3 L * *", "the field 'L' is not understood"),
        ("30 3 * * 5#2", "the field '5#2' is not understood"),
        ("0 0 30 2 *", "bad day-of-month"),
        ("0 0 */2 * 1", "different crons"),
        ("30s", "the shortest interval is a minute"),
        ("0m", "is no time at all"),
        ("3 fortnights", "a cron line has 5 fields"),
        ("", "a cron line has 5 fields, not 0"),
    ],
)
def test_a_wrong_schedule_is_one_sentence_that_names_it(text: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        plans(Settings.model_validate({"schedule": {"review": text}}))
    assert reason in str(caught.value)
    assert f'schedule.review = "{text}"' in str(caught.value)


def test_s10_a_daily_time_that_is_skipped_runs_later_that_night() -> None:
    daily = Cron("30 2 * * *")
    found = slots(daily, SPRING - timedelta(days=1), SPRING + timedelta(days=2), BERLIN)
    assert found == [utc("2026-03-28T01:30"), utc("2026-03-29T01:30"), utc("2026-03-30T00:30")]
    assert found[1].astimezone(BERLIN).hour == 3


def test_s10_a_daily_time_that_comes_twice_runs_the_first_time() -> None:
    daily = Cron("30 2 * * *")
    found = slots(daily, AUTUMN - timedelta(days=1), AUTUMN + timedelta(days=2), BERLIN)
    assert found == [utc("2026-10-24T00:30"), utc("2026-10-25T00:30"), utc("2026-10-26T01:30")]
    assert previous_slot(daily, utc("2026-10-25T01:30"), BERLIN) == utc("2026-10-25T00:30")
    assert previous_slot(daily, utc("2026-10-25T01:15"), BERLIN) == utc("2026-10-25T00:30")


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK])
@pytest.mark.parametrize("line", ["30 1 * * *", "30 2 * * *", "0 9 * * *"])
def test_s10_daily_jobs_run_once_on_each_date_of_a_year(zone: ZoneInfo, line: str) -> None:
    start = datetime(2026, 1, 1, tzinfo=zone).astimezone(UTC) - timedelta(seconds=1)
    dates = [slot.astimezone(zone).date() for slot in slots(Cron(line), start, start + timedelta(days=365), zone)]
    assert dates == [datetime(2026, 1, 1, tzinfo=UTC).date() + timedelta(days=n) for n in range(365)]


@pytest.mark.parametrize("night", [SPRING, AUTUMN])
def test_s10_half_hour_beats_have_no_gap_and_no_double(night: datetime) -> None:
    found = slots(HALF_HOURS, night - timedelta(hours=6), night + timedelta(hours=12), BERLIN)
    assert {later - earlier for earlier, later in pairwise(found)} == {timedelta(minutes=30)}


def test_a_slot_at_this_very_instant_is_the_previous_one() -> None:
    daily, now = Cron("0 8 * * *"), utc("2026-07-01T06:00")
    assert previous_slot(daily, now, BERLIN) == now
    assert next_slot(daily, now, BERLIN) == utc("2026-07-02T06:00")
    assert previous_slot(HALF_HOURS, now, BERLIN) == now
    assert next_slot(HALF_HOURS, now, BERLIN) == utc("2026-07-01T06:30")


def test_fractions_of_a_second_count() -> None:
    just_before = utc("2026-07-01T05:59:59.600000")
    assert next_slot(Cron("0 8 * * *"), just_before, BERLIN) == utc("2026-07-01T06:00")
    assert previous_slot(Cron("0 8 * * *"), just_before, BERLIN) == utc("2026-06-30T06:00")


def test_an_interval_counts_from_its_anchor_also_before_it() -> None:
    odd = Interval(timedelta(minutes=50), datetime(2026, 1, 1, 0, 7, tzinfo=UTC))
    assert next_slot(odd, utc("2026-01-01T00:56"), BERLIN) == utc("2026-01-01T00:57")
    assert previous_slot(odd, utc("2026-01-01T00:00"), BERLIN) == utc("2025-12-31T23:17")


LINES = ("30 2 * * *", "0,30 2,3 * * *", "*/20 * * * *", "15 1-4 * * 0", "0 3 * * SUN", "5 */6 1,15 * *", "0 0 13 * 5")


@settings(max_examples=150, deadline=None)
@given(
    line=st.sampled_from(LINES),
    zone=st.sampled_from([BERLIN, NEW_YORK, ZoneInfo("Australia/Lord_Howe"), ZoneInfo("Asia/Kolkata")]),
    near=st.sampled_from([SPRING, AUTUMN, utc("2026-03-08T00:00"), utc("2026-11-01T00:00"), utc("2026-04-04T12:00")]),
    minutes=st.integers(-2000, 2000),
)
def test_slots_are_those_prefect_computes(line: str, zone: ZoneInfo, near: datetime, minutes: int) -> None:
    now = near + timedelta(minutes=minutes)
    theirs = CronSchedule(cron=line, timezone=zone.key)
    ahead = asyncio.run(theirs.get_dates(n=3, start=now + timedelta(seconds=1)))
    ours = slots(Cron(line), now, ahead[-1].astimezone(UTC), zone)
    assert ours == [date.astimezone(UTC) for date in ahead]
    behind = asyncio.run(theirs.get_dates(start=now - timedelta(days=20), end=now))
    if len(behind) in range(1, 900):
        assert previous_slot(Cron(line), now, zone) == behind[-1].astimezone(UTC)


@pytest.mark.parametrize("line", ["30 3 * * MON-FRI", "*/5 8-18/2 * JAN-MAR *", "0 0 1 * 7", "5/15 * * * *"])
def test_what_we_take_for_a_cron_line_prefect_takes_too(line: str) -> None:
    chosen = Settings.model_validate({"schedule": {"review": line}})
    assert plan(chosen, "review").schedule == Cron(line)
    assert ClientCron(cron=line, timezone="Europe/Berlin").cron == line
