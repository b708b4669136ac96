"""Slots are instants in UTC; their dates are the workspace's own."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from daybook import clock
from daybook.errors import SettingsError

BERLIN = ZoneInfo("Europe/Berlin")


def test_s12_a_run_for_midnight_belongs_to_the_new_day_however_early_it_starts() -> None:
    """Turns red when the date is taken from the start of the run instead of its slot."""
    slot = datetime(2026, 2, 7, tzinfo=BERLIN)
    early = slot - timedelta(milliseconds=400)
    assert clock.slot_date(slot, BERLIN) == date(2026, 2, 7)
    assert clock.slot_date(early, BERLIN) == date(2026, 2, 6)


@pytest.mark.parametrize(
    ("hour", "part"), [(5, "Morning"), (11, "Morning"), (12, "Afternoon"), (17, "Evening"), (22, "Night"), (3, "Night")]
)
def test_each_hour_has_its_part_of_the_day(hour: int, part: str) -> None:
    assert clock.part_of_day(datetime(2026, 2, 7, hour, tzinfo=UTC)) == part


def test_a_slot_name_is_read_back_exactly_and_autumns_two_half_past_two_differ() -> None:
    first = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=0)
    second = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN, fold=1)
    by_hand = datetime(2026, 2, 7, 8, 30, 0, 123, tzinfo=UTC)
    assert clock.slot_name(first) == "20261025T003000Z"
    assert clock.slot_name(second) == "20261025T013000Z"
    assert clock.from_slot_name(clock.slot_name(by_hand)) == by_hand


def test_an_unknown_zone_is_one_sentence_with_what_to_write() -> None:
    with pytest.raises(SettingsError, match=r"'Berlin' is not a time zone; use an IANA name"):
        clock.zone("Berlin")


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValueError, match="naive"):
        clock.local(datetime(2026, 2, 7), UTC)  # noqa: DTZ001 - the point of the test
