"""A model that failed is left alone: by every process, for as long as it takes, and found again by one call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.models import cooldown
from daybook.models.outcomes import Trouble

if TYPE_CHECKING:
    from daybook.models.outcomes import Failure
    from daybook.workspace import Workspace

MODEL = "google:some-model"
AT = datetime(2026, 2, 7, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def fail(workspace: Workspace, outcome: Failure, at: datetime, wait_s: float | None = None, key: str = "k") -> None:
    turn = cooldown.take_turn(workspace, MODEL, at, key)
    assert turn is not None
    cooldown.failed(workspace, MODEL, Trouble(outcome, wait_s), f"{MODEL} failed.", turn, at, key)


def until(workspace: Workspace, at: datetime = AT, key: str = "k") -> datetime | None:
    return cooldown.waiting(cooldown.read(workspace).get(MODEL), at, key)


def test_a_model_without_a_past_may_be_called(workspace: Workspace) -> None:
    assert cooldown.take_turn(workspace, MODEL, AT, "k") == cooldown.Turn()


def test_a_call_is_written_down_before_it_is_made_also_where_the_model_is_well(workspace: Workspace) -> None:
    """A disk that takes no wait must not let a request out."""
    for at in (AT, AT + MINUTE):
        cooldown.take_turn(workspace, MODEL, at, "k")
        assert cooldown.read(workspace) == {MODEL: cooldown.Health(at=at)}


def test_the_wait_grows_with_each_failure_up_to_an_hour(workspace: Workspace) -> None:
    at, waits = AT, []
    for _ in range(7):
        fail(workspace, "overloaded", at)
        end = until(workspace, at)
        assert end is not None
        waits.append((end - at) / MINUTE)
        at = end
    assert waits == [5, 10, 20, 40, 60, 60, 60]


def test_a_longer_wait_that_the_provider_asks_for_wins(workspace: Workspace) -> None:
    fail(workspace, "rate-limited", AT, wait_s=600)
    assert until(workspace) == AT + 10 * MINUTE
    assert cooldown.take_turn(workspace, MODEL, AT + 10 * MINUTE - timedelta(seconds=1), "k") is None
    assert cooldown.take_turn(workspace, MODEL, AT + 10 * MINUTE, "k") is not None


def test_one_probe_finds_out_and_others_keep_waiting(workspace: Workspace) -> None:
    fail(workspace, "overloaded", AT)
    probe = cooldown.take_turn(workspace, MODEL, AT + 5 * MINUTE, "k")
    assert probe == cooldown.Turn(1, AT + 15 * MINUTE, probe=True)
    # Also if the probe is killed, and never says how it ended.
    assert cooldown.take_turn(workspace, MODEL, AT + 5 * MINUTE, "k") is None
    assert cooldown.take_turn(workspace, MODEL, AT + 14 * MINUTE, "k") is None
    assert cooldown.take_turn(workspace, MODEL, AT + 15 * MINUTE, "k") is not None


def test_an_answer_ends_it_and_says_since_when(workspace: Workspace) -> None:
    fail(workspace, "timeout", AT)
    back = AT + 6 * MINUTE
    probe = cooldown.take_turn(workspace, MODEL, back, "k")
    assert probe is not None
    cooldown.answered(workspace, MODEL, probe, back)
    assert cooldown.read(workspace)[MODEL] == cooldown.Health(was_down_since=AT, back_at=back)
    assert cooldown.take_turn(workspace, MODEL, back, "k") == cooldown.Turn()


def test_an_answer_to_a_call_made_before_a_failure_does_not_end_the_wait(workspace: Workspace) -> None:
    early = cooldown.take_turn(workspace, MODEL, AT, "k")
    assert early is not None
    fail(workspace, "rate-limited", AT, wait_s=600)
    cooldown.answered(workspace, MODEL, early, AT + MINUTE)
    assert until(workspace) == AT + 10 * MINUTE


def test_an_answer_does_not_end_the_short_wait_of_another_process(workspace: Workspace) -> None:
    early, other = (cooldown.take_turn(workspace, MODEL, AT, "k") for _ in range(2))
    assert early is not None
    assert other is not None
    cooldown.pause(workspace, MODEL, AT + MINUTE, other, AT)
    cooldown.answered(workspace, MODEL, early, AT)
    assert until(workspace) == AT + MINUTE


@pytest.mark.parametrize("waits", [(600.0, None), (None, 600.0)])
def test_of_two_calls_at_once_the_longer_wait_counts(waits: tuple[float | None, ...], workspace: Workspace) -> None:
    turns = [cooldown.take_turn(workspace, MODEL, AT, "k") for _ in waits]
    for turn, wait_s in zip(turns, waits, strict=True):
        assert turn is not None
        cooldown.failed(workspace, MODEL, Trouble("rate-limited", wait_s), "x", turn, AT, "k")
    assert until(workspace) == AT + 10 * MINUTE


def test_calls_that_fail_at_the_same_time_count_as_one_failure(workspace: Workspace) -> None:
    turns = [cooldown.take_turn(workspace, MODEL, AT, "k") for _ in range(3)]
    for turn in turns:
        assert turn is not None
        cooldown.failed(workspace, MODEL, Trouble("overloaded"), "x", turn, AT, "k")
    assert (cooldown.read(workspace)[MODEL].failures, until(workspace)) == (1, AT + 5 * MINUTE)


@pytest.mark.parametrize(
    ("at", "end"),
    [
        (datetime(2026, 2, 7, 7, 59, tzinfo=UTC), datetime(2026, 2, 7, 8, tzinfo=UTC)),
        (datetime(2026, 2, 7, 8, tzinfo=UTC), datetime(2026, 2, 8, 8, tzinfo=UTC)),
        # The night on which clocks go forward there.
        (datetime(2026, 3, 8, 9, tzinfo=UTC), datetime(2026, 3, 9, 7, tzinfo=UTC)),
    ],
)
def test_a_daily_quota_lasts_until_midnight_where_the_provider_is(
    at: datetime, end: datetime, workspace: Workspace
) -> None:
    fail(workspace, "daily-quota", at)
    assert until(workspace, at) == end


def test_a_wait_that_is_asked_for_wins_over_midnight_if_it_is_longer(workspace: Workspace) -> None:
    fail(workspace, "daily-quota", AT, wait_s=172_800)
    assert until(workspace) == AT + timedelta(days=2)


def test_the_day_of_another_provider_ends_at_midnight_utc(workspace: Workspace) -> None:
    name = "google-cloud:some-model"
    turn = cooldown.take_turn(workspace, name, AT, "k")
    assert turn is not None
    cooldown.failed(workspace, name, Trouble("daily-quota"), "x", turn, AT, "k")
    assert cooldown.read(workspace)[name].until == AT + timedelta(hours=12)


def test_a_retired_model_is_left_alone_for_hours(workspace: Workspace) -> None:
    fail(workspace, "retired-model", AT)
    assert until(workspace) == AT + timedelta(hours=6)


def test_a_wait_that_is_asked_for_counts_whatever_the_reason(workspace: Workspace) -> None:
    fail(workspace, "bad-key", AT, wait_s=7_200)
    assert until(workspace) == AT + timedelta(hours=2)


def test_a_wait_that_is_asked_for_counts_also_for_the_first_unusable_answer(workspace: Workspace) -> None:
    fail(workspace, "rejected", AT, wait_s=90)
    assert until(workspace) == AT + timedelta(seconds=90)


def test_a_refused_key_is_left_alone_and_another_one_tried_at_once(workspace: Workspace) -> None:
    fail(workspace, "bad-key", AT, key="old")
    assert until(workspace, AT + MINUTE, "old") == AT + 60 * MINUTE
    assert until(workspace, AT + MINUTE, "new") is None
    assert cooldown.take_turn(workspace, MODEL, AT + MINUTE, "new") is not None


def test_answers_that_cannot_be_used_cost_nothing_until_the_third(workspace: Workspace) -> None:
    seen = []
    at = AT
    for _ in range(4):
        fail(workspace, "malformed", at)
        end = until(workspace, at)
        seen.append(end and (end - at) / MINUTE)
        at = end or at
    assert seen == [None, None, 30, 60]


def test_what_is_too_long_costs_nothing_until_the_sixth_and_an_answer_begins_anew(workspace: Workspace) -> None:
    for _ in range(4):
        fail(workspace, "too-long", AT)
    turn = cooldown.take_turn(workspace, MODEL, AT, "k")
    assert turn is not None
    cooldown.answered(workspace, MODEL, turn, AT)
    for _ in range(5):
        fail(workspace, "too-long", AT)
        assert until(workspace) is None
    fail(workspace, "too-long", AT)
    assert until(workspace) == AT + 30 * MINUTE


def test_a_probe_that_is_answered_badly_still_waits(workspace: Workspace) -> None:
    fail(workspace, "overloaded", AT)
    fail(workspace, "empty", AT + 5 * MINUTE)
    assert until(workspace, AT + 5 * MINUTE) == AT + 15 * MINUTE


def test_a_clock_that_was_set_back_ends_the_wait(workspace: Workspace) -> None:
    ahead = AT + timedelta(days=400)
    fail(workspace, "overloaded", ahead)
    assert until(workspace, ahead) == ahead + 5 * MINUTE
    assert until(workspace, AT) is None


def test_a_damaged_file_is_set_aside_and_said(workspace: Workspace) -> None:
    path = workspace.private / cooldown.FILE
    path.write_text('{"models": {"x": {"failures": -3}}}')
    assert cooldown.read(workspace) == {}
    (told,) = cooldown.mend(workspace, AT)
    assert "models.json.corrupt-" in told
    assert not path.exists()
    assert cooldown.mend(workspace, AT) == []


def test_the_file_holds_no_key(workspace: Workspace) -> None:
    key = "AIzaFakeKeyForTests0123456789"
    fail(workspace, "bad-key", AT, key=cooldown.fingerprint(MODEL, key))
    path = workspace.private / cooldown.FILE
    assert key not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600
