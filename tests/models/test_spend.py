"""What models used, per day of the workspace's zone."""

from __future__ import annotations

import stat
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from daybook.models import spend
from daybook.models.outcomes import Used
from daybook.settings import Budget, Settings

if TYPE_CHECKING:
    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
NOW = datetime(2026, 2, 7, 12, 0, tzinfo=UTC)


def add(workspace: Workspace, used: Used, *, at: datetime = NOW) -> None:
    spend.record(workspace, purpose="review", model=MODEL, used=used, at=at)


def test_nothing_was_spent_before_the_first_call(workspace: Workspace) -> None:
    assert spend.today(workspace, UTC, NOW) == spend.Spend()


def test_the_calls_of_a_day_add_up(workspace: Workspace) -> None:
    add(workspace, Used(1, 1000, 50, 0.25))
    add(workspace, Used(1, 2000, 60, None))
    assert spend.today(workspace, UTC, NOW) == spend.Spend(calls=2, tokens=3110, usd=0.25, unpriced_calls=1)


def test_a_day_begins_at_midnight_of_the_zone(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0), at=datetime(2026, 2, 6, 22, 59, tzinfo=UTC))
    add(workspace, Used(1, 20, 2, 0.0), at=datetime(2026, 2, 6, 23, 1, tzinfo=UTC))
    assert spend.today(workspace, ZoneInfo("Europe/Berlin"), NOW).tokens == 22


def test_the_rows_are_private(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0))
    assert stat.S_IMODE((workspace.private / "spend.jsonl").stat().st_mode) == 0o600


def test_a_torn_row_is_counted_and_does_not_swallow_the_next(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0))
    path = workspace.private / "spend.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    add(workspace, Used(1, 20, 2, 0.0))
    assert spend.today(workspace, UTC, NOW) == spend.Spend(calls=1, tokens=22, damaged_rows=1)


@pytest.mark.parametrize(
    ("used", "budget", "model", "expected"),
    [
        (Used(1, 10, 0, 0.2), Budget(), MODEL, False),
        (Used(1, 10, 0, 0.25), Budget(), MODEL, True),
        (Used(1, 10, 0, 0.25), Budget(), "ollama:llama3", False),
        (Used(1, 499_998, 0, 0.0), Budget(), "ollama:llama3", False),
        (Used(1, 499_999, 0, None), Budget(), "ollama:llama3", True),
        (Used(), Budget(usd_per_day=0), MODEL, True),
        (Used(), Budget(tokens_per_day=0), "ollama:llama3", True),
    ],
)
def test_the_budget_holds_for_money_and_for_tokens(
    workspace: Workspace, used: Used, budget: Budget, model: str, *, expected: bool
) -> None:
    add(workspace, used)
    settings = Settings(timezone="UTC", budget=budget)
    assert spend.over_budget(workspace, settings, model, "four", NOW) is expected


def test_tomorrow_the_budget_is_fresh(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 0, 9.0))
    settings = Settings(timezone="UTC")
    assert not spend.over_budget(workspace, settings, MODEL, "x", NOW + timedelta(days=1))
