"""Judge one Add: does a trusted line say it, is it there already, and may it stand where it would?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from daybook.curation.entries import statement_hash
from daybook.guard.strangers import names_a_stranger
from daybook.language.glance import may_name_a_date
from daybook.language.relative import is_relative, may_be_relative
from daybook.language.themes import theme_of
from daybook.language.words import polarity_words
from daybook.review.confirming import confirm
from daybook.review.expiry import expires_on, may_leave
from daybook.review.ground import is_forgotten, stands
from daybook.review.likeness import rough
from daybook.review.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from daybook.curation.entries import Known
    from daybook.review.ground import Ground
    from daybook.review.operations import Operation
    from daybook.review.rewording import Standing
    from daybook.review.verdict import Code
    from daybook.review.window import Evidence


def judge_add(
    operation: Operation, cited: tuple[Evidence, ...], trusted: tuple[Evidence, ...], ground: Ground
) -> Verdict:
    """
    Judge an Add.

    Args:
        operation: With a text that may stand.
        cited: All lines it cites.
        trusted: Those of them that are not from outside.
        ground: What it is judged against.
    """
    words = frozenset(rough(operation.text))
    days = may_be_relative(words)
    last = expires_in_notes(operation.text, cited) if may_name_a_date(operation.text, words) else None
    operation = _placed(operation, cited, ground, dated=last is not None)
    if is_forgotten(operation.text, cited, ground.memory):
        return Verdict("refuse", operation, cited, code="forgotten")
    if not trusted:
        return Verdict("propose", operation, cited, code="outside-only")
    how = stands(operation.text, trusted)
    if how == "made-up":
        return Verdict("refuse", operation, trusted, code=_why(operation))
    if last is not None and last < ground.today:
        relative = days and is_relative(operation.text)
        return Verdict("refuse", operation, trusted, code="relative-date" if relative else "expired")
    same = ground.equal.find(operation.text)
    if same is None and how != "grounded":
        same = ground.elsewhere.find(operation.text)
    if same is not None:
        return _confirmed(operation, trusted, same, how, ground)
    verdict = _new(operation, trusted, how, ground, days=days)
    if verdict.fate == "apply" or verdict.asks:
        ground.places.take(operation.section)
    return verdict


def expires_in_notes(text: str, cited: Sequence[Evidence]) -> date | None:
    """Give the last day on which a statement matters, by what its lines are marked as and the newest one's date."""
    theme = next((theme for line in cited if (theme := theme_of(line.text, line.heading))), None)
    return expires_on(text, max(line.day for line in cited), theme)


def _placed(operation: Operation, cited: tuple[Evidence, ...], ground: Ground, *, dated: bool) -> Operation:
    section = ground.places.choose(operation, cited, dated=dated)
    return operation if section == operation.section else operation.model_copy(update={"section": section})


def _confirmed(
    operation: Operation, trusted: tuple[Evidence, ...], same: Known, how: Standing, ground: Ground
) -> Verdict:
    verdict = confirm(operation, trusted, same, ground.memory)
    if how == "grounded":
        return verdict
    asks: Literal["says"] | None = "says" if how == "close" and may_leave(same) else None
    return replace(verdict, fate="refuse", code="ungrounded", asks=asks)


def _new(operation: Operation, trusted: tuple[Evidence, ...], how: Standing, ground: Ground, *, days: bool) -> Verdict:
    """Judge an Add that MEMORY.md does not hold."""
    if ground.memory.vanished and statement_hash(operation.text) in ground.memory.vanished:
        return Verdict("later", operation, trusted, code="conflict")
    older = ground.near.find(operation.text)
    if older is not None and older.edited and all(older.lines.intersection(line.marks) for line in trusted):
        # The same line said it before a person put it in other words.
        return Verdict("refuse", operation, trusted, older, "done-before")
    waits = _why_it_waits(operation, older, ground, days=days)
    if how != "grounded":
        unsure = Verdict("propose", operation, trusted, older, _why(operation))
        return replace(unsure, asks="says") if how == "close" and not waits else unsure
    topic = ground.elsewhere.find(operation.text)
    if topic is not None and not may_leave(topic):
        return confirm(operation, trusted, topic, ground.memory)
    if waits:
        return Verdict("propose", operation, trusted, older, waits)
    return Verdict("apply", operation, trusted, topic, promotes=topic is not None)


def _why_it_waits(operation: Operation, older: Known | None, ground: Ground, *, days: bool) -> Code | None:
    if names_a_stranger(operation.text, ground.memory.strangers):
        return "outside-only"
    if ground.places.is_closed(operation.section):
        return "foreign"
    if days and is_relative(operation.text):
        return "relative-date"
    return "supersedes" if older is not None else None


def _why(operation: Operation) -> Code:
    return "question" if "?" in polarity_words(operation.text) else "ungrounded"
