"""
Whether a call still fits what may be used, and how much of it: looked up and taken in one step.

The limits are hard between processes too, as far as tokens can be estimated before they are counted: a call takes
the most it can use before it is sent, and gives back what it left.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.clock import slot_date
from daybook.models import pricing, spend, tokens
from daybook.models.choice import REVIEWING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, tzinfo

    from daybook.models.choice import Purpose
    from daybook.models.spend import Row
    from daybook.settings import Budget, Settings
    from daybook.workspace import Workspace

MAX_OUTPUT_TOKENS = 8192
# With less room than this an answer would be cut off, and its price lost.
MIN_OUTPUT_TOKENS = 512
# An estimate may be short by that much.
MARGIN = 1.25
HOUR = timedelta(hours=1)


@dataclass(frozen=True)
class Room:
    """
    A call that fits.

    Attributes:
        row: What was taken for it.
        max_output_tokens: How long its answer may be.
    """

    row: Row
    max_output_tokens: int


@dataclass(frozen=True)
class Full:
    """
    A call that does not fit.

    Attributes:
        limit: The setting that stops it.
        told: The same with what is used and what there is.
    """

    limit: str
    told: str = field(default="", compare=False)


def take(
    workspace: Workspace, settings: Settings, purpose: Purpose, model: str, prompt: str, at: datetime
) -> Room | Full:
    """
    Take what a call may use at most.

    The money limit does not stop models without a known price, such as local ones; the token limit stops all.

    Args:
        workspace: Whose spending.
        settings: The limits, and the zone that says when a day begins.
        purpose: What the call is for: what is no review may use only what is not kept for reviews.
        model: Which.
        prompt: All that is sent.
        at: The present instant.

    Raises:
        UnreadableFileError: What was spent cannot be read or written.
    """
    tokens_in = int(tokens.estimate(prompt) * MARGIN)
    usd_in = pricing.price_of_tokens(model, tokens_in, 0)
    usd_out = pricing.price_of_tokens(model, 0, MAX_OUTPUT_TOKENS)
    found: list[Room | Full] = []

    def fit(rows: Sequence[Row]) -> Row | None:
        left = _left(settings.budget, rows, purpose, at, settings.zone)
        room = _fitting(left, tokens_in, usd_in, usd_out)
        if isinstance(room, Full):
            found.append(replace(room, told=_told(settings, purpose, room.limit, rows, at)))
            return None
        usd = None if usd_in is None or usd_out is None else usd_in + usd_out * room / MAX_OUTPUT_TOKENS
        taken = spend.Row(
            id=uuid.uuid4().hex,
            at=at,
            purpose=purpose,
            model=model,
            calls=1,
            tokens_in=tokens_in,
            tokens_out=room,
            usd=usd,
        )
        found.append(Room(taken, room))
        return taken

    spend.write(workspace, fit)
    return found[-1]


def _told(settings: Settings, purpose: Purpose, limit: str, rows: Sequence[Row], at: datetime) -> str:
    """Say what is used of a limit, in all, and what of it is not for this purpose."""
    day, hour = _recent(rows, at, settings.zone)
    spent, budget = spend.added(day), settings.budget
    used = {
        "calls_per_hour": f"{sum(row.calls for row in hour)} of {budget.calls_per_hour} calls in the last hour",
        "tokens_per_day": f"{spent.tokens} of {budget.tokens_per_day} tokens today",
        "usd_per_day": f"{spent.usd:.4f} of {budget.usd_per_day:g} USD today",
    }
    kept = "" if purpose in REVIEWING else f", of which {budget.review_share:.0%} is kept for the review"
    return f"{limit}: {used[limit]}{kept}"


@dataclass(frozen=True)
class _Left:
    calls: int
    tokens: float
    usd: float


def _left(budget: Budget, rows: Sequence[Row], purpose: Purpose, at: datetime, zone: tzinfo) -> _Left:
    """What is left for a purpose: of everything, and for what is no review also of the part that is not kept."""
    day, hour = _recent(rows, at, zone)
    whole = _rest(budget, day, hour)
    if purpose in REVIEWING:
        return whole
    others = ([row for row in part if row.purpose not in REVIEWING] for part in (day, hour))
    rest = _rest(budget, *others, share=1.0 - budget.review_share)
    return _Left(min(whole.calls, rest.calls), min(whole.tokens, rest.tokens), min(whole.usd, rest.usd))


def _recent(rows: Sequence[Row], at: datetime, zone: tzinfo) -> tuple[list[Row], list[Row]]:
    """Rows of the day, and of the last hour; what lies further ahead was written by a clock that was wrong."""
    today = slot_date(at, zone)
    return [row for row in rows if slot_date(row.at, zone) == today], [row for row in rows if abs(at - row.at) < HOUR]


def _rest(budget: Budget, day: Sequence[Row], hour: Sequence[Row], *, share: float = 1.0) -> _Left:
    spent = spend.added(day)
    return _Left(
        int(round(budget.calls_per_hour * share, 6)) - sum(row.calls for row in hour),
        budget.tokens_per_day * share - spent.tokens,
        budget.usd_per_day * share - spent.usd,
    )


def _fitting(left: _Left, tokens_in: int, usd_in: float | None, usd_out: float | None) -> int | Full:
    """How long an answer may be; the setting that leaves no room for one."""
    if left.calls < 1:
        return Full("calls_per_hour")
    by_tokens = left.tokens - tokens_in
    if by_tokens < MIN_OUTPUT_TOKENS:
        return Full("tokens_per_day")
    by_usd = float(MAX_OUTPUT_TOKENS)
    if usd_in is not None and usd_out:
        by_usd = (left.usd - usd_in) / usd_out * MAX_OUTPUT_TOKENS
    if by_usd < MIN_OUTPUT_TOKENS:
        return Full("usd_per_day")
    return int(min(MAX_OUTPUT_TOKENS, by_tokens, by_usd))
