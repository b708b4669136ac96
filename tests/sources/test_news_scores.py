from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from daybook.sources.items import Item
from daybook.sources.news_scores import Scores, chosen, variables

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
PLAIN = Item(id="0", title="Weather", link="", summary="", published=NOW, feed="A", weight=1.0)


def items(*titles: str, **changes: Any) -> list[Item]:
    return [replace(PLAIN, id=title, title=title, **changes) for title in titles]


def choose(found: list[Item], *scores: tuple[int, object], limit: int = 9) -> tuple[list[str], Counter[str]]:
    answer = Scores.model_validate({"scores": [{"id": number, "score": score} for number, score in scores]})
    strong, refused = chosen(answer, found, limit)
    return [item.title for item in strong], Counter(dict(refused))


def test_fifty_is_strong_and_less_is_not() -> None:
    assert choose(items("a", "b", "c"), (1, 49), (2, 50)) == (["b"], Counter())


def test_the_strongest_come_first_and_equal_ones_stay_in_the_order_of_the_rules() -> None:
    found = items("a", "b", "c", "d")
    assert choose(found, (4, 70), (3, 90), (2, 70), (1, 70))[0] == ["c", "a", "b", "d"]
    assert choose(found, (4, 70), (3, 90), (2, 70), (1, 70), limit=2)[0] == ["c", "a"]


def test_what_names_no_item_or_one_again_or_is_no_score_is_refused_by_code() -> None:
    scores = ((0, 90), (3, 90), (-1, 90), (1, 60), (1, 0), (2, 101), (2, -5))
    refused = Counter({"unknown-id": 3, "twice": 1, "out-of-range": 2})
    assert choose(items("a", "b"), *scores) == (["a"], refused)


def test_a_score_that_was_refused_does_not_keep_a_good_one_out() -> None:
    assert choose(items("a"), (1, 900), (1, 90)) == (["a"], Counter({"out-of-range": 1}))


@pytest.mark.parametrize(("score", "strong"), [(49.6, ["a"]), (49.4, []), ("77", ["a"])])
def test_a_score_with_a_fraction_or_in_quotes_counts_as_the_nearest_whole_one(score: object, strong: list[str]) -> None:
    assert choose(items("a"), (1, score))[0] == strong


def test_the_same_story_from_two_feeds_is_told_once_by_the_stronger_one() -> None:
    one = replace(PLAIN, id="1", title="Flood in the old town", link="https://e.org/1")
    other = replace(PLAIN, id="2", title="Flood, retold", link="https://e.org/1/", feed="B")
    third = replace(PLAIN, id="3", title="flood in the old town!", feed="C")
    assert choose([one, other, third], (1, 60), (2, 90), (3, 70))[0] == ["Flood, retold", "flood in the old town!"]
    assert choose([one, third], (1, 60), (2, 70))[0] == ["flood in the old town!"]


def test_a_feed_of_weight_zero_stays_silent() -> None:
    assert choose(items("a", weight=0.0) + items("b"), (1, 99), (2, 60))[0] == ["b"]


def test_items_without_a_score_and_an_empty_answer_are_not_strong() -> None:
    assert choose(items("a", "b")) == ([], Counter())


def test_the_variables_number_the_items_and_bound_their_text() -> None:
    long = replace(PLAIN, title="t" * 500, summary="s\n" * 500, feed="f" * 500)
    given = variables([PLAIN, long], ["python"], date(2026, 2, 7), 3)
    listed: Any = given.pop("items")
    assert given == {"date": "2026-02-07", "interests": ["python"], "limit": 3}
    assert listed[0] == {"id": 1, "feed": "A", "title": "Weather", "summary": ""}
    assert [(key, len(str(value))) for key, value in listed[1].items()] == [
        ("id", 1),
        ("feed", 60),
        ("title", 200),
        ("summary", 300),
    ]
    assert "\n" not in listed[1]["summary"]


def test_what_else_an_answer_holds_is_ignored() -> None:
    answer = Scores.model_validate({"scores": [{"id": 1, "score": 60, "why": "x"}], "note": "y"})
    assert chosen(answer, items("a"), 3)[0] == items("a")
