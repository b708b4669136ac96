"""Tell which texts say what was forgotten: whole, or with no more than what a note line has around its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.language.themes import label_end

if TYPE_CHECKING:
    from collections.abc import Iterable

FORGOTTEN = "(forgotten)"
# A path and a sign of a run record; bullet, box, time and tag of a note line.
AROUND = re.compile(
    r"(?:\S+\.md: )?(?:[+-] )?(?:[-*+]\s+)?(?:\[[ xX-]\]\s+)?(?:\d{1,2}:\d{2} - )?(?:\[[\w:.-]{1,40}\]\s+)?"
)
EDGE = " .,;!"
MIN_QUOTE_CHARS = 6


@dataclass(frozen=True)
class Words:
    """
    What was forgotten.

    Attributes:
        wordings: Every text that the entry had, as `folded` gives it.
        lines: Texts of the note lines it rested on, and its own lines if it had several, likewise.
    """

    wordings: frozenset[str]
    lines: frozenset[str] = frozenset()

    @classmethod
    def of(cls, wordings: Iterable[str], lines: Iterable[str] = ()) -> Words:
        """Take texts as they were written; those without a word are left out."""
        return cls(frozenset(map(folded, wordings)) - {""}, frozenset(map(folded, lines)) - {""})

    def says(self, text: str) -> bool:
        """Whether a text is one of these and nothing more; `tea` is not said by a line that speaks of it."""
        bare = text[match.end() :] if (match := AROUND.match(text)) else text
        forms = {folded(text), folded(bare), folded(bare[label_end(bare) :])} - {""}
        return not forms.isdisjoint(self.wordings | self.lines)

    def stand_in(self, text: str) -> bool:
        """Whether a text says one of these, or holds a wording among other words."""
        whole = folded(text)
        return self.says(text) or any(_holds(whole, wording) for wording in self.wordings)

    def quoted_in(self, text: str) -> bool:
        """Whether a text says one of these, or holds a wording that is more than a word or two."""
        whole = folded(text)
        return self.says(text) or any(len(one) >= MIN_QUOTE_CHARS and _holds(whole, one) for one in self.wordings)


def folded(text: str) -> str:
    """Give a text without what makes no difference: case, white space, and stops at its end."""
    return " ".join(text.casefold().split()).rstrip(EDGE)


def _holds(whole: str, part: str) -> bool:
    at = whole.find(part)
    while at >= 0:
        end = at + len(part)
        if not (_runs_on(whole[at - 1 : at], part[0]) or _runs_on(part[-1], whole[end : end + 1])):
            return True
        at = whole.find(part, at + 1)
    return False


def _runs_on(left: str, right: str) -> bool:
    """Whether two signs are of one word; scripts without case write none apart."""
    return all(sign.isdigit() or sign.upper() != sign.lower() for sign in (left, right) if sign) and bool(
        left and right
    )
