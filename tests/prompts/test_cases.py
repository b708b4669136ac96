"""The open golden cases: enough of them, in enough languages, and each with an answer that code lets pass."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from typing import Any

import pytest

from daybook.curation.entries import Known, Memory
from daybook.language.themes import unmarked
from daybook.prompts.finding import PACKAGED_DIR
from daybook.review.capturing import Captured, Turn, checked
from daybook.review.operations import Operation
from daybook.review.verify import verify
from daybook.review.window import Evidence
from daybook.sources.mail_levels import LEVELS

FEWEST = {"review": 17, "mail_triage": 14, "news_rank": 10, "capture": 10}
NAMED_TRAPS = {"contradiction", "stale-fact", "sarcasm", "injected-instruction", "one-digit", "dropped-never"}
FEWEST_LANGUAGES = 5
SECTIONS = ("Operator Preferences", "Decisions", "Lessons Learned")


def cases(prompt: str) -> list[dict[str, Any]]:
    with (PACKAGED_DIR / "cases" / prompt / "open.toml").open("rb") as file:
        found: list[dict[str, Any]] = tomllib.load(file)["case"]
    return found


EXPECTED = [
    pytest.param(case, wanted, id=f"{case['name']}-{wanted['kind']}")
    for case in cases("review")
    for wanted in case["expect"]
    # A day that only its line tells is written as a date, which a second opinion must agree to.
    if "relative-date" not in case["traps"]
]


@pytest.mark.parametrize("prompt", FEWEST)
def test_there_are_enough_cases_in_enough_languages(prompt: str) -> None:
    found = cases(prompt)
    assert len(found) >= FEWEST[prompt]
    assert len({case["language"] for case in found}) >= FEWEST_LANGUAGES
    assert len({case["name"] for case in found}) == len(found)
    for case in found:
        assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", word) for word in (case["name"], *case["traps"]))
        assert case["about"].endswith(".")


def test_every_trap_that_small_models_are_known_to_fall_into_has_a_case() -> None:
    assert {trap for case in cases("review") for trap in case["traps"]} >= NAMED_TRAPS


@pytest.mark.parametrize(("case", "wanted"), EXPECTED)
def test_what_a_review_is_expected_to_do_reaches_memory(case: dict[str, Any], wanted: dict[str, Any]) -> None:
    lines = [
        Evidence(number, line["date"], "memory/note.md", number, line["time"], line["text"], "", "trusted", ("m",))
        for number, line in enumerate(case["lines"], start=1)
    ]
    entries = tuple(
        Known(one["id"], "MEMORY.md", one["section"], one["text"], owned=one.get("owned", True), lineage=one["id"])
        for one in case.get("entries", [])
    )
    memory = Memory(entries=entries, sections=tuple(case.get("sections", SECTIONS)))
    text = unmarked(lines[wanted["sources"][0] - 1].text) if wanted["kind"] in {"add", "revise"} else ""
    assert [word for word in wanted.get("holds", []) if word not in text] == []
    operation = Operation(
        kind=wanted["kind"],
        text=text,
        section=memory.sections[0],
        entry=wanted.get("entry", ""),
        sources=tuple(wanted["sources"]),
    )
    (verdict,) = verify([operation], lines, memory, today=case["date"])
    assert verdict.fate == "apply" or verdict.asks
    assert verdict.operation.kind == wanted["kind"]


@pytest.mark.parametrize("case", cases("capture"), ids=lambda case: case["name"])
def test_what_is_expected_of_a_capture_is_staged(case: dict[str, Any]) -> None:
    turns = [Turn(number, turn["who"], turn["text"]) for number, turn in enumerate(case["turns"], start=1)]
    for wanted in case["expect"]:
        for number in wanted["sources"]:
            text = turns[number - 1].text
            assert checked(Captured(line=text, sources=(number,)), turns, case["known"]) == text
            assert [word for word in wanted["holds"] if word not in text] == []
    assert len(case["expect"]) <= 1


@pytest.mark.parametrize("case", cases("mail_triage"), ids=lambda case: case["name"])
def test_every_message_has_a_level(case: dict[str, Any]) -> None:
    assert len(case["expect"]) == len(case["messages"])
    assert set(case["expect"]) <= set(LEVELS)
    assert isinstance(case["date"], date)


@pytest.mark.parametrize("case", cases("news_rank"), ids=lambda case: case["name"])
def test_the_strong_items_are_there_and_fit_the_limit(case: dict[str, Any]) -> None:
    assert set(case["expect"]) <= set(range(1, len(case["items"]) + 1))
    assert len(set(case["expect"])) == len(case["expect"]) <= case["limit"]
