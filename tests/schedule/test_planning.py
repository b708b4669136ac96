"""What a beat has to do, from what was done."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.memory import staging
from daybook.schedule import claim, planning
from daybook.schedule.claim import Claim
from daybook.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


def over(workspace: Workspace, check: str, slot: datetime, outcome: str = "done") -> None:
    taken = claim.take(workspace, check, slot, slot)
    assert isinstance(taken, Claim)
    taken.done(outcome, slot)
    taken.release()


def names(workspace: Workspace, slot: datetime) -> list[str]:
    return [due.check for due in planning.plan(workspace, Settings(), slot, slot).due]


def test_nothing_is_due_in_a_new_workspace_but_its_first_review(workspace: Workspace, now: datetime) -> None:
    assert names(workspace, now) == ["review"]


def test_the_inbox_is_due_by_length_or_by_age_and_never_when_empty(workspace: Workspace, now: datetime) -> None:
    over(workspace, "review", now)
    over(workspace, "inbox", now - timedelta(hours=13))
    assert names(workspace, now) == []
    staging.stage(str(workspace.root), "one")
    assert names(workspace, now) == ["inbox"]
    over(workspace, "inbox", now - timedelta(hours=1))
    assert names(workspace, now) == []
    for number in range(19):
        staging.stage(str(workspace.root), f"line {number}")
    assert names(workspace, now) == ["inbox"]


def test_s16_a_review_acts_on_every_third_date(workspace: Workspace, now: datetime) -> None:
    """Turns red when hours are counted instead of dates."""
    half_past_three = now.replace(hour=3, minute=30)
    acted = []
    for day in range(9):
        slot = half_past_three + timedelta(days=day)
        if planning.review_due(workspace, Settings(), slot):
            over(workspace, "review", slot)
            acted.append(day)
        else:
            over(workspace, "review", slot, "not-due")
    assert acted == [0, 3, 6]


def test_s21_a_clock_that_was_ahead_once_does_not_stop_reviews_until_then(workspace: Workspace, now: datetime) -> None:
    """Turns red when a slot of the future counts as the last one."""
    over(workspace, "review", now + timedelta(days=400))
    over(workspace, "mail", now + timedelta(days=400))
    over(workspace, "mail", now - timedelta(hours=1))
    assert planning.review_due(workspace, Settings(), now)
    assert planning.last_over(workspace, "mail", now) == now - timedelta(hours=1)


def test_m24_lines_in_a_claimed_inbox_make_a_flush_due(workspace: Workspace, now: datetime) -> None:
    """Turns red when only the inbox itself is looked at."""
    over(workspace, "review", now)
    over(workspace, "inbox", now)
    (workspace.memory_dir / ".inbox-claimed-20260207T140000Z.md").write_text("- left by a kill\n")
    assert names(workspace, now) == ["inbox"]


def test_reading_the_state_changes_nothing(workspace: Workspace, now: datetime) -> None:
    before = sorted(str(path) for path in workspace.private.rglob("*"))
    planning.states(workspace, Settings(), now)
    assert sorted(str(path) for path in workspace.private.rglob("*")) == before
