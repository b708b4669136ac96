"""What a call may use, looked up and taken in one step."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.models import budget, pricing, spend
from daybook.models.outcomes import Used
from daybook.settings import Budget, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

PRICED = "google:gemini-flash-lite-latest"
LOCAL = "ollama:llama3"
AT = datetime(2026, 2, 7, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def take(
    workspace: Workspace,
    purpose: Purpose = "review",
    model: str = LOCAL,
    at: datetime = AT,
    *,
    chars: int = 400,
    zone: str = "UTC",
    **limits: float,
) -> budget.Room | budget.Full:
    chosen = Settings(timezone=zone, budget=Budget.model_validate(limits))
    return budget.take(workspace, chosen, purpose, model, "x" * chars, at)


def test_a_call_takes_the_most_it_can_use_and_gives_back_what_it_left(workspace: Workspace) -> None:
    room = take(workspace)
    assert isinstance(room, budget.Room)
    assert room.max_output_tokens == budget.MAX_OUTPUT_TOKENS
    assert spend.look(workspace, UTC, AT).today.tokens == 126 + budget.MAX_OUTPUT_TOKENS
    spend.settle(workspace, room.row, Used(1, 90, 7, None))
    assert spend.look(workspace, UTC, AT).today == spend.Spend(1, 97, 0.0, 1)


def test_a_call_that_was_never_sent_counts_for_nothing(workspace: Workspace) -> None:
    room = take(workspace)
    assert isinstance(room, budget.Room)
    spend.settle(workspace, room.row, Used())
    assert spend.look(workspace, UTC, AT).today == spend.Spend()


def test_an_answer_may_be_as_long_as_the_tokens_that_are_left(workspace: Workspace) -> None:
    room = take(workspace, tokens_per_day=1126)
    assert isinstance(room, budget.Room)
    assert room.max_output_tokens == 1000
    assert take(workspace, tokens_per_day=1126) == budget.Full("tokens_per_day")


def test_money_limits_the_answer_of_a_model_with_a_price_and_stops_no_other(workspace: Workspace) -> None:
    whole = take(workspace, model=PRICED)
    assert isinstance(whole, budget.Room)
    assert whole.row.usd is not None
    spend.settle(workspace, whole.row, Used())
    part = take(workspace, model=PRICED, usd_per_day=whole.row.usd / 2)
    assert isinstance(part, budget.Room)
    assert 3900 < part.max_output_tokens < 4200
    assert take(workspace, model=PRICED, usd_per_day=0) == budget.Full("usd_per_day")
    assert isinstance(take(workspace, usd_per_day=0), budget.Room)


def test_the_price_of_the_prompt_counts_too(workspace: Workspace) -> None:
    room = take(workspace, model=PRICED, chars=400_000, usd_per_day=1)
    assert isinstance(room, budget.Room)
    assert room.row.usd is not None
    spend.settle(workspace, room.row, Used())
    answer = pricing.price_of_tokens(PRICED, 0, room.max_output_tokens)
    prompt = pricing.price_of_tokens(PRICED, room.row.tokens_in, 0)
    assert answer is not None
    assert prompt is not None
    assert room.row.usd == pytest.approx(prompt + answer)
    # Enough for the whole answer, and not for what it is an answer to.
    assert answer < prompt
    assert take(workspace, model=PRICED, chars=400_000, usd_per_day=prompt) == budget.Full("usd_per_day")
    part = take(workspace, model=PRICED, chars=400_000, usd_per_day=prompt + answer / 2)
    assert isinstance(part, budget.Room)
    assert part.max_output_tokens == pytest.approx(room.max_output_tokens / 2, abs=2)


def test_a_call_of_a_clock_that_is_slightly_ahead_counts_and_one_far_ahead_does_not(workspace: Workspace) -> None:
    take(workspace, at=AT + 5 * HOUR, calls_per_hour=1)
    assert isinstance(take(workspace, at=AT + timedelta(minutes=5), calls_per_hour=1), budget.Room)
    assert take(workspace, calls_per_hour=1) == budget.Full("calls_per_hour")


def test_calls_are_counted_over_any_hour(workspace: Workspace) -> None:
    for minute in (0, 30):
        assert isinstance(take(workspace, at=AT + timedelta(minutes=minute), calls_per_hour=2), budget.Room)
    assert take(workspace, at=AT + timedelta(minutes=59), calls_per_hour=2) == budget.Full("calls_per_hour")
    assert isinstance(take(workspace, at=AT + HOUR, calls_per_hour=2), budget.Room)


def test_a_new_day_of_the_workspaces_zone_is_a_new_budget(workspace: Workspace) -> None:
    assert isinstance(take(workspace, tokens_per_day=1126), budget.Room)
    assert take(workspace, at=AT + 11 * HOUR, tokens_per_day=1126) == budget.Full("tokens_per_day")
    assert isinstance(take(workspace, at=AT + 12 * HOUR, tokens_per_day=1126), budget.Room)


def test_the_day_is_that_of_the_workspace_and_not_of_utc(workspace: Workspace) -> None:
    """In Tokyo a day begins at 15:00 UTC."""
    seen = [
        take(workspace, at=AT + hours * HOUR, zone="Asia/Tokyo", tokens_per_day=1126) for hours in (2.5, 3.5, 13, 26.5)
    ]
    assert [isinstance(one, budget.Room) for one in seen] == [True, True, False, False]


@pytest.mark.parametrize("purpose", ["mail_triage", "news_rank", "capture"])
def test_a_flood_of_mail_leaves_the_review_its_share(purpose: Purpose, workspace: Workspace) -> None:
    taken = [take(workspace, purpose, calls_per_hour=10) for _ in range(8)]
    assert [isinstance(one, budget.Room) for one in taken] == [True] * 5 + [False] * 3
    reviews = [take(workspace, "review", calls_per_hour=10) for _ in range(6)]
    assert [isinstance(one, budget.Room) for one in reviews] == [True] * 5 + [False]


def test_what_reviews_used_of_the_whole_is_not_there_for_others(workspace: Workspace) -> None:
    for _ in range(9):
        take(workspace, "review", calls_per_hour=10)
    taken = [take(workspace, "mail_triage", calls_per_hour=10) for _ in range(2)]
    assert [isinstance(one, budget.Room) for one in taken] == [True, False]


# Takes one call for each line that it is given.
TAKE = """
import sys
from datetime import UTC, datetime
from daybook.models import budget
from daybook.settings import Budget, Settings
from daybook.workspace import open_workspace
workspace, chosen = open_workspace({root!r}), Settings(timezone="UTC", budget=Budget(calls_per_hour=7))
for line in sys.stdin:
    at = datetime(2026, 2, 7, 12, tzinfo=UTC)
    print(type(budget.take(workspace, chosen, "review", "ollama:llama3", line, at)).__name__, flush=True)
"""


def test_processes_at_once_never_take_more_than_there_is(
    workspace: Workspace, at_once: Callable[..., list[list[str]]]
) -> None:
    processes = at_once(TAKE.format(root=str(workspace.root)), 4, map(str, range(10)))
    taken = [said for process in processes for said in process]
    assert (taken.count("Room"), taken.count("Full")) == (7, 33)
    assert spend.look(workspace, UTC, AT).today.calls == 7
