"""Find weekdays in a line, and whether they come again: Mon/Wed/Fri, Mondays, montags, los lunes, weekdays."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from daybook.language.dates import WEEKDAYS
from daybook.rules import timewords as words

if TYPE_CHECKING:
    import re

WORKDAYS, WEEKEND = (0, 1, 2, 3, 4), (5, 6)
WEEK_DAYS = 7
ENOUGH = 3


@dataclass(frozen=True)
class Days:
    """
    Weekdays of a line.

    Attributes:
        days: In order, Monday is 0.
        certain: Whether they are said to come again, and not one of them once.
    """

    days: tuple[int, ...] = ()
    certain: bool = False


def days_of(flat: str) -> Days:
    """Find the weekdays in a line that `plain` made."""
    if words.WORKDAYS.search(flat):
        return Days(WORKDAYS, certain=True)
    if words.WEEKENDS.search(flat):
        return Days(WEEKEND, certain=True)
    groups = [_read(flat, group) for group in _groups(flat)]
    found = [one for one in groups if one.certain] or [one for one in groups if one.days]
    days = sorted({day for one in found for day in one.days})
    return Days(tuple(days), any(one.certain for one in found))


def _groups(flat: str) -> list[list[re.Match[str]]]:
    """Names of days that are joined to each other."""
    groups: list[list[re.Match[str]]] = []
    for day in words.DAY.finditer(flat):
        gap = flat[groups[-1][-1].end() : day.start()] if groups else ""
        if groups and (words.JOIN.fullmatch(gap) or words.RANGE.fullmatch(gap)):
            groups[-1].append(day)
        else:
            groups.append([day])
    return groups


def _read(flat: str, group: list[re.Match[str]]) -> Days:
    first, before = group[0], flat[: group[0].start()]
    named = any(day["day"] in WEEKDAYS for day in group)
    gaps = [flat[one.end() : other.start()] for one, other in pairwise(group)]
    tight = any(gap.strip() in {"/", "-", "+", "&"} for gap in gaps)
    short = max(len(day["day"]) for day in group) <= words.UNSURE_DAY_CHARS
    alone = before.endswith("(") and flat[group[-1].end() :].startswith(")")
    if (short and not tight and not alone) or (not gaps and not named and not words.SHORT_BEFORE.search(before)):
        return Days()
    days = [words.DAYS[first["day"]]]
    for gap, day in zip(gaps, group[1:], strict=True):
        number = words.DAYS[day["day"]]
        if words.RANGE.fullmatch(gap):
            days += [(days[-1] + step) % WEEK_DAYS for step in range(1, (number - days[-1]) % WEEK_DAYS)]
        days.append(number)
    again = any(day["more"] for day in group) or words.DAY_BEFORE.search(before) is not None
    return Days(tuple(days), again or tight or len(days) >= ENOUGH)
