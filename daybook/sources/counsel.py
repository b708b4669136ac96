"""
Ask a model about what sources brought, where one is configured: which news is strong, how much a mail matters.

The rules decide first and stay wherever no model answers; a model is shown outside text as data, and answers
with numbers and levels alone.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from daybook import prompts
from daybook.errors import DaybookError
from daybook.models import keys, tokens
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.sources import interests, mail_levels, news_scores
from daybook.sources.mail_levels import Levels
from daybook.sources.news_scores import Scores
from daybook.sources.ranking import rank
from daybook.sources.triage import stands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date, datetime

    from daybook.models.choice import Purpose
    from daybook.models.outcomes import Answered, T, Unavailable
    from daybook.models.trying import Pace
    from daybook.prompts import Rendered
    from daybook.settings import Settings
    from daybook.sources.items import Item
    from daybook.sources.triage import Triaged
    from daybook.workspace import Workspace

Shown = TypeVar("Shown")

# What one call holds at most, and how many calls one look may make: the rest goes by rules.
NEWS_A_CALL = 40
MAILS_A_CALL = 20
MAX_CALLS = 5
# An answer names each item or message that it was shown, with a score or a level.
ANSWER_TOKENS_EACH = 32


@dataclass
class Counsel:
    """
    What asking came to.

    Attributes:
        purpose: What is asked for.
        pace: How to wait for a model.
        calls: How often models were asked.
        most: About how many at once; fewer once a model found that too long.
        tries: Every try, for the run record.
        used: The prompts sent, for the run record.
        refused: What the rules refused of the answers, by code.
        problems: What the operator should know.
    """

    purpose: Purpose
    pace: Pace | None
    most: int
    calls: int = 0
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
        shown: Sequence[Shown],
        variables: Callable[[Sequence[Shown]], dict[str, object]],
        schema: type[T],
        now: datetime,
    ) -> tuple[int, T] | None:
        """
        Ask about the first of *shown*: as many as a model can take at once, and half as many where it cannot.

        Args:
            workspace: Its own prompt wins.
            settings: The models, and how much they can take.
            shown: What is asked about.
            variables: Gives the prompt's variables for a part of it.
            schema: Form of the answer.
            now: The present instant.

        Returns:
            About how many it was, and the answer; None when no model answered, which leaves it to the rules.
        """
        while self.calls < MAX_CALLS:
            try:
                fitting = self._fitting(workspace, settings, shown, variables, schema)
                if fitting is None:
                    return None
                count, prompt = fitting
                self.calls += 1
                self.used.append(prompt)
                asked = await ask(workspace, settings, self.purpose, prompt.text, schema, now=now, pace=self.pace)
            except DaybookError as error:
                # A broken prompt or file of ours: what came in is told all the same.
                self.problems.append(str(error))
                return None
            self.tries += asked.tries
            self.problems += asked.problems
            if asked.answered is not None:
                return count, asked.answered.answer
            if count == 1 or all(one.outcome != "too-long" for one in asked.tries):
                return None
            self.most = count // 2
        return None

    def _fitting(
        self,
        workspace: Workspace,
        settings: Settings,
        shown: Sequence[Shown],
        variables: Callable[[Sequence[Shown]], dict[str, object]],
        schema: type[T],
    ) -> tuple[int, Rendered] | None:
        """How many fit, answer and all, and the prompt about them; None where not even one does."""
        room = settings.models.context_tokens - tokens.estimate(json.dumps(schema.model_json_schema()))
        size = 0
        for count in range(min(self.most, len(shown)), 0, -1):
            prompt = prompts.render(workspace, self.purpose, variables(shown[:count]))
            size = tokens.estimate(prompt.text) + count * ANSWER_TOKENS_EACH
            if size <= room:
                return count, prompt
        self.problems.append(
            f"The prompt {self.purpose} takes about {size} tokens by itself, and context_tokens under [models] leaves "
            f"{room}; make it shorter, or name models that take more."
        )
        return None


async def strongest(
    workspace: Workspace,
    settings: Settings,
    items: Sequence[Item],
    limit: int,
    today: date,
    now: datetime,
    *,
    pace: Pace | None = None,
) -> tuple[list[Item], Counsel]:
    """
    Choose the strongest items, strongest first: by the model's scores, or by the rules where none answers.

    Args:
        workspace: Its own prompt wins.
        settings: The models and the interests, to which USER.md may add.
        items: All that is new, in any order.
        limit: At most so many are chosen.
        today: Day of the scan.
        now: The present instant.
        pace: How to wait for a model; None: really.
    """
    counsel = Counsel("news_rank", pace, NEWS_A_CALL)
    wanted = interests.of(workspace, settings)
    ordered = rank(items, wanted, now, NEWS_A_CALL)
    if ordered and counsel.has_model(settings):
        variables = partial(news_scores.variables, interests=wanted, date=today, limit=limit)
        got = await counsel.ask(workspace, settings, ordered, variables, Scores, now)
        if got is not None:
            count, answer = got
            found, refused = news_scores.chosen(answer, ordered[:count], limit)
            counsel.refused.update(refused)
            return found, counsel
    return ordered[:limit], counsel


async def weighed(
    workspace: Workspace,
    settings: Settings,
    judged: Sequence[Triaged],
    today: date,
    now: datetime,
    *,
    pace: Pace | None = None,
) -> tuple[list[Triaged], Counsel]:
    """
    Weigh mail that the rules have judged: the model decides where they leave it to, batch by batch.

    Args:
        workspace: Its own prompt wins.
        settings: The models.
        judged: By the rules, in any order, which is kept.
        today: Day of the look.
        now: The present instant.
        pace: How to wait for a model; None: really.
    """
    counsel = Counsel("mail_triage", pace, MAILS_A_CALL)
    found = list(judged)
    if not counsel.has_model(settings):
        return found, counsel
    # What the rules are sure of is shown to no model.
    unsure = [at for at, one in enumerate(found) if not stands(one)]
    messages = [found[at].message for at in unsure]
    variables = partial(mail_levels.variables, date=today)
    begin = 0
    while begin < len(unsure):
        got = await counsel.ask(workspace, settings, messages[begin:], variables, Levels, now)
        if got is None:
            break
        count, answer = got
        batch = unsure[begin : begin + count]
        judged_anew, refused = mail_levels.levels(answer, [found[at] for at in batch])
        for at, one in zip(batch, judged_anew, strict=True):
            found[at] = one
        counsel.refused.update(refused)
        begin += count
    return found, counsel
