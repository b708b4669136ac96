"""
Read the timing rules that people write into HEARTBEAT.md: "every 30 min", "daily at 09:30", ">4h since last".

A line that could mean two things is not understood: the operator reads it better than we do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime, time
from typing import TYPE_CHECKING

from daybook.rules import timewords as words
from daybook.rules.clocktimes import NO_CLOCK, Clock, ImpossibleTimeError, clock_of
from daybook.rules.weekdays import days_of

if TYPE_CHECKING:
    import re

PART_H = {"morning": 0, "noon": 12, "afternoon": 12, "evening": 12, "night": 12}
NIGHT_FROM_H = 6
DAYS_A_WEEK = 7
LONGEST_S = 366 * words.DAY_S
ANY_START = datetime(2026, 1, 1)  # noqa: DTZ001 - cron lines are checked on the wall, in no zone


@dataclass(frozen=True)
class Every:
    """
    An interval.

    Attributes:
        seconds: From one time to the next.
        days: Weekdays it is limited to, Monday is 0; empty: all.
        clock: Hours it is limited to.
    """

    seconds: float
    days: tuple[int, ...] = ()
    clock: Clock = NO_CLOCK


@dataclass(frozen=True)
class Since:
    """An age of the last time, in seconds, from which on it is time again."""

    seconds: float


@dataclass(frozen=True)
class AtTimes:
    """
    Weekdays and times of day.

    Attributes:
        days: Monday is 0; empty: every day.
        clock: Times of day; may be empty.
        part: Such as `morning`, where no time is named.
    """

    days: tuple[int, ...] = ()
    clock: Clock = NO_CLOCK
    part: str = ""


@dataclass(frozen=True)
class CronLine:
    """Five fields of cron."""

    line: str


@dataclass(frozen=True)
class EachBeat:
    """At each heartbeat."""


Timing = Every | Since | AtTimes | CronLine | EachBeat


def read(text: str, *, labelled: bool = False) -> Timing | None:
    """
    Read how often something is to be done.

    Args:
        text: A line of somebody's file, with its Markdown.
        labelled: Whether it is known to say when, as the value of `Frequency:` or the cell of such a column.

    Returns:
        None when it says nothing of that, or nothing that is understood for sure.
    """
    flat = words.plain(text)
    if not flat or _says_no_rule(flat):
        return None
    try:
        found = _since(flat) or _cron(flat) or _recurring(flat, labelled=labelled)
    except ImpossibleTimeError:
        return None
    return None if isinstance(found, Every | Since) and not 0 < found.seconds <= LONGEST_S else found


def smells(text: str) -> bool:
    """Whether a line that was not understood may be meant as a rule all the same."""
    flat = words.plain(text)
    if words.STATE.match(flat) or words.PAST.search(flat) or words.MAYBE_PAST.search(flat):
        return False
    return words.SMELLS.search(words.NAMES.sub("", words.HORIZON.sub("", flat))) is not None


def is_state(text: str) -> bool:
    """Whether a line tells when something was done, or will be, such as `Last run: …`."""
    return words.STATE.match(words.plain(text)) is not None


def _says_no_rule(flat: str) -> bool:
    if words.STATE.match(flat) or words.PAST.search(flat) or words.BEYOND.search(flat) or words.NO_RULE.search(flat):
        return _since(flat) is None or words.STATE.match(flat) is not None
    past = words.MAYBE_PAST.search(flat) is not None
    return past and not words.LEADS.search(flat) and _since(flat) is None


def _since(flat: str) -> Since | None:
    found = next(filter(None, (pattern.search(flat) for pattern in words.SINCE)), None)
    return Since(_length_s(found)) if found else None


def _cron(flat: str) -> CronLine | None:
    from cronsim import CronSim, CronSimError  # noqa: PLC0415 - start-up time

    found = words.CRON.search(flat)
    if found is None:
        return None
    try:
        CronSim(found[1].upper(), ANY_START)
    except CronSimError:
        return None
    return CronLine(found[1].upper())


def _recurring(flat: str, *, labelled: bool) -> Timing | None:
    if words.EACH_BEAT.search(flat):
        return EachBeat()
    days, clock, every_s = days_of(flat), clock_of(flat), _every_s(flat, labelled=labelled)
    if every_s is None and clock.times and not days.certain:
        every_s = _named_with_time_s(flat)
    if every_s is not None and every_s not in {words.DAY_S, words.WEEK_S}:
        times_a_week = words.WEEK_S / (every_s or math.inf)
        # A frequency in a week, with its days named: these say more.
        if not (1 < times_a_week < DAYS_A_WEEK and times_a_week.is_integer() and days.days):
            return Every(every_s, days.days if days.certain else (), clock)
        days = replace(days, certain=True)
    if days.certain or (days.days and (every_s == words.WEEK_S or labelled)):
        return AtTimes(days.days, clock)
    part = next((name for name, pattern in words.EVERY_PART.items() if pattern.search(flat)), "")
    if part or every_s == words.DAY_S or (labelled and clock.times and every_s is None):
        return _daily(clock, part)
    return Every(every_s) if every_s is not None else None


def _daily(clock: Clock, part: str) -> Timing:
    if not clock.times:
        return AtTimes(part=part) if part else Every(words.DAY_S)
    return AtTimes((), Clock(tuple(_in_part(moment, part, clock) for moment in clock.times), is_span=clock.is_span))


def _in_part(moment: time, part: str, clock: Clock) -> time:
    """Take "every evening at 8" as 20:00, and "every night at 2" as 02:00."""
    later = PART_H.get(part, 0)
    at_night = part == "night" and moment.hour < NIGHT_FROM_H
    if clock.sure or not later or at_night or not 0 < moment.hour < later:
        return moment
    return moment.replace(hour=moment.hour + later)


def _every_s(flat: str, *, labelled: bool) -> float | None:
    if found := words.FREQUENCY.search(flat):
        unit = words.UNITS.get(found["unit"] or "") or words.ADVERBS[found["adverb"]]
        return unit / _count(found)
    if found := words.INTERVAL.search(flat):
        return _length_s(found)
    if found := words.ADVERB_ALONE.search(flat):
        return words.ADVERBS[found["adverb"] or found["last"] or found["sure"]]
    if labelled and (found := words.LENGTH_ALONE.match(flat)):
        return _length_s(found)
    if labelled and (found := words.ADVERB.search(flat)):
        return words.ADVERBS[found["adverb"]]
    return None


def _named_with_time_s(flat: str) -> float | None:
    """Take "generate the daily summary at 9 AM" for daily; without a time it is but a name."""
    found = words.ADVERB.search(flat)
    return words.ADVERBS[found["adverb"]] if found else None


def _count(found: re.Match[str]) -> float:
    times = found["times"]
    if times is None:
        return words.COUNTS[found["count"]]
    # Nothing comes so often that no time lies between; `read` lets go of what has no length.
    return _number(times) or math.inf


def _length_s(found: re.Match[str]) -> float:
    return _number(found["n"]) * words.UNITS[found["unit"]]


def _number(text: str | None) -> float:
    if text is None:
        return 1
    return words.NUMBERS[text] if text in words.NUMBERS else float(text.replace(",", "."))
