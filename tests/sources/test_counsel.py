"""A model's counsel about news and mail: taken where one answers, and never waited for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from daybook.settings import Settings
from daybook.sources import counsel
from daybook.sources.items import Item
from daybook.sources.messages import Message
from daybook.sources.triage import triage

if TYPE_CHECKING:
    from daybook.sources.counsel import Counsel
    from daybook.sources.triage import Triaged
    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
WITH_MODEL = Settings.model_validate(
    {"timezone": "UTC", "interests": ["python"], "models": {"news_rank": [MODEL], "mail_triage": [MODEL]}}
)
ITEM = Item(id="0", title="Weather", link="", summary="", published=NOW, feed="A", weight=1.0)
MAIL = Message(
    id="1",
    mailbox="me@e.org/INBOX",
    uid=1,
    message_id="<1@e.org>",
    name="Ana",
    address="ana@example.org",
    subject="Minutes",
    date=NOW,
    direct=True,
    attachments=False,
    automatic=False,
    bulk=False,
    high_priority=False,
    snippet="Here they are.",
)
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


def test_without_a_model_or_news_nobody_is_asked(workspace: Workspace, gemini: Any) -> None:
    assert strongest(workspace, [])[1].tries == []
    assert strongest(workspace, items("a", "b"), Settings(timezone="UTC"))[1].tries == []
    assert weighed(workspace, [MAIL], Settings(timezone="UTC"))[1].tries == []
    assert gemini.bodies == []


def test_mail_is_what_the_model_says_but_for_what_rules_are_sure_of(workspace: Workspace, gemini: Any) -> None:
    levels = [(1, "urgent"), (2, "urgent"), (3, "noise")]
    gemini.will_say({"levels": [{"id": number, "level": level} for number, level in levels]})
    vip = replace(MAIL, address="boss@example.org")
    found, asked = weighed(workspace, [MAIL, replace(MAIL, bulk=True), vip])
    assert [one.level for one in found] == ["urgent", "noise", "urgent"]
    assert dict(asked.refused) == {"rules-stand": 2}


def test_mail_is_asked_about_in_batches_and_a_flood_has_an_end(workspace: Workspace, gemini: Any) -> None:
    gemini.will_say({"levels": [{"id": 20, "level": "needs-answer"}]})
    found, asked = weighed(workspace, [MAIL] * 130)
    assert len(gemini.bodies) == len(asked.tries) == 5
    assert [number for number, one in enumerate(found, 1) if one.level == "needs-answer"] == [20, 40, 60, 80, 100]


def test_mail_that_rules_are_sure_of_costs_no_call(workspace: Workspace, gemini: Any) -> None:
    assert weighed(workspace, [replace(MAIL, bulk=True), replace(MAIL, automatic=True)])[1].tries == []
    assert gemini.bodies == []


def test_a_prompt_of_the_operators_that_fails_is_said_and_leaves_it_to_the_rules(
    workspace: Workspace, gemini: Any
) -> None:
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "mail_triage.md.j2").write_text("{{ nonsense }}")
    found, asked = weighed(workspace, [MAIL])
    assert [one.level for one in found] == ["information"]
    assert len(asked.problems) == 1
    assert "unknown variable 'nonsense'" in asked.problems[0]
    assert gemini.bodies == []


@pytest.mark.parametrize("quiet", ["13:00-15:00", "23:00-15:00"])
def test_in_quiet_hours_mail_and_news_go_by_rules(quiet: str, workspace: Workspace, gemini: Any) -> None:
    chosen = WITH_MODEL.model_copy(update={"quiet_hours": Settings.model_validate({"quiet_hours": quiet}).quiet_hours})
    assert [one.outcome for one in weighed(workspace, [MAIL], chosen)[1].tries] == ["quiet-hours"]
    assert gemini.bodies == []
