from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from daybook.sources.items import Item
from daybook.sources.ranking import rank

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
PLAIN = Item(id="0", title="Weather", link="", summary="", published=NOW, feed="A", weight=1.0)


def titles(items: list[Item], interests: tuple[str, ...] = (), **options: int) -> list[str]:
    return [item.title for item in rank(items, interests, NOW, **options)]


def item(title: str, **changes: object) -> Item:
    return replace(PLAIN, id=title, title=title, **changes)


def test_an_interest_in_the_title_beats_one_in_the_summary_and_that_beats_freshness() -> None:
    old = NOW - timedelta(days=3)
    items = [
        item("Fresh"),
        item("Other", summary="about Python", published=old),
        item("Python 3.15", published=old),
    ]
    assert titles(items, ("python",)) == ["Python 3.15", "Other", "Fresh"]


def test_a_phrase_needs_all_its_words() -> None:
    items = [item("Home football"), item("Energy for your home", published=NOW - timedelta(days=9))]
    assert titles(items, ("home energy",), limit=1) == ["Energy for your home"]


def test_a_short_word_does_not_match_inside_another() -> None:
    items = [item("Maintenance", published=NOW - timedelta(hours=1)), item("Weather")]
    assert titles(items, ("ai",), limit=1) == ["Weather"]


def test_an_interest_without_spaces_is_found_inside_a_sentence() -> None:
    items = [item("Weather"), item("東京の天気予報", published=NOW - timedelta(days=2))]
    assert titles(items, ("天気",), limit=1) == ["東京の天気予報"]


def test_a_feeds_weight_counts_and_weight_zero_silences() -> None:
    items = [item("A"), item("B", weight=3.0), item("C", weight=0.0)]
    assert titles(items) == ["B", "A"]


def test_the_same_link_or_title_from_two_feeds_counts_once() -> None:
    items = [
        item("One and two and three", link="https://e.org/1"),
        item("One, retold", link="https://e.org/1/", feed="B"),
        item("one and two and three!", feed="C"),
        item("Two", link="https://e.org/1"),
    ]
    assert sorted(titles(items, limit=9)) == ["One and two and three", "Two"]


def test_the_order_of_the_input_does_not_matter() -> None:
    items = [item(f"Item {n}", published=NOW if n % 2 else None) for n in range(20)]
    assert titles(items, limit=9) == titles(items[7:] + items[:7], limit=9) == titles(items[::-1], limit=9)


def test_at_most_the_limit_is_chosen() -> None:
    assert len(titles([item(f"Item {n}") for n in range(20)])) == 3
