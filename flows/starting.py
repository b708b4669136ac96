"""What started a run, as Prefect tells it: by hand or by schedule, and for which instant."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TYPE_CHECKING

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterDeploymentId,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import StateType
from prefect.context import FlowRunContext
from prefect.runtime import flow_run
from prefect.states import Completed

from daybook import clock, tomlfile
from daybook.guard import logs
from daybook.schedule import claim
from daybook.schedule.occasion import Occasion, Stopped, occasion
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from datetime import datetime

    from prefect.client.schemas.objects import State

    from daybook.schedule.record import RunRecord, Trigger


LATE = timedelta(minutes=1)
MOMENT = timedelta(seconds=1)


@asynccontextmanager
async def started(flow: str, check: str, *, dry_run: bool) -> AsyncIterator[Occasion | Stopped]:
    """
    Open the workspace that the environment names, and run once for the slot.

    Args:
        flow: Name of the flow.
        check: Name of the check whose slot it takes.
        dry_run: Whether nothing may be written.
    """
    logs.redact_all()
    now = clock.now_utc()
    slot, trigger = slot_of(now)
    workspace = open_workspace()
    late = trigger == "schedule" and now - slot > LATE
    with occasion(
        workspace,
        flow,
        check,
        slot=slot,
        trigger=trigger,
        now=max(now, slot),
        dry_run=dry_run,
        overtaken=late and await later_run_waits(slot, now),
    ) as run:
        if isinstance(run, Stopped) and trigger == "hand" and run.record.outcome == "running-elsewhere":
            # A trigger that arrives while the check runs joins that run.
            await asyncio.to_thread(claim.wait_for_running, workspace, check)
            run.record.summary = f"{check} was running already; this call waited for it."
        yield run


def finished(record: RunRecord) -> State[RunRecord]:
    """End a flow with what it came to as the state's message, which the UI shows; the caller gets the record."""
    return Completed(message=record.summary or record.outcome, data=record)


def run_name() -> str:
    """Name a flow run for the UI: the flow and its slot in the workspace's zone."""
    slot = flow_run.scheduled_start_time or clock.now_utc()
    return f"{flow_run.flow_name} {clock.local(slot, tomlfile.zone(open_workspace())):%Y-%m-%d %H:%M}"


async def later_run_waits(slot: datetime, now: datetime) -> bool:
    """
    Ask the server whether a later run of this deployment is due already.

    It knows the schedule as it stands in the UI, which the manifest does not.
    """
    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run is None or run.deployment_id is None:
        return False
    async with get_client() as client:
        later = await client.read_flow_runs(
            flow_run_filter=FlowRunFilter(
                deployment_id=FlowRunFilterDeploymentId(any_=[run.deployment_id]),
                expected_start_time=FlowRunFilterExpectedStartTime(after_=slot + MOMENT, before_=now),
                state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING])),
            ),
            limit=1,
        )
    return bool(later)


def slot_of(now: datetime) -> tuple[datetime, Trigger]:
    """
    Find the instant this run is for.

    A scheduled run may start half a second early or minutes late; its slot is the scheduled instant. A run by
    hand is a slot of its own.
    """
    context = FlowRunContext.get()
    run = context.flow_run if context else None
    if run is None or not run.auto_scheduled or run.expected_start_time is None:
        return now, "hand"
    return run.expected_start_time, "schedule"
