"""
Judge an answer: by the code that decides in earnest, and then by what the case expects.

What is refused counts by its code. What is not is matched with what is expected, one to one; a proposal is as good as
an application, and what a second opinion would be asked about counts as a proposal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from daybook.evaluation import inputs
from daybook.evaluation.cases import CaptureCase, Case, MailCase, NewsCase, ReviewCase
from daybook.guard.outside import flatten
from daybook.language.themes import theme_of
from daybook.review import capturing, extractive
from daybook.review.capturing import Captured
from daybook.review.operations import Answer
from daybook.review.verify import MAX_ADDS, verify
from daybook.sources import mail_levels, news_scores
from daybook.sources.mail_levels import Levels
from daybook.sources.news_scores import Scores
from daybook.sources.ranking import rank
from daybook.sources.triage import MATTERS, triage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from daybook.evaluation.cases import ExpectedLine, ExpectedOperation
    from daybook.models.choice import Purpose
    from daybook.review.operations import Operation
    from daybook.review.verdict import Verdict
    from daybook.sources.triage import Level

SHOWN_CHARS = 80
SCHEMAS: dict[Purpose, type[BaseModel]] = {
    "review": Answer,
    "mail_triage": Levels,
    "news_rank": Scores,
    "capture": Captured,
}
RULES: dict[Purpose, str] = {
    "review": "the extractive review",
    "mail_triage": "the rules of triage",
    "news_rank": "interests, weight and freshness",
    "capture": "the last line of operator or agent that is marked as a lesson, decision, preference or deadline",
}


@dataclass(frozen=True)
class Judged:
    """
    What became of an answer.

    Attributes:
        matched: How much of what is kept was expected.
        kept: What was not refused, in words.
        expected: What was expected, in words.
        refused: How much was refused, by code.
        astray: What counts in no figure and yet is not as expected, in words.
    """

    matched: int
    kept: tuple[str, ...]
    expected: tuple[str, ...]
    refused: Counter[str] = field(default_factory=Counter)
    astray: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        """Whether all that was expected came, and nothing else."""
        return not self.astray and self.matched == len(self.kept) == len(self.expected)


def judge(case: Case, answer: str) -> Judged:
    """
    Judge an answer.

    Args:
        case: What was asked.
        answer: JSON of the prompt's schema.

    Raises:
        ValidationError: It is not of that schema.
    """
    match case:
        case ReviewCase():
            return _operations(case, Answer.model_validate_json(answer).operations, MAX_ADDS)
        case MailCase():
            mail = triage(inputs.messages(case), ())
            found, unfit = mail_levels.levels(Levels.model_validate_json(answer), mail)
            return _levels(case, [one.level for one in found], Counter(unfit))
        case NewsCase():
            chosen, wrong = news_scores.chosen(Scores.model_validate_json(answer), inputs.items(case), case.limit)
            return _items(case, [int(item.id) for item in chosen], Counter(wrong))
        case CaptureCase():
            return _line(case, Captured.model_validate_json(answer))
        case _:
            assert_never(case)


def by_rules(case: Case) -> Judged:
    """Judge what the rules do that stand in for a model."""
    match case:
        case ReviewCase():
            return _operations(case, extractive.propose(inputs.evidence(case)), extractive.MAX_ADDS)
        case MailCase():
            return _levels(case, [one.level for one in triage(inputs.messages(case), ())], Counter())
        case NewsCase():
            chosen = rank(inputs.items(case), case.interests, inputs.scanned_at(case), case.limit)
            return _items(case, [int(item.id) for item in chosen], Counter())
        case CaptureCase():
            return _line(case, _marked(case))
        case _:
            assert_never(case)


def expected_of(case: Case) -> tuple[str, ...]:
    """Say in words what a case expects."""
    match case:
        case ReviewCase():
            return tuple(_expectation(f"{one.kind} {one.entry}".rstrip(), one) for one in case.expect)
        case MailCase():
            return tuple(f"{number} {level}" for number, level in _matters(case.expect))
        case NewsCase():
            return tuple(map(str, case.expect))
        case CaptureCase():
            return tuple(_expectation("a line", one) for one in case.expect)
        case _:
            assert_never(case)


def _operations(case: ReviewCase, operations: Sequence[Operation], adds: int) -> Judged:
    verdicts = verify(operations, inputs.evidence(case), inputs.memory(case), adds=adds, today=case.date)
    kept = [one for one in verdicts if _is_kept(one)]
    refused = Counter(str(one.code) for one in verdicts if not _is_kept(one))
    return Judged(_matches(kept, case.expect, _fits), tuple(map(_said, kept)), expected_of(case), refused)


def _is_kept(verdict: Verdict) -> bool:
    return verdict.fate in {"apply", "propose"} or verdict.asks is not None


def _fits(verdict: Verdict, wanted: ExpectedOperation) -> bool:
    operation = verdict.operation
    cited = {line.number for line in verdict.sources}
    same = operation.kind == wanted.kind and (wanted.kind == "add" or operation.entry == wanted.entry)
    return same and not cited.isdisjoint(wanted.sources) and all(word in operation.text for word in wanted.holds)


def _levels(case: MailCase, levels: Sequence[Level], refused: Counter[str]) -> Judged:
    found, wanted = _matters(levels), _matters(case.expect)
    kept = tuple(f"{number} {level}" for number, level in found)
    astray = tuple(
        f"{number} {level} for {want}"
        for number, (level, want) in enumerate(zip(levels, case.expect, strict=True), start=1)
        if level != want and not {level, want} & set(MATTERS)
    )
    return Judged(len(set(found) & set(wanted)), kept, expected_of(case), refused, astray)


def _matters(levels: Sequence[Level]) -> list[tuple[int, Level]]:
    return [(number, level) for number, level in enumerate(levels, start=1) if level in MATTERS]


def _items(case: NewsCase, numbers: Sequence[int], refused: Counter[str]) -> Judged:
    matched = len(set(numbers) & set(case.expect))
    return Judged(matched, tuple(map(str, numbers)), expected_of(case), refused)


def _line(case: CaptureCase, answer: Captured) -> Judged:
    line = capturing.checked(answer, inputs.turns(case), case.known)
    if isinstance(line, capturing.Refusal):
        return Judged(0, (), expected_of(case), Counter([str(line.code)]))
    if not line:
        return Judged(0, (), expected_of(case))
    wanted = case.expect[0] if case.expect else None
    fits = wanted and not set(answer.sources).isdisjoint(wanted.sources) and all(word in line for word in wanted.holds)
    return Judged(int(bool(fits)), (_quoted(line, answer.sources),), expected_of(case))


def _marked(case: CaptureCase) -> Captured:
    """Take the last line that says of itself what it is; a later one may have taken back an earlier one."""
    lines = [
        (turn.number, line) for turn in inputs.turns(case) if turn.who != "tool" for line in turn.text.splitlines()
    ]
    number, line = next(((number, line) for number, line in reversed(lines) if theme_of(line)), (0, ""))
    return Captured(line=line, sources=(number,) if number else ())


def _matches(
    kept: Sequence[Verdict],
    wanted: Sequence[ExpectedOperation],
    fits: Callable[[Verdict, ExpectedOperation], bool],
) -> int:
    """How many of *kept* can be paired with one of *wanted* each: as many as possible, by paths that make room."""
    pair: dict[int, int] = {}

    def place(index: int, tried: set[int]) -> bool:
        for at, want in enumerate(wanted):
            if at not in tried and fits(kept[index], want):
                tried.add(at)
                if at not in pair or place(pair[at], tried):
                    pair[at] = index
                    return True
        return False

    return sum(place(index, set()) for index in range(len(kept)))


def _expectation(what: str, wanted: ExpectedOperation | ExpectedLine) -> str:
    holding = " and ".join(repr(word) for word in wanted.holds)
    return f"{what} from {_numbers(wanted.sources)}{f' with {holding}' if holding else ''}"


def _said(verdict: Verdict) -> str:
    operation = verdict.operation
    about = f"{operation.kind} {operation.entry}".rstrip() if operation.kind != "add" else "add"
    numbers = [line.number for line in verdict.sources]
    return f"{about} {_quoted(operation.text, numbers)}" if operation.text else f"{about} from {_numbers(numbers)}"


def _quoted(text: str, numbers: Sequence[int]) -> str:
    return f"{flatten(text, limit=SHOWN_CHARS)!r} from {_numbers(numbers)}"


def _numbers(numbers: Sequence[int]) -> str:
    return "+".join(map(str, numbers))
