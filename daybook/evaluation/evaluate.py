"""Try a prompt's cases, and say how the result stands to the last one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import prompts
from daybook.evaluation import recording, saved
from daybook.evaluation.answering import ABOUT_CASE, ANSWERED, NOT_ASKED, Asking, Reply, from_recording
from daybook.evaluation.comparing import difference, drops, lost, unanswered
from daybook.evaluation.judging import Judged, by_rules, expected_of, judge
from daybook.evaluation.loading import cases_of
from daybook.evaluation.results import CaseResult, Result
from daybook.evaluation.wishes import reader_of, recording_of
from daybook.models.choice import EXTRACTIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from daybook.evaluation.loading import Golden
    from daybook.evaluation.saved import Before
    from daybook.evaluation.wishes import Wish
    from daybook.models.choice import Purpose
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Tried:
    """A case, what was answered, and what became of the answer; None where there was none."""

    golden: Golden
    reply: Reply
    judged: Judged | None

    @property
    def name(self) -> str:
        """Name of the case."""
        return self.golden.case.name

    @property
    def result(self) -> CaseResult:
        """What is saved of it."""
        judged = self.judged or Judged(0, (), expected_of(self.golden.case))
        used = self.reply.used
        return CaseResult(
            group=self.golden.group,
            content=self.golden.case.content(),
            outcome=self.reply.outcome,
            right=self.judged is not None and judged.right,
            matched=judged.matched,
            kept=len(judged.kept),
            expected=len(judged.expected),
            refused=dict(judged.refused),
            calls=used.calls,
            tokens_in=used.tokens_in,
            tokens_out=used.tokens_out,
            usd=used.usd,
        )


@dataclass(frozen=True)
class Evaluation:
    """
    What trying a prompt came to.

    Attributes:
        prompt: Which.
        model: Who answered: `provider:name`, `recorded:NAME` or `extractive`.
        tried: Every case.
        result: What it came to.
        before: The result before it.
        faults: Where it is worse, and how much had no answer; a sentence each.
        notes: What else there is to know; a sentence each.
        ok: It is now the last saved result: nothing is wrong, or what is was accepted.
        recorded: Where the answers were recorded; None where they were not.
    """

    prompt: Purpose
    model: str
    tried: tuple[Tried, ...]
    result: Result
    before: Before | None
    faults: tuple[str, ...]
    notes: tuple[str, ...]
    ok: bool
    recorded: Path | None


async def evaluate(
    workspace: Workspace, settings: Settings, prompt: Purpose, clock: Callable[[], datetime], wish: Wish
) -> Evaluation | None:
    """
    Try every case of a prompt, and save the result unless it is worse than the last one.

    A person asks for this, so that quiet hours do not hold.

    Args:
        workspace: Its own prompt and cases count; its private state keeps results and what was spent.
        settings: The models, the budget and the pace.
        prompt: Which.
        clock: Tells the present instant.
        wish: Who answers, and what is done with the answers.

    Returns:
        What it came to; None where there are no cases.

    Raises:
        UsageError: The wish cannot be fulfilled.
        PromptError: A file of cases or answers is damaged, or the prompt cannot be rendered.
    """
    model = reader_of(settings, prompt, wish)
    golden = cases_of(workspace, prompt)
    if not golden:
        return None
    at = clock()
    notes = saved.mend(workspace, at)
    # The rules read no prompt, so that they can be tried also while it is broken.
    sha256 = "" if model == EXTRACTIVE else prompts.show(workspace, prompt).sha256
    asking = Asking(workspace, settings.model_copy(update={"quiet_hours": None}), model, clock, wish.pace)
    if wish.record:
        # One that is damaged is told before a model is paid for.
        recording.read(workspace, prompt, wish.record)
    tried, unrecorded = await _try(asking, prompt, sha256, golden, wish.tell)
    notes += dict.fromkeys(problem for one in tried for problem in one.reply.problems)
    result = Result(at=at, prompt=sha256, cases={one.name: one.result for one in tried})
    recorded = _record(workspace, prompt, wish.record, sha256, tried, notes)
    before = saved.last(workspace, prompt, model)
    faults = [*drops(result, before.result), *lost(result, before.result, sealed=wish.sealed)] if before else []
    faults += _silent(tried, before) if unrecorded is None else [unrecorded]
    other = difference(result, before.result) if before else None
    # A part of the cases is no result to compare the next one with, unless it is for each case's own reason.
    whole = all(one.reply.outcome in ABOUT_CASE for one in tried) and any(one.judged for one in tried)
    ok = whole and (wish.save or not faults)
    if ok:
        saved.save(workspace, prompt, model, result)
    notes += [other] if other else []
    return Evaluation(prompt, model, tuple(tried), result, before, tuple(faults), tuple(notes), ok, recorded)


async def _try(
    asking: Asking, prompt: Purpose, sha256: str, golden: Sequence[Golden], tell: Callable[[str], None]
) -> tuple[list[Tried], str | None]:
    """Try every case; what is to be said of recorded answers that are missing."""
    if asking.model == EXTRACTIVE:
        return [Tried(one, Reply(ANSWERED, None), by_rules(one.case)) for one in golden], None
    name = recording_of(asking.model)
    if name is None:
        return await _ask(asking, prompt, golden, tell), None
    recorded = recording.read(asking.workspace, prompt, name)
    tried = [_judged(one, from_recording(recorded, one.case.name, sha256)) for one in golden]
    left = sum(one.judged is None for one in tried)
    return tried, recording.missing(prompt, name, recorded, sha256, left, len(tried)) if left else None


async def _ask(asking: Asking, prompt: Purpose, golden: Sequence[Golden], tell: Callable[[str], None]) -> list[Tried]:
    """Ask a model about each case, until it says what it would say of every other one."""
    tried: list[Tried] = []
    for number, one in enumerate(golden, start=1):
        tell(f"{prompt} {number}/{len(golden)}: {one.case.name}")
        reply = await asking.reply(prompt, one.case)
        tried.append(_judged(one, reply))
        if reply.outcome not in ABOUT_CASE:
            rest = Reply(NOT_ASKED, None, reply.sentence)
            return tried + [Tried(other, rest, None) for other in golden[number:]]
    return tried


def _judged(golden: Golden, reply: Reply) -> Tried:
    return Tried(golden, reply, None if reply.answer is None else judge(golden.case, reply.answer))


def _record(
    workspace: Workspace, prompt: Purpose, name: str, sha256: str, tried: Sequence[Tried], notes: list[str]
) -> Path | None:
    answers = {one.name: one.reply.answer for one in tried if one.reply.answer is not None}
    if not name or not answers:
        return None
    fuller = recording.fuller(workspace, prompt, name, sha256, answers, [one.name for one in tried])
    if fuller:
        notes.append(fuller)
        return None
    return recording.write(workspace, prompt, name, sha256, answers)


def _silent(tried: Sequence[Tried], before: Before | None) -> list[str]:
    """Say how many cases had no answer, but for those that were asked before too and had none."""
    known = before.result.cases if before else {}
    told = [
        (one.reply.outcome, one.reply.sentence)
        for one in tried
        if one.judged is None
        and (one.reply.outcome not in ABOUT_CASE or one.name not in known or known[one.name].answered)
    ]
    return unanswered(told, len(tried))
