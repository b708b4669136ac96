"""
`memory/heartbeat-state.json`: when each check last ran and will next, for agents and people.

A view, never the truth: agents scribble on it, so Daybook reads it once, at adoption, as a hint. Keys that
are not ours are kept.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from daybook import files, folders
from daybook.clock import slot_name, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.workspace import Workspace

MILLISECONDS_FROM = 10**11
OLDEST = datetime(2000, 1, 1, tzinfo=UTC)
ALIASES = {"email": "mail", "emails": "mail", "memory": "review", "feeds": "news"}


class CheckState(BaseModel):
    """Last and next time of a check, ISO 8601 in UTC; null where there is none."""

    model_config = ConfigDict(extra="allow")
    last: str | None = None
    next: str | None = None
    why: str = ""


class DaybookState(BaseModel):
    """Daybook's own part of the file."""

    model_config = ConfigDict(extra="allow")
    version: int = 1
    updated: str
    checks: dict[str, CheckState] = Field(default_factory=dict)


class HeartbeatState(BaseModel):
    """The whole file: `lastChecks` in epoch seconds as OpenClaw has it, our part, and anything else."""

    model_config = ConfigDict(extra="allow")
    lastChecks: dict[str, object] = Field(default_factory=dict)  # noqa: N815 - OpenClaw's name
    daybook: DaybookState


def publish(workspace: Workspace, checks: Mapping[str, CheckState], now: datetime) -> list[str]:
    """
    Write the state of every check, keeping what others put into the file.

    Returns:
        Problems met, as sentences: a file that was no JSON object was set aside and built anew.
    """
    folders.make_dir(workspace.memory_dir)
    problems: list[str] = []
    state = DaybookState(updated=stamp(now), checks=dict(checks))

    def make(data: bytes | None) -> bytes:
        raw = _object(data) or {}
        theirs = raw.get("lastChecks")
        last: dict[str, object] = dict(theirs) if isinstance(theirs, dict) else {}
        # What an agent wrote of a check that we never made is its own.
        last |= {name: _epoch(check.last) for name, check in checks.items() if check.last is not None}
        body = {**raw, "lastChecks": last, "daybook": state.model_dump(mode="json")}
        return f"{json.dumps(body, indent=2, ensure_ascii=False)}\n".encode("utf-8", "replace")

    data = files.read_if_exists(workspace.heartbeat_state)
    raw = _object(data)
    if data is not None and (raw is None or not isinstance(raw.get("lastChecks", {}), dict)):
        problems.append(folders.set_aside(workspace.heartbeat_state, slot_name(now)))
    files.update(workspace.heartbeat_state, make)
    return problems


def read_hints(data: bytes | None, now: datetime) -> dict[str, datetime]:
    """
    Read what an adopted folder says about its last checks.

    A made-up time is no hint: null, prose, an impossible year or the future are left out. A time without
    a zone is taken as UTC: at worst a check is early or late once.
    """
    raw = _object(data) or {}
    theirs = raw.get("lastChecks", raw)
    hints: dict[str, datetime] = {}
    for key, value in theirs.items() if isinstance(theirs, dict) else ():
        when = _instant(value)
        if when is not None and OLDEST <= when <= now:
            hints[ALIASES.get(str(key), str(key))] = when
    return hints


def _object(data: bytes | None) -> dict[str, object] | None:
    try:
        raw = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    return raw if isinstance(raw, dict) else None


def _epoch(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp())


def _instant(value: object) -> datetime | None:
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
                seconds=value / 1000 if value >= MILLISECONDS_FROM else value
            )
        if isinstance(value, str):
            when = datetime.fromisoformat(value.strip())
            return when if when.tzinfo else when.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return None
