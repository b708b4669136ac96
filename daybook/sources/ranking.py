"""The strongest few news items, without a model: by interests, by the feeds' weights, by freshness."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from daybook.sources.stories import same_story, unspaced, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.sources.items import Item

DEFAULT_LIMIT = 3
TITLE_POINTS = 3.0
SUMMARY_POINTS = 1.5
FRESH_POINTS = 1.0
HALF_LIFE_H = 24.0
# What an item is worth as news when its feed does not say when it was published.
UNDATED_POINTS = 0.4
MIN_STEM_CHARS = 4
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rank(items: Iterable[Item], interests: Sequence[str], now: datetime, limit: int = DEFAULT_LIMIT) -> list[Item]:
    """
    Choose the strongest few items, strongest first; the same input gives the same answer.

    The same story from two feeds counts once (`stories.same_story`); feeds of weight 0 never.

    Args:
        items: Any number, in any order.
        interests: The operator's, as words or phrases.
        now: Aware.
        limit: At most so many are chosen.
    """
    wanted = [found for text in interests if (found := words(text))]
    scored = sorted(
        ((score(item, wanted, now), item) for item in items if item.weight > 0),
        key=lambda pair: (-pair[0], -(pair[1].published or EPOCH).timestamp(), pair[1].title, pair[1].id),
    )
    chosen: list[Item] = []
    for _, item in scored:
        if len(chosen) == limit:
            break
        if not any(same_story(item, other) for other in chosen):
            chosen.append(item)
    return chosen


def score(item: Item, wanted: Sequence[Sequence[str]], now: datetime) -> float:
    """Points of an item: its feed's weight times what it has of interests and freshness."""
    title, body = words(item.title), words(item.summary)
    points = sum(
        TITLE_POINTS if _holds(title, each) else SUMMARY_POINTS if _holds([*title, *body], each) else 0.0
        for each in wanted
    )
    if item.published is None:
        return item.weight * (points + UNDATED_POINTS)
    age_h = max((now - item.published).total_seconds(), 0.0) / 3600
    freshness: float = FRESH_POINTS * 0.5 ** (age_h / HALF_LIFE_H)
    return item.weight * (points + freshness)


def _holds(text: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(any(_matches(found, word) for found in text) for word in wanted)


def _matches(found: str, word: str) -> bool:
    if found == word:
        return True
    if unspaced(word):
        return word in found
    return len(word) >= MIN_STEM_CHARS and found.startswith(word)
