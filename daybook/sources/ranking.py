"""The strongest few news items, without a model: by interests, by the feeds' weights, by freshness."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING

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
# From here on scripts write words without spaces (CJK, kana, hangul).
FIRST_UNSPACED = 0x2E80
WORD = re.compile(r"[^\W_]+(?:[+#]+|(?:[.'-][^\W_]+)*)")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rank(items: Iterable[Item], interests: Sequence[str], now: datetime, limit: int = DEFAULT_LIMIT) -> list[Item]:
    """
    Choose the strongest few items, strongest first; the same input gives the same answer.

    The same link, or the same title, from two feeds counts once; feeds of weight 0 never.

    Args:
        items: Any number, in any order.
        interests: The operator's, as words or phrases.
        now: Aware.
        limit: At most so many are chosen.
    """
    wanted = [words for text in interests if (words := _words(text))]
    scored = sorted(
        ((score(item, wanted, now), item) for item in items if item.weight > 0),
        key=lambda pair: (-pair[0], -(pair[1].published or EPOCH).timestamp(), pair[1].title, pair[1].id),
    )
    chosen: list[Item] = []
    for _, item in scored:
        if len(chosen) == limit:
            break
        if not any(_same(item, other) for other in chosen):
            chosen.append(item)
    return chosen


def score(item: Item, wanted: Sequence[Sequence[str]], now: datetime) -> float:
    """Points of an item: its feed's weight times what it has of interests and freshness."""
    title, body = _words(item.title), _words(item.summary)
    points = sum(
        TITLE_POINTS if _holds(title, words) else SUMMARY_POINTS if _holds([*title, *body], words) else 0.0
        for words in wanted
    )
    if item.published is None:
        return item.weight * (points + UNDATED_POINTS)
    age_h = max((now - item.published).total_seconds(), 0.0) / 3600
    freshness: float = FRESH_POINTS * 0.5 ** (age_h / HALF_LIFE_H)
    return item.weight * (points + freshness)


def _same(one: Item, other: Item) -> bool:
    if one.feed == other.feed:
        return False
    same_link = bool(one.link) and one.link.rstrip("/") == other.link.rstrip("/")
    return same_link or _words(one.title) == _words(other.title)


def _words(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _holds(text: Sequence[str], words: Sequence[str]) -> bool:
    return all(any(_matches(found, word) for found in text) for word in words)


def _matches(found: str, word: str) -> bool:
    if found == word:
        return True
    if any(ord(char) >= FIRST_UNSPACED for char in word):
        return word in found
    return len(word) >= MIN_STEM_CHARS and found.startswith(word)
