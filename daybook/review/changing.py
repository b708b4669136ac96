"""Judge a change of one entry: Daybook's own, said by a newer line, and what takes away needs more than that."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from daybook.guard.strangers import names_a_stranger
from daybook.language.identifiers import identifiers
from daybook.language.words import content_tokens, polarity_words
from daybook.review.adding import expires_in_notes
from daybook.review.confirming import confirm
from daybook.review.expiry import REASON, is_over, may_leave
from daybook.review.ground import is_forgotten, stands
from daybook.review.rewording import CHANGED_IN_A_CONFIRMATION, COUNTS
from daybook.review.verdict import Verdict

if TYPE_CHECKING:
    from datetime import date

    from daybook.curation.entries import Known
    from daybook.review.ground import Ground
    from daybook.review.operations import Operation
    from daybook.review.rewording import Standing
    from daybook.review.verdict import Code
    from daybook.review.window import Evidence

ENDED = "a newer line says that it no longer holds"
REPLACED = "a newer line says otherwise"
_NEGATIONS = """
    not never none nobody nothing nowhere neither nor no_one no_longer not_yet anymore without stop cancel disable
    remove revoke obsolete replace nicht nie kein nichts niemand ohne nicht_mehr ne pas jamais aucun rien sans no nunca
    nadie sin ningún tampoco non mai nessuno senza não nenhum ninguém sem niet nooit geen zonder niet_meer не нет
    никогда 不 没 没有 無 无 别 未
"""
NEGATIONS = frozenset(word.replace("_", " ") for word in _NEGATIONS.split())
# Of an entry's words so many must be left for a new text to be the same entry's.
KEPT_OF = 2


def judge_change(
    operation: Operation, cited: tuple[Evidence, ...], trusted: tuple[Evidence, ...], ground: Ground
) -> Verdict:
    """
    Judge a Revise, a Retire or a Confirm.

    Args:
        operation: For a Revise with a text that may stand.
        cited: All lines it cites.
        trusted: Those of them that are not from outside.
        ground: What it is judged against.
    """
    entry = ground.by_id.get(operation.entry)
    if entry is None:
        return Verdict("refuse", operation, cited, code="conflict")
    if is_forgotten(operation.text if operation.kind == "revise" else "", cited, ground.memory):
        return Verdict("refuse", operation, cited, entry, "forgotten")
    if not trusted:
        fate: Literal["refuse", "propose"] = "refuse" if operation.kind == "confirm" else "propose"
        return Verdict(fate, operation, cited, entry, "outside-only")
    if operation.kind == "confirm":
        return _judge_confirm(operation, trusted, entry, ground)
    if operation.kind == "retire":
        return _judge_retire(operation, trusted, entry, ground)
    return _judge_revise(operation, trusted, entry, ground)


def _judge_confirm(operation: Operation, trusted: tuple[Evidence, ...], entry: Known, ground: Ground) -> Verdict:
    how = stands(entry.text, trusted, changed=CHANGED_IN_A_CONFIRMATION)
    verdict = confirm(operation, trusted, entry, ground.memory)
    if how == "grounded":
        return verdict
    asks: Literal["says"] | None = "says" if how == "close" and may_leave(entry) else None
    return replace(verdict, fate="refuse", code="ungrounded", asks=asks)


def _judge_retire(operation: Operation, trusted: tuple[Evidence, ...], entry: Known, ground: Ground) -> Verdict:
    if not may_leave(entry):
        return Verdict("propose", operation, trusted, entry, "foreign")
    if is_over(entry, ground.today):
        return Verdict("apply", operation, trusted, entry, reason=REASON)
    return _taking_away(operation, trusted, entry, ground, reason=ENDED)


def _judge_revise(operation: Operation, trusted: tuple[Evidence, ...], entry: Known, ground: Ground) -> Verdict:
    how = stands(operation.text, trusted)
    last = expires_in_notes(operation.text, trusted)
    refused: Code | None = "ungrounded" if how == "made-up" else None
    if last is not None and last < ground.today:
        refused = refused or "expired"
    if refused:
        return Verdict("refuse", operation, trusted, entry, refused)
    same = ground.equal.find(operation.text)
    waits: Code | None = "supersedes" if same is not None and same.id != entry.id else None
    if names_a_stranger(operation.text, ground.memory.strangers):
        waits = "outside-only"
    if not entry.owned or entry.protected or entry.edited:
        waits = "foreign"
    if waits:
        return Verdict("propose", operation, trusted, entry, waits)
    return _owned_revise(operation, trusted, entry, how, ground)


def _owned_revise(
    operation: Operation, trusted: tuple[Evidence, ...], entry: Known, how: Standing, ground: Ground
) -> Verdict:
    day = max(line.day for line in trusted)
    takes_away = loses(entry.text, operation.text, day)
    related = _related(entry.text, operation.text, day)
    if how != "grounded":
        unsure = Verdict("propose", operation, trusted, entry, "ungrounded")
        return replace(unsure, asks="says") if how == "close" and related and not takes_away else unsure
    if not related or (takes_away and entry.accepted):
        return Verdict("propose", operation, trusted, entry, "second-opinion")
    if takes_away:
        return _taking_away(operation, trusted, entry, ground, reason=REPLACED)
    return Verdict("apply", operation, trusted, entry)


def loses(old: str, new: str, day: date) -> bool:
    """
    Whether a new text takes away what the old one said: a name, a polarity word, half its words, or all by a `not`.

    Args:
        old: The entry as it is.
        new: Its text to be.
        day: Date of the note the new one is from.
    """
    before, after = set(polarity_words(old)), set(polarity_words(new))
    if identifiers(old, day) - identifiers(new, day) or before - after or (after - before) & NEGATIONS:
        return True
    words, left = content_tokens(old), set(content_tokens(new))
    lost = [word for word in words if word not in left]
    return not COUNTS.isdisjoint(lost) or (len(words) - len(lost)) * KEPT_OF < len(words)


def _taking_away(
    operation: Operation, trusted: tuple[Evidence, ...], entry: Known, ground: Ground, *, reason: str
) -> Verdict:
    """Ask whether an entry has ended, if a newer line speaks of the same and does not say the entry again."""
    verdict = Verdict("propose", operation, trusted, entry, "second-opinion", loses=True, reason=reason)
    newest = max(entry.dates, default="")
    newer = [line for line in trusted if line.day.isoformat() > newest and _related(entry.text, line.text, line.day)]
    if not newer or any(stands(entry.text, [line]) == "grounded" for line in newer):
        return verdict
    if ground.memory.retirements <= 0:
        return replace(verdict, fate="later", code="quota")
    return replace(verdict, asks="ended")


def _related(old: str, new: str, day: date) -> bool:
    """Whether two texts speak of the same: a shared identifier, or two shared content tokens."""
    shared = set(content_tokens(old)) & set(content_tokens(new))
    return bool(identifiers(old, day) & identifiers(new, day)) or len(shared) > 1
