"""
Try one model: the only loop of tries there is, since the libraries' own are off.

It waits as long as the provider asks, up to a bound in all; a longer wait outlives the run as a cooldown.
"""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Generic

from daybook.clock import local
from daybook.errors import DaybookError
from daybook.models import budget, call, choice, cooldown, limiter, opening, pricing, spend, tokens
from daybook.models.choice import REVIEWING
from daybook.models.outcomes import CHARGED, PASSING, Answered, T, Trouble, Unavailable, Used, sentence

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from daybook.models.call import Reply
    from daybook.models.choice import Purpose
    from daybook.models.cooldown import Turn
    from daybook.settings import Settings
    from daybook.workspace import Workspace

LOGGER = logging.getLogger(__name__)
# A longer wait than this is told.
TOLD_S = 2.0
MAX_TRIES = 3
BACKOFF_S = 2
# Where libraries look for the address of a provider.
ADDRESS_NAME = re.compile(r"(?:BASE_URL|ENDPOINT|API_BASE)$")
# No model takes as much at once.
MAX_TOKENS = 100_000_000
JITTER_S = 1.0
# A review has time; mail and news fall to rules rather than hold up a beat.
PATIENCE_S = 60.0
SHORT_PATIENCE_S = 10.0


@dataclass(frozen=True)
class Pace:
    """
    How to wait.

    Attributes:
        sleep: Waits a number of seconds.
        clock: Seconds on a clock that only goes forward.
        chance: A number in [0, 1), for the jitter.
        begun_s: What the clock said when the instant was that is given as the present one; None: as asking begins.
    """

    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    begun_s: float | None = None

    @classmethod
    def from_now(cls) -> Pace:
        """Make the pace of a run that begins now, whose calls may come minutes later."""
        return cls(begun_s=time.monotonic())


@dataclass(frozen=True)
class Request(Generic[T]):
    """
    What is asked.

    Attributes:
        purpose: What for.
        text: The prompt, redacted.
        schema: Form of the answer.
        environ: Keys and addresses by the names of their variables.
        hidden: Values that must not be told.
        problems: What the operator should know besides. Added to here.
    """

    purpose: Purpose
    text: str
    schema: type[T]
    environ: Mapping[str, str] = field(repr=False)
    hidden: Sequence[str] = field(repr=False)
    problems: list[str] = field(default_factory=list)


@dataclass
class _Attempt(Generic[T]):
    """Where a model's tries stand."""

    workspace: Workspace
    settings: Settings
    model: str
    request: Request[T]
    began: datetime
    pace: Pace
    since_s: float
    used: Used = field(default_factory=Used)
    tries: int = 0

    @property
    def key(self) -> str:
        """Fingerprint of what may be mended where a model cannot be used: its key, and addresses."""
        environ = self.request.environ
        addresses = [f"{name}={environ[name]}" for name in sorted(environ) if ADDRESS_NAME.search(name)]
        return cooldown.fingerprint(self.model, "\0".join([choice.key_of(self.model, environ), *addresses]))

    @property
    def at(self) -> datetime:
        begun_s = self.since_s if self.pace.begun_s is None else self.pace.begun_s
        return self.began + timedelta(seconds=self.pace.clock() - begun_s)

    def left_s(self) -> float:
        """Seconds that may still be waited."""
        patience_s = PATIENCE_S if self.request.purpose in REVIEWING else SHORT_PATIENCE_S
        return patience_s - (self.pace.clock() - self.since_s)

    def told(self, trouble: Trouble) -> str:
        variable = choice.key_variables(self.model, self.request.environ)
        return sentence(self.model, trouble, variable=variable, secrets=self.request.hidden)


@dataclass(frozen=True)
class _Failed:
    """
    One call that gave nothing, or was not made.

    Attributes:
        trouble: Why.
        wait_s: Seconds until it may be made again here; None for not at all.
    """

    trouble: Trouble
    wait_s: float | None = None


async def try_model(
    workspace: Workspace, settings: Settings, model: str, request: Request[T], now: datetime, pace: Pace
) -> Answered[T] | Unavailable:
    """
    Ask one model, again where that may help.

    Args:
        workspace: Whose private state.
        settings: The budget and the pace.
        model: `provider:name`, as Pydantic AI spells it.
        request: What is asked.
        now: Aware; when this, or the run that it is a part of, begins.
        pace: How to wait.
    """
    attempt = _Attempt(workspace, settings, model, request, now, pace, pace.clock())
    while True:
        got = await _once(attempt)
        if not isinstance(got, _Failed):
            return Answered(model, got, attempt.used)
        if got.wait_s is None or got.wait_s > attempt.left_s():
            why = got.trouble
            return Unavailable(model, why.outcome, attempt.told(why), why.retry_after_s, attempt.used)
        if got.wait_s > TOLD_S:
            LOGGER.info("Waiting %.0f s: %s", got.wait_s, attempt.told(got.trouble))
        await pace.sleep(got.wait_s)


