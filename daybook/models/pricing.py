"""What a call costs, by a table that needs no network; a model without a known price counts by its tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.models.choice import provider_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from genai_prices.types import AbstractUsage


def price(model: str, answered_by: str | None, usage: AbstractUsage) -> float | None:
    """
    Price of one call in US dollars; None when no price is known for the model.

    Args:
        model: What was asked for, `provider:name`.
        answered_by: What the provider says that answered, which an alias may stand for.
        usage: Tokens by kind.
    """
    provider, name = provider_of(model)
    return _first_price([answered_by, name], provider, usage)


def price_of_tokens(model: str, tokens_in: int, tokens_out: int) -> float | None:
    """Price of a call that is still to be made; None when no price is known."""
    from genai_prices import Usage  # noqa: PLC0415 - loads the table of prices

    return price(model, None, Usage(input_tokens=tokens_in, output_tokens=tokens_out))


def _first_price(names: Iterable[str | None], provider: str, usage: AbstractUsage) -> float | None:
    from genai_prices import calc_price  # noqa: PLC0415 - loads the table of prices

    for name in names:
        if not name:
            continue
        try:
            return float(calc_price(usage, name, provider_id=provider).total_price)
        except (LookupError, ValueError, ArithmeticError):
            # Not in the table, or counts that cannot be: more tokens from a cache than there were.
            continue
    return None
