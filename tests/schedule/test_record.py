"""One JSON object a run, for people and agents."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import jsonschema
import pytest

from daybook.errors import UnsafeFileError
from daybook.schedule import record
from daybook.schedule.record import RunRecord

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


def begun(workspace: Workspace, slot: datetime) -> RunRecord:
    return record.begin(workspace, "heartbeat", slot, trigger="schedule", now=slot, run_id="r1")


def test_a_record_lies_under_its_slots_date_and_follows_its_schema(workspace: Workspace, now: datetime) -> None:
    path = record.write(workspace, begun(workspace, now))
    assert workspace.relative(path) == ".daybook/runs/2026-02-07/143000Z-heartbeat.json"
    jsonschema.validate(json.loads(path.read_bytes()), RunRecord.model_json_schema())


def test_records_are_read_from_an_instant_on_and_strange_files_passed_over(workspace: Workspace, now: datetime) -> None:
    for hours in (0, 1, 2):
        record.write(workspace, begun(workspace, now + timedelta(hours=hours)))
    (workspace.runs_dir / "2026-02-07" / "x.json").write_text("{}")
    found = [one.slot for one in record.read_since(workspace, now + timedelta(hours=1))]
    assert found == ["2026-02-07T15:30:00Z", "2026-02-07T16:30:00Z"]


def test_records_are_kept_90_days(workspace: Workspace, now: datetime) -> None:
    (workspace.runs_dir).mkdir()
    (workspace.runs_dir / ".DS_Store").write_text("x")
    (workspace.runs_dir / "2019-photos").mkdir()
    for days in (91, 90, 0):
        record.write(workspace, begun(workspace, now - timedelta(days=days)))
    assert record.prune(workspace, now.date()) == 1
    assert len(list(workspace.runs_dir.iterdir())) == 4


def test_a_folder_of_runs_that_is_a_link_is_never_cleaned_nor_written_to(workspace: Workspace, now: datetime) -> None:
    theirs = workspace.root / "theirs"
    (theirs / "2019-01-01").mkdir(parents=True)
    workspace.runs_dir.symlink_to(theirs)
    assert record.prune(workspace, now.date()) == 0
    workspace.runs_dir.unlink()
    workspace.runs_dir.mkdir()
    (workspace.runs_dir / "2026-02-07").symlink_to(theirs)
    with pytest.raises(UnsafeFileError, match="2026-02-07 is a link"):
        record.write(workspace, begun(workspace, now))
    assert [path.name for path in theirs.iterdir()] == ["2019-01-01"]
