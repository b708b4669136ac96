"""What came of a commit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True)
class Committed:
    """
    A commit was made.

    Attributes:
        sha: Its full hash.
        left_out: One sentence per changed path that is not in it, and why.
    """

    sha: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Left:
    """
    No commit was made, and the repository is as it was.

    Attributes:
        why: One sentence.
        waits: Changes wait for a commit that may come, so that the operator may want to know; else there is
            nothing to commit, or nothing to commit to.
    """

    why: str
    waits: bool


Outcome = Committed | Left


def problems(outcome: Outcome) -> tuple[str, ...]:
    """Give what the operator should know of it, as sentences."""
    match outcome:
        case Committed():
            return outcome.left_out
        case Left():
            return (outcome.why,) if outcome.waits else ()
        case _:
            assert_never(outcome)
