"""How a result stands to the one before it: where it is worse, what cannot be compared, and what nobody answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.evaluation.answering import ABOUT_CASE
from daybook.evaluation.results import figures, part
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.evaluation.results import CaseResult, Result

# Our set that is not to be looked at: who has seen its cases can tune a prompt to them.
SEALED = "sealed"
MOST_NAMES = 5


def drops(new: Result, old: Result) -> list[str]:
    """Say which figures of a set are lower than before, a sentence each; cases count in the set they are in now."""
    both = _comparable(new, old)
    now = figures(both.values())
    before = figures(old.cases[name].model_copy(update={"group": one.group}) for name, one in both.items())
    found = []
    for one, other in zip(now, before, strict=True):
        is_, was = part(one.matched, one.kept), part(other.matched, other.kept)
        if is_ < was:
            parts = f"{one.matched} of {one.kept} after {other.matched} of {other.kept}"
            found.append(f"{one.group}: precision fell from {was:.3f} to {is_:.3f} ({parts}).")
        is_, was = part(one.matched, one.expected), part(other.matched, other.expected)
        if is_ < was:
            parts = f"{one.matched} after {other.matched} of {one.expected}"
            found.append(f"{one.group}: recall fell from {was:.3f} to {is_:.3f} ({parts}).")
    return found


def lost(new: Result, old: Result, *, sealed: bool) -> list[str]:
    """
    Say in one sentence which cases were right and are wrong now, which figures hide where others got better.

    Args:
        new: The result.
        old: The one before it.
        sealed: Whether sealed cases are named too, and not only counted.
    """
    wrong = {name: one for name, one in _comparable(new, old).items() if old.cases[name].right and not one.right}
    if not wrong:
        return []
    named = [name for name, one in wrong.items() if sealed or one.group != SEALED]
    hidden, more = len(wrong) - len(named), len(named) - MOST_NAMES
    parts = [*named[:MOST_NAMES], *([f"{more} more"] if more > 0 else []), *([f"{hidden} sealed"] if hidden else [])]
    were = counted(len(wrong), "case that was right is wrong now", "cases that were right are wrong now")
    return [f"{were} ({', '.join(parts)})."]


def difference(new: Result, old: Result) -> str | None:
    """Say that two results are not of the same cases, and how many could be compared; None where they are the same."""
    shared = new.cases.keys() & old.cases.keys()
    numbers = {
        "new": len(new.cases.keys() - shared),
        "changed": sum(new.cases[name].content != old.cases[name].content for name in shared),
        "gone": len(old.cases.keys() - shared),
    }
    parts = [f"{number} {what}" for what, number in numbers.items() if number]
    if not parts:
        return None
    compared = counted(len(_comparable(new, old)), "case")
    return f"The saved result is of other cases ({', '.join(parts)}); {compared} could be compared."


def unanswered(reasons: Sequence[tuple[str, str]], cases: int) -> list[str]:
    """
    Say how many cases had no answer, a sentence for those that were asked and one for those that were not.

    Args:
        reasons: Outcome and sentence of each that had none, in order.
        cases: How many cases there are.
    """
    silent = [told for outcome, told in reasons if outcome in ABOUT_CASE]
    unasked = [told for outcome, told in reasons if outcome not in ABOUT_CASE]
    of = f"of {counted(cases, 'case')}"
    return [
        *([f"{len(silent)} {of} had no answer: {silent[0]}"] if silent else []),
        *([f"{len(unasked)} {of} {'was' if len(unasked) == 1 else 'were'} not asked: {unasked[0]}"] if unasked else []),
    ]


def _comparable(new: Result, old: Result) -> dict[str, CaseResult]:
    """Find the cases that are the same in both results, and were answered in both."""
    return {
        name: one
        for name, one in new.cases.items()
        if (other := old.cases.get(name)) and other.content == one.content and one.answered and other.answered
    }
