"""One function every entry point goes through: a slot once, its record, and what is let go."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.errors import UnreadableFileError, WorkspaceError
from daybook.schedule import claim, record
from daybook.schedule.occasion import Occasion, Stopped, occasion
from daybook.schedule.record import CheckResult

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.schedule.record import Trigger
    from daybook.workspace import Workspace


def slot_of(done: claim.Done | None) -> datetime | None:
    return done.slot if done else None


def ran(
    workspace: Workspace,
    slot: datetime,
    *,
    late: timedelta = timedelta(0),
    trigger: Trigger = "schedule",
    flow: str = "heartbeat",
    check: str = "heartbeat",
    overtaken: bool = False,
) -> str:
    options = {"slot": slot, "trigger": trigger, "now": slot + late, "dry_run": False, "overtaken": overtaken}
    with occasion(workspace, flow, check, **options) as run:  # type: ignore[arg-type]
        return run.record.outcome if isinstance(run, Stopped) else "ran"


def test_s07_a_slot_runs_once_and_leaves_one_record(workspace: Workspace, now: datetime) -> None:
    """Turns red when a redeployed or doubled run is not stopped."""
    assert [ran(workspace, now) for _ in range(5)] == ["ran"] + ["already-done"] * 4
    (found,) = record.read_since(workspace, now)
    assert (found.outcome, found.trigger, found.slot) == ("done", "schedule", "2026-02-07T14:30:00Z")


def test_s04_of_many_late_beats_only_the_newest_runs_and_each_miss_is_on_record(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when every beat of a night is run in the morning."""
    woke = now + timedelta(hours=8, minutes=10)
    slots = [now + n * timedelta(minutes=30) for n in range(17)]
    found = [ran(workspace, slot, late=woke - slot, overtaken=slot != slots[-1]) for slot in slots]
    assert found == ["missed"] * 16 + ["ran"]
    assert [one.outcome for one in record.read_since(workspace, now)] == ["missed"] * 16 + ["done"]


def test_s05_a_late_daily_run_is_made_up_for_unless_its_policy_says_no(workspace: Workspace, now: datetime) -> None:
    """Turns red when `skip` or the deadline is ignored by the check's own deployment."""
    late = timedelta(hours=7)
    assert ran(workspace, now, late=late, flow="news-scan", check="news") == "ran"
    workspace.settings.write_text('[checks.news]\ncatch_up = "skip"\n[checks.review]\ndeadline = "6h"\n')
    assert ran(workspace, now, flow="review", check="review", late=late) == "missed"
    later = now + timedelta(days=1)
    assert ran(workspace, later, late=late, flow="news-scan", check="news") == "missed"
    assert ran(workspace, later + timedelta(days=1), flow="news-scan", check="news") == "ran"


def test_s08_a_disabled_check_does_not_run_on_its_own_schedule_but_by_hand(workspace: Workspace, now: datetime) -> None:
    """Turns red when only the heartbeat looks at `enabled`."""
    workspace.settings.write_text("[checks.news]\nenabled = false\n")
    assert ran(workspace, now, flow="news-scan", check="news") == "not-due"
    by_hand = now + timedelta(seconds=1)
    assert ran(workspace, by_hand, flow="news-scan", check="news", trigger="hand") == "ran"


def test_a_failure_is_on_record_and_the_slot_may_be_taken_again(workspace: Workspace, now: datetime) -> None:
    sentence = "MEMORY.md cannot be read, key AKIAIOSFODNN7EXAMPLE."
    with (
        pytest.raises(UnreadableFileError),
        occasion(workspace, "review", "review", slot=now, trigger="hand", now=now, dry_run=False),
    ):
        raise UnreadableFileError(sentence)
    (found,) = record.read_since(workspace, now)
    assert (found.outcome, found.summary) == ("failed", "MEMORY.md cannot be read, key [redacted:aws-key-id].")
    assert claim.interrupted_slots(workspace, "review", now) == []
    assert ran(workspace, now, flow="review", check="review") == "ran"


def test_a_check_within_a_run_has_its_own_claim_which_ends_with_it(workspace: Workspace, now: datetime) -> None:
    with occasion(workspace, "heartbeat", "heartbeat", slot=now, trigger="schedule", now=now, dry_run=False) as run:
        assert isinstance(run, Occasion)
        run.take("mail", now)
        run.settle(CheckResult(check="mail", slot="", outcome="done"))
        run.take("news", now)
        run.settle(CheckResult(check="news", slot="", outcome="failed"))
        assert claim.take(workspace, "mail", now, now) == claim.Running("mail")
    assert slot_of(claim.last_done(workspace, "mail")) == now
    assert claim.last_done(workspace, "news") is None
    assert isinstance(claim.take(workspace, "news", now, now), claim.Claim)


def test_nothing_runs_away_from_home(workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_MACHINE", "another")
    with pytest.raises(WorkspaceError, match="at home on another machine"):
        ran(workspace, now)


def test_a_record_is_one_json_object_also_while_the_run_goes_on(workspace: Workspace, now: datetime) -> None:
    with occasion(workspace, "heartbeat", "heartbeat", slot=now, trigger="schedule", now=now, dry_run=False):
        (path,) = workspace.runs_dir.rglob("*.json")
        assert json.loads(path.read_bytes())["outcome"] == "running"
