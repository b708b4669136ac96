"""
Ask the models of a purpose, in order, for one answer of a given form.

Every way this can end is a value (see `outcomes`), kept try by try for the run record. What keeps a model from being
asked (its cooldown, the budget, its provider's pace, quiet hours) is asked first, and costs no request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from daybook.guard.secrets import redact
from daybook.models import choice, cooldown, keys
from daybook.models.choice import EXTRACTIVE, REVIEWING
from daybook.models.outcomes import Answered, T, Trouble, Unavailable, Used, sentence
from daybook.models.trying import Pace, Request, try_model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.models.choice import Purpose
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Asked(Generic[T]):
    """
    What asking came to.

    Attributes:
        tries: A model each, in order; an answer is the last.
        problems: What the operator should know besides.
    """

    tries: tuple[Answered[T] | Unavailable, ...]
    problems: tuple[str, ...] = ()

    @property
    def answered(self) -> Answered[T] | None:
        """The answer, if a model gave one."""
        last = self.tries[-1] if self.tries else None
        return last if isinstance(last, Answered) else None

    @property
    def refused(self) -> Unavailable | None:
        """Why there is no answer: what the last model said."""
        last = self.tries[-1] if self.tries else None
        return last if isinstance(last, Unavailable) else None


async def ask(
    workspace: Workspace,
    settings: Settings,
    purpose: Purpose,
    prompt: str,
    schema: type[T],
    *,
    now: datetime,
    models: Sequence[str] | None = None,
    pace: Pace | None = None,
) -> Asked[T]:
    """
    Ask for an answer; never raises for what a provider or its library does.

    Args:
        workspace: Its private state keeps what was spent, and which models are left alone.
        settings: The models, the budget, the pace, the quiet hours, and the zone that says when a day begins.
        purpose: What the answer is for.
        prompt: Redacted here once more, by shape and by value, before it is sent.
        schema: Form of the answer.
        now: Aware; when asking begins, or at the time that the pace says.
        models: Which to try, in order; None: those of the purpose. `extractive` among them is the caller's to do.
        pace: How to wait; None: really.

    Raises:
        SettingsError: The file of keys cannot be used.
        UnreadableFileError: What was spent, or which models are left alone, cannot be read or written.
    """
    environ = keys.environment()
    hidden = tuple(choice.secret_values(environ))
    request = Request(purpose, redact(prompt, hidden), schema, environ, hidden)
    named = choice.choose(settings.models, purpose, environ) if models is None else models
    request.problems.extend(cooldown.mend(workspace, now))
    tries: list[Answered[T] | Unavailable] = []
    for model in (one for one in named if one != EXTRACTIVE):
        if purpose not in REVIEWING and settings.quiet_at(now):
            told = sentence(model, Trouble("quiet-hours"), variable="", secrets=hidden)
            tries.append(Unavailable(model, "quiet-hours", told, None, Used()))
            continue
        tries.append(await try_model(workspace, settings, model, request, now, pace or Pace()))
        if isinstance(tries[-1], Answered):
            break
    return Asked(tuple(tries), tuple(request.problems))
