"""
Bring the manifest's deployments to a Prefect server without undoing what the operator did in the UI.

Prefect's own `apply` and `serve` send `paused` and the schedules each time. Here a schedule is sent when its
deployment is new, or when the manifest's or daybook.toml's schedule changed since we last sent it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from typing import TYPE_CHECKING, assert_never

from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate
from prefect.client.schemas.schedules import CronSchedule, IntervalSchedule
from prefect.exceptions import ObjectNotFound
from prefect.flows import Flow
from prefect.logging import get_logger
from prefect.utilities.callables import parameter_schema
from pydantic import TypeAdapter, ValidationError

from daybook import files, folders
from daybook.clock import now_utc, slot_name
from daybook.errors import ServerError
from daybook.schedule.manifest import Cron, Interval
from daybook.workspace import ID_CHARS, ID_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo
    from pathlib import Path
    from typing import Any
    from uuid import UUID

    from prefect.client.orchestration import PrefectClient
    from prefect.client.schemas.responses import DeploymentResponse

    from daybook.schedule.manifest import Plan, Schedule
    from daybook.workspace import Workspace

SLUG = "daybook"
SENT = TypeAdapter(dict[str, str])


def load_flow(plan: Plan) -> Flow[..., Any]:
    """
    Import the flow of a deployment.

    Raises:
        TypeError: The entrypoint names something else.
    """
    module, _, name = plan.entrypoint.rpartition(".")
    found = getattr(importlib.import_module(module), name)
    if not isinstance(found, Flow):
        raise TypeError(f"{plan.entrypoint} is not a flow")
    return found


async def apply(client: PrefectClient, workspace: Workspace, plans: Iterable[Plan], zone: tzinfo) -> dict[str, UUID]:
    """
    Create or renew every deployment.

    Returns:
        Ids by name.

    Raises:
        ServerError: A deployment of that name is another workspace's.
    """
    path = workspace.private / "schedules-sent.json"
    sent = _read_sent(path)
    ids = {}
    for plan in plans:
        now = _fingerprint(plan.schedule, zone)
        schedule = _as_prefect(plan.schedule, zone)
        try:
            existing = await client.read_deployment_by_name(plan.full_name)
        except ObjectNotFound:
            ids[plan.name] = await _create(client, workspace, plan, schedule)
        else:
            _refuse_foreign(existing, workspace)
            await _renew(client, workspace, plan, existing)
            # Unknown what was sent: then what stands there may be the operator's, and stays.
            if sent.get(plan.name, now) != now:
                await _reschedule(client, existing, schedule)
            ids[plan.name] = existing.id
        sent[plan.name] = now
        _write_sent(path, sent)
    return ids


async def _create(
    client: PrefectClient, workspace: Workspace, plan: Plan, schedule: CronSchedule | IntervalSchedule | None
) -> UUID:
    flow = load_flow(plan)
    return await client.create_deployment(
        flow_id=await client.create_flow_from_name(flow.name),
        name=plan.name,
        entrypoint=plan.entrypoint,
        description=plan.description,
        tags=_tags(plan, workspace),
        version=flow.version,
        parameter_openapi_schema=parameter_schema(flow).model_dump_for_openapi(),
        enforce_parameter_schema=True,
        schedules=[DeploymentScheduleCreate(schedule=schedule, slug=SLUG)] if schedule else [],
    )


async def _renew(client: PrefectClient, workspace: Workspace, plan: Plan, existing: DeploymentResponse) -> None:
    flow = load_flow(plan)
    own = _tags(plan, workspace)
    # Neither `paused` nor schedules: what is not sent stays as it is.
    changes = {
        "entrypoint": plan.entrypoint,
        "description": plan.description,
        "tags": [*own, *(tag for tag in existing.tags if tag not in own)],
        "version": flow.version,
        "parameter_openapi_schema": parameter_schema(flow).model_dump_for_openapi(),
        "enforce_parameter_schema": True,
    }
    await client.update_deployment(existing.id, DeploymentUpdate.model_validate(changes))


async def _reschedule(
    client: PrefectClient, existing: DeploymentResponse, schedule: CronSchedule | IntervalSchedule | None
) -> None:
    ours = next((found for found in existing.schedules if found.slug == SLUG), None)
    if ours and schedule:
        # Whether it is active is the operator's: a paused schedule stays paused.
        await client.update_deployment_schedule(existing.id, ours.id, schedule=schedule)
    elif ours:
        await client.delete_deployment_schedule(existing.id, ours.id)
    elif schedule:
        new = DeploymentScheduleCreate(schedule=schedule, slug=SLUG)
        await client.create_deployment_schedules(existing.id, [new])


def _refuse_foreign(existing: DeploymentResponse, workspace: Workspace) -> None:
    others = [tag for tag in existing.tags if len(tag) == ID_LENGTH and set(tag) <= ID_CHARS and tag != workspace.id]
    if others:
        raise ServerError(
            f"The deployment {existing.name} on this server is another workspace's ({others[0]}); "
            "give each workspace a server of its own: take api_url out of [prefect] in daybook.toml."
        )


def _tags(plan: Plan, workspace: Workspace) -> list[str]:
    return [*plan.tags, workspace.id]


def _as_prefect(schedule: Schedule | None, zone: tzinfo) -> CronSchedule | IntervalSchedule | None:
    match schedule:
        case None:
            return None
        case Cron(line=line):
            return CronSchedule(cron=line, timezone=_zone_name(zone))
        case Interval(every=every, anchor=anchor):
            # In UTC, since Prefect bends intervals over a day to the clocks of their zone.
            return IntervalSchedule(interval=every, anchor_date=anchor, timezone="UTC")
        case _:
            assert_never(schedule)


def _zone_name(zone: tzinfo) -> str:
    return str(getattr(zone, "key", "UTC"))


def _fingerprint(schedule: Schedule | None, zone: tzinfo) -> str:
    match schedule:
        case None:
            text = "none"
        case Cron(line=line):
            text = f"cron {line} {_zone_name(zone)}"
        case Interval(every=every, anchor=anchor):
            text = f"interval {every.total_seconds()} {anchor.isoformat()}"
        case _:
            assert_never(schedule)
    return hashlib.sha256(text.encode()).hexdigest()


def _read_sent(path: Path) -> dict[str, str]:
    try:
        return SENT.validate_json(files.read_if_exists(path) or b"{}")
    except ValidationError:
        # Losing it loses no schedule: what stands on the server is left as it is.
        get_logger("daybook").warning(folders.set_aside(path, slot_name(now_utc())))
        return {}


def _write_sent(path: Path, sent: dict[str, str]) -> None:
    text = json.dumps(sent, indent=1, sort_keys=True)
    before = files.read_if_exists(path)
    if before != (data := f"{text}\n".encode()):
        files.replace(path, data, expected=before, mode=files.PRIVATE_FILE_MODE)
