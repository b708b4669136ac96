"""
The manifest of deployments, `deployments/prefect.yaml`, with the operator's schedules put over it.

Slots are computed here as Prefect computes them, without importing Prefect (checked against 3.9.1 by a test).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, assert_never

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from daybook.errors import SettingsError
from daybook.settings import parse_duration

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

    from daybook.settings import Settings

# By place and not through importlib: `deployments` is a common name, and another folder of that name could be
# imported, and so run, instead of ours.
MANIFEST = Path(__file__).parents[2] / "deployments" / "prefect.yaml"
CRON_FIELDS = 5
# What every reader of cron lines takes for the same: no L, W, #, @daily, seconds or random fields.
CRON_FIELD = re.compile(r"(?:[0-9*,/-]|SUN|MON|TUE|WED|THU|FRI|SAT|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)+")
SHORTEST_INTERVAL = timedelta(minutes=1)
DEFAULT_ANCHOR = datetime(2026, 1, 1, tzinfo=UTC)
# Clocks have jumped by a whole day, where an island changed sides of the date line.
LONGEST_JUMP = timedelta(hours=25)


@dataclass(frozen=True)
class Cron:
    """
    Slots on the wall clock of the workspace's zone.

    Attributes:
        line: Five fields, checked.
    """

    line: str


@dataclass(frozen=True)
class Interval:
    """
    Slots in real time, whatever clocks do.

    Attributes:
        every: At least a minute.
        anchor: Aware; one of the slots.
    """

    every: timedelta
    anchor: datetime


Schedule = Cron | Interval


@dataclass(frozen=True)
class Plan:
    """
    One deployment.

    Attributes:
        name: Of the deployment and of its flow.
        entrypoint: `module.function`.
        description: For the operator, shown in the UI.
        tags: Shown in the UI.
        schedule: None: only the heartbeat or a person starts it.
    """

    name: str
    entrypoint: str
    description: str
    tags: tuple[str, ...]
    schedule: Schedule | None

    @property
    def full_name(self) -> str:
        """Name by which Prefect knows it."""
        return f"{self.name}/{self.name}"


class _CronEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    cron: str


class _IntervalEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    interval: int = Field(ge=60)
    anchor_date: AwareDatetime


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str
    entrypoint: str
    description: str
    tags: tuple[str, ...]
    schedules: Annotated[tuple[_CronEntry | _IntervalEntry, ...], Field(max_length=1)]


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    name: Literal["daybook"]
    deployments: tuple[_Entry, ...]


def plans(settings: Settings) -> tuple[Plan, ...]:
    """
    Read the manifest, with `[schedule]` of daybook.toml applied.

    Raises:
        SettingsError: An override is neither a cron line nor a length of time nor false.
    """
    import yaml  # noqa: PLC0415 - start-up time: only the schedule needs it

    text = MANIFEST.read_text(encoding="utf-8")
    manifest = _Manifest.model_validate(yaml.safe_load(text))
    return tuple(_overridden(_plan(entry), settings) for entry in manifest.deployments)


def plan(settings: Settings, name: str) -> Plan:
    """
    Pick one deployment of the manifest.

    Raises:
        KeyError: The manifest has no deployment of that name.
    """
    return {found.name: found for found in plans(settings)}[name]


def next_slot(schedule: Schedule, now: datetime, zone: tzinfo) -> datetime | None:
    """
    Give the first slot after *now*, aware in UTC; None when no slot ever comes.

    A wall time that the clocks skip runs later by what they skipped (02:30 at 03:30); one that comes twice
    runs the first time.
    """
    match schedule:
        case Interval(every=every, anchor=anchor):
            return (anchor + ((now - anchor) // every + 1) * every).astimezone(UTC)
        case Cron(line=line):
            return _next_on_the_wall(line, now, zone)
        case _:
            assert_never(schedule)


def previous_slot(schedule: Schedule, now: datetime, zone: tzinfo) -> datetime | None:
    """
    Give the last slot at or before *now*, aware in UTC; None when there never was one.

    Wall times that clocks skip or repeat are taken as in `next_slot`.
    """
    match schedule:
        case Interval(every=every, anchor=anchor):
            return (anchor + ((now - anchor) // every) * every).astimezone(UTC)
        case Cron(line=line):
            return _previous_on_the_wall(line, now, zone)
        case _:
            assert_never(schedule)


def _plan(entry: _Entry) -> Plan:
    schedule: Schedule | None = None
    for found in entry.schedules:
        match found:
            case _CronEntry(cron=line):
                schedule = cron(line)
            case _IntervalEntry(interval=seconds, anchor_date=anchor):
                schedule = Interval(timedelta(seconds=seconds), anchor)
            case _:
                assert_never(found)
    return Plan(entry.name, entry.entrypoint, " ".join(entry.description.split()), entry.tags, schedule)


def _overridden(default: Plan, settings: Settings) -> Plan:
    if default.name not in settings.schedule:
        return default
    value = settings.schedule[default.name]
    if value is False:
        return replace(default, schedule=None)
    try:
        return replace(default, schedule=_schedule(value, default.schedule))
    except ValueError as error:
        raise SettingsError(
            f'daybook.toml: schedule.{default.name} = "{value}" is no schedule ({error}); '
            'write a cron line like "30 3 * * *", an interval like "30m", or false.'
        ) from None


def _schedule(text: str, default: Schedule | None) -> Schedule:
    if len(text.split()) > 1 or not text[:1].isdigit():
        return cron(text)
    every = parse_duration(text)
    if every < SHORTEST_INTERVAL:
        raise ValueError("the shortest interval is a minute")
    return Interval(every, default.anchor if isinstance(default, Interval) else DEFAULT_ANCHOR)


def cron(line: str) -> Cron:
    """
    Check a cron line.

    Raises:
        ValueError: It is none, or means different things to different readers.
    """
    from cronsim import CronSimError  # noqa: PLC0415 - see _walls

    fields = line.upper().split()
    if len(fields) != CRON_FIELDS:
        raise ValueError(f"a cron line has {CRON_FIELDS} fields, not {len(fields)}")
    for field in fields:
        if not CRON_FIELD.fullmatch(field):
            raise ValueError(f"the field {field!r} is not understood")
    days, weekdays = fields[2], fields[4]
    if "*" not in {days, weekdays} and (days + weekdays).count("*"):
        raise ValueError("a step in one day field beside another day field means different days to different crons")
    try:
        next(_walls(line, datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)), None)
    except CronSimError as error:
        raise ValueError(str(error).lower()) from None
    return Cron(" ".join(line.split()))


def _walls(line: str, start: datetime, *, backwards: bool = False) -> Iterator[datetime]:
    # On naive times the library does no daylight saving of its own, which would differ from Prefect's.
    from cronsim import CronSim  # noqa: PLC0415 - start-up time: only the schedule needs it

    return CronSim(line, start, reverse=backwards)


def _instant(wall: datetime, zone: tzinfo) -> datetime:
    # A skipped wall time gets the offset from before the jump, and so moves later by what was skipped.
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def _wall(instant: datetime, zone: tzinfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None, fold=0)


def _margin(now: datetime, zone: tzinfo) -> timedelta:
    near = (now - LONGEST_JUMP, now, now + LONGEST_JUMP)
    offsets = {instant.astimezone(zone).utcoffset() for instant in near}
    return LONGEST_JUMP if len(offsets) > 1 else timedelta(0)


def _next_on_the_wall(line: str, now: datetime, zone: tzinfo) -> datetime | None:
    best: datetime | None = None
    start = _wall(now, zone) - _margin(now, zone) - timedelta(seconds=1)
    for wall in _walls(line, start):
        # Wall times run past a skipped hour before the slots in it, moved later, have come.
        if best is not None and wall >= _wall(best, zone):
            break
        instant = _instant(wall, zone)
        if instant > now and (best is None or instant < best):
            best = instant
    return best


def _previous_on_the_wall(line: str, now: datetime, zone: tzinfo) -> datetime | None:
    best: datetime | None = None
    earliest: datetime | None = None
    start = _wall(now, zone) + _margin(now, zone) + timedelta(seconds=1)
    for wall in _walls(line, start, backwards=True):
        if earliest is not None and wall <= earliest:
            break
        instant = _instant(wall, zone)
        if instant <= now and (best is None or instant > best):
            best = instant
            # A skipped wall time a little earlier may have moved past this one.
            earliest = earliest or wall - _margin(instant, zone)
    return best
