"""Judge a change of one entry: Daybook's own, said by a newer line, and what takes away needs more than that."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal

from daybook.guard.strangers import names_a_stranger
from daybook.language.identifiers import identifiers
from daybook.language.themes import label_end
from daybook.language.tokens import CJK
from daybook.language.words import content_tokens, polarity_words
from daybook.review.adding import expires_in_notes
from daybook.review.confirming import confirm
from daybook.review.expiry import REASON, is_over, may_leave
from daybook.review.ground import is_forgotten, stands
from daybook.review.grounding import SPEECH, TAKES_BACK
from daybook.review.rewording import CHANGED_IN_A_CONFIRMATION
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
_ENDS = """
    sold sell cancelled canceled cancels ended ends end over moved moves replaced replaces retired removed dropped
    scrapped void voided obsolete outdated expired closed quit quits left leaves resigned died dead gone lost broke
    broken stopped stops discontinued abandoned withdrawn revoked reversed overruled vetoed switched switches changed
    changes former formerly ex instead
    gekündigt verkauft beendet endet vorbei abgesagt storniert umgezogen ersetzt geändert gewechselt verworfen ungültig
    erledigt verloren kaputt gestorben verlassen aufgelöst abgeschafft eingestellt geschlossen ehemals statt
    vendu vendue annulé annulée terminé terminée fini finie remplacé remplacée déménagé résilié supprimé abandonné
    changé perdu mort morte fermé fermée
    vendido vendida cancelado cancelada terminado terminada acabado reemplazado mudado cambiado perdido muerto cerrado
    anulado anulada dejado
    venduto venduta annullato annullata terminato finito finita sostituito cambiato traslocato perso morto chiuso
    acabou substituído mudou perdeu morreu fechado
    verkocht geannuleerd beëindigd opgezegd vervangen verhuisd gewijzigd verloren overleden gesloten
"""
# Words by which a line may say that something no longer holds.
ENDS = frozenset(_ENDS.split())
DENIALS = frozenset({"not", "never", "nicht", "nie", "ne", "pas", "jamais", "nunca", "non", "mai", "niet", "nooit"})
CJK_ENDS = re.compile("不再|取消|作废|作廢|卖了|賣了|搬|换|換|停|结束|結束|解约|やめ|終わ|売っ")
# Polarity words that, added, only say where and how much.
PLACES = frozenset({"over", "under", "above", "below", "on", "up", "auf", "an", "always", "exactly", "approximately"})
# What says of the rest that it is not so, or not always.
UNSAYS = SPEECH | TAKES_BACK | ENDS
# Of an entry's words one in so many must be left for a new text to be the same entry's.
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
    Whether a new text takes away what the old one said: anything but adding to it does.

    Args:
        old: The entry as it is.
        new: Its text to be.
        day: Date of the note the new one is from.
    """
    if identifiers(old, day) - identifiers(new, day):
        return True
    before, after = content_tokens(old), content_tokens(new)
    if not (_stays(before, after) and _stays(polarity_words(old), polarity_words(new))):
        return True
    more = Counter(after) - Counter(before)
    if Counter(polarity_words(new)) - Counter(polarity_words(old)) - Counter(dict.fromkeys(PLACES, len(new))):
        return True
    return not UNSAYS.isdisjoint(more) or any(CJK.search(token) for token in more)


def _stays(before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Whether all of *before* is still there, in its order."""
    left = iter(after)
    return all(token in left for token in before)


def in_place(old: str, new: str) -> bool:
    """Whether a new text is the old one with values changed where they stood: half its words stay, in their order."""
    before, after = content_tokens(old), content_tokens(new)
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    kept = sum(end - start for how, start, end, _, _ in steps if how == "equal")
    gone = {token for how, start, end, _, _ in steps if how != "equal" for token in before[start:end]}
    come = {token for how, _, _, start, end in steps if how != "equal" for token in after[start:end]}
    dropped = any(how == "delete" for how, *_ in steps)
    # A word both gone and come has swapped its role: `Ana lends Ben the bike`, `Ben lends Ana the bike`.
    return not dropped and kept * KEPT_OF >= len(before) and gone.isdisjoint(come)


def says_it_ended(old: str, line: str, day: date) -> bool:
    """
    Whether a line may say that an entry no longer holds: it negates or ends something, or has another value for it.

    Args:
        old: The entry.
        line: A newer line that speaks of the same.
        day: Date of its note.
    """
    words = content_tokens(line)
    new_polarity = Counter(polarity_words(line)) - Counter(polarity_words(old))
    if "?" in new_polarity or not SPEECH.isdisjoint(words):
        return False
    ends = not ENDS.isdisjoint(words) or CJK_ENDS.search(line) is not None
    # `The key was not lost` says that nothing ended.
    if ends or not NEGATIONS.isdisjoint(new_polarity):
        return not (ends and not DENIALS.isdisjoint(new_polarity))
    here, there = identifiers(old, day), identifiers(line, day)
    kinds = {name.partition(":")[0] for name in there - here} & {name.partition(":")[0] for name in here - there}
    return bool(kinds - {"name"}) and in_place(old, line[label_end(line) :])


def _taking_away(
    operation: Operation, trusted: tuple[Evidence, ...], entry: Known, ground: Ground, *, reason: str
) -> Verdict:
    """Ask whether an entry has ended, if a newer line speaks of the same and does not say the entry again."""
    verdict = Verdict("propose", operation, trusted, entry, "second-opinion", loses=True, reason=reason)
    newest = max(entry.dates, default="")
    newer = [line for line in trusted if line.day.isoformat() > newest and _related(entry.text, line.text, line.day)]
    if operation.kind == "retire":
        newer = [line for line in newer if says_it_ended(entry.text, line.text, line.day)]
        # Who names what came from outside first may well carry on what it says.
        newer = [line for line in newer if not names_a_stranger(line.text, ground.memory.strangers)]
    elif not in_place(entry.text, operation.text):
        newer = []
    if not newer or any(stands(entry.text, [line]) == "grounded" for line in newer):
        return verdict
    if ground.memory.retirements <= 0:
        return replace(verdict, fate="later", code="quota")
    return replace(verdict, asks="ended")


def _related(old: str, new: str, day: date) -> bool:
    """Whether two texts speak of the same: a shared identifier, or two shared content tokens."""
    shared = set(content_tokens(old)) & set(content_tokens(new))
    return bool(identifiers(old, day) & identifiers(new, day)) or len(shared) > 1
