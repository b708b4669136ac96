"""Values of a file that anyone may scribble on: what cannot be is unknown, and what is too much is bounded."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from daybook.clock import stamp
from daybook.guard.cleaning import clean

MAX_COUNT = 1_000
MAX_TEXT_CHARS = 1_024
NAME_CHARS = 200


def _lenient_time(value: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        # A time without a zone is anybody's guess, and one at the end of time has no UTC.
        return time.astimezone(UTC) if isinstance(time, datetime) and time.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _lenient_text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= MAX_TEXT_CHARS else None


def _lenient_name(value: object) -> str | None:
    # Whoever prints it prints to a terminal.
    return clean(value, limit=NAME_CHARS) or None if isinstance(value, str) else None


def _lenient_count(value: object) -> int:
    counted = isinstance(value, int) and not isinstance(value, bool)
    return min(max(int(str(value)), 0), MAX_COUNT) if counted else 0


def states(value: object) -> dict[str, Any]:
    """Give those values of a mapping that are mappings themselves."""
    return {str(k): v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}


Time = Annotated[
    datetime | None,
    BeforeValidator(_lenient_time),
    PlainSerializer(lambda time: time and stamp(time), return_type=str | None),
]
Text = Annotated[str | None, BeforeValidator(_lenient_text)]
Name = Annotated[str | None, BeforeValidator(_lenient_name)]
Count = Annotated[int, BeforeValidator(_lenient_count)]
