"""Requests a minute, counted for all processes of this user together."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.finding import state_home
from daybook.models import limiter

if TYPE_CHECKING:
    from collections.abc import Callable

AT = datetime(2026, 2, 7, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def test_as_many_requests_as_allowed_and_then_a_wait() -> None:
    taken = [limiter.reserve("google", 2, AT + number * 10 * SECOND) for number in range(3)]
    assert taken == [0.0, 0.0, 40.0]
    assert limiter.reserve("google", 2, AT + 60 * SECOND) == 0.0
    assert limiter.reserve("google", 2, AT + 60 * SECOND) == 10.0


def test_providers_are_counted_apart() -> None:
    assert [limiter.reserve(name, 1, AT) for name in ("google", "openai")] == [0.0, 0.0]


def test_a_lower_limit_counts_at_once() -> None:
    for number in range(4):
        limiter.reserve("google", 4, AT + number * SECOND)
    assert limiter.reserve("google", 2, AT + 4 * SECOND) == 58.0


def test_a_clock_that_was_ahead_blocks_nobody() -> None:
    limiter.reserve("google", 1, AT + timedelta(days=3))
    assert limiter.reserve("google", 1, AT) == 0.0


def test_a_request_by_a_clock_that_is_slightly_ahead_counts() -> None:
    limiter.reserve("google", 1, AT + 10 * SECOND)
    assert limiter.reserve("google", 1, AT) == 70.0


def test_a_request_by_a_clock_that_is_minutes_ahead_is_kept_for_when_its_time_comes() -> None:
    limiter.reserve("google", 1, AT + 600 * SECOND)
    assert limiter.reserve("google", 1, AT) == 0.0
    assert limiter.reserve("google", 1, AT + 610 * SECOND) == 50.0


def test_a_damaged_file_counts_as_none() -> None:
    limiter.reserve("google", 1, AT)
    (Path(state_home()) / limiter.FOLDER / "google.json").write_text('{"torn')
    assert limiter.reserve("google", 1, AT) == 0.0


def test_a_name_that_is_no_plain_name_leads_nowhere_else() -> None:
    assert limiter.reserve("../../evil", 1, AT) == 0.0
    assert sorted(path.name for path in (Path(state_home()) / limiter.FOLDER).iterdir()) == ["other.json", "other.lock"]


# Takes one request at the millisecond that it is given.
TAKE = """
import sys
from datetime import UTC, datetime, timedelta
from daybook.models import limiter
for line in sys.stdin:
    at = datetime(2026, 2, 7, 12, tzinfo=UTC) + timedelta(milliseconds=int(line))
    print(limiter.reserve("google", 7, at) == 0, flush=True)
"""


def test_processes_at_once_never_take_more_than_the_limit(at_once: Callable[..., list[list[str]]]) -> None:
    taken = [said for process in at_once(TAKE, 4, map(str, range(10))) for said in process]
    assert (len(taken), taken.count("True")) == (40, 7)
    assert len(json.loads((Path(state_home()) / limiter.FOLDER / "google.json").read_text())) == 7
