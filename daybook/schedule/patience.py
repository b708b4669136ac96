"""How long the beat of the morning waits for what runs at its side, so that its brief tells what that finds."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import notify
from daybook.schedule import planning, quiet, record
from daybook.schedule.checks import DEPLOYMENT_OF, checks_of
from daybook.schedule.manifest import plans, previous_slot

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from daybook.schedule.record import RunRecord
    from daybook.settings import Settings
    from daybook.workspace import Workspace

PATIENCE_S = 60
# Runs that began with a beat.
LATELY = timedelta(minutes=10)
# What a brief tells of, and what runs by a schedule of its own.
WAITED_FOR = ("news", "review")


async def wait(
    workspace: Workspace,
    settings: Settings,
    run: RunRecord,
    now: datetime,
    sleep: Callable[[float], Awaitable[object]],
) -> None:
    """
    Let a scan or review of the same instant end, so that the brief tells what it finds.

    That takes a minute at most, once a brief, also where it never comes: its schedule may be paused in the UI.

    Args:
        workspace: Whose.
        settings: Schedules, and whether there is room for a message.
        run: The beat that is to tell the brief.
        now: When it began.
        sleep: Waits a number of seconds.
    """
    key = quiet.brief_due(workspace, settings, now)
    if not key or not notify.may_send_first(workspace, settings.notify, key, now):
        return
    for _ in range(PATIENCE_S):
        if not unfinished(workspace, settings, run, now):
            break
        await sleep(1)


def unfinished(workspace: Workspace, settings: Settings, run: RunRecord, now: datetime) -> bool:
    """Whether a scan or review that began with this beat is still at work, or one of its instant is yet to begin."""
    slot = datetime.fromisoformat(run.slot)
    recent = [*record.read_since(workspace, min(slot, now) - LATELY)]
    if any(one.outcome == "running" and one.id != run.id and one.flow != run.flow for one in recent):
        return True
    begun = {one.flow for one in recent if one.slot == run.slot}
    expected = [check for check in _expected(settings, slot) if DEPLOYMENT_OF[check] not in begun]
    over = (planning.last_over(workspace, check, now) for check in expected)
    return any(last is None or last < slot for last in over)


def _expected(settings: Settings, slot: datetime) -> Iterator[str]:
    """Checks that have a run of their own for an instant."""
    schedules = {plan.name: plan.schedule for plan in plans(settings)}
    for check in checks_of(settings):
        schedule = schedules[DEPLOYMENT_OF[check.name]] if check.name in WAITED_FOR else None
        acts = check.enabled and check.configured and schedule is not None
        if acts and schedule is not None and previous_slot(schedule, slot, settings.zone) == slot:
            yield check.name
