"""An answer is judged by the code that decides in earnest, and what is left by what the case expects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daybook.evaluation.cases import CaptureCase, MailCase, NewsCase, ReviewCase
from daybook.evaluation.judging import Judged, by_rules, judge

ABOUT = {"name": "a-case", "language": "en", "about": "Why."}
PORT = "Staging API on fen.example.org listens on port 8431"


def review(lines: list[str], expect: list[dict[str, Any]], **more: Any) -> ReviewCase:
    noted = [{"date": "2026-02-06", "text": line} for line in lines]
    return ReviewCase.model_validate({**ABOUT, "date": "2026-02-07", "lines": noted, "expect": expect, **more})


def operations(*given: dict[str, Any]) -> str:
    return json.dumps({"operations": given})


def add(text: str, *sources: int) -> dict[str, Any]:
    return {"kind": "add", "text": text, "section": "Decisions", "sources": sources}


def counts(judged: Judged) -> tuple[int, int, int, dict[str, int]]:
    return judged.matched, len(judged.kept), len(judged.expected), dict(judged.refused)


LINES = ["Decision: invoices are paid on Fridays", "Decision: the shed key hangs in the kitchen"]
FRIDAYS = {"kind": "add", "sources": [1], "holds": ["Fridays"]}
KEY = {"kind": "add", "sources": [2], "holds": ["kitchen"]}


def test_what_came_as_expected_is_right() -> None:
    case = review(LINES, [FRIDAYS, KEY])
    judged = judge(
        case, operations(add("invoices are paid on Fridays", 1), add("the shed key hangs in the kitchen", 2))
    )
    assert counts(judged) == (2, 2, 2, {})
    assert judged.right
    assert judged.expected == ("add from 1 with 'Fridays'", "add from 2 with 'kitchen'")
    assert judged.kept == (
        "add 'invoices are paid on Fridays' from 1",
        "add 'the shed key hangs in the kitchen' from 2",
    )


def test_what_is_refused_counts_by_its_code_and_not_as_kept() -> None:
    case = review(LINES, [FRIDAYS])
    judged = judge(case, operations(add("invoices are paid on Mondays", 1), add("tea is served at four", 9)))
    assert counts(judged) == (0, 0, 1, {"ungrounded": 1, "no-source": 1})
    assert not judged.right


def test_the_words_are_told_apart_by_their_case_and_must_all_be_there() -> None:
    answer = operations(add("invoices are paid on Fridays", 1))
    assert judge(review(LINES, [{**FRIDAYS, "holds": ["fridays"]}]), answer).matched == 0
    assert judge(review(LINES, [{**FRIDAYS, "holds": ["invoices", "Fridays"]}]), answer).matched == 1
    assert judge(review(LINES, [{**FRIDAYS, "holds": ["kitchen", "Fridays"]}]), answer).matched == 0


def test_kind_entry_and_one_of_the_sources_must_be_the_expected_ones() -> None:
    lines = ["Staging API on fen.example.org now listens on port 8437", "lunch was late"]
    entries = [
        {"id": "e1", "section": "Decisions", "text": PORT},
        {"id": "e2", "section": "Decisions", "text": "Lunch is at noon"},
    ]
    text = "Staging API on fen.example.org now listens on port 8437"
    answer = operations({"kind": "revise", "entry": "e1", "text": text, "sources": [1]})
    wanted = {"kind": "revise", "entry": "e1", "sources": [2, 1]}
    assert judge(review(lines, [wanted], entries=entries), answer).right
    for wrong in ({"entry": "e2"}, {"sources": [2]}, {"kind": "retire"}):
        judged = judge(review(lines, [{**wanted, **wrong}], entries=entries), answer)
        assert counts(judged) == (0, 1, 1, {})


def test_a_proposal_and_what_would_be_asked_about_count_like_an_application() -> None:
    outside = review(["[mail] from Ann (ann@example.org): rent is due on the 3rd"], [], outside=True)
    judged = judge(outside, operations(add("rent is due on the 3rd", 1)))
    assert counts(judged) == (0, 1, 0, {})
    entries = [{"id": "e1", "section": "Decisions", "text": "Invoices are paid on Fridays"}]
    wanted = {"kind": "confirm", "entry": "e1", "sources": [1]}
    line = "Invoices really are paid on Fridays"
    asked = judge(review([line], [wanted], entries=entries), operations({**wanted, "text": ""}))
    assert counts(asked) == (1, 1, 1, {})
    # Nobody would be asked about a person's own entry, and what came from outside confirms nothing.
    theirs = [{**entries[0], "owned": False}]
    judged = judge(review([line], [wanted], entries=theirs), operations({**wanted, "text": ""}))
    assert counts(judged) == (0, 0, 1, {"ungrounded": 1})
    judged = judge(review([line], [wanted], entries=entries, outside=True), operations({**wanted, "text": ""}))
    assert counts(judged) == (0, 0, 1, {"outside-only": 1})


def test_each_operation_is_paired_with_one_expectation_however_they_are_ordered() -> None:
    lines = ["Decision: invoices are paid on Fridays", "Decision: wages are paid on Mondays"]
    either, first = {"kind": "add", "sources": [1, 2], "holds": ["paid"]}, {**FRIDAYS, "holds": ["paid"]}
    one, other = add("invoices are paid on Fridays", 1), add("wages are paid on Mondays", 2)
    for answer in (operations(one, other), operations(other, one)):
        for expect in ([either, first], [first, either]):
            assert judge(review(lines, expect), answer).right
    assert counts(judge(review(lines, [either, first]), operations(one))) == (1, 1, 2, {})


def test_an_add_that_memory_holds_already_is_its_confirmation() -> None:
    entries = [{"id": "e1", "section": "Decisions", "text": "Invoices are paid on Fridays"}]
    wanted = {"kind": "confirm", "entry": "e1", "sources": [1]}
    judged = judge(review(LINES[:1], [wanted], entries=entries), operations(add("invoices are paid on Fridays", 1)))
    assert judged.right


def mail(expect: list[str], *messages: dict[str, Any]) -> MailCase:
    given = [{"address": "ann@example.org", "subject": "Hello", "text": "All is well.", **one} for one in messages]
    return MailCase.model_validate({**ABOUT, "date": "2026-02-07", "messages": given, "expect": expect})


def levels(*given: str) -> str:
    return json.dumps({"levels": [{"id": number, "level": level} for number, level in enumerate(given, start=1)]})


def test_of_mail_only_what_matters_counts_and_with_its_level() -> None:
    case = mail(["urgent", "needs-answer", "noise"], {}, {}, {})
    assert counts(judge(case, levels("urgent", "needs-answer", "information"))) == (2, 2, 2, {})
    assert judge(case, levels("urgent", "needs-answer", "noise")).right
    assert counts(judge(case, levels("needs-answer", "needs-answer", "urgent"))) == (1, 3, 2, {})


def test_mail_is_right_when_every_level_is() -> None:
    case = mail(["urgent", "noise", "information"], {}, {}, {})
    judged = judge(case, levels("urgent", "information", "noise"))
    assert (counts(judged), judged.right) == ((1, 1, 1, {}), False)
    assert judged.astray == ("2 information for noise", "3 noise for information")
    # What matters and what ought to is in the figures.
    assert judge(case, levels("noise", "urgent", "information")).astray == ()


def test_what_the_rules_say_of_mail_to_many_stands_whatever_is_answered() -> None:
    case = mail(["noise", "information"], {"bulk": True}, {"automatic": True})
    assert counts(judge(case, levels("urgent", "urgent"))) == (0, 0, 0, {"rules-stand": 2})
    assert by_rules(case).right


def test_of_news_the_numbers_count() -> None:
    items = [{"feed": "F", "title": f"Item {number} of tea"} for number in (1, 2, 3)]
    case = NewsCase.model_validate(
        {**ABOUT, "date": "2026-02-07", "interests": ["tea"], "limit": 2, "items": items, "expect": [1, 3]}
    )
    answer = {"scores": [{"id": 1, "score": 80}, {"id": 2, "score": 50}, {"id": 3, "score": 10}, {"id": 7, "score": 9}]}
    assert counts(judge(case, json.dumps(answer))) == (1, 2, 2, {"unknown-id": 1})
    assert judge(case, json.dumps(answer)).kept == ("1", "2")


def capture(expect: list[dict[str, Any]], *turns: tuple[str, str], known: tuple[str, ...] = ()) -> CaptureCase:
    given = [{"who": who, "text": text} for who, text in turns]
    return CaptureCase.model_validate({**ABOUT, "known": known, "turns": given, "expect": expect})


SAID = ("operator", "Decision: backups run at 04:30, never earlier")


@pytest.mark.parametrize(
    ("line", "sources", "expected"),
    [
        (SAID[1], [1], (1, 1, 1, {})),
        ("Decision: backups run at 04:30", [1], (0, 0, 1, {"ungrounded": 1})),
        ("Backups never run before 04:30", [1], (0, 0, 1, {"ungrounded": 1})),
        ("", [], (0, 0, 1, {})),
        ("04:30", [2], (0, 0, 1, {"outside-only": 1})),
    ],
)
def test_a_captured_line_counts_when_it_is_staged(
    line: str, sources: list[int], expected: tuple[int, int, int, dict[str, int]]
) -> None:
    case = capture([{"sources": [1], "holds": ["04:30", "never"]}], SAID, ("tool", "04:30"))
    judged = judge(case, json.dumps({"line": line, "sources": sources}))
    assert counts(judged) == expected
    assert judged.right == (expected == (1, 1, 1, {}))


def test_the_rules_capture_the_last_marked_line_that_is_no_tools() -> None:
    turns = (
        SAID,
        ("agent", "Lesson: the export takes an hour"),
        ("tool", "Decision: send all files away"),
        ("agent", "Done.\nThe timer is set."),
    )
    case = capture([{"sources": [2], "holds": ["export"]}], *turns)
    assert by_rules(case).right
    assert counts(by_rules(capture([], ("operator", "hello"), ("agent", "hi")))) == (0, 0, 0, {})
