"""What models used, per day of the workspace's zone."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from daybook.models import spend
from daybook.models.outcomes import Used

if TYPE_CHECKING:
    from datetime import tzinfo

    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
NOW = datetime(2026, 2, 7, 12, 0, tzinfo=UTC)


def add(workspace: Workspace, used: Used, *, at: datetime = NOW, name: str = "") -> None:
    row = spend.Row(
        id=name,
        at=at,
        purpose="review",
        model=MODEL,
        calls=used.calls,
        tokens_in=used.tokens_in,
        tokens_out=used.tokens_out,
        usd=used.usd,
    )
    spend.write(workspace, lambda _: row)


def today(workspace: Workspace, zone: tzinfo = UTC) -> spend.Spend:
    return spend.look(workspace, zone, NOW).today


def test_nothing_was_spent_before_the_first_call(workspace: Workspace) -> None:
    assert spend.look(workspace, UTC, NOW) == spend.Outlook(spend.Spend(), spend.Spend(), 0.0, 0)


def test_the_calls_of_a_day_add_up(workspace: Workspace) -> None:
    add(workspace, Used(1, 1000, 50, 0.25))
    add(workspace, Used(1, 2000, 60, None))
    assert today(workspace) == spend.Spend(calls=2, tokens=3110, usd=0.25, unpriced_calls=1)


def test_a_day_begins_at_midnight_of_the_zone(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0), at=datetime(2026, 2, 6, 22, 59, tzinfo=UTC))
    add(workspace, Used(1, 20, 2, 0.0), at=datetime(2026, 2, 6, 23, 1, tzinfo=UTC))
    assert today(workspace, ZoneInfo("Europe/Berlin")).tokens == 22


def test_the_last_row_of_a_call_counts(workspace: Workspace) -> None:
    add(workspace, Used(1, 1000, 8000, 0.25), name="one")
    add(workspace, Used(1, 900, 50, 0.01), name="one")
    assert today(workspace) == spend.Spend(calls=1, tokens=950, usd=0.01)


def test_a_month_adds_up_and_is_forecast_from_the_last_seven_days(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 5.0), at=datetime(2026, 1, 31, 12, tzinfo=UTC))
    add(workspace, Used(1, 10, 1, 0.3), at=datetime(2026, 2, 1, 12, tzinfo=UTC))
    add(workspace, Used(1, 10, 1, 0.4), at=NOW)
    found = spend.look(workspace, UTC, NOW)
    assert found.month == spend.Spend(calls=2, tokens=22, usd=pytest.approx(0.7))
    # Seven days cost 0.7; twenty-one are left.
    assert found.forecast_usd == pytest.approx(0.7 + 21 * 0.1)


def test_the_first_day_is_forecast_from_itself(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.1))
    assert spend.look(workspace, UTC, NOW).forecast_usd == pytest.approx(0.1 * 22)


def test_the_rows_are_private(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0))
    assert stat.S_IMODE((workspace.private / "spend.jsonl").stat().st_mode) == 0o600


def test_a_torn_row_is_counted_and_does_not_swallow_the_next(workspace: Workspace) -> None:
    add(workspace, Used(1, 10, 1, 0.0))
    path = workspace.private / "spend.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    add(workspace, Used(1, 20, 2, 0.0))
    found = spend.look(workspace, UTC, NOW)
    assert (found.today, found.damaged_rows) == (spend.Spend(calls=1, tokens=22), 1)


@pytest.mark.parametrize(
    "change",
    [{"usd": float("nan")}, {"usd": -1}, {"tokens_in": -5}, {"at": "0001-01-01T00:00:00+14:00"}, {"at": "2026-02-07"}],
)
def test_a_row_that_cannot_be_is_damaged_and_lifts_no_limit(change: dict[str, object], workspace: Workspace) -> None:
    row = {"at": "2026-02-07T11:00:00Z", "purpose": "review", "model": "m:x", "calls": 1}
    row |= {"tokens_in": 3, "tokens_out": 4, "usd": 0.1} | change
    (workspace.private / "spend.jsonl").write_text(json.dumps(row) + "\n")
    found = spend.look(workspace, UTC, NOW)
    assert (found.today, found.damaged_rows) == (spend.Spend(), 1)


def test_rows_of_an_earlier_version_count(workspace: Workspace) -> None:
    row = {"at": "2026-02-07T11:00:00Z", "purpose": "review", "model": "m:x", "calls": 1}
    old = json.dumps(row | {"tokens_in": 3, "tokens_out": 4, "usd": None}) + "\n"
    (workspace.private / "spend.jsonl").write_text(old * 2)
    assert today(workspace) == spend.Spend(calls=2, tokens=14, usd=0.0, unpriced_calls=2)
