from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook import clock
from daybook.schedule import claim
from daybook.schedule.occasion import Stopped, occasion
from flows.inbox_flush import inbox_flush

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    import pytest

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

HOLD = """
import sys
from daybook import clock
from daybook.schedule import claim
from daybook.workspace import open_workspace
now = clock.now_utc()
held = claim.take(open_workspace(sys.argv[1]), "inbox", now, now)
print("held", flush=True)
sys.stdin.read()
held.done("done", now)
"""


def test_s11_a_run_by_hand_joins_the_one_that_is_going_on(
    workspace: Workspace, run: Callable[..., RunRecord], monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.inbox.write_text("- Moved the router to the hall.\n")
    real = claim.wait_for_running
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(workspace.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdin is not None
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        going_on: list[int | None] = []

        def wait(*where: object) -> None:
            going_on.append(owner.poll())
            assert owner.stdin is not None
            owner.stdin.close()
            real(*where)  # type: ignore[arg-type] # as it was called

        monkeypatch.setattr(claim, "wait_for_running", wait)
        record = run(inbox_flush)
        assert owner.wait(10) == 0
    assert going_on == [None]
    assert (record.outcome, record.checks) == ("running-elsewhere", [])
    assert record.summary == "inbox was running already; this call waited for it."
    assert workspace.inbox.read_text() == "- Moved the router to the hall.\n"
    assert not workspace.runs_dir.exists()


def test_s7_a_slot_that_is_over_does_not_happen_again(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    workspace.inbox.write_text("- Moved the router to the hall.\n")
    with occasion(workspace, "inbox-flush", "inbox", slot=now, trigger="schedule", now=now, dry_run=False) as over:
        assert not isinstance(over, Stopped)
    before = {path: path.read_bytes() for path in workspace.runs_dir.rglob("*.json")}
    record = run(inbox_flush, scheduled=True)
    assert (record.outcome, record.summary) == ("already-done", "inbox was done for this slot: done.")
    assert workspace.inbox.exists()
    assert {path: path.read_bytes() for path in workspace.runs_dir.rglob("*.json")} == before
    assert run(inbox_flush, at=now + timedelta(minutes=30), scheduled=True).outcome == "done"


def test_s6_a_slot_whose_run_was_killed_is_taken_up_and_says_so(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    workspace.inbox.write_text("- Moved the router to the hall.\n")
    kill = HOLD.replace("now = clock.now_utc()", f"now = clock.from_slot_name({clock.slot_name(now)!r})")
    with subprocess.Popen(
        [sys.executable, "-c", kill, str(workspace.root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"held\n"
        owner.kill()
    record = run(inbox_flush, scheduled=True)
    assert (record.outcome, record.interrupted_before) == ("done", True)
    assert not workspace.inbox.exists()
