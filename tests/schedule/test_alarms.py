"""What the operator is told of models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from daybook.models import cooldown
from daybook.models.outcomes import Trouble
from daybook.notify import Notice
from daybook.schedule import alarms
from daybook.schedule.record import ModelCall
from daybook.settings import Settings

if TYPE_CHECKING:
    from daybook.workspace import Workspace

MODEL = "google:some-model"
SETTINGS = Settings.model_validate({"timezone": "UTC", "models": {"review": [MODEL]}})
BERLIN = Settings(timezone="Europe/Berlin")
AT = datetime(2026, 2, 7, 12, tzinfo=UTC)


def fail(workspace: Workspace, at: datetime = AT) -> None:
    turn = cooldown.take_turn(workspace, MODEL, at, "k")
    assert turn is not None
    cooldown.failed(workspace, MODEL, Trouble("overloaded"), f"{MODEL} is overloaded.", turn, at, "k")


def answer(workspace: Workspace, at: datetime) -> None:
    turn = cooldown.take_turn(workspace, MODEL, at, "k")
    assert turn is not None
    cooldown.answered(workspace, MODEL, turn, at)


def told(workspace: Workspace, at: datetime) -> list[Notice]:
    return alarms.of_models(workspace, SETTINGS, [], at)


def test_while_models_are_well_there_is_nothing_to_tell(workspace: Workspace) -> None:
    answer(workspace, AT)
    assert told(workspace, AT) == []


def test_a_model_that_is_down_has_one_key_however_long_it_lasts(workspace: Workspace) -> None:
    fail(workspace)
    (first,) = told(workspace, AT)
    assert first == Notice(
        "model-down:google:some-model:2026-02-07T12:00:00Z",
        "google:some-model is overloaded. It is asked again from 2026-02-07 12:05 on.",
    )
    fail(workspace, AT + timedelta(minutes=5))
    assert [one.key for one in told(workspace, AT)] == [first.key]


def test_a_model_that_is_back_is_news_for_a_week(workspace: Workspace) -> None:
    fail(workspace)
    back = AT + timedelta(hours=2)
    answer(workspace, back)
    assert told(workspace, back) == [
        Notice("model-back:google:some-model:2026-02-07T12:00:00Z", "google:some-model answers again, after 2.0 h.")
    ]
    assert len(told(workspace, back + timedelta(days=7, seconds=-1))) == 1
    assert told(workspace, back + timedelta(days=7)) == []


def test_a_second_outage_is_news_again(workspace: Workspace) -> None:
    fail(workspace)
    answer(workspace, AT + timedelta(hours=1))
    fail(workspace, AT + timedelta(hours=2))
    assert [one.key for one in told(workspace, AT)] == ["model-down:google:some-model:2026-02-07T14:00:00Z"]


def test_a_budget_is_told_once_a_day_of_the_workspace(workspace: Workspace) -> None:
    call = ModelCall(purpose="review", model=MODEL, outcome="over-budget", sentence="It is used up.")
    late = datetime(2026, 2, 7, 23, 30, tzinfo=UTC)
    found = [alarms.of_models(workspace, BERLIN, [call, call], at) for at in (AT, late)]
    assert found == [[Notice("budget:2026-02-07", "It is used up.")], [Notice("budget:2026-02-08", "It is used up.")]]


def test_a_model_that_nobody_asks_any_more_is_no_news(workspace: Workspace) -> None:
    fail(workspace)
    assert alarms.of_models(workspace, Settings(timezone="UTC"), [], AT) == []


def test_what_ends_a_wait_sooner_is_said(workspace: Workspace) -> None:
    turn = cooldown.take_turn(workspace, MODEL, AT, "k")
    assert turn is not None
    cooldown.failed(workspace, MODEL, Trouble("bad-key"), "The key is refused.", turn, AT, "k")
    (notice,) = told(workspace, AT)
    assert notice.text == (
        "The key is refused. It is asked again from 2026-02-07 13:00 on, "
        "or as soon as its key or address is another one."
    )
    assert (
        told(workspace, AT + timedelta(hours=1))[0].text
        == "The key is refused. It is asked again at the next occasion."
    )
