"""Quiet hours: when notices wait, and for which brief."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from daybook import notify
from daybook.clock import local

if TYPE_CHECKING:
    from datetime import date

    from daybook.settings import Settings
    from daybook.workspace import Workspace

# So long notices wait for the brief; where no beat comes by then to tell it, they are told by themselves.
BRIEF_WITHIN = timedelta(hours=2)
DAY = timedelta(days=1)
BRIEF = "brief:"


def ended(settings: Settings, now: datetime) -> datetime | None:
    """When the last quiet hours ended; None where there are none, or during them."""
    if settings.quiet_hours is None or settings.quiet_at(now):
        return None
    today = local(now, settings.zone).date()
    end = _end(settings, today)
    return end if end is None or end <= now else _end(settings, today - DAY)


def brief_due(workspace: Workspace, settings: Settings, now: datetime) -> str:
    """Key of the brief that is still to come after the last quiet hours; empty where none is."""
    end = ended(settings, now)
    if end is None or settings.notify.brief == "off" or not settings.notify.urls:
        return ""
    key = f"{BRIEF}{local(end, settings.zone):%Y-%m-%d}"
    return "" if notify.is_settled(workspace, key) else key


def holds(workspace: Workspace, settings: Settings, now: datetime) -> bool:
    """Whether what is not urgent waits now: for the end of quiet hours, or for the brief that follows them."""
    if settings.quiet_at(now):
        return True
    end = ended(settings, now)
    return end is not None and now - end < BRIEF_WITHIN and bool(brief_due(workspace, settings, now))


def _end(settings: Settings, day: date) -> datetime | None:
    if settings.quiet_hours is None:
        return None
    moment = datetime.combine(day, settings.quiet_hours.end, tzinfo=settings.zone)
    # Of two instants that a night of the clock change has for it, or of those around none, the first.
    return min(moment.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
