"""How a commit of memory is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


def message(flow: str, day: date, added: int = 0, revised: int = 0, retired: int = 0) -> str:
    """Say what changed, in one line such as `review 2026-02-07: +3 ~1 -2`; without a change of entries, whose it is."""
    counts = [f"{sign}{count}" for sign, count in (("+", added), ("~", revised), ("-", retired)) if count]
    return f"{flow} {day.isoformat()}" + (f": {' '.join(counts)}" if counts else "")
