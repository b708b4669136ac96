"""
What asking a model comes to: an answer, or one of a closed set of reasons why not.

The exceptions of Pydantic AI and of the SDKs under it end here; nothing above knows them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeVar

from pydantic import BaseModel

from daybook.guard.outside import flatten
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", bound=BaseModel)

Failure = Literal[
    "rate-limited",
    "daily-quota",
    "overloaded",
    "server-error",
    "timeout",
    "unreachable",
    "truncated",
    "blocked",
    "empty",
    "malformed",
    "bad-key",
    "no-key",
    "retired-model",
    "unknown-model",
    "too-long",
    "rejected",
    "over-budget",
    "cooling",
    "paced",
    "quiet-hours",
]
# May pass within a minute. A timeout is not among them: what timed out may have been worked on, and charged.
PASSING: frozenset[Failure] = frozenset({"rate-limited", "overloaded", "server-error"})
# Lies, or may lie, in the text that was asked about: the same model may answer about another one.
ABOUT_TEXT: frozenset[Failure] = frozenset({"truncated", "blocked", "empty", "malformed", "rejected", "too-long"})
# The provider has worked, or may have: what it does not count is counted by estimate.
CHARGED: frozenset[Failure] = frozenset({"timeout", "truncated", "blocked", "empty", "malformed"})

SENTENCES: dict[Failure, str] = {
    "rate-limited": "{model} allows no more calls at the moment.",
    "daily-quota": "{model} has used up its quota or credit of the day; name another one under [models] to go on.",
    "overloaded": "{model} is overloaded.",
    "server-error": "{model} failed on its own side.",
    "timeout": "{model} did not answer in time.",
    "unreachable": "{model} cannot be reached; check the network, and the address of its API if you set one.",
    "truncated": "{model} reached the limit of its answer's length, so its answer is left unused.",
    "blocked": "{model} refused these notes by its content filter; name another model under [models].",
    "empty": "{model} answered nothing, so nothing was changed.",
    "malformed": "{model} did not answer in the asked form, so its answer is left unused.",
    "bad-key": "{model} refuses the key in {variable}; set {variable} to a valid key.",
    "no-key": "{model} needs {variable}, which is not set; set it in the environment or in keys.env.",
    "retired-model": "{model} is not known there, or retired; name another one under [models], or correct its address.",
    "unknown-model": "{model} is no model that can be used here; correct its name under [models] in daybook.toml.",
    "too-long": "{model} cannot take a text as long as these notes; name a model that takes more under [models].",
    "rejected": "{model} rejected the request.",
    "over-budget": "{model} is not asked, since a limit under [budget] in daybook.toml is reached.",
    "cooling": "{model} is left alone for now.",
    "paced": "{model} has had its requests of this minute, so it is not asked; see [models] requests_per_minute.",
    "quiet-hours": "{model} is not asked in the quiet hours, in which only the review asks models.",
}
DETAIL_CHARS = 240
# A month: who asks for more, or for a number that is none, is no longer asking us to wait.
LONGEST_WAIT_S = 31 * 86_400.0
DELAY = re.compile(r"(?P<seconds>\d{1,9}(?:\.\d{1,9})?)s?")


@dataclass(frozen=True)
class Used:
    """
    What asking cost.

    Attributes:
        calls: Requests sent.
        tokens_in: Tokens of the prompts, as the provider counted them.
        tokens_out: Tokens of the answers.
        usd: Price; None when a call used tokens of a model whose price is unknown.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Used) -> Used:
        """Add up; an unknown price stays unknown."""
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Used(self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out, usd)


@dataclass(frozen=True)
class Answered(Generic[T]):
    """A model answered in the asked form."""

    model: str
    answer: T
    used: Used
    outcome: Literal["answered"] = "answered"


@dataclass(frozen=True)
class Unavailable:
    """
    No usable answer.

    Attributes:
        model: The model that was meant.
        outcome: Why.
        sentence: Why, for people; holds no secret.
        retry_after_s: Seconds the provider asked to wait, if it did; None otherwise.
        used: What it cost all the same.
    """

    model: str
    outcome: Failure
    sentence: str
    retry_after_s: float | None
    used: Used


