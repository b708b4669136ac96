"""The line of a day: what models cost, that day and in its month."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from daybook.models import spend
from daybook.schedule import rollup

if TYPE_CHECKING:
    from daybook.workspace import Workspace

EVENING = datetime(2026, 2, 7, 23, 55, tzinfo=UTC)


def spent(workspace: Workspace, day: int, usd: float) -> None:
    at = datetime(2026, 2, day, 12, tzinfo=UTC)
    row = spend.Row(at=at, purpose="review", model="a:b", calls=1, tokens_in=1100, tokens_out=70, usd=usd)
    spend.write(workspace, lambda _: row)


def test_a_day_without_a_call_tells_no_money(workspace: Workspace) -> None:
    (entry,) = rollup.entries(workspace, EVENING, UTC, final=True)
    assert entry.text == "- 23:55 - Day: no beat, 0 tokens."


def test_a_day_tells_its_tokens_and_money_and_those_of_its_month(workspace: Workspace) -> None:
    spent(workspace, 1, 0.3)
    spent(workspace, 7, 0.4)
    (entry,) = rollup.entries(workspace, EVENING, UTC, final=True)
    # Seven days cost 0.7, and twenty-one are left.
    assert entry.text == (
        "- 23:55 - Day: no beat, 1170 tokens, 0.4000 USD (0.7000 this month, about 2.8000 at its end)."
    )
