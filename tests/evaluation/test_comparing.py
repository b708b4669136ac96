"""What is said of two results, and of cases that nobody answered."""

from __future__ import annotations

from datetime import UTC, datetime

from daybook.evaluation.comparing import difference, drops, lost, unanswered
from daybook.evaluation.results import CaseResult, Result

AT = datetime(2026, 2, 7, tzinfo=UTC)


def result(**groups: tuple[str, bool]) -> Result:
    """Make a result of cases with one expectation each, by name: the set, and whether it was fulfilled."""
    cases = {
        name: CaseResult(
            group=group, content="c", outcome="answered", right=right, matched=right, kept=right, expected=1
        )
        for name, (group, right) in groups.items()
    }
    return Result(at=AT, prompt="", cases=cases)


def test_up_to_five_cases_that_were_right_are_named_and_sealed_ones_counted() -> None:
    right = result(**dict.fromkeys("abcdefg", ("open", True)), x=("sealed", True), y=("sealed", False))
    wrong = result(**dict.fromkeys("abcdefg", ("open", False)), x=("sealed", False), y=("sealed", True))
    told = "8 cases that were right are wrong now"
    assert lost(wrong, right, sealed=False) == [f"{told} (a, b, c, d, e, 2 more, 1 sealed)."]
    assert lost(wrong, right, sealed=True) == [f"{told} (a, b, c, d, e, 3 more)."]
    assert lost(right, wrong, sealed=True) == ["1 case that was right is wrong now (y)."]
    assert lost(right, right, sealed=True) == []


def test_what_only_one_run_answered_is_not_compared() -> None:
    right = result(a=("open", True), b=("open", True))
    silent = right.cases["a"].model_copy(update={"outcome": "not-asked", "right": False, "matched": 0, "kept": 0})
    found = right.model_copy(update={"cases": {**right.cases, "a": silent}})
    for new, old in ((found, right), (right, found)):
        assert (drops(new, old), lost(new, old, sealed=True), difference(new, old)) == ([], [], None)


def test_new_changed_and_gone_cases_are_counted() -> None:
    old = result(a=("open", True), b=("open", True), c=("open", True))
    changed = old.cases["b"].model_copy(update={"content": "d", "right": False, "matched": 0, "kept": 0})
    new = old.model_copy(update={"cases": {"a": old.cases["a"], "b": changed, "d": old.cases["a"]}})
    told = "The saved result is of other cases (1 new, 1 changed, 1 gone); 1 case could be compared."
    assert (difference(new, old), drops(new, old), lost(new, old, sealed=True)) == (told, [], [])


def test_cases_without_an_answer_are_one_sentence_for_each_kind() -> None:
    silent = [("truncated", "It was cut."), ("over-budget", "It is used up."), ("not-asked", "It is used up.")]
    assert unanswered(silent, 42) == [
        "1 of 42 cases had no answer: It was cut.",
        "2 of 42 cases were not asked: It is used up.",
    ]
    assert unanswered([], 42) == []
