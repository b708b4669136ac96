"""How a result stands to the last one: what drops is told and not saved, until the operator accepts it."""

from __future__ import annotations

import json
import tomllib
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook import prompts
from daybook.errors import PromptError, UsageError
from daybook.evaluation import saved
from daybook.evaluation.results import figures
from daybook.evaluation.wishes import Wish
from daybook.models.pricing import price_of_tokens
from daybook.models.trying import Pace
from daybook.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from daybook.evaluation.evaluate import Evaluation
    from daybook.evaluation.results import CaseResult
    from daybook.workspace import Workspace

    Evaluate = Callable[..., Evaluation]

MODEL = "google:gemini-flash-lite-latest"
READER = "google:gemini-reader"
LIVE = Wish(MODEL)
ALL_RIGHT = (["urgent"], ["needs-answer", "information"])
PROBLEM = {
    "status": 400,
    "headers": {},
    "body": {"error": {"code": 400, "message": "no", "status": "INVALID_ARGUMENT"}},
}


def levels(*given: str) -> dict[str, Any]:
    return {"levels": [{"id": number, "level": level} for number, level in enumerate(given, start=1)]}


def say(gemini: Any, *answers: list[str]) -> None:
    gemini.script.clear()
    gemini.will_say(*(levels(*one) for one in answers))


def saved_cases(workspace: Workspace, model: str = MODEL) -> dict[str, CaseResult]:
    before = saved.last(workspace, "mail_triage", model)
    return before.result.cases if before else {}


@pytest.mark.usefixtures("only_own")
def test_a_first_result_is_saved_and_the_next_one_laid_beside_it(
    evaluate: Evaluate, gemini: Any, workspace: Workspace, now: datetime
) -> None:
    say(gemini, *ALL_RIGHT)
    first = evaluate(wish=LIVE)
    (figure,) = figures(first.result.cases.values())
    assert (figure.group, figure.cases, figure.right, figure.precision, figure.recall) == ("own/mine", 2, 2, 1.0, 1.0)
    assert (figure.used.calls, figure.used.tokens_in, figure.used.tokens_out) == (2, 2200, 140)
    assert figure.used.usd == pytest.approx(2 * (price_of_tokens(MODEL, 1100, 70) or 0))
    assert figure.used.usd
    assert (first.ok, first.before, first.faults, first.recorded) == (True, None, (), None)
    assert first.result.prompt == prompts.show(workspace, "mail_triage").sha256
    say(gemini, *ALL_RIGHT)
    later = evaluate(wish=LIVE, clock=lambda: now + timedelta(days=1))
    assert later.before is not None
    assert (later.before.result, later.before.shipped) == (first.result, False)
    assert (saved_cases(workspace), later.ok) == (later.result.cases, True)


