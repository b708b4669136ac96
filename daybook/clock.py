"""
Time as a value: everything gets *now* passed in; only the command line and the flows ask the clock.

An instant is an aware datetime in UTC; a date is the workspace's own.
"""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, tzinfo
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from daybook.errors import SettingsError

PartOfDay = Literal["Morning", "Afternoon", "Evening", "Night"]

MORNING_H, AFTERNOON_H, EVENING_H, NIGHT_H = 5, 12, 17, 22
LOCALTIME = "/etc/localtime"


def now_utc() -> datetime:
    """Read the clock."""
    return datetime.now(UTC)


def zone(name: str | None) -> tzinfo:
    """
    Give the workspace's time zone.

    Args:
        name: IANA name; None for the machine's.

    Raises:
        SettingsError: The name is unknown.
    """
    if name is None:
        return _machine_zone()
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise SettingsError(
            f'timezone = {name!r} is not a time zone; use an IANA name such as "Europe/Berlin".'
        ) from error


def _machine_zone() -> tzinfo:
    # `TZ` may hold a rule such as CET-1CEST, which names no zone; then /etc/localtime tells.
    for candidate in (os.environ.get("TZ", "").lstrip(":"), _localtime_name()):
        try:
            if candidate and not candidate.startswith("/"):
                return ZoneInfo(candidate)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return UTC


def _localtime_name() -> str:
    return os.path.realpath(LOCALTIME).partition("zoneinfo/")[2]


def local(instant: datetime, at: tzinfo) -> datetime:
    """
    Express an instant in the workspace's zone.

    Raises:
        ValueError: The instant is naive.
    """
    if instant.tzinfo is None:
        raise ValueError(f"a naive time cannot be placed: {instant!r}")
    return instant.astimezone(at)


def slot_date(instant: datetime, at: tzinfo) -> date:
    """Date of a slot in the workspace's zone; take it from the slot, never from the early-started run."""
    return local(instant, at).date()


def part_of_day(moment: datetime) -> PartOfDay:
    """Heading under which a note line of this local time stands."""
    if MORNING_H <= moment.hour < AFTERNOON_H:
        return "Morning"
    if AFTERNOON_H <= moment.hour < EVENING_H:
        return "Afternoon"
    if EVENING_H <= moment.hour < NIGHT_H:
        return "Evening"
    return "Night"


def stamp(instant: datetime) -> str:
    """Write an instant as ISO 8601 in UTC, to the second, as all our files do."""
    return instant.astimezone(UTC).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def slot_name(instant: datetime) -> str:
    """Name of a slot, usable as a file name and sortable: `20260207T083000Z`, with a fraction if it has one."""
    utc = instant.astimezone(UTC)
    fraction = f".{utc.microsecond:06d}" if utc.microsecond else ""
    return f"{utc:%Y%m%dT%H%M%S}{fraction}Z"


def from_slot_name(name: str) -> datetime:
    """Read what `slot_name` wrote."""
    form = "%Y%m%dT%H%M%S.%fZ" if "." in name else "%Y%m%dT%H%M%SZ"
    return datetime.strptime(name, form).replace(tzinfo=UTC)
