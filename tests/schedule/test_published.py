"""The published state is a view: unknown keys stay, damage is set aside, made-up times are no hints."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from daybook.schedule import published
from daybook.schedule.published import CheckState

if TYPE_CHECKING:
    from daybook.workspace import Workspace

CHECKS = {"mail": CheckState(last="2026-02-07T12:00:00Z", next="2026-02-07T16:00:00Z", why="not-yet")}


def test_times_are_published_and_keys_of_others_stay(workspace: Workspace, now: datetime) -> None:
    workspace.heartbeat_state.write_text('{"lastChecks": {"calendar": 5, "mail": "?"}, "theirs": [1]}')
    assert published.publish(workspace, CHECKS, now) == []
    state = json.loads(workspace.heartbeat_state.read_bytes())
    assert state["lastChecks"] == {"calendar": 5, "mail": 1770465600}
    assert state["theirs"] == [1]
    assert state["daybook"]["checks"]["mail"]["next"] == "2026-02-07T16:00:00Z"


@pytest.mark.parametrize("text", ["not json", "[]", "{", "\x00"])
def test_a_damaged_file_is_set_aside_reported_and_rebuilt(workspace: Workspace, now: datetime, text: str) -> None:
    workspace.heartbeat_state.write_text(text)
    problems = published.publish(workspace, CHECKS, now)
    aside = [path for path in workspace.memory_dir.iterdir() if ".corrupt-" in path.name]
    assert [path.read_text() for path in aside] == [text]
    assert problems == [f"heartbeat-state.json was damaged; it was set aside as {aside[0].name} and built anew."]
    assert json.loads(workspace.heartbeat_state.read_bytes())["lastChecks"] == {"mail": 1770465600}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1770465600, datetime(2026, 2, 7, 12, tzinfo=UTC)),
        (1770465600000, datetime(2026, 2, 7, 12, tzinfo=UTC)),
        ("2026-02-07T12:00:00+01:00", datetime(2026, 2, 7, 11, tzinfo=UTC)),
        ("2026-02-07 09:00", datetime(2026, 2, 7, 9, tzinfo=UTC)),
        (None, None),
        (True, None),
        ("this morning", None),
        ("9999-01-01T00:00:00Z", None),
        (1e300, None),
        (-5, None),
    ],
)
def test_w18_what_an_agent_scribbled_is_understood_or_left_out(
    value: object, hint: datetime | None, now: datetime
) -> None:
    """Turns red when a made-up time becomes a hint."""
    found = published.read_hints(json.dumps({"lastChecks": {"email": value}}).encode(), now)
    assert found == ({} if hint is None else {"mail": hint})
