"""What a timing rule reads as, and the lines of daybook.toml that would make a check of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, assert_never

from daybook.rules import timewords as words
from daybook.rules.timing import AtTimes, CronLine, EachBeat, Every, Since, Timing
from daybook.settings import BUILT_IN_CHECKS

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import timedelta

    from daybook.rules.clocktimes import Clock

DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WORKDAYS, WEEKEND = (0, 1, 2, 3, 4), (5, 6)
MINUTE_S = 60
NAME_WORDS, NAME_CHARS = 3, 30
UNNAMED = "name-of-it"
WORD = re.compile(r"[a-z][a-z0-9]+")
_EMPTY_WORDS = """
    a an and at all any check checks do each every for from if in is it last more my of on once or over per run since
    than that the then this times to until with about between around heartbeat beat tick frequency interval schedule not
    morning noon afternoon evening night am pm weekday weekdays weekend weekends
    alle aller am bis das der die im jede jeden jeder jedes mal nach oder pro seit um und vom von vor zum zur uhr
    morgens mittags nachmittags abends nachts werktags wochentags
    chaque de depuis des du en et fois la le les par pour toutes tous un une vers matin soir nuit
    cada con del desde el las los para por todos todas vez veces noche
"""
EMPTY_WORDS = frozenset(_EMPTY_WORDS.split())
SEVERAL = "that takes a cron line of your own, `cron = …`"


def told(timing: Timing) -> str:
    """Say how a rule was read."""
    match timing:
        case Every(seconds=seconds, days=days, clock=clock):
            limits = (f" on {_days(days)}" if days else "") + _clock(clock)
            return f"{_often(seconds)}{limits}"
        case Since(seconds=seconds):
            return f"more than {_length(seconds)} since the last"
        case AtTimes(days=days, clock=clock, part=part):
            return (f"on {_days(days)}" if days else f"every {part}" if part else "daily") + _clock(clock)
        case CronLine(line=line):
            return f"cron {line}"
        case EachBeat():
            return "at every heartbeat"
        case _:
            assert_never(timing)


def settings_lines(timing: Timing, name: str, beat: timedelta) -> str | None:
    """
    Write the lines of daybook.toml that would make a check of a rule; None where neither interval nor cron line can.

    Args:
        timing: The rule.
        name: For the check; see `check_name`.
        beat: Time from one heartbeat to the next, which is when checks are looked at.
    """
    match timing:
        case Every(seconds=seconds) | Since(seconds=seconds):
            when = f'every = "{_duration(seconds)}"'
        case EachBeat():
            when = f'every = "{_duration(beat.total_seconds())}"'
        case AtTimes(days=days, clock=clock):
            line = _cron_line(days, clock)
            if not line:
                return None
            when = f'cron = "{line}"'
        case CronLine(line=line):
            when = f'cron = "{line}"'
        case _:
            assert_never(timing)
    return f'[checks.{name}]\ncommand = ["program", "argument"]\n{when}'


def remark(timing: Timing, beat: timedelta) -> str | None:
    """Say what a check of Daybook's cannot do of a rule; None where it can do all of it."""
    match timing:
        case AtTimes(days=days, clock=clock):
            return None if _cron_line(days, clock) else SEVERAL
        case CronLine():
            return None
        case Every(days=days, clock=clock) if days or clock.times:
            return f"{SEVERAL}, or a `when` command that looks at the clock"
        case Every(seconds=seconds) | Since(seconds=seconds) if seconds < beat.total_seconds():
            return f"checks are looked at by each heartbeat, {_often(beat.total_seconds())}"
        case Every() | Since() | EachBeat():
            return None
        case _:
            assert_never(timing)


def check_name(text: str, section: str, taken: Container[str]) -> str:
    """Make a check's name of the words of a line, or else of its heading, that no other check has."""
    name = _slug(text) or _slug(section) or UNNAMED
    if name in BUILT_IN_CHECKS or name in {"heartbeat", "command"}:
        name = f"my-{name}"
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _slug(text: str) -> str:
    known = (words.UNITS, words.ADVERBS, words.NUMBERS, words.COUNTS, words.DAYS)
    kept = [
        word
        for word in WORD.findall(words.plain(text))
        if word not in EMPTY_WORDS and not any(word in table or word.removesuffix("s") in table for table in known)
    ]
    return "-".join(kept[:NAME_WORDS])[:NAME_CHARS].strip("-")


def _often(seconds: float) -> str:
    named = {words.DAY_S: "daily", words.WEEK_S: "weekly", words.MONTH_S: "monthly", words.HOUR_S: "every hour"}
    return named.get(int(seconds)) or f"every {_length(seconds)}"


def _length(seconds: float) -> str:
    for unit_s, unit in ((words.WEEK_S, "week"), (words.DAY_S, "day")):
        if not seconds % unit_s:
            count = int(seconds // unit_s)
            return f"{count} {unit}{'s' * (count > 1)}"
    if seconds < MINUTE_S:
        return f"{seconds:g} s"
    return f"{seconds / MINUTE_S:g} min" if seconds < words.HOUR_S else f"{seconds / words.HOUR_S:.4g} h"


def _duration(seconds: float) -> str:
    for unit_s, unit in ((words.DAY_S, "d"), (words.HOUR_S, "h"), (MINUTE_S, "m")):
        if not seconds % unit_s:
            return f"{seconds / unit_s:.0f}{unit}"
    return f"{seconds / words.HOUR_S:.2f}h" if seconds > words.HOUR_S else f"{seconds:.0f}s"


def _days(days: tuple[int, ...]) -> str:
    if days in {WORKDAYS, WEEKEND}:
        return "weekdays" if days == WORKDAYS else "weekends"
    return ", ".join(DAY_NAMES[day] for day in days)


def _clock(clock: Clock) -> str:
    times = [f"{moment:%H:%M}" for moment in clock.times]
    if clock.is_span:
        return f", {'-'.join(times)}"
    return f" at {', '.join(times)}" if times else ""


def _cron_line(days: tuple[int, ...], clock: Clock) -> str:
    times = clock.times[:1] if clock.is_span else clock.times
    minutes = {moment.minute for moment in times}
    if len(minutes) != 1:
        return ""
    hours = ",".join(str(hour) for hour in sorted({moment.hour for moment in times}))
    # Cron counts from Sunday.
    week = ",".join(str(day) for day in sorted((day + 1) % len(DAY_NAMES) for day in days)) or "*"
    return f"{minutes.pop()} {hours} * * {week}"
