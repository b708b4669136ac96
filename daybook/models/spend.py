"""
What models used, kept in private state as rows of spend.jsonl.

A call has a row before it is sent, with the most it can use, and one after it, with what it used: the last row
of an id counts. A call that was killed in between counts with the most, since it may have been charged.
"""

from __future__ import annotations

import calendar
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from daybook import files
from daybook.clock import slot_date, stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import date, tzinfo
    from pathlib import Path

    from daybook.models.outcomes import Used
    from daybook.workspace import Workspace

FILE = "spend.jsonl"
FORECAST_DAYS = 7
# Earlier there were no such models; near year 1 a date in another zone is none at all.
FIRST_YEAR = 2000


Count = Annotated[int, Field(ge=0)]


class Row(BaseModel):
    """One call, as it stands in spend.jsonl."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: str = ""
    at: AwareDatetime
    purpose: str
    model: str
    calls: Count
    tokens_in: Count
    tokens_out: Count
    usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None


@dataclass(frozen=True)
class Spend:
    """
    What was used in a span of time.

    Attributes:
        calls: Requests sent.
        tokens: Tokens in and out.
        usd: Price of the calls whose price is known.
        unpriced_calls: Calls whose price is unknown.
    """

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    unpriced_calls: int = 0


@dataclass(frozen=True)
class Outlook:
    """
    What models used, and what that comes to.

    Attributes:
        today: Since midnight.
        month: Since the first of the month.
        forecast_usd: What the whole month comes to if it goes on as in the last seven days.
        damaged_rows: Rows that cannot be read.
    """

    today: Spend = Spend()
    month: Spend = Spend()
    forecast_usd: float = 0.0
    damaged_rows: int = 0


def write(workspace: Workspace, make: Callable[[list[Row]], Row | None]) -> None:
    """
    Append the row that *make* gives for the rows there are, in one step that no other process can come between.

    Raises:
        UnreadableFileError: It cannot be written; asking on would spend unseen.
    """

    def line(present: bytes) -> bytes:
        row = make(_counting(_rows(present)))
        return b"" if row is None else f"{json.dumps(_plain(row))}\n".encode()

    # Tidying replaces the file; what was written to the old one is written again.
    files.append(_path(workspace), line, mode=files.PRIVATE_FILE_MODE, follow=True)


def settle(workspace: Workspace, reserved: Row, used: Used) -> None:
    """Say what a call used that had a row before it was sent."""
    actual = {"calls": used.calls, "tokens_in": used.tokens_in, "tokens_out": used.tokens_out, "usd": used.usd}
    write(workspace, lambda _: reserved.model_copy(update=actual))


def look(workspace: Workspace, zone: tzinfo, now: datetime) -> Outlook:
    """Add up what was used since midnight in *zone* and since the first of the month there."""
    data = files.read_if_exists(_path(workspace)) or b""
    read = _rows(data)
    rows = [row for row in _counting(read) if row.calls]
    today = slot_date(now, zone)
    month = added(row for row in rows if today.replace(day=1) <= slot_date(row.at, zone) <= today)
    rest = calendar.monthrange(today.year, today.month)[1] - today.day
    return Outlook(
        today=added(row for row in rows if slot_date(row.at, zone) == today),
        month=month,
        forecast_usd=month.usd + rest * _usd_a_day(rows, today, zone),
        damaged_rows=sum(1 for line in data.splitlines() if line.strip()) - len(read),
    )


def added(rows: Iterable[Row]) -> Spend:
    """Add rows up."""
    calls = tokens = unpriced = 0
    usd = 0.0
    for row in rows:
        calls += row.calls
        tokens += row.tokens_in + row.tokens_out
        usd += row.usd or 0.0
        unpriced += row.calls if row.usd is None else 0
    return Spend(calls, tokens, usd, unpriced)


def _usd_a_day(rows: Sequence[Row], today: date, zone: tzinfo) -> float:
    """Mean of the last seven days, or of as many as there are."""
    first = today - timedelta(days=FORECAST_DAYS - 1)
    days = [(slot_date(row.at, zone), row.usd or 0.0) for row in rows if first <= slot_date(row.at, zone) <= today]
    if not days:
        return 0.0
    oldest = min(slot_date(row.at, zone) for row in rows)
    return sum(usd for _, usd in days) / ((today - max(oldest, first)).days + 1)


def _counting(rows: Sequence[Row]) -> list[Row]:
    """Keep the last row of each id, where its first one stood."""
    last: dict[str, Row] = {}
    for number, row in enumerate(rows):
        last[row.id or f"#{number}"] = row
    return list(last.values())


def _rows(data: bytes) -> list[Row]:
    return [row for line in data.splitlines() if line.strip() and (row := _row(line)) is not None]


def _row(line: bytes) -> Row | None:
    try:
        row = Row.model_validate_json(line)
    except ValidationError:
        return None
    return row if row.at.year >= FIRST_YEAR else None


def _plain(row: Row) -> dict[str, object]:
    return row.model_dump(mode="json") | {"at": stamp(row.at)}


def _path(workspace: Workspace) -> Path:
    return workspace.private / FILE