@dataclass(frozen=True)
class Trouble:
    """
    Why one call gave nothing.

    Attributes:
        outcome: Why.
        retry_after_s: Seconds the provider asked to wait.
        detail: What the provider said, where that helps to mend it.
        variable: Environment variable that is missing; empty: the one that holds the model's key.
    """

    outcome: Failure
    retry_after_s: float | None = None
    detail: str = ""
    variable: str = ""


def sentence(model: str, trouble: Trouble, *, variable: str, secrets: Iterable[str]) -> str:
    """
    Tell a trouble as one sentence.

    Args:
        model: The model that was asked.
        trouble: Why it gave nothing.
        variable: Environment variable that holds its key.
        secrets: Values that must not be told, such as the key itself.
    """
    text = SENTENCES[trouble.outcome].format(model=flatten(model), variable=trouble.variable or variable)
    detail = flatten(redact(trouble.detail, secrets), limit=DETAIL_CHARS).rstrip(".")
    if trouble.retry_after_s and trouble.outcome != "daily-quota":
        detail = f"it asks to wait {trouble.retry_after_s:g} s"
    return redact(f"{text.rstrip('.')} ({detail})." if detail else text, secrets)


def trouble_of(error: Exception, *, silent: bool) -> Trouble:
    """
    Name the reason for what a call raised.

    Args:
        error: Anything; what no library should raise (a bare IndexError of an SDK) counts as `malformed`.
        silent: Whether the model's answer held no text at all.
    """
    from pydantic_ai import exceptions as raised  # noqa: PLC0415 - takes most of a second to load

    reasons: tuple[tuple[type[Exception], Failure], ...] = (
        (raised.ModelQuotaExceededError, "daily-quota"),
        (raised.ModelRateLimitError, "rate-limited"),
        (raised.ModelUnavailableError, "overloaded"),
        (raised.ModelServerError, "server-error"),
        (raised.ModelTimeoutError, "timeout"),
        (raised.ModelRequestTimeout, "timeout"),
        (raised.ModelConnectionError, "unreachable"),
        (raised.ModelAuthenticationError, "bad-key"),
        (raised.ModelNotFoundError, "retired-model"),
        (raised.ModelContextWindowExceededError, "too-long"),
        (raised.ContentFilterError, "blocked"),
        (raised.OutputTokenLimitExceeded, "truncated"),
    )
    found = next((name for kind, name in reasons if isinstance(error, kind)), None)
    retry_after_s = _asked_s(error)
    if found is not None:
        return Trouble(found, retry_after_s)
    if isinstance(error, (raised.ModelRequestRejectedError, raised.UserError)):
        return Trouble("rejected", retry_after_s, _said(error))
    if isinstance(error, raised.UnexpectedModelBehavior) and silent:
        return Trouble("empty")
    if isinstance(error, raised.UnexpectedModelBehavior):
        return Trouble("malformed")
    return Trouble("malformed", retry_after_s, type(error).__name__)


def _asked_s(error: Exception) -> float | None:
    """Seconds the provider asks to wait: the longest of what its header and its body say, within reason."""
    details = _inner(error).get("details")
    delays = [one.get("retryDelay") for one in details if isinstance(one, dict)] if isinstance(details, list) else []
    found = [getattr(error, "retry_after", None), *map(_seconds, delays)]
    asked = [float(one) for one in found if isinstance(one, int | float) and one >= 0]
    return min(max(asked), LONGEST_WAIT_S) if asked else None


def _seconds(delay: object) -> float | None:
    found = DELAY.fullmatch(delay.strip()) if isinstance(delay, str) else None
    return float(found["seconds"]) if found else None


def _said(error: Exception) -> str:
    return str(_inner(error).get("message") or error)


def _inner(error: Exception) -> dict[str, object]:
    """What a provider said, in the one form that they share; empty if it said nothing."""
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    return inner if isinstance(inner, dict) else {}
