"""One thing that was examined, and what every examination gets to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from daybook.settings import Settings
    from daybook.workspace import Workspace

Level = Literal["ok", "note", "warning", "wrong"]
LEVELS: tuple[Level, ...] = ("ok", "note", "warning", "wrong")


@dataclass(frozen=True)
class Examined:
    """
    What one examination came to.

    Attributes:
        name: What was examined; several rows may be of one name.
        level: `note` may be meant so, `warning` should be looked at, `wrong` keeps something from working.
        sentence: What is so, and where.
        remedy: What to do; empty where nothing needs to be done.
    """

    name: str
    level: Level
    sentence: str
    remedy: str = ""


@dataclass(frozen=True)
class Site:
    """
    A workspace on this machine.

    Attributes:
        workspace: Which.
        now: The present instant.
        settings: What counts of daybook.toml; the defaults where it cannot be understood.
        inert: Its parts that are not trusted.
        unreadable: Why daybook.toml cannot be understood; empty if it can.
        beat: Time from one heartbeat to the next.
        find_ui: Gives the address of the running UI; None when nothing is up.
    """

    workspace: Workspace
    now: datetime
    settings: Settings
    inert: tuple[str, ...]
    unreadable: str
    beat: timedelta
    find_ui: Callable[[], str | None]


def failed(name: str, level: Level, error: Exception) -> Examined:
    """Make a row of an error's sentence, which says what is wrong and, behind its last semicolon, what to do."""
    sentence, semicolon, remedy = str(error).rpartition("; ")
    if not semicolon:
        return Examined(name, level, remedy)
    return Examined(name, level, f"{sentence}.", remedy[:1].upper() + remedy[1:])
