"""
Ask for a second opinion where code alone cannot decide: another call, which sees the cited lines and one statement.

It can only agree to what stands the tests of code already, and only with a quotation that is there. Anything else, also
a failed call or too many questions, leaves the verdict as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from daybook import prompts
from daybook.language.words import content_tokens
from daybook.models import keys
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.review.grounding import enough
from daybook.schedule.record import model_call, prompt_use

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.models.choice import Purpose
    from daybook.models.trying import Pace
    from daybook.review.verdict import Verdict
    from daybook.review.window import Evidence
    from daybook.schedule.record import ModelCall, PromptUse
    from daybook.settings import Settings
    from daybook.workspace import Workspace

MAX_ASKED = 10
PURPOSE: Purpose = "second_opinion"
PROMPT = "second_opinion"


class Opinion(BaseModel):
    """
    The answer.

    Attributes:
        agrees: Whether the lines say so.
        quote: The words of one line that show it.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    agrees: bool = Field(description="whether the lines say so")
    quote: str = Field(default="", description="words of one line, copied exactly; empty if they do not")


@dataclass
class Asked:
    """
    What asking came to during one review.

    Attributes:
        questions: How many were asked.
        models: Every try, for the run record.
        used: The prompts sent, for the run record.
        silent: No model answered, so none is asked any more.
    """

    questions: int = 0
    models: list[ModelCall] = field(default_factory=list)
    used: list[PromptUse] = field(default_factory=list)
    silent: bool = False


def opinion_models(settings: Settings) -> tuple[str, ...]:
    """List the models that are asked, in order; `extractive` has no opinion."""
    chosen = choose(settings.models, PURPOSE, keys.environment())
    return tuple(model for model in chosen if model != EXTRACTIVE)


async def opinions(
    workspace: Workspace,
    settings: Settings,
    verdicts: Sequence[Verdict],
    now: datetime,
    asked: Asked,
    *,
    pace: Pace | None = None,
) -> list[Verdict]:
    """
    Ask about the verdicts that an opinion can help; what it agrees to is applied.

    Args:
        workspace: Its own prompt wins.
        settings: Which models are asked, and the day's budget.
        verdicts: Of one call, in order.
        now: The present instant.
        asked: What the calls before came to; at most `MAX_ASKED` are asked in a review. Changed here.
        pace: How to wait for a model; None: really.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    decided = list(verdicts)
    models = opinion_models(settings)
    # A confirmation writes nothing, so it is asked about last.
    order = sorted(range(len(decided)), key=lambda index: decided[index].operation.kind == "confirm")
    for index in order:
        verdict = decided[index]
        if verdict.asks is None or not models or asked.silent or asked.questions == MAX_ASKED:
            continue
        if await _agrees(workspace, settings, models, verdict, now, asked, pace=pace):
            decided[index] = replace(verdict, fate="apply", code=None, asks=None)
    return decided


async def _agrees(
    workspace: Workspace,
    settings: Settings,
    models: Sequence[str],
    verdict: Verdict,
    now: datetime,
    asked: Asked,
    *,
    pace: Pace | None,
) -> bool:
    lines = [{"date": line.day.isoformat(), "text": line.text} for line in verdict.sources]
    variables = {"statement": _statement(verdict), "lines": lines, "ended": verdict.asks == "ended"}
    prompt = prompts.render(workspace, PROMPT, variables)
    asked.used.append(prompt_use(prompt))
    asked.questions += 1
    got = await ask(workspace, settings, PURPOSE, prompt.text, Opinion, now=now, models=models, pace=pace)
    asked.models += [model_call(one, PURPOSE) for one in got.tries]
    if got.answered is None:
        asked.silent = True
        return False
    opinion = got.answered.answer
    return opinion.agrees and is_quoted(opinion.quote, verdict.sources)


def is_quoted(quote: str, lines: Sequence[Evidence]) -> bool:
    """Whether words stand in one of the lines exactly, white space aside, and are more than one."""
    folded = " ".join(quote.split())
    return enough(content_tokens(folded)) and any(folded in " ".join(line.text.split()) for line in lines)


def _statement(verdict: Verdict) -> str:
    about_entry = verdict.asks == "ended" or verdict.operation.kind == "confirm"
    return verdict.entry.text if about_entry and verdict.entry else verdict.operation.text