@pytest.mark.usefixtures("only_own")
def test_a_drop_is_told_by_set_and_leaves_the_saved_result_until_it_is_accepted(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    say(gemini, *ALL_RIGHT)
    good = evaluate(wish=LIVE)
    say(gemini, ["noise"], ["needs-answer", "urgent"])
    worse = evaluate(wish=LIVE)
    assert worse.faults == (
        "own/mine: precision fell from 1.000 to 0.500 (1 of 2 after 2 of 2).",
        "own/mine: recall fell from 1.000 to 0.500 (1 after 2 of 2).",
        "2 cases that were right are wrong now (boiler, two-letters).",
    )
    assert (worse.ok, saved_cases(workspace)) == (False, good.result.cases)
    say(gemini, ["noise"], ["needs-answer", "urgent"])
    accepted = evaluate(wish=Wish(MODEL, save=True))
    assert (accepted.ok, accepted.faults) == (True, worse.faults)
    assert saved_cases(workspace) == worse.result.cases
    say(gemini, ["noise"], ["needs-answer", "urgent"])
    again = evaluate(wish=LIVE)
    assert (again.ok, again.faults) == (True, ())


@pytest.mark.usefixtures("only_own")
def test_only_cases_that_both_results_have_are_compared(
    evaluate: Evaluate, gemini: Any, own: Callable[..., Path]
) -> None:
    say(gemini, *ALL_RIGHT)
    evaluate(wish=LIVE)
    text = own().read_text()
    own(text.replace('"boiler"', '"boiler-again"'))
    say(gemini, ["noise"], ALL_RIGHT[1])
    found = evaluate(wish=LIVE)
    assert (found.ok, found.faults) == (True, ())
    assert found.notes == ("The saved result is of other cases (1 new, 1 gone); 1 case could be compared.",)


@pytest.mark.usefixtures("only_own")
def test_a_case_whose_content_was_changed_is_not_compared_and_one_that_is_only_told_of_otherwise_is(
    evaluate: Evaluate, gemini: Any, own: Callable[..., Path]
) -> None:
    say(gemini, *ALL_RIGHT)
    evaluate(wish=LIVE)
    text = own().read_text()
    own(text.replace("It leaks now.", "It leaks at this moment.").replace("Der Zaun steht.", "Der Zaun steht schief."))
    say(gemini, ["noise"], ["noise", "noise"])
    found = evaluate(wish=LIVE)
    assert found.faults == (
        "own/mine: recall fell from 1.000 to 0.000 (0 after 1 of 1).",
        "1 case that was right is wrong now (boiler).",
    )
    assert found.notes == ("The saved result is of other cases (1 changed); 1 case could be compared.",)


@pytest.mark.usefixtures("only_own")
def test_a_case_that_got_worse_is_told_also_where_another_got_better(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    say(gemini, ["urgent"], ["information", "information"])
    first = evaluate(wish=LIVE)
    say(gemini, ["noise"], ALL_RIGHT[1])
    found = evaluate(wish=LIVE)
    assert (found.ok, found.faults) == (False, ("1 case that was right is wrong now (boiler).",))
    assert saved_cases(workspace) == first.result.cases


@pytest.mark.usefixtures("only_own")
def test_a_level_that_does_not_matter_and_is_wrong_now_is_told(evaluate: Evaluate, gemini: Any) -> None:
    say(gemini, *ALL_RIGHT)
    evaluate(wish=LIVE)
    say(gemini, ALL_RIGHT[0], ["needs-answer", "noise"])
    assert evaluate(wish=LIVE).faults == ("1 case that was right is wrong now (two-letters).",)


@pytest.mark.usefixtures("only_own")
def test_a_case_is_compared_in_the_set_in_which_it_is_now(
    evaluate: Evaluate, gemini: Any, own: Callable[..., Path]
) -> None:
    whole = own().read_text()
    first, second = whole.split("\n\n")
    own(first)
    moved = own(second, name="other")
    say(gemini, *ALL_RIGHT)
    evaluate(wish=LIVE)
    moved.unlink()
    own(whole)
    say(gemini, ["noise"], ALL_RIGHT[1])
    found = evaluate(wish=LIVE)
    assert found.faults == (
        "own/mine: recall fell from 1.000 to 0.500 (1 after 2 of 2).",
        "1 case that was right is wrong now (boiler).",
    )
    assert found.notes == ()


@pytest.mark.usefixtures("only_own")
def test_the_results_of_other_prompts_and_models_stay(evaluate: Evaluate, gemini: Any, workspace: Workspace) -> None:
    say(gemini, *ALL_RIGHT)
    evaluate(wish=LIVE)
    evaluate(wish=Wish("extractive"))
    assert len(saved_cases(workspace)) == len(saved_cases(workspace, "extractive")) == 2


@pytest.mark.usefixtures("only_own")
def test_a_case_that_no_model_answers_is_a_fault_once_accepted_it_is_none(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    script = [{"status": 200, "headers": {}, "body": _answered(levels("urgent"))}, PROBLEM]
    gemini.script[:] = script
    found = evaluate(wish=LIVE)
    assert [one.outcome for one in found.result.cases.values()] == ["answered", "rejected"]
    assert found.faults == (f"1 of 2 cases had no answer: {MODEL} rejected the request (no).",)
    assert (found.ok, saved_cases(workspace)) == (False, {})
    gemini.script[:] = script
    assert evaluate(wish=Wish(MODEL, save=True)).ok
    gemini.script[:] = script
    again = evaluate(wish=LIVE)
    assert (again.ok, again.faults) == (True, ())


@pytest.mark.usefixtures("only_own")
def test_a_case_without_an_answer_is_in_no_figure(evaluate: Evaluate, gemini: Any) -> None:
    say(gemini, ["urgent"], ["information", "information"])
    evaluate(wish=LIVE)
    gemini.script[:] = [PROBLEM, {"status": 200, "headers": {}, "body": _answered(levels("information"))}]
    found = evaluate(wish=LIVE)
    (figure,) = figures(found.result.cases.values())
    assert (figure.answered, figure.matched, figure.expected, figure.precision, figure.recall) == (1, 0, 1, 1.0, 0.0)
    assert found.faults == (f"1 of 2 cases had no answer: {MODEL} rejected the request (no).",)


@pytest.mark.usefixtures("only_own")
def test_what_says_something_of_the_model_ends_the_asking_and_what_says_something_of_the_case_does_not(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    gemini.script[:] = [PROBLEM, {"status": 200, "headers": {}, "body": _answered(levels("urgent"))}]
    found = evaluate(wish=LIVE)
    assert [one.outcome for one in found.result.cases.values()] == ["rejected", "answered"]
    gemini.bodies.clear()
    gone = {"error": {"code": 404, "message": "no such model", "status": "NOT_FOUND"}}
    gemini.script[:] = [{"status": 404, "headers": {}, "body": gone}]
    told: list[str] = []
    stopped = evaluate(wish=Wish(MODEL, save=True, tell=told.append))
    assert [one.outcome for one in stopped.result.cases.values()] == ["retired-model", "not-asked"]
    assert stopped.faults == (f"2 of 2 cases were not asked: {stopped.tried[0].reply.sentence}",)
    assert stopped.tried[0].reply.sentence.startswith(MODEL)
    assert (len(gemini.bodies), told) == (1, ["mail_triage 1/2: boiler"])
    assert (stopped.ok, saved_cases(workspace)) == (False, {})


@pytest.mark.usefixtures("only_own")
def test_by_hand_a_model_is_asked_in_quiet_hours_too(evaluate: Evaluate, gemini: Any, now: datetime) -> None:
    say(gemini, *ALL_RIGHT)
    settings = Settings.model_validate({"quiet_hours": "00:00-23:59", "timezone": "UTC"})
    assert settings.quiet_at(now)
    found = evaluate(wish=LIVE, settings=settings)
    assert (found.ok, len(gemini.bodies)) == (True, 2)


def _answered(answer: dict[str, Any]) -> dict[str, Any]:
    content = {"parts": [{"text": json.dumps(answer)}], "role": "model"}
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}


@pytest.mark.usefixtures("only_own")
def test_a_result_that_nobody_answered_is_never_saved(evaluate: Evaluate, workspace: Workspace) -> None:
    found = evaluate(wish=Wish(MODEL, save=True, record="gem"))
    assert [one.outcome for one in found.result.cases.values()] == ["no-key", "not-asked"]
    assert (found.ok, found.recorded, saved_cases(workspace)) == (False, None, {})


@pytest.mark.usefixtures("only_own")
def test_recorded_answers_come_to_the_same_and_hold_for_one_text_of_the_prompt(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    say(gemini, ["urgent"], ["urgent", "information"])
    live = evaluate(wish=Wish(MODEL, record="gem-2"))
    path = workspace.prompts_dir / "cases" / "mail_triage" / "recorded" / "gem-2.toml"
    assert live.recorded == path
    recorded = tomllib.loads(path.read_text())
    assert recorded["prompt"] == prompts.show(workspace, "mail_triage").sha256
    assert json.loads(recorded["answers"]["two-letters"]) == levels("urgent", "information")
    replayed = evaluate(wish=Wish("recorded:gem-2"))
    assert _quality(replayed) == _quality(live)
    assert (replayed.ok, len(gemini.bodies)) == (True, 2)
    changed = prompts.show(workspace, "mail_triage").path.read_text().replace("Judge by", "Judge each by")
    (workspace.prompts_dir / "mail_triage.md.j2").write_text(changed)
    stale = evaluate(wish=Wish("recorded:gem-2", save=True))
    assert [one.outcome for one in stale.result.cases.values()] == ["not-recorded", "not-recorded"]
    assert not stale.ok
    assert stale.faults[-1] == (
        f"The text of the prompt mail_triage has changed since the answers in {path} were recorded, so they are no "
        "answers to it; record new ones with `daybook prompts eval mail_triage --model MODEL --record gem-2`, or, "
        "where they are written by hand and still fit, change line 1 of that file to "
        f'prompt = "{prompts.show(workspace, "mail_triage").sha256}".'
    )


def _quality(found: Evaluation) -> list[tuple[bool, int, int, int]]:
    return [(one.right, one.matched, one.kept, one.expected) for one in found.result.cases.values()]


@pytest.mark.usefixtures("only_own")
def test_what_is_recorded_can_be_read_whatever_signs_a_model_answers(
    evaluate: Evaluate, gemini: Any, own: Callable[..., Path], workspace: Workspace
) -> None:
    own(
        '[[case]]\nname = "quotes"\nlanguage = "en"\nabout = "Why."\n'
        'turns = [{ who = "operator", text = "x" }]\nexpect = []',
        "capture",
    )
    line = "'''\"\\ \x7f\n'' key AIzaSyA1234567890abcdefghijklmnopqrstuv"
    gemini.will_say({"line": line, "sources": [1]})
    evaluate("capture", Wish(MODEL, record="odd"))
    text = (workspace.prompts_dir / "cases" / "capture" / "recorded" / "odd.toml").read_text()
    answer = json.loads(tomllib.loads(text)["answers"]["quotes"])
    assert answer["line"].startswith("'''\"\\ \x7f\n'' key [redacted:")
    assert "AIza" not in text


@pytest.mark.usefixtures("only_own")
def test_a_recording_keeps_what_was_answered_before_for_the_same_text(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    path = workspace.prompts_dir / "cases" / "mail_triage" / "recorded" / "gem.toml"
    say(gemini, *ALL_RIGHT)
    evaluate(wish=Wish(MODEL, record="gem"))
    answer = {"status": 200, "headers": {}, "body": _answered(levels("needs-answer"))}
    gemini.script[:] = [answer, PROBLEM]
    assert evaluate(wish=Wish(MODEL, record="gem")).recorded == path
    answers = {name: json.loads(one) for name, one in tomllib.loads(path.read_text())["answers"].items()}
    assert answers == {"boiler": levels("needs-answer"), "two-letters": levels(*ALL_RIGHT[1])}


@pytest.mark.usefixtures("only_own")
def test_a_recording_for_another_text_is_replaced_by_no_poorer_one(
    evaluate: Evaluate, gemini: Any, workspace: Workspace
) -> None:
    path = workspace.prompts_dir / "cases" / "mail_triage" / "recorded" / "gem.toml"
    say(gemini, *ALL_RIGHT)
    evaluate(wish=Wish(MODEL, record="gem"))
    full = path.read_text()
    changed = prompts.show(workspace, "mail_triage").path.read_text().replace("Judge by", "Judge each by")
    (workspace.prompts_dir / "mail_triage.md.j2").write_text(changed)
    gemini.script[:] = [{"status": 200, "headers": {}, "body": _answered(levels("urgent"))}, PROBLEM]
    poorer = evaluate(wish=Wish(MODEL, record="gem"))
    assert (poorer.recorded, path.read_text()) == (None, full)
    (note,) = poorer.notes
    assert note == (
        f"{path} stays as it is: it answers 2 of 2 cases, of an earlier text of the prompt, and this run only 1; "
        "record under another name to keep those."
    )
    say(gemini, *ALL_RIGHT)
    assert evaluate(wish=Wish(MODEL, record="gem")).recorded == path
    assert tomllib.loads(path.read_text())["prompt"] == prompts.show(workspace, "mail_triage").sha256


@pytest.mark.usefixtures("only_own")
def test_a_damaged_recording_is_told_before_a_model_is_asked(
    evaluate: Evaluate, gemini: Any, own: Callable[..., Path]
) -> None:
    folder = own().parent / "recorded"
    folder.mkdir()
    (folder / "gem.toml").write_text("[answers]")
    with pytest.raises(PromptError, match=r"gem\.toml, prompt: it is missing"):
        evaluate(wish=Wish(MODEL, record="gem"))
    assert gemini.bodies == []


@pytest.mark.usefixtures("only_own")
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[answers]", "gem.toml, prompt: it is missing."),
        ('prompt = "abc"\n[answers]', "gem.toml, prompt: String should match"),
        (f'prompt = "{"a" * 64}"\n[answers]\nboiler = "urgent"', "gem.toml, answer to 'boiler', Invalid JSON"),
        (f'prompt = "{"a" * 64}"\n[answers]\nboiler = \'{{"levels": 1}}\'', "gem.toml, answer to 'boiler', levels: "),
    ],
)
def test_a_damaged_recording_is_an_error_that_names_it(
    evaluate: Evaluate, own: Callable[..., Path], text: str, sentence: str
) -> None:
    folder = own().parent / "recorded"
    folder.mkdir()
    (folder / "gem.toml").write_text(text)
    with pytest.raises(PromptError) as caught:
        evaluate(wish=Wish("recorded:gem"))
    assert sentence in str(caught.value)


@pytest.mark.usefixtures("only_own")
def test_a_recording_that_is_not_there_or_lacks_a_case_says_how_to_get_it(
    evaluate: Evaluate, own: Callable[..., Path], workspace: Workspace
) -> None:
    record = "record new ones with `daybook prompts eval mail_triage --model MODEL --record gem`"
    (fault,) = evaluate(wish=Wish("recorded:gem")).faults
    assert fault == f"No answers to the cases of mail_triage are recorded as 'gem'; {record}."
    path = own().parent / "recorded" / "gem.toml"
    path.parent.mkdir()
    sha256 = prompts.show(workspace, "mail_triage").sha256
    path.write_text(f"prompt = \"{sha256}\"\n[answers]\nboiler = '{json.dumps(levels('urgent'))}'\n")
    found = evaluate(wish=Wish("recorded:gem"))
    assert found.faults == (f"{path} has no answer to 1 of 2 cases; {record}, or write them there by hand.",)
    assert [one.right for one in found.result.cases.values()] == [True, False]
    assert not evaluate(wish=Wish("recorded:gem", save=True)).ok
    assert saved_cases(workspace, "recorded:gem") == {}


@pytest.mark.usefixtures("only_own")
def test_damaged_results_are_set_aside_and_built_anew(evaluate: Evaluate, workspace: Workspace) -> None:
    (workspace.private / saved.FILE).write_text('{"results": 1}')
    found = evaluate(wish=Wish("extractive"))
    aside = f"{saved.FILE}.corrupt-20260207T143000Z"
    assert found.notes == (f"{saved.FILE} was damaged; it was set aside as {aside} and built anew.",)
    assert found.ok
    assert (workspace.private / aside).read_text() == '{"results": 1}'
    assert len(saved_cases(workspace, "extractive")) == 2


@pytest.mark.usefixtures("only_own")
def test_a_model_is_asked_as_slowly_as_the_settings_say(evaluate: Evaluate, gemini: Any, now: datetime) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    say(gemini, *ALL_RIGHT)
    settings = Settings.model_validate({"models": {"requests_per_minute": {"google": 1}}})
    pace = Pace(sleep, lambda: sum(slept), lambda: 0.0)
    told: list[str] = []
    wish = Wish(MODEL, pace=pace, tell=told.append)
    found = evaluate(wish=wish, settings=settings, clock=lambda: now + timedelta(seconds=sum(slept)))
    assert (found.ok, len(gemini.bodies)) == (True, 2)
    assert sum(slept) >= 60
    assert told == ["mail_triage 1/2: boiler", "mail_triage 2/2: two-letters"]


@pytest.mark.usefixtures("only_own")
def test_the_budget_holds(evaluate: Evaluate, gemini: Any) -> None:
    say(gemini, *ALL_RIGHT)
    settings = Settings.model_validate({"budget": {"calls_per_hour": 2}})
    found = evaluate(wish=LIVE, settings=settings)
    assert [one.outcome for one in found.result.cases.values()] == ["answered", "over-budget"]
    assert found.faults == (f"1 of 2 cases was not asked: {found.tried[1].reply.sentence}",)
    assert "calls_per_hour" in found.tried[1].reply.sentence
    assert len(gemini.bodies) == 1


@pytest.mark.usefixtures("only_own")
def test_nobody_is_asked_about_mail_that_the_rules_alone_decide(
    evaluate: Evaluate, own: Callable[..., Path], gemini: Any
) -> None:
    own(own().read_text().partition('[[case]]\nname = "two')[0].replace('leaking."', 'leaking.", bulk = true'))
    found = evaluate(wish=LIVE)
    assert [(one.outcome, one.kept) for one in found.result.cases.values()] == [("answered", 0)]
    assert gemini.bodies == []


@pytest.mark.usefixtures("only_own")
@pytest.mark.parametrize("wish", [Wish("gemini"), Wish("recorded:"), Wish("recorded:../x"), Wish(MODEL, "a/b")])
def test_who_cannot_answer_or_be_recorded_is_refused(evaluate: Evaluate, wish: Wish) -> None:
    with pytest.raises(UsageError):
        evaluate(wish=wish)


@pytest.mark.usefixtures("only_own")
@pytest.mark.parametrize("model", ["extractive", "recorded:gem", ""])
def test_only_what_a_model_answers_is_recorded(evaluate: Evaluate, model: str) -> None:
    with pytest.raises(UsageError, match="Only a model's answers can be recorded"):
        evaluate(wish=Wish(model, record="gem"))


@pytest.mark.usefixtures("only_own")
def test_without_a_model_the_first_that_is_configured_answers_or_else_the_rules(
    evaluate: Evaluate, gemini: Any
) -> None:
    assert evaluate().model == "extractive"
    say(gemini, *ALL_RIGHT)
    settings = Settings.model_validate({"models": {"mail_triage": [MODEL, "extractive"]}})
    assert evaluate(settings=settings).model == MODEL


@pytest.mark.usefixtures("few_reviews")
def test_a_model_that_reads_the_prompt_comes_to_the_hand_written_figures_until_the_prompt_loses_its_lines(
    evaluate: Evaluate, reader: Any, workspace: Workspace
) -> None:
    settings = Settings(interests=("a subject of the operator's own",))
    by_hand, live = evaluate("review", Wish("recorded:hand")), evaluate("review", Wish(READER), settings)
    assert _quality(live) == _quality(by_hand)
    assert not any("a subject of the operator's own" in text for text in reader.asked)
    assert len(reader.asked) == len(live.tried)
    text = prompts.show(workspace, "review").path.read_text()
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "review.md.j2").write_text(text.replace("| {{ line.text }}", "|"))
    broken = evaluate("review", Wish(READER))
    assert (broken.ok, broken.faults) == (
        False,
        (
            "sealed: recall fell from 0.667 to 0.000 (0 after 4 of 6).",
            "4 cases that were right are wrong now (4 sealed).",
        ),
    )
    named = evaluate("review", Wish(READER, sealed=True)).faults[-1]
    assert named.startswith("4 cases that were right are wrong now (")
    assert "sealed" not in named
