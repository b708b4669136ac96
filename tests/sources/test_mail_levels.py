from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from daybook.sources.mail_levels import LEVELS, Levels, levels, variables
from daybook.sources.messages import Message
from daybook.sources.triage import triage

PLAIN = Message(
    id="1",
    mailbox="me@e.org/INBOX",
    uid=1,
    message_id="<1@e.org>",
    name="Ana",
    address="ana@example.org",
    subject="Minutes",
    date=datetime(2026, 2, 7, 8, 0, tzinfo=UTC),
    direct=True,
    attachments=False,
    automatic=False,
    bulk=False,
    high_priority=False,
    snippet="Here they are.",
)
BY_RULES = "nothing calls for action"


def judge(
    messages: list[Message], *told: tuple[int, str], vips: tuple[str, ...] = ()
) -> tuple[list[tuple[str, str]], Counter[str]]:
    answer = Levels.model_validate({"levels": [{"id": number, "level": level} for number, level in told]})
    found, refused = levels(answer, triage(messages, vips))
    assert [each.message for each in found] == messages
    return [(each.level, each.reason) for each in found], Counter(dict(refused))


@pytest.mark.parametrize("level", LEVELS)
def test_the_model_decides_where_the_rules_only_guess(level: str) -> None:
    assert judge([PLAIN], (1, level)) == ([(level, "by the model")], Counter())


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
    changes: dict[str, Any], stands: tuple[str, str], level: str
) -> None:
    found = judge([replace(PLAIN, **changes)], (1, level), vips=("boss@example.org",))
    assert found == ([stands], Counter({"rules-stand": 1}))


@pytest.mark.parametrize("level", ["noise", "information", "needs-answer"])
def test_a_vip_stays_urgent(level: str) -> None:
    found = judge([PLAIN], (1, level), vips=("@example.org",))
    assert found == ([("urgent", "from a VIP")], Counter({"rules-stand": 1}))


def test_a_model_that_agrees_with_the_rules_that_stand_is_not_refused() -> None:
    assert judge([PLAIN], (1, "urgent"), vips=("@example.org",)) == ([("urgent", "from a VIP")], Counter())


def test_a_subject_that_says_urgent_is_for_the_model_to_judge() -> None:
    assert judge([replace(PLAIN, subject="URGENT: 50 % off")], (1, "noise"))[0] == [("noise", "by the model")]


def test_a_message_without_an_answer_keeps_its_rules_level() -> None:
    asks = replace(PLAIN, id="2", subject="Coming?")
    assert judge([PLAIN, asks], (1, "noise"))[0] == [("noise", "by the model"), ("needs-answer", "asks something")]


def test_what_names_no_message_or_one_again_or_is_no_level_is_refused_by_code() -> None:
    told = ((0, "urgent"), (3, "urgent"), (1, "noise"), (1, "urgent"), (2, "critical"))
    found, refused = judge([PLAIN, PLAIN], *told)
    assert found == [("noise", "by the model"), ("information", BY_RULES)]
    assert refused == Counter({"unknown-id": 2, "twice": 1, "unknown-level": 1})


def test_a_level_in_another_spelling_is_the_same_level() -> None:
    assert judge([PLAIN], (1, " Needs_Answer "))[0] == [("needs-answer", "by the model")]


def test_the_schema_sent_to_models_names_the_levels() -> None:
    level = Levels.model_json_schema()["$defs"]["Judged"]["properties"]["level"]
    assert (level["type"], level["enum"]) == ("string", ["urgent", "needs-answer", "information", "noise"])


def test_the_variables_keep_the_numbers_and_leave_out_what_the_rules_decide() -> None:
    messages = [replace(PLAIN, bulk=True), PLAIN, replace(PLAIN, automatic=True), replace(PLAIN, direct=False)]
    given = variables(messages, date(2026, 2, 7))
    shown = {"sender": "Ana (ana@example.org)", "subject": "Minutes", "text": "Here they are."}
    assert given == {
        "date": "2026-02-07",
        "messages": [{"id": 2, "to_me": True, **shown}, {"id": 4, "to_me": False, **shown}],
    }


def test_the_text_that_is_sent_is_bounded_and_one_line() -> None:
    long = replace(PLAIN, subject="s\n" * 900, snippet="t\n" * 9_000, name="n" * 900)
    (shown,) = variables([long], date(2026, 2, 7))["messages"]  # type: ignore[misc]
    assert {key: len(shown[key]) for key in ("sender", "subject", "text")} == {
        "sender": 160,
        "subject": 200,
        "text": 1_000,
    }
    assert "\n" not in shown["subject"] + shown["text"]
