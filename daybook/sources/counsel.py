"""
Ask a model about what sources brought, where one is configured: which news is strong, how much a mail matters.

The rules decide first and stay wherever no model answers; a model is shown outside text as data, and answers
with numbers and levels alone.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from daybook import prompts
from daybook.errors import DaybookError, PromptError
from daybook.models import keys
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.sources import mail_levels, news_scores
from daybook.sources.mail_levels import Levels
from daybook.sources.news_scores import Scores
from daybook.sources.ranking import rank

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from daybook.models.choice import Purpose
    from daybook.models.outcomes import Answered, T, Unavailable
    from daybook.prompts import Rendered
    from daybook.settings import Settings
    from daybook.sources.items import Item
    from daybook.sources.triage import Triaged
    from daybook.workspace import Workspace

# What one call holds, and how many calls one look may make: the rest goes by rules.
NEWS_A_CALL = 40
MAILS_A_CALL = 20
MAX_CALLS = 5


@dataclass
class Counsel:
    """
    What asking came to.

    Attributes:
        purpose: What was asked for.
        tries: Every try, for the run record.
        used: The prompts sent, for the run record.
        refused: What the rules refused of the answers, by code.
        problems: What the operator should know.
    """

    purpose: Purpose
    tries: list[Answered[Any] | Unavailable] = field(default_factory=list)
    used: list[Rendered] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def has_model(self, settings: Settings) -> bool:
        """Whether there is a model to ask."""
        try:
            return choose(settings.models, self.purpose, keys.environment())[0] != EXTRACTIVE
        except DaybookError as error:
            self.problems.append(str(error))
            return False

    async def ask(
        self,
        workspace: Workspace,
        settings: Settings,
        variables: dict[str, object],
        schema: type[T],
        now: datetime,
    ) -> T | None:
        """Ask once; None when no model answered, which leaves it to the rules."""
        try:
            prompt = prompts.render(workspace, self.purpose, variables)
        except PromptError as error:
            self.problems.append(str(error))
            return None
        self.used.append(prompt)
        asked = await ask(workspace, settings, self.purpose, prompt.text, schema, now=now)
        self.tries += asked.tries
        self.problems += asked.problems
        return asked.answered.answer if asked.answered is not None else None


async def strongest(
    workspace: Workspace, settings: Settings, items: Sequence[Item], limit: int, today: date, now: datetime
) -> tuple[list[Item], Counsel]:
    """
    Choose the strongest items, strongest first: by the model's scores, or by the rules where none answers.

    Args:
        workspace: Its own prompt wins.
        settings: The models and the interests.
        items: All that is new, in any order.
        limit: At most so many are chosen.
        today: Day of the scan.
        now: The present instant.
    """
    counsel = Counsel("news_rank")
    ordered = rank(items, settings.interests, now, NEWS_A_CALL)
    if ordered and counsel.has_model(settings):
        variables = news_scores.variables(ordered, settings.interests, today, limit)
        answer = await counsel.ask(workspace, settings, variables, Scores, now)
        if answer is not None:
            found, refused = news_scores.chosen(answer, ordered, limit)
            counsel.refused.update(refused)
            return found, counsel
    return ordered[:limit], counsel


async def weighed(
    workspace: Workspace, settings: Settings, judged: Sequence[Triaged], today: date, now: datetime
) -> tuple[list[Triaged], Counsel]:
    """
    Weigh mail that the rules have judged: the model decides where they leave it to, batch by batch.

    Args:
        workspace: Its own prompt wins.
        settings: The models.
        judged: By the rules, in any order, which is kept.
        today: Day of the look.
        now: The present instant.
    """
    counsel = Counsel("mail_triage")
    found = list(judged)
    if not counsel.has_model(settings):
        return found, counsel
    for begin in range(0, min(len(found), MAX_CALLS * MAILS_A_CALL), MAILS_A_CALL):
        batch = found[begin : begin + MAILS_A_CALL]
        variables = mail_levels.variables([one.message for one in batch], today)
        if not variables["messages"]:
            continue
        answer = await counsel.ask(workspace, settings, variables, Levels, now)
        if answer is None:
            break
        found[begin : begin + len(batch)], refused = mail_levels.levels(answer, batch)
        counsel.refused.update(refused)
    return found, counsel
