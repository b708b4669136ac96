"""Hostile mail, news and command output, and an agent and a model that obey them: nothing of it is remembered."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

# Apprise loads every plugin it has, and one of them this module.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


def test_nothing_of_it_reaches_memory(world: Callable[[str], Any], case: Any, now: datetime) -> None:
    place = world(case.channel)
    before = place.entries()
    asyncio.run(one(place, [case], now))
    new = place.entries() - before
    print("NEW", new, "LOST", before - place.entries())
    print(place.workspace.daily_note(now.date()).read_text())
    assert not before - place.entries()
    assert new == {place.control, "the garden hose leaks behind the shed", "the attic lamp takes a small bulb"}


async def one(place: Any, cases: list[Any], now: datetime) -> None:
    for day, case in enumerate(cases):
        await place.play(case, now + timedelta(days=day))
        await place.review(now + timedelta(days=day))
    await place.review(now + timedelta(days=len(cases)))
