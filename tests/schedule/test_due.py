"""Due is computed slot to slot on the grid of beats."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from daybook.schedule.checks import Check
from daybook.schedule.due import Beat, Due, Missed, Waiting, due_checks
from daybook.schedule.manifest import Cron

BERLIN = ZoneInfo("Europe/Berlin")
HALF_HOUR = timedelta(minutes=30)
NOON = datetime(2026, 2, 7, 12, tzinfo=UTC)


def verdict(check: Check, last: datetime | None, slot: datetime = NOON) -> Due | Missed | Waiting:
    return due_checks([check], {check.name: last}, Beat(slot, HALF_HOUR, slot), BERLIN)[0]


def test_s16_a_check_every_four_hours_is_done_every_four_hours_on_the_grid() -> None:
    """Turns red when lateness of a beat adds up to a whole beat (4.5 h)."""
    check = Check("mail", every=timedelta(hours=4))
    slot, done = NOON, []
    last: datetime | None = None
    for beat in range(48):
        slot = NOON + beat * HALF_HOUR
        if isinstance(verdict(check, last, slot), Due):
            done.append(beat)
            last = slot
    assert done == [0, 8, 16, 24, 32, 40]


def test_a_configured_check_that_never_ran_is_due_at_the_first_beat() -> None:
    assert verdict(Check("mail", every=timedelta(hours=4)), None) == Due("mail", NOON)
    assert verdict(Check("mail", configured=False, every=timedelta(hours=4)), None) == Waiting(
        "mail", None, "not-configured"
    )


def test_s04_a_check_missed_while_asleep_is_due_once_as_catch_up() -> None:
    """Turns red when each missed slot is made up for."""
    found = verdict(Check("mail", every=timedelta(hours=4)), NOON - timedelta(hours=30))
    assert found == Due("mail", NOON, catch_up=True)


@pytest.mark.parametrize(
    ("check", "hours"),
    [
        (Check("mail", every=timedelta(hours=4), catch_up="skip"), 30),
        (Check("mail", every=timedelta(hours=4), deadline=timedelta(hours=6)), 30),
    ],
)
def test_s05_a_policy_may_let_a_missed_slot_go(check: Check, hours: int) -> None:
    """Turns red when `skip` or a deadline is ignored."""
    assert isinstance(verdict(check, NOON - timedelta(hours=hours)), Missed)


def test_s15_at_the_scheduled_minute_the_beat_leaves_the_check_to_its_own_deployment() -> None:
    """Turns red when a beat at 08:00 scans although news-scan does."""
    check = Check("news", schedule=Cron("0 8 * * *"))
    eight = datetime(2026, 2, 7, 8, tzinfo=BERLIN)
    yesterday = eight - timedelta(days=1)
    assert verdict(check, yesterday, eight) == Waiting("news", eight.astimezone(UTC), "own-deployment")
    later = verdict(check, yesterday, eight + HALF_HOUR)
    assert later == Due("news", eight.astimezone(UTC), catch_up=True)
    assert isinstance(verdict(check, eight, eight + HALF_HOUR), Waiting)


def test_s08_a_disabled_check_is_never_due() -> None:
    """Turns red when `enabled = false` is forgotten."""
    assert verdict(Check("mail", enabled=False, every=HALF_HOUR), None) == Waiting("mail", None, "disabled")


def test_w18_a_last_time_in_the_future_never_means_never_due() -> None:
    """Turns red when an impossible time is believed."""
    assert verdict(Check("mail", every=HALF_HOUR), NOON + timedelta(days=900)) == Due("mail", NOON)


def test_a_late_beat_does_not_repeat_what_was_done_after_its_slot() -> None:
    late = Beat(NOON, HALF_HOUR, NOON + timedelta(hours=24))
    for hours in (1, 24):
        last = {"mail": NOON + timedelta(hours=hours)}
        assert due_checks([Check("mail", every=HALF_HOUR)], last, late, BERLIN) == [Waiting("mail", None, "not-yet")]


def test_a_naive_beat_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        verdict(Check("mail", every=HALF_HOUR), None, NOON.replace(tzinfo=None))


@pytest.mark.parametrize(
    ("beat", "expected"),
    [
        (datetime(2026, 2, 9, 8, 0, tzinfo=UTC), "not-yet"),
        (datetime(2026, 2, 9, 8, 30, tzinfo=UTC), False),
        (datetime(2026, 2, 9, 8, 45, tzinfo=UTC), False),
        (datetime(2026, 2, 9, 9, 0, tzinfo=UTC), True),
        (datetime(2026, 2, 9, 15, 0, tzinfo=UTC), True),
    ],
)
def test_a_command_with_a_cron_line_runs_at_the_first_beat_from_then_on(beat: datetime, expected: bool | str) -> None:
    """Turns red when "daily at 09:30" waits for a deployment that it does not have, or is made up for too late."""
    check = Check("backup", schedule=Cron("30 9 * * *"), command=("backup",))
    found = verdict(check, datetime(2026, 2, 8, 8, 30, tzinfo=UTC), beat)
    slot = datetime(2026, 2, 9, 8, 30, tzinfo=UTC)
    if isinstance(expected, str):
        assert found == Waiting("backup", slot, "not-yet")
    else:
        assert found == Due("backup", slot, catch_up=expected)
