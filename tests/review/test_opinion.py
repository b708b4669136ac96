"""A second opinion sees the cited lines and one statement, and counts only with a quotation that is there."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from daybook.curation.entries import Known
from daybook.review.operations import Operation
from daybook.review.opinion import MAX_ASKED, Asked, is_quoted, opinion_models, opinions
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

LINE = "Operator really wants short answers in the chat."
SOURCE = Evidence(7, date(2026, 2, 6), "memory/2026-02-06.md", 3, "08:00", LINE, "", "trusted", ("m7",))
TEXT = "Operator wants short answers in the chat."
ADD = Verdict("propose", Operation(kind="add", text=TEXT, sources=(7,)), (SOURCE,), code="ungrounded", asks="says")
ENTRY = Known("e1", "MEMORY.md", "Facts", "Operator wants long answers", owned=True)
RETIRE = Verdict(
    "propose",
    Operation(kind="retire", entry="e1", sources=(7,)),
    (SOURCE,),
    ENTRY,
    "second-opinion",
    loses=True,
    reason="a newer line says that it no longer holds",
    asks="ended",
)
YES = {"agrees": True, "quote": "wants short answers"}


def asked(workspace: Workspace, now: datetime, *verdicts: Verdict, **models: Any) -> tuple[list[Verdict], Asked]:
    so_far = Asked()
    settings = Settings.model_validate({"models": models})
    return asyncio.run(opinions(workspace, settings, verdicts, now, so_far)), so_far


def test_what_is_agreed_to_with_a_quotation_is_applied(workspace: Workspace, now: datetime, gemini: Any) -> None:
    gemini.will_say(YES)
    verdicts, so_far = asked(workspace, now, ADD, RETIRE)
    assert verdicts == [
        replace(ADD, fate="apply", code=None, asks=None),
        replace(RETIRE, fate="apply", code=None, asks=None),
    ]
    assert [(one.purpose, one.outcome) for one in so_far.models] == [("second_opinion", "answered")] * 2
    assert [(one.name, one.source) for one in so_far.used] == [("second_opinion", "packaged")] * 2


def test_the_call_sees_the_cited_lines_and_the_statement_and_nothing_else(
    workspace: Workspace, now: datetime, gemini: Any
) -> None:
    workspace.longterm.write_text("# Memory\n\n## Facts\n\n- Nobody may see this.\n")
    gemini.will_say(YES)
    asked(workspace, now, ADD, RETIRE)
    says, ended = gemini.prompts
    assert f"| {TEXT}\n" in says
    assert f"2026-02-06 | {LINE}\n" in says
    assert f"| {ENTRY.text}\n" in ended
    assert ("no longer holds?" in says, "no longer holds?" in ended) == (False, True)
    assert "Nobody may see this" not in says + ended
    assert not [body for body in gemini.bodies if body.get("tools")]


@pytest.mark.parametrize(
    "answer",
    [
        {"agrees": False, "quote": "wants short answers"},
        {"agrees": True, "quote": ""},
        {"agrees": True, "quote": "short"},
        {"agrees": True, "quote": "wants very short answers"},
        {"agrees": True, "quote": TEXT},
    ],
)
def test_anything_else_leaves_it_waiting(
    workspace: Workspace, now: datetime, gemini: Any, answer: dict[str, Any]
) -> None:
    gemini.will_say(answer)
    assert asked(workspace, now, ADD)[0] == [ADD]


def test_a_failed_call_leaves_it_waiting_and_nobody_is_asked_again(
    workspace: Workspace, now: datetime, gemini: Any
) -> None:
    gemini.will_send({"status": 400, "headers": {}, "body": {"error": {"code": 400, "status": "INVALID_ARGUMENT"}}})
    verdicts, so_far = asked(workspace, now, ADD, RETIRE)
    assert (verdicts, so_far.silent, len(gemini.bodies)) == ([ADD, RETIRE], True, 1)


def test_without_a_model_there_is_no_opinion(workspace: Workspace, now: datetime) -> None:
    verdicts, so_far = asked(workspace, now, ADD)
    assert (verdicts, so_far.questions, so_far.models) == ([ADD], 0, [])


def test_a_budget_that_is_used_up_asks_nobody(workspace: Workspace, now: datetime, gemini: Any) -> None:
    settings = Settings.model_validate({"budget": {"tokens_per_day": 1}})
    verdicts = asyncio.run(opinions(workspace, settings, [ADD], now, Asked()))
    assert (verdicts, gemini.bodies) == ([ADD], [])


def test_at_most_ten_are_asked_about_in_a_review_and_confirmations_last(
    workspace: Workspace, now: datetime, gemini: Any
) -> None:
    gemini.will_say(YES)
    confirm = Verdict(
        "refuse",
        Operation(kind="confirm", entry="e1", sources=(7,)),
        (SOURCE,),
        replace(ENTRY, text=TEXT),
        "ungrounded",
        asks="says",
    )
    verdicts, so_far = asked(workspace, now, confirm, *[ADD] * MAX_ASKED)
    assert [one.fate for one in verdicts] == ["refuse"] + ["apply"] * MAX_ASKED
    assert (so_far.questions, len(gemini.bodies)) == (MAX_ASKED, MAX_ASKED)


@pytest.mark.parametrize(
    ("models", "expected"),
    [
        ({"review": ("google:a", "google:b", "extractive")}, ("google:a", "google:b")),
        ({"review": ("google:a",), "second_opinion": ("google:c",)}, ("google:c",)),
        ({"review": ("google:a",), "second_opinion": ("extractive",)}, ()),
        ({"review": ("extractive",)}, ()),
    ],
)
def test_the_models_are_its_own_or_those_of_the_review(models: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert opinion_models(Settings.model_validate({"models": models})) == expected


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("short   answers", True),
        ("really wants", True),
        ("answers short", False),
        ("Really wants", False),
        ("the", False),
        ("", False),
    ],
)
def test_a_quotation_stands_word_for_word(quote: str, stands: bool) -> None:
    assert is_quoted(quote, [SOURCE]) is stands
