"""A clock without waiting, and what the Gemini API answers when something is wrong."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[3] / "shared" / "data" / "gemini"


@dataclass
class Waits:
    """A clock that moves only when somebody sleeps."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """Note the wait."""
        self.seconds.append(seconds)

    def clock(self) -> float:
        """Seconds slept so far."""
        return sum(self.seconds)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def situations() -> dict[str, dict[str, Any]]:
    """What the Gemini API answers in situations that go wrong, by file name."""
    if not DATA.is_dir():
        pytest.skip(f"the shared data folder {DATA} is missing")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.json"))}