async def _once(attempt: _Attempt[T]) -> T | _Failed:
    """Make one call, if nothing stands against it."""
    cooling = _cooling(attempt)
    if cooling is not None:
        return cooling
    opened = opening.open_model(attempt.model, attempt.request.environ)
    if isinstance(opened, Trouble):
        return _Failed(opened)
    taken = _take(attempt)
    if isinstance(taken, _Failed):
        return taken
    room, turn = taken
    request = attempt.request
    LOGGER.info("Asking %s (%s, about %d tokens) …", attempt.model, request.purpose, room.row.tokens_in)
    # A call that is cancelled or killed keeps what was taken for it: it may have been charged.
    reply = await call.send(
        attempt.model, opened, request.text, request.schema, max_output_tokens=room.max_output_tokens
    )
    attempt.tries += 1
    # First of all, for others wait for it: a kill in between would let them call too soon.
    wait_s = _after(attempt, reply.result, turn)
    used = _charged(reply, room)
    attempt.used += used
    try:
        spend.settle(attempt.workspace, room.row, used)
    except DaybookError as error:
        # What was taken stands, and is more; the answer is paid for and counts.
        request.problems.append(str(error))
    return _Failed(reply.result, wait_s) if isinstance(reply.result, Trouble) else reply.result


def _cooling(attempt: _Attempt[T]) -> _Failed | None:
    health, at = cooldown.read(attempt.workspace).get(attempt.model), attempt.at
    until = cooldown.waiting(health, at, attempt.key)
    if health is None or until is None:
        return None
    why = f": {health.sentence}" if health.sentence else ""
    zone = attempt.settings.zone
    trouble = Trouble("cooling", detail=f"not before {local(until, zone):%Y-%m-%d %H:%M}{why}")
    # Where another process is about to try again, the wait is short and worth it.
    return _Failed(trouble, None if health.down_since else (until - at).total_seconds())


def _take(attempt: _Attempt[T]) -> tuple[budget.Room, Turn] | _Failed:
    """Take what a call needs: one request of this minute, room in the budget, and the right to call."""
    workspace, model, at = attempt.workspace, attempt.model, attempt.at
    provider, _ = choice.provider_of(model)
    limit = attempt.settings.models.requests_per_minute.get(provider)
    paced_s = limiter.reserve(provider, limit, at) if limit else 0.0
    if paced_s:
        return _Failed(Trouble("paced"), paced_s)
    room = budget.take(workspace, attempt.settings, attempt.request.purpose, model, _sent(attempt.request), at)
    if isinstance(room, budget.Full):
        return _Failed(Trouble("over-budget", detail=room.told))
    turn = cooldown.take_turn(workspace, model, at, attempt.key)
    if turn is None:
        spend.settle(workspace, room.row, Used())
        return _Failed(Trouble("cooling", detail="another process is asking it"))
    return room, turn


def _after(attempt: _Attempt[T], result: T | Trouble, turn: Turn) -> float | None:
    """Remember how a call ended, for this process and all others; seconds until the next try here, None for none."""
    workspace, model, at = attempt.workspace, attempt.model, attempt.at
    if not isinstance(result, Trouble):
        cooldown.answered(workspace, model, turn, at)
        return None
    wait_s = None if turn.probe or attempt.tries >= MAX_TRIES else _backoff_s(result, attempt)
    if wait_s is not None and wait_s <= attempt.left_s():
        cooldown.pause(workspace, model, at + timedelta(seconds=wait_s), turn, at)
        return wait_s
    cooldown.failed(workspace, model, result, attempt.told(result), turn, at, attempt.key)
    return None


def _charged(reply: Reply[T], room: budget.Room) -> Used:
    """What a call counts as: what the provider said, or where it said nothing believable, what it may have been."""
    used, most = reply.used, room.row
    believable = 0 < used.tokens_in + used.tokens_out < MAX_TOKENS and min(used.tokens_in, used.tokens_out) >= 0
    if believable:
        return used
    if not isinstance(reply.result, Trouble):
        out = tokens.estimate(reply.result.model_dump_json())
        return Used(used.calls, most.tokens_in, out, pricing.price_of_tokens(most.model, most.tokens_in, out))
    if reply.result.outcome in CHARGED:
        return Used(used.calls, most.tokens_in, most.tokens_out, most.usd)
    return Used(used.calls)


def _backoff_s(trouble: Trouble, attempt: _Attempt[T]) -> float | None:
    """Seconds until the next try, never fewer than the provider asked for; None when it would not help."""
    if trouble.outcome not in PASSING:
        return None
    if trouble.retry_after_s is not None:
        return trouble.retry_after_s + attempt.pace.chance() * JITTER_S
    return attempt.pace.chance() * (BACKOFF_S << attempt.tries)


def _sent(request: Request[T]) -> str:
    """All that is sent: the prompt, and the form of the answer."""
    return f"{request.text}\n{json.dumps(request.schema.model_json_schema())}"
