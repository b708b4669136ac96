"""
Ask one model for one answer of a given form.

Every way this can end is a value (see `outcomes`). There is one loop of tries, here; the libraries' own are
off. It waits as long as the provider asks, up to a minute in all; a longer wait is the caller's to remember.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.guard.secrets import redact
from daybook.models import call, choice, spend
from daybook.models.outcomes import PASSING, Answered, T, Trouble, Unavailable, Used, sentence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from datetime import datetime

    from daybook.models.call import Reply
    from daybook.settings import Settings
    from daybook.workspace import Workspace

MAX_TRIES = 3
MAX_TOTAL_S = 60.0
BACKOFF_S = 2
JITTER_S = 1.0


async def ask(
    workspace: Workspace,
    settings: Settings,
    model: str,
    prompt: str,
    schema: type[T],
    *,
    purpose: str,
    now: datetime,
    secrets: Iterable[str] = (),
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
    chance: Callable[[], float] = random.random,
) -> Answered[T] | Unavailable:
    """
    Ask *model*; never raises for what a provider or its library does.

    Args:
        workspace: Its private state keeps what was spent.
        settings: The day's budget and the zone that says when a day begins.
        model: `provider:name`, as Pydantic AI spells it; keys and base addresses come from the environment.
        prompt: Redacted here once more, by shape and by value, before it is sent.
        schema: Form of the answer.
        purpose: What it is for, such as `review`; kept with what was spent.
        now: Aware, UTC; when asking begins.
        secrets: Values that must not leave, besides the environment's.
        sleep: Waits a number of seconds.
        clock: Seconds on a clock that only goes forward.
        chance: A number in [0, 1), for the jitter.

    Returns:
        The answer, or the reason why there is none; with what it cost in both cases.

    Raises:
        UnreadableFileError: What was spent cannot be read or written.
    """
    hidden = [*secrets, *choice.secret_values(os.environ)]
    text = redact(prompt, hidden)
    began = clock()
    used = Used()
    tries = 0
    while True:
        at = now + timedelta(seconds=clock() - began)
        if spend.over_budget(workspace, settings, model, text, at):
            return _unavailable(model, Trouble("over-budget"), used, hidden)
        reply = await _counted(workspace, model, text, schema, purpose=purpose, at=at)
        used += reply.used
        tries += 1
        if not isinstance(reply.result, Trouble):
            return Answered(model, reply.result, used)
        wait_s = _wait_s(reply.result, tries, chance)
        if wait_s is None or clock() - began + wait_s > MAX_TOTAL_S:
            return _unavailable(model, reply.result, used, hidden)
        await sleep(wait_s)


async def _counted(
    workspace: Workspace, model: str, text: str, schema: type[T], *, purpose: str, at: datetime
) -> Reply[T]:
    used = Used(calls=1)
    try:
        reply = await call.send(model, text, schema)
        used = reply.used
    finally:
        # Also when we are cancelled: the request may have been sent.
        if used.calls:
            spend.record(workspace, purpose=purpose, model=model, used=used, at=at)
    return reply


def _unavailable(model: str, trouble: Trouble, used: Used, secrets: Sequence[str]) -> Unavailable:
    variable = choice.key_variables(model, os.environ)
    told = sentence(model, trouble, variable=variable, secrets=secrets)
    return Unavailable(model, trouble.outcome, told, trouble.retry_after_s, used)


def _wait_s(trouble: Trouble, tries: int, chance: Callable[[], float]) -> float | None:
    """Seconds until the next try, never fewer than the provider asked for; None when there is to be none."""
    if tries >= MAX_TRIES or trouble.outcome not in PASSING:
        return None
    if trouble.retry_after_s is not None:
        return trouble.retry_after_s + chance() * JITTER_S
    return chance() * (BACKOFF_S << tries)
