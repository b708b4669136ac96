"""The closed set of reasons, and what is told of them."""

from __future__ import annotations

from typing import get_args

import pytest
from pydantic_ai import exceptions as raised

from daybook.models.outcomes import PASSING, SENTENCES, Failure, Trouble, Used, sentence, trouble_of


def test_every_reason_has_its_sentence() -> None:
    assert set(SENTENCES) == set(get_args(Failure))
    assert set(get_args(Failure)) >= PASSING


def test_every_sentence_is_one() -> None:
    for reason in get_args(Failure):
        told = sentence("google:m", Trouble(reason), variable="V", secrets=[])
        assert told.endswith(".")
        assert "google:m" in told
        assert ". " not in told


def test_an_unknown_price_stays_unknown_in_a_sum() -> None:
    assert Used(1, 2, 3, 0.5) + Used(1, 2, 3, None) == Used(2, 4, 6, None)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (IndexError("list index out of range"), Trouble("malformed", detail="IndexError")),
        (raised.UserError("cannot do that"), Trouble("rejected", detail="cannot do that")),
        (raised.ModelRequestTimeout("m", 9.0), Trouble("timeout")),
        (raised.ModelUnavailableError("m", "busy", retry_after=7.0), Trouble("overloaded", 7.0)),
        (raised.ModelContextWindowExceededError("m", "too many tokens"), Trouble("too-long")),
    ],
)
def test_what_a_library_raises_has_a_name(error: Exception, expected: Trouble) -> None:
    assert trouble_of(error, silent=False) == expected
