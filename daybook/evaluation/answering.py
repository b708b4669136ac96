"""Get an answer to a case: from a model that is asked now, from a recording, or from the rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, assert_never

from daybook import prompts
from daybook.evaluation import inputs
from daybook.evaluation.cases import CaptureCase, Case, MailCase, NewsCase, ReviewCase
from daybook.evaluation.judging import SCHEMAS
from daybook.models.ask import ask
from daybook.models.outcomes import ABOUT_TEXT, Used
from daybook.review import capturing
from daybook.review.calls import Call
from daybook.review.extract import Readers, extract
from daybook.review.operations import Answer
from daybook.schedule.record import model_call
from daybook.sources import mail_levels, news_scores
from daybook.sources.mail_levels import Levels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from daybook.evaluation.recording import Recorded
    from daybook.models.choice import Purpose
    from daybook.models.trying import Pace
    from daybook.schedule.record import ModelCall
    from daybook.settings import Settings
    from daybook.workspace import Workspace

ANSWERED = "answered"
NOT_RECORDED = "not-recorded"
NOT_ASKED = "not-asked"
PACED = "paced"
# What says something of one case. Anything else is about the model, which would answer no other case either.
ABOUT_CASE: frozenset[str] = ABOUT_TEXT | {ANSWERED, PACED}
# A beat does not wait for its minute to pass; who evaluates a prompt does.
PACED_WAIT_S = 15.0
PACED_TRIES = 6


@dataclass(frozen=True)
class Reply:
    """
    What came of a question.

    Attributes:
        outcome: `answered`, `not-recorded`, `not-asked`, or why a model gave no answer.
        answer: JSON of the prompt's schema; None where there is none.
        sentence: Why there is none.
        used: What it cost.
        problems: What the operator should know besides.
    """

    outcome: str
    answer: str | None
    sentence: str = ""
    used: Used = field(default_factory=Used)
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asking:
    """
    How a model is asked.

    Attributes:
        workspace: Its own prompts win; its private state keeps what was spent.
        settings: The budget, and how fast may be asked.
        model: `provider:name`.
        clock: Tells the present instant.
        pace: How to wait.
    """

    workspace: Workspace
    settings: Settings
    model: str
    clock: Callable[[], datetime]
    pace: Pace

    async def reply(self, prompt: Purpose, case: Case) -> Reply:
        """Ask about a case as the flows ask; budget, cooldown and pace hold."""
        tries = 1
        while (reply := await self._once(prompt, case)).outcome == PACED and tries < PACED_TRIES:
            tries += 1
            await self.pace.sleep(PACED_WAIT_S)
        return reply

    async def _once(self, prompt: Purpose, case: Case) -> Reply:
        match case:
            case ReviewCase():
                return await self._review(case)
            case MailCase():
                variables = mail_levels.variables(inputs.messages(case), case.date)
                if not variables["messages"]:
                    # The rules decide about all of them, so there is nothing to ask.
                    return Reply(ANSWERED, Levels(levels=()).model_dump_json())
            case NewsCase():
                variables = news_scores.variables(inputs.items(case), case.interests, case.date, case.limit)
            case CaptureCase():
                variables = capturing.variables(case.known, inputs.turns(case))
            case _:
                assert_never(case)
        text = prompts.render(self.workspace, prompt, variables).text
        schema, now = SCHEMAS[prompt], self.clock()
        asked = await ask(
            self.workspace, self.settings, prompt, text, schema, now=now, models=(self.model,), pace=self.pace
        )
        tries = [model_call(one, prompt) for one in asked.tries]
        answer = asked.answered.answer.model_dump_json() if asked.answered else None
        return _reply(tries, answer, asked.problems)

    async def _review(self, case: ReviewCase) -> Reply:
        """Ask by the function that a review asks by: what is too long is asked in halves."""
        call = Call(inputs.evidence(case), "outside" if case.outside else "trusted", digest="")
        # The operator's own interests are no part of a case.
        settings = self.settings.model_copy(update={"interests": ()})
        readers = Readers((self.model,))
        got = await extract(
            self.workspace,
            settings,
            [call],
            inputs.memory(case),
            case.date,
            self.clock(),
            readers=readers,
            pace=self.pace,
        )
        operations = tuple(one for batch in got.batches for one in batch.operations)
        answer = None if got.waiting else Answer(operations=operations).model_dump_json()
        return _reply(got.models, answer, tuple(got.problems))


def from_recording(recorded: Recorded | None, case: str, sha256: str) -> Reply:
    """
    Look up a recorded answer.

    Args:
        recorded: The recording; None where there is none.
        case: Name of the case.
        sha256: Hash of the prompt's template as it is.
    """
    answer = recorded.answers.get(case) if recorded and recorded.prompt == sha256 else None
    return Reply(ANSWERED if answer is not None else NOT_RECORDED, answer)


def _reply(tries: Sequence[ModelCall], answer: str | None, problems: tuple[str, ...]) -> Reply:
    used = reduce(add, (Used(one.calls, one.tokens_in, one.tokens_out, one.usd) for one in tries), Used())
    if answer is not None:
        return Reply(ANSWERED, answer, "", used, problems)
    # Of a text that was asked about in halves, the last one may have been answered.
    failed = next(one for one in reversed(tries) if one.outcome != ANSWERED)
    return Reply(failed.outcome, None, failed.sentence, used, problems)
