"""Find times of day in a line: 09:30, 9am, 9h30, um 9 Uhr, a las 9, at noon."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from typing import TYPE_CHECKING

from daybook.rules import timewords as words

if TYPE_CHECKING:
    import re

NOON_H, DAY_H, HOUR_MIN = 12, 24, 60
PAIR = 2


class ImpossibleTimeError(ValueError):
    """A line names a time that no clock shows; it never leaves this room."""


@dataclass(frozen=True)
class Clock:
    """
    Times of day, in the order they are named.

    Attributes:
        times: Local.
        is_span: Whether they are two, and stand for what lies between them.
        sure: Whether they cannot be meant twelve hours later.
    """

    times: tuple[time, ...] = ()
    is_span: bool = False
    sure: bool = False


NO_CLOCK = Clock()


def clock_of(flat: str) -> Clock:
    """
    Find the times of day in a line that `plain` made.

    Raises:
        ImpossibleTimeError: It names one that is none, such as 25:00.
    """
    found = list(words.CLOCK.finditer(flat))
    # A bare number after `and` or `to` is a time only beside another one.
    found = [one for one in found if not (one["bare"] and words.FOLLOWS.match(one["at"]) and one is found[0])]
    times = tuple(map(_time, found))
    sure = any(one["minute"] is not None and one["hour"].startswith("0") for one in found) or any(
        one["half"] or one["halves"] or one["word"] for one in found
    )
    return Clock(times, _is_span(flat, found), sure or any(moment.hour > NOON_H for moment in times))


def _is_span(flat: str, found: list[re.Match[str]]) -> bool:
    if len(found) != PAIR:
        return False
    first, second = found
    gap = flat[first.end() : second.start()] + (second["at"] or "")
    from_to = words.SPAN.fullmatch(gap) is not None
    return from_to or (words.AND.fullmatch(gap) is not None and words.BETWEEN.search(_until(flat, first)) is not None)


def _until(flat: str, match: re.Match[str]) -> str:
    return flat[: match.start()] + (match["at"] or "")


def _time(found: re.Match[str]) -> time:
    if found["word"]:
        return time(0) if words.MIDNIGHT.search(found["word"]) else time(NOON_H)
    hour, minute = int(found["bare"] or found["hour"] or found["hours"]), int(found["minute"] or 0)
    half = (found["half"] or found["halves"] or "").replace(".", "")
    if half:
        if not 1 <= hour <= NOON_H:
            raise ImpossibleTimeError(found[0])
        hour = hour % NOON_H + (NOON_H if half == "pm" else 0)
    if hour == DAY_H and not minute:
        hour = 0
    if hour >= DAY_H or minute >= HOUR_MIN:
        raise ImpossibleTimeError(found[0])
    return time(hour, minute)
