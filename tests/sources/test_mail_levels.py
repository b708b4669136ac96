from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from daybook.sources.mail_levels import LEVELS, Levels, levels, variables
from daybook.sources.triage import triage

if TYPE_CHECKING:
    from daybook.sources.messages import Message

BY_RULES = "nothing calls for action"


def judge(
    messages: list[Message], *told: tuple[int, str], vips: tuple[str, ...] = ()
) -> tuple[list[tuple[str, str]], Counter[str]]:
    answer = Levels.model_validate({"levels": [{"id": number, "level": level} for number, level in told]})
    found, refused = levels(answer, triage(messages, vips))
    assert [each.message for each in found] == messages
    return [(each.level, each.reason) for each in found], Counter(dict(refused))


@pytest.mark.parametrize("level", LEVELS)
def test_the_model_decides_where_the_rules_only_guess(level: str, message: Message) -> None:
    assert judge([message], (1, level)) == ([(level, "by the model")], Counter())


@pytest.mark.parametrize("level", ["urgent", "needs-answer"])
@pytest.mark.parametrize(
    ("changes", "stands"),
    [
        ({"bulk": True}, ("noise", "sent to many")),
        ({"automatic": True}, ("information", "sent by a program")),
        ({"bulk": True, "address": "boss@example.org"}, ("information", "a list, from a VIP")),
    ],
)
def test_what_went_to_many_or_was_sent_by_a_program_is_never_urgent(
    changes: dict[str, Any], stands: tuple[str, str], level: str, message: Message
) -> None:
    found = judge([replace(message, **changes)], (1, level), vips=("boss@example.org",))
    assert found == ([stands], Counter({"rules-stand": 1}))


@pytest.mark.parametrize("level", ["noise", "information", "needs-answer"])
def test_a_vip_stays_urgent(level: str, message: Message) -> None:
    found = judge([message], (1, level), vips=("@example.org",))
    assert found == ([("urgent", "from a VIP")], Counter({"rules-stand": 1}))


def test_a_model_that_agrees_with_the_rules_that_stand_is_not_refused(message: Message) -> None:
    assert judge([message], (1, "urgent"), vips=("@example.org",)) == ([("urgent", "from a VIP")], Counter())


def test_a_subject_that_says_urgent_is_for_the_model_to_judge(message: Message) -> None:
    assert judge([replace(message, subject="URGENT: 50 % off")], (1, "noise"))[0] == [("noise", "by the model")]


def test_a_message_without_an_answer_keeps_its_rules_level(message: Message) -> None:
    asks = replace(message, id="2", subject="Coming?")
    assert judge([message, asks], (1, "noise"))[0] == [("noise", "by the model"), ("needs-answer", "asks something")]


def test_what_names_no_message_or_one_again_or_is_no_level_is_refused_by_code(message: Message) -> None:
    told = ((0, "urgent"), (3, "urgent"), (1, "noise"), (1, "urgent"), (2, "critical"))
    found, refused = judge([message, message], *told)
    assert found == [("noise", "by the model"), ("information", BY_RULES)]
    assert refused == Counter({"unknown-id": 2, "twice": 1, "unknown-level": 1})


def test_a_level_in_another_spelling_is_the_same_level(message: Message) -> None:
    assert judge([message], (1, " Needs_Answer "))[0] == [("needs-answer", "by the model")]


def test_the_schema_sent_to_models_names_the_levels() -> None:
    level = Levels.model_json_schema()["$defs"]["Judged"]["properties"]["level"]
    assert (level["type"], level["enum"]) == ("string", ["urgent", "needs-answer", "information", "noise"])


def test_the_variables_keep_the_numbers_and_leave_out_what_the_rules_decide(message: Message) -> None:
    messages = [replace(message, bulk=True), message, replace(message, automatic=True), replace(message, direct=False)]
    given = variables(messages, date(2026, 2, 7))
    shown = {"sender": "Ana (ana@example.org)", "subject": "Minutes", "text": "Here they are."}
    assert given == {
        "date": "2026-02-07",
        "messages": [{"id": 2, "to_me": True, **shown}, {"id": 4, "to_me": False, **shown}],
    }


def test_the_text_that_is_sent_is_bounded_and_one_line(message: Message) -> None:
    long = replace(message, subject="s\n" * 900, snippet="t\n" * 9_000, name="n" * 900)
    (shown,) = variables([long], date(2026, 2, 7))["messages"]  # type: ignore[misc]
    assert {key: len(shown[key]) for key in ("sender", "subject", "text")} == {
        "sender": 160,
        "subject": 200,
        "text": 1_000,
    }
    assert "\n" not in shown["subject"] + shown["text"]
