"""The cases that come with Daybook, what the rules and the hand-written answers come to, and what shows a drop."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from daybook import prompts
from daybook.evaluation import recording, saved
from daybook.evaluation.cases import FORMS, SECTIONS
from daybook.evaluation.comparing import drops, lost
from daybook.evaluation.loading import cases_of
from daybook.evaluation.results import figures
from daybook.evaluation.wishes import Wish
from daybook.models.choice import Purpose
from daybook.prompts.declared import PROMPTS, REVIEW

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.evaluation.evaluate import Evaluation
    from daybook.workspace import Workspace

FEWEST = {"review": 25, "mail_triage": 20, "news_rank": 15, "capture": 15}
FEWEST_LANGUAGES = 5
MODELS = ("extractive", "recorded:hand")
# The sealed sets: right cases of all, then what was matched of what was kept and of what was expected.
SEALED = {
    ("review", "extractive"): (9, 19, 6, 6, 16),
    ("review", "recorded:hand"): (16, 19, 14, 15, 16),
    ("mail_triage", "extractive"): (4, 10, 3, 5, 7),
    ("mail_triage", "recorded:hand"): (10, 10, 7, 7, 7),
    ("news_rank", "extractive"): (0, 8, 9, 23, 13),
    ("news_rank", "recorded:hand"): (6, 8, 12, 13, 13),
    ("capture", "extractive"): (7, 10, 2, 2, 5),
    ("capture", "recorded:hand"): (7, 10, 2, 2, 5),
}
REFUSED = {
    "review": {"ungrounded": 2},
    "mail_triage": {"rules-stand": 2},
    "news_rank": {},
    "capture": {"ungrounded": 4},
}


@pytest.mark.parametrize("prompt", FORMS)
def test_there_are_enough_cases_in_enough_languages_and_a_third_of_them_is_sealed(
    workspace: Workspace, prompt: Purpose
) -> None:
    found = cases_of(workspace, prompt)
    sealed = [one for one in found if one.group == "sealed"]
    assert len(found) >= FEWEST[prompt]
    assert len({one.case.language for one in found}) >= FEWEST_LANGUAGES
    assert {one.group for one in found} == {"open", "sealed"}
    assert len(sealed) * 3 >= len(found)
    assert len({one.case.name for one in found}) == len(found)


def test_every_prompt_is_asked_for_a_purpose_of_its_name() -> None:
    assert set(PROMPTS) == set(get_args(Purpose))
    assert set(FORMS) < set(PROMPTS)


def test_a_case_without_headings_has_those_of_the_packaged_sample() -> None:
    assert next(one.sample for one in REVIEW.variables if one.name == "sections") == list(SECTIONS)


@pytest.mark.parametrize("prompt", FORMS)
def test_the_hand_written_answers_are_to_every_case_and_to_the_present_text(
    workspace: Workspace, prompt: Purpose
) -> None:
    recorded = recording.read(workspace, prompt, "hand")
    assert recorded is not None
    assert recorded.prompt == prompts.show(workspace, prompt).sha256
    assert list(recorded.answers) == [one.case.name for one in cases_of(workspace, prompt)]


@pytest.mark.parametrize(("prompt", "model"), SEALED, ids="-".join)
def test_the_sealed_sets_come_to_what_they_came_to(
    evaluate: Callable[..., Evaluation], prompt: Purpose, model: str
) -> None:
    found = evaluate(prompt, Wish(model))
    (sealed,) = [one for one in figures(found.result.cases.values()) if one.group == "sealed"]
    assert (sealed.right, sealed.cases, sealed.matched, sealed.kept, sealed.expected) == SEALED[prompt, model]
    assert sealed.answered == sealed.cases
    assert sealed.refused == (REFUSED[prompt] if model == "recorded:hand" else {})
    assert sealed.used.calls == 0


@pytest.mark.parametrize(("prompt", "model"), SEALED, ids="-".join)
def test_what_came_with_daybook_is_what_a_run_comes_to(
    evaluate: Callable[..., Evaluation], prompt: Purpose, model: str
) -> None:
    found = evaluate(prompt, Wish(model))
    assert found.before is not None
    assert found.before.shipped
    assert found.before.result.cases == found.result.cases
    assert (found.ok, found.faults, found.notes) == (True, (), ())


def test_what_came_with_daybook_shows_a_drop_at_the_first_run(evaluate: Callable[..., Evaluation]) -> None:
    found = evaluate("capture", Wish("recorded:hand"))
    name, one = next((name, one) for name, one in found.result.cases.items() if one.matched and one.group == "sealed")
    worse = {**found.result.cases, name: one.model_copy(update={"matched": 0, "kept": 0, "right": False})}
    now = found.result.model_copy(update={"cases": worse})
    assert drops(now, found.result) == ["sealed: recall fell from 0.400 to 0.200 (1 after 2 of 5)."]
    assert lost(now, found.result, sealed=False) == ["1 case that was right is wrong now (1 sealed)."]


def test_the_baseline_holds_the_rules_and_the_hand_written_answers_and_nothing_else() -> None:
    results = saved._parse(saved.SHIPPED.read_bytes()).results
    assert {prompt: sorted(by_model) for prompt, by_model in results.items()} == {
        prompt: sorted(MODELS) for prompt in FORMS
    }
