"""
Decide which checks are due, slot to slot on the grid.

A check that was missed while the machine slept is due once, not once per miss.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from daybook.schedule.manifest import next_slot, previous_slot

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta, tzinfo

    from daybook.schedule.checks import Check
    from daybook.schedule.manifest import Cron, Interval


@dataclass(frozen=True)
class Due:
    """The check should run for this slot; *catch_up* if the slot is one that was missed."""

    check: str
    slot: datetime
    catch_up: bool = False


@dataclass(frozen=True)
class Missed:
    """The check's slot went by and its policy lets it go."""

    check: str
    slot: datetime
    until: datetime | None


@dataclass(frozen=True)
class Waiting:
    """The check is not due; *until* says when it will be, None for never by schedule."""

    check: str
    until: datetime | None
    why: Literal["not-yet", "own-deployment", "disabled", "not-configured", "by-hand-only"]


Verdict = Due | Missed | Waiting


@dataclass(frozen=True)
class Beat:
    """
    The heartbeat that asks.

    Attributes:
        slot: Its scheduled instant, aware.
        now: The present instant; a beat may be late.
        interval: Time from beat to beat; half of it is the grace of the grid.
    """

    slot: datetime
    interval: timedelta
    now: datetime


def due_checks(checks: Sequence[Check], last: dict[str, datetime | None], beat: Beat, zone: tzinfo) -> list[Verdict]:
    """
    Give one verdict per check.

    Args:
        checks: Every check, in any order.
        last: Per check the newest slot that is over; a time to come counts as unknown (a made-up time never
            means "never due").
        beat: The beat that asks.
        zone: Zone of cron schedules.

    Raises:
        ValueError: The beat's slot is naive.
    """
    if beat.slot.tzinfo is None:
        raise ValueError(f"a naive time cannot be due: {beat.slot!r}")
    return [_verdict(check, last.get(check.name), beat, zone) for check in checks]


def _verdict(check: Check, last: datetime | None, beat: Beat, zone: tzinfo) -> Verdict:
    if not check.enabled:
        return Waiting(check.name, None, "disabled")
    if not check.configured:
        return Waiting(check.name, None, "not-configured")
    if last is not None and last > beat.now + beat.interval:
        last = None
    if last is not None and last > beat.slot:
        return Waiting(check.name, None, "not-yet")
    if check.schedule is not None:
        return _by_schedule(check, check.schedule, last, beat, zone)
    if check.every is not None:
        return _by_interval(check, check.every, last, beat)
    return Waiting(check.name, None, "by-hand-only")


def _by_interval(check: Check, every: timedelta, last: datetime | None, beat: Beat) -> Verdict:
    if last is None:
        return Due(check.name, beat.slot)
    following = last + every
    if beat.slot + beat.interval / 2 < following:
        return Waiting(check.name, following, "not-yet")
    late = beat.slot - following
    return _late(check, Due(check.name, beat.slot, catch_up=late > beat.interval), late, beat)


def _by_schedule(check: Check, schedule: Cron | Interval, last: datetime | None, beat: Beat, zone: tzinfo) -> Verdict:
    slot = previous_slot(schedule, beat.slot, zone)
    following = next_slot(schedule, beat.slot, zone)
    if last is None:
        return Due(check.name, slot or beat.slot)
    if slot is None or last >= slot:
        return Waiting(check.name, following, "not-yet")
    late = beat.slot - slot
    if check.command is not None:
        # Nobody else runs it: the first beat from then on does.
        return _late(check, Due(check.name, slot, catch_up=late >= beat.interval), late, beat)
    if late < beat.interval / 2:
        return Waiting(check.name, slot, "own-deployment")
    return _late(check, Due(check.name, slot, catch_up=True), late, beat)


def _late(check: Check, due: Due, late: timedelta, beat: Beat) -> Verdict:
    too_late = check.deadline is not None and late > check.deadline
    if too_late or (due.catch_up and check.catch_up == "skip"):
        return Missed(check.name, due.slot, beat.slot + beat.interval)
    return due
