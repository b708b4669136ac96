"""One JSON object a run, for people and agents."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import jsonschema
import pytest

from daybook.errors import UnsafeFileError
from daybook.schedule import record
from daybook.schedule.record import CheckResult, RunRecord

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

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


def test_a_record_before_the_instant_is_not_even_opened(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when a look at the last minutes reads a whole day of runs."""
    slots = [now + timedelta(minutes=minutes, microseconds=1) for minutes in (-20, -10, 0, 10)]
    for slot in slots:
        record.write(workspace, begun(workspace, slot))
    opened = []

    def read_bytes(path: Path) -> bytes:
        opened.append(path.name)
        return path.read_bytes()

    monkeypatch.setattr(record.files, "read_bytes", read_bytes)
    assert [one.slot for one in record.read_since(workspace, slots[2])] == [
        "2026-02-07T14:30:00.000001Z",
        "2026-02-07T14:40:00.000001Z",
    ]
    assert len(opened) == 2


@pytest.mark.parametrize("odd", ["\udcff", "\ud800 x", "\0", "\u2028"])
def test_no_sign_keeps_a_record_from_being_written_and_read(workspace: Workspace, now: datetime, odd: str) -> None:
    """Turns red when half a sign in what a source said ends the run whose record quotes it."""
    run = begun(workspace, now)
    run.note_lines, run.summary, run.problems = [f"a {odd}"], odd, [odd]
    record.write(workspace, run)
    (read,) = record.read_since(workspace, now)
    assert read.note_lines[0].startswith("a ")


@pytest.mark.parametrize(
    ("check", "outcome", "expected"),
    [
        ("news", "failed", True),
        ("mail", "failed", True),
        ("weather", "failed", True),
        ("note", "failed", False),
        ("memory", "failed", False),
        ("pending", "failed", False),
        ("inbox", "failed", False),
        ("review", "failed", False),
        ("review", "waiting", True),
        ("inbox", "done", True),
    ],
)
def test_a_beat_is_good_unless_what_it_does_of_its_own_failed(
    workspace: Workspace, now: datetime, check: str, outcome: record.Outcome, *, expected: bool
) -> None:
    """Turns red when a feed that is down raises the alarm, or a note that cannot be written does not."""
    run = begun(workspace, now)
    run.checks = [CheckResult(check="day", slot=run.slot, outcome="done")]
    run.checks.append(CheckResult(check=check, slot=run.slot, outcome=outcome))
    assert record.is_good(run) is expected


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
