"""
What models used, kept in private state as one row a call, and the day's budget.

The price is computed offline; a model without a known price counts by its tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from daybook import files
from daybook.clock import slot_date, stamp
from daybook.models.choice import provider_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import tzinfo
    from pathlib import Path

    from genai_prices.types import AbstractUsage

    from daybook.models.outcomes import Used
    from daybook.settings import Settings
    from daybook.workspace import Workspace

BYTES_PER_TOKEN = 4


class Row(BaseModel):
    """One call, as it stands in spend.jsonl."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    at: datetime
    purpose: str
    model: str
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float | None


@dataclass(frozen=True)
class Spend:
    """
    What was used in a day.

    Attributes:
        calls: Requests sent.
        tokens: Tokens in and out.
        usd: Price of the calls whose price is known.
        unpriced_calls: Calls whose price is unknown.
        damaged_rows: Rows of the whole file that cannot be read.
    """

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0
    damaged_rows: int = 0


def record(workspace: Workspace, *, purpose: str, model: str, used: Used, at: datetime) -> None:
    """
    Append what one call used.

    Raises:
        UnreadableFileError: It cannot be written; asking on would spend unseen.
    """
    row = {
        "at": stamp(at),
        "purpose": purpose,
        "model": model,
        "calls": used.calls,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "usd": used.usd,
    }
    files.append(_path(workspace), f"{json.dumps(row)}\n".encode(), mode=files.PRIVATE_FILE_MODE)


def today(workspace: Workspace, zone: tzinfo, now: datetime) -> Spend:
    """Add up what was used since midnight in *zone*."""
    day = slot_date(now, zone)
    rows = [_row(line) for line in (files.read_if_exists(_path(workspace)) or b"").splitlines() if line.strip()]
    read = [row for row in rows if row is not None]
    of_today = [row for row in read if slot_date(row.at, zone) == day]
    return Spend(
        calls=sum(row.calls for row in of_today),
        tokens=sum(row.tokens_in + row.tokens_out for row in of_today),
        usd=sum(row.usd for row in of_today if row.usd is not None),
        unpriced_calls=sum(row.calls for row in of_today if row.usd is None),
        damaged_rows=len(rows) - len(read),
    )


def over_budget(workspace: Workspace, settings: Settings, model: str, prompt: str, now: datetime) -> bool:
    """
    Whether asking *model* would go over today's budget.

    The money limit does not stop models without a known price, such as local ones; the token limit stops all.
    """
    spent = today(workspace, settings.zone, now)
    if spent.tokens + len(prompt.encode()) // BYTES_PER_TOKEN >= settings.budget.tokens_per_day:
        return True
    return spent.usd >= settings.budget.usd_per_day and _has_price(model)


def price(model: str, answered_by: str | None, usage: AbstractUsage) -> float | None:
    """
    Price of one call in US dollars; None when no price is known for the model.

    Args:
        model: What was asked for, `provider:name`.
        answered_by: What the provider says that answered, which an alias may stand for.
        usage: Tokens by kind.
    """
    provider, name = provider_of(model)
    return _first_price([answered_by, name], provider, usage)


def _has_price(model: str) -> bool:
    from genai_prices import Usage  # noqa: PLC0415 - loads the table of prices

    return price(model, None, Usage(input_tokens=1, output_tokens=1)) is not None


def _first_price(names: Iterable[str | None], provider: str, usage: AbstractUsage) -> float | None:
    from genai_prices import calc_price  # noqa: PLC0415 - loads the table of prices

    for name in names:
        if not name:
            continue
        try:
            return float(calc_price(usage, name, provider_id=provider).total_price)
        except LookupError:
            continue
    return None


def _row(line: bytes) -> Row | None:
    try:
        row = Row.model_validate_json(line)
    except ValidationError:
        return None
    return row if row.at.tzinfo is not None else None


def _path(workspace: Workspace) -> Path:
    return workspace.private / "spend.jsonl"
