"""
News ranked by a model: what it is shown of the items, and what is made of the scores it answers.

The model scores; code decides what is strong, in which order, and that a story is told once.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from daybook.guard.outside import flatten
from daybook.sources.stories import same_story

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from daybook.sources.items import Item

STRONG = 50
HIGHEST = 100
TITLE_CHARS = 200
SUMMARY_CHARS = 300
FEED_CHARS = 60

Refusal = Literal["unknown-id", "twice", "out-of-range"]


def _whole(value: object) -> object:
    return round(value) if isinstance(value, float) and abs(value) <= HIGHEST else value


class Score(BaseModel):
    """
    How much one item matters to the operator.

    Attributes:
        id: The item's number.
        score: From 0 to 100; from 50 on it is strong.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int = Field(description="number of the item")
    # Not bounded here: one score that is none must not cost all the others.
    score: Annotated[int, BeforeValidator(_whole)] = Field(description="0 to 100, 50 or more for a strong one")


class Scores(BaseModel):
    """All that a ranking answers."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    scores: tuple[Score, ...]


def variables(items: Sequence[Item], interests: Sequence[str], date: date, limit: int) -> dict[str, object]:
    """
    Give the variables of the prompt `news_rank`.

    Args:
        items: As the rules order them; the first is number 1.
        interests: The operator's, as words or phrases.
        date: The day of the scan.
        limit: How many will be told at most.
    """
    return {
        "date": date.isoformat(),
        "interests": list(interests),
        "items": [
            {
                "id": number,
                "feed": flatten(item.feed, limit=FEED_CHARS),
                "title": flatten(item.title, limit=TITLE_CHARS),
                "summary": flatten(item.summary, limit=SUMMARY_CHARS),
            }
            for number, item in enumerate(items, start=1)
        ],
        "limit": limit,
    }


def chosen(answer: Scores, items: Sequence[Item], limit: int) -> tuple[list[Item], Counter[Refusal]]:
    """
    Choose the strong items, strongest first; of equal ones the first by the rules.

    The same story from two feeds counts once, and feeds of weight 0 never, as for `ranking.rank`.

    Args:
        answer: The model's.
        items: The same ones in the same order as for `variables`.
        limit: At most so many are chosen.

    Returns:
        The items, and how many scores were refused, by code.
    """
    refused: Counter[Refusal] = Counter()
    scores: dict[int, int] = {}
    for one in answer.scores:
        code = _wrong(one, scores, len(items))
        if code is None:
            scores[one.id] = one.score
        else:
            refused[code] += 1
    strong = sorted((number for number, score in scores.items() if score >= STRONG), key=lambda n: (-scores[n], n))
    found: list[Item] = []
    for item in (items[number - 1] for number in strong):
        if len(found) < limit and item.weight > 0 and not any(same_story(item, other) for other in found):
            found.append(item)
    return found, refused


def _wrong(one: Score, scores: dict[int, int], count: int) -> Refusal | None:
    if not 1 <= one.id <= count:
        return "unknown-id"
    if one.id in scores:
        return "twice"
    return None if 0 <= one.score <= HIGHEST else "out-of-range"
