"""A model's counsel about news and mail: taken where one answers, and never waited for."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from daybook.models import tokens
from daybook.settings import Settings
from daybook.sources import counsel
from daybook.sources.items import Item
from daybook.sources.triage import triage

if TYPE_CHECKING:
    from daybook.sources.counsel import Counsel
    from daybook.sources.messages import Message
    from daybook.sources.triage import Triaged
    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
WITH_MODEL = Settings.model_validate(
    {"timezone": "UTC", "interests": ["python"], "models": {"news_rank": [MODEL], "mail_triage": [MODEL]}}
)
ITEM = Item(id="0", title="Weather", link="", summary="", published=NOW, feed="A", weight=1.0)
TOO_LONG = {
    "status": 400,
    "headers": {},
    "body": {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (9) exceeds (8)."}},
}
PROSE = {"status": 200, "headers": {}, "raw": '{"candidates": [{"content": {"parts": [{"text": "Well!"}]}}]}'}
# The least that may be configured.
SMALL = WITH_MODEL.model_copy(update={"models": WITH_MODEL.models.model_copy(update={"context_tokens": 4_000})})
BUSY = {"status": 429, "headers": {"Retry-After": "600"}, "body": {"error": {"code": 429}}}


def items(*titles: str) -> list[Item]:
    return [replace(ITEM, id=title, title=title) for title in titles]


def strongest(workspace: Workspace, found: list[Item], chosen: Settings = WITH_MODEL) -> tuple[list[str], Counsel]:
    best, asked = asyncio.run(counsel.strongest(workspace, chosen, found, 2, NOW.date(), NOW))
    return [item.title for item in best], asked


def weighed(
    workspace: Workspace, messages: list[Message], chosen: Settings = WITH_MODEL
) -> tuple[list[Triaged], Counsel]:
    return asyncio.run(counsel.weighed(workspace, chosen, triage(messages, ["boss@example.org"]), NOW.date(), NOW))


def test_news_is_what_the_model_scores_as_strong(workspace: Workspace, gemini: Any) -> None:
    gemini.will_say({"scores": [{"id": 3, "score": 90}, {"id": 1, "score": 10}, {"id": 9, "score": 80}]})
    best, asked = strongest(workspace, items("Football", "Python 3.15", "Chess"))
    assert best == ["Football"]
    assert (asked.purpose, [one.outcome for one in asked.tries]) == ("news_rank", ["answered"])
    assert (dict(asked.refused), [one.name for one in asked.used]) == ({"unknown-id": 1}, ["news_rank"])
    # The rules' order is the order of the numbers.
    assert [line.partition(" | ")[0] for line in gemini.prompts[0].splitlines() if "Python 3.15" in line] == ["1"]


def test_news_falls_to_the_rules_at_once_where_no_model_answers(workspace: Workspace, gemini: Any) -> None:
    gemini.will_send(BUSY)
    best, asked = strongest(workspace, items("Football", "Python 3.15", "Chess"))
    assert (best, [one.outcome for one in asked.tries]) == (["Python 3.15", "Chess"], ["rate-limited"])
    assert [one.outcome for one in strongest(workspace, items("Football"))[1].tries] == ["cooling"]
    assert len(gemini.bodies) == 1


def test_without_a_model_or_news_nobody_is_asked(workspace: Workspace, gemini: Any, message: Message) -> None:
    assert strongest(workspace, [])[1].tries == []
    assert strongest(workspace, items("a", "b"), Settings(timezone="UTC"))[1].tries == []
    assert weighed(workspace, [message], Settings(timezone="UTC"))[1].tries == []
    assert gemini.bodies == []


def test_mail_is_what_the_model_says_but_for_what_rules_are_sure_of(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    levels = [(1, "urgent"), (2, "urgent"), (3, "noise")]
    gemini.will_say({"levels": [{"id": number, "level": level} for number, level in levels]})
    vip = replace(message, address="boss@example.org")
    found, asked = weighed(workspace, [message, replace(message, bulk=True), vip])
    assert [one.level for one in found] == ["urgent", "noise", "urgent"]
    # What no model was shown has no number that it could name.
    assert (dict(asked.refused), "boss@example.org" in gemini.prompts[0]) == ({"unknown-id": 2}, False)


def test_mail_is_asked_about_in_batches_and_a_flood_has_an_end(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    gemini.will_say({"levels": [{"id": 20, "level": "needs-answer"}, {"id": 21, "level": "urgent"}]})
    found, asked = weighed(workspace, [message] * 130)
    assert len(gemini.bodies) == len(asked.tries) == 5
    assert [number for number, one in enumerate(found, 1) if one.level == "needs-answer"] == [20, 40, 60, 80, 100]
    assert (len(found), dict(asked.refused)) == (130, {"unknown-id": 5})


def shown(prompt: str, marker: str) -> int:
    return sum(marker in line for line in prompt.splitlines())


def test_a_batch_of_mail_is_cut_to_what_the_model_can_take(workspace: Workspace, gemini: Any, message: Message) -> None:
    gemini.will_say({"levels": [{"id": 2, "level": "needs-answer"}]})
    found, asked = weighed(workspace, [replace(message, snippet="会" * 700)] * 20, SMALL)
    counts = [shown(prompt, "会会") for prompt in gemini.prompts]
    assert counts == [4] * 5
    answers = tokens.estimate(json.dumps({"levels": [{"id": 10, "level": "needs-answer"}] * 4}))
    assert all(tokens.estimate(prompt) + answers <= 4_000 for prompt in gemini.prompts)
    # Each answer is about the messages of its own batch.
    assert [number for number, one in enumerate(found, 1) if one.level == "needs-answer"] == [2, 6, 10, 14, 18]
    assert (len(asked.tries), asked.problems) == (5, [])


def test_the_news_are_cut_to_what_the_model_can_take_the_best_by_the_rules_first(
    workspace: Workspace, gemini: Any
) -> None:
    gemini.will_say({"scores": [{"id": 1, "score": 90}, {"id": 12, "score": 90}]})
    found = [replace(one, summary="新" * 300) for one in items("Python 3.15", *(f"Title {n}" for n in range(39)))]
    best, asked = strongest(workspace, found, SMALL)
    assert best == ["Python 3.15"]
    assert 5 < shown(gemini.prompts[0], "新新") < 12
    # What it was not shown, it cannot name.
    assert dict(asked.refused) == {"unknown-id": 1}


def test_a_prompt_that_leaves_no_room_for_one_message_is_said_and_not_sent(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "mail_triage.md.j2").write_text("word " * 4_000 + "{{ messages }}")
    found, asked = weighed(workspace, [message], SMALL)
    assert ([one.level for one in found], asked.tries, gemini.bodies) == (["information"], [], [])
    (problem,) = asked.problems
    assert problem.startswith("The prompt mail_triage takes about 50")
    assert problem.endswith("make it shorter, or name models that take more.")


def test_mail_that_is_too_long_for_the_model_is_asked_about_in_halves_from_then_on(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    gemini.will_send(TOO_LONG)
    gemini.will_say({"levels": [{"id": 10, "level": "urgent"}]})
    found, asked = weighed(workspace, [message] * 30)
    assert [shown(prompt, "Here they are.") for prompt in gemini.prompts] == [20, 10, 10, 10]
    assert [one.outcome for one in asked.tries] == ["too-long", *["answered"] * 3]
    assert [number for number, one in enumerate(found, 1) if one.level == "urgent"] == [10, 20, 30]


def test_news_that_are_too_long_for_the_model_are_asked_about_in_halves(workspace: Workspace, gemini: Any) -> None:
    gemini.will_send(TOO_LONG, TOO_LONG)
    gemini.will_say({"scores": [{"id": 2, "score": 90}, {"id": 3, "score": 80}]})
    best, asked = strongest(workspace, items(*(f"Title {number:02}" for number in range(8))))
    assert ([one.outcome for one in asked.tries], dict(asked.refused)) == (
        ["too-long", "too-long", "answered"],
        {"unknown-id": 1},
    )
    assert best == ["Title 01"]


@pytest.mark.parametrize(("count", "calls"), [(40, 5), (3, 2), (1, 1)])
def test_what_stays_too_long_has_an_end(
    count: int, calls: int, workspace: Workspace, gemini: Any, message: Message
) -> None:
    gemini.will_send(TOO_LONG)
    found, asked = weighed(workspace, [message] * count)
    assert [one.outcome for one in asked.tries] == ["too-long"] * calls
    assert ({one.level for one in found}, len(gemini.bodies)) == ({"information"}, calls)
    assert asked.problems == []


def test_halves_are_asked_about_also_where_another_model_could_not_be_asked(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    two = WITH_MODEL.models.model_copy(update={"mail_triage": (MODEL, "nosuch:model")})
    gemini.will_send(TOO_LONG)
    gemini.will_say({"levels": [{"id": 1, "level": "urgent"}]})
    found, asked = weighed(workspace, [message] * 2, WITH_MODEL.model_copy(update={"models": two}))
    assert [one.outcome for one in asked.tries] == ["too-long", "unknown-model", "answered", "answered"]
    assert [one.level for one in found] == ["urgent", "urgent"]


@pytest.mark.parametrize("sure", [{"bulk": True}, {"automatic": True}, {"address": "boss@example.org"}])
def test_mail_that_rules_are_sure_of_does_not_end_the_look(
    sure: dict[str, Any], workspace: Workspace, gemini: Any, message: Message
) -> None:
    gemini.will_say({"levels": [{"id": 1, "level": "needs-answer"}, {"id": 2, "level": "needs-answer"}]})
    decided = [replace(message, **sure)] * 110
    found, asked = weighed(workspace, [message, *decided, message, *decided])
    assert len(asked.tries) == 1
    assert [number for number, one in enumerate(found) if one.level == "needs-answer"] == [0, 111]


def test_no_answer_ends_the_asking_at_once(workspace: Workspace, gemini: Any, message: Message) -> None:
    gemini.will_send(PROSE)
    gemini.will_say({"levels": [{"id": 1, "level": "urgent"}]})
    found, asked = weighed(workspace, [message] * 60)
    assert [one.outcome for one in asked.tries] == ["malformed"]
    assert ({one.level for one in found}, len(gemini.bodies)) == ({"information"}, 1)


def test_mail_that_rules_are_sure_of_costs_no_call(workspace: Workspace, gemini: Any, message: Message) -> None:
    vip = replace(message, address="boss@example.org")
    assert weighed(workspace, [replace(message, bulk=True), replace(message, automatic=True), vip])[1].tries == []
    assert gemini.bodies == []


def test_a_prompt_of_the_operators_that_fails_is_said_and_leaves_it_to_the_rules(
    workspace: Workspace, gemini: Any, message: Message
) -> None:
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "mail_triage.md.j2").write_text("{{ nonsense }}")
    found, asked = weighed(workspace, [message])
    assert [one.level for one in found] == ["information"]
    assert len(asked.problems) == 1
    assert "unknown variable 'nonsense'" in asked.problems[0]
    assert gemini.bodies == []


@pytest.mark.parametrize("quiet", ["13:00-15:00", "23:00-15:00"])
def test_in_quiet_hours_mail_and_news_go_by_rules(
    quiet: str, workspace: Workspace, gemini: Any, message: Message
) -> None:
    chosen = WITH_MODEL.model_copy(update={"quiet_hours": Settings.model_validate({"quiet_hours": quiet}).quiet_hours})
    assert [one.outcome for one in weighed(workspace, [message], chosen)[1].tries] == ["quiet-hours"]
    assert gemini.bodies == []
