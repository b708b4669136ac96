"""Equal is equal by its whole key, close is close by its words; neither costs more than it must."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daybook.curation.entries import Known
from daybook.language.words import statement_key
from daybook.review.likeness import Near, Statements, rough

PAIRS = Path(__file__).parents[2] / ".." / "shared" / "data" / "dedup_pairs.json"


def entry(text: str) -> Known:
    return Known("e1", "MEMORY.md", "Facts", text, owned=True)


def pairs() -> list[dict[str, Any]]:
    if not PAIRS.exists():
        pytest.skip("the labelled pairs lie beside the project, and are missing")
    found: list[dict[str, Any]] = json.loads(PAIRS.read_bytes())
    return found


def test_of_the_labelled_pairs_none_is_merged_wrongly() -> None:
    merged = [pair for pair in pairs() if Statements([(pair["a"], 1)]).find(pair["b"])]
    assert [pair["same"] for pair in merged] == [True] * len(merged)
    assert len(merged) == 2


def test_every_labelled_pair_that_is_not_merged_is_close() -> None:
    apart = [pair for pair in pairs() if statement_key(pair["a"]) != statement_key(pair["b"])]
    assert [pair for pair in apart if Near([entry(pair["a"])]).find(pair["b"]) is None] == []


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Maria works at ACME", "Maria administers ACME's account"),
        ("Links are checked on the day before", "Sources are kept in git"),
        ("The operator likes short answers", "The operator likes long walks"),
    ],
)
def test_what_only_speaks_of_the_same_is_not_close(a: str, b: str) -> None:
    assert Near([entry(a)]).find(b) is None


def test_the_closest_entry_is_given() -> None:
    near = Near([entry("Backups run on Sunday at 03:00"), entry("Backups run on Monday at 04:00")])
    found = near.find("Backups run on Monday at 04:30")
    assert found is not None
    assert found.text == "Backups run on Monday at 04:00"
    assert Near().find("anything") is None


def test_signs_without_spaces_between_words_are_compared_sign_by_sign() -> None:
    assert Near([entry("服务器在北京的机房")]).find("服务器在上海的机房") is not None
    assert Near([entry("服务器在北京的机房")]).find("猫喜欢吃鱼") is None


def test_equal_statements_share_their_rough_key_and_others_may() -> None:
    assert rough("The job is at 03:05") == rough("job at 3:5") == ("job", "at", "3", "5")
    found = Statements([("Use C++ now", "cpp"), ("Use C now", "c"), ("use c now.", "again")])
    assert [found.find(text) for text in ("use C++ now!", "Use C now", "Use D now")] == ["cpp", "c", None]


def test_many_statements_alike_are_each_keyed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(text: str) -> object:
        made.append(text)
        return statement_key(text)

    monkeypatch.setattr("daybook.review.likeness.statement_key", counted)
    found = Statements[int]()
    for number in range(200):
        found.add(f"room {'-' * number}x", number)
    assert [found.find(f"room {'-' * number}x") for number in (0, 7, 199)] == [0, 7, 199]
    assert len(made) <= 200 + 1 + 3
