"""What a try takes before it calls, and whose short wait is worth waiting for."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.models import cooldown, tokens
from daybook.models.ask import ask
from daybook.models.outcomes import Trouble
from daybook.review.operations import Answer
from daybook.settings import Settings

if TYPE_CHECKING:
    from conftest import FakeGemini, Waits

    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
NOW = datetime(2026, 2, 7, 3, 30, tzinfo=UTC)


def outcome(workspace: Workspace, waits: Waits, purpose: Purpose, prompt: str = "x") -> str:
    got = asyncio.run(ask(workspace, Settings(), purpose, prompt, Answer, now=NOW, models=[MODEL], pace=waits.pace()))
    return got.tries[-1].outcome


@pytest.mark.parametrize(
    ("purpose", "found", "waited"),
    [
        ("review", "answered", [40.0]),
        ("second_opinion", "answered", [40.0]),
        ("mail_triage", "cooling", []),
        ("news_rank", "cooling", []),
    ],
)
def test_the_next_try_of_another_process_is_waited_for_by_a_review_and_not_by_mail(
    purpose: Purpose, found: str, waited: list[float], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say({"operations": []})
    other = cooldown.take_turn(workspace, MODEL, NOW, "k")
    assert other is not None
    cooldown.pause(workspace, MODEL, NOW + timedelta(seconds=40), other, NOW)
    assert (outcome(workspace, waits, purpose), waits.seconds) == (found, waited)
    assert len(gemini.bodies) == len(waited)


def test_a_model_that_is_down_is_not_waited_for_however_short_it_is(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    turn = cooldown.take_turn(workspace, MODEL, NOW - timedelta(minutes=5), "k")
    assert turn is not None
    began = NOW - timedelta(minutes=5) + timedelta(seconds=1)
    cooldown.failed(workspace, MODEL, Trouble("overloaded"), "It is overloaded.", turn, began, "k")
    assert (outcome(workspace, waits, "review"), waits.seconds, gemini.bodies) == ("cooling", [], [])


def test_the_form_of_the_answer_is_sent_and_so_it_is_taken_from_the_budget(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say({"operations": []})
    outcome(workspace, waits, "review", "x" * 400)
    taken = json.loads((workspace.private / "spend.jsonl").read_text().splitlines()[0])
    assert taken["tokens_in"] >= tokens.estimate("x" * 400 + json.dumps(Answer.model_json_schema()))
