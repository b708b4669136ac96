"""
Keep MEMORY.md within its caps: what an entry is worth, and which one leaves for a topic to make room.

Only Daybook's own entries ever leave by themselves; a file that is over its cap for other reasons loses nothing.
"""

from __future__ import annotations

from datetime import date
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING

from daybook.language.themes import heading_theme
from daybook.memory import longterm

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.ledger.replay import Owned

CONFIRMED_DATES = 2
DAYS_PER_DATE = 30
MAX_COUNTED_DATES = 6
# How many days of age a section is worth; identity and preferences go last.
SECTION_DAYS = {"preference": 0, "decision": 60, "lesson": 60, "deadline": 30, None: 0}
_IDENTITY = """
    identity me persona people contacts family identität mich familie identité famille identidad familia identità
    famiglia identidade família identiteit familie 身份
"""
IDENTITY = frozenset(_IDENTITY.split())

Value = tuple[bool, bool, int]


def value_of(section: str, dates: Iterable[str], *, accepted: bool = False) -> Value:
    """
    Say what an entry is worth: more is better.

    Identity and preferences come first, then what several dates confirm or the operator agreed to, then recency,
    confirming dates and the section's weight together. So no number of fresh entries pushes out a confirmed one.

    Args:
        section: Its heading.
        dates: ISO dates of trusted note lines that say so.
        accepted: Whether the operator agreed to it.
    """
    lasting, weight_days = _weight(section)
    days = sorted(dates)
    newest = date.fromisoformat(days[-1]).toordinal() if days else 0
    score = newest + DAYS_PER_DATE * min(len(days), MAX_COUNTED_DATES) + weight_days
    return lasting, accepted or len(days) >= CONFIRMED_DATES, score


@lru_cache(maxsize=1024)
def _weight(section: str) -> tuple[bool, int]:
    """Whether a section is of identity or preferences, and how many days of age it is worth."""
    theme = heading_theme(section)
    return theme == "preference" or not IDENTITY.isdisjoint(section.casefold().split()), SECTION_DAYS[theme]


def entry_value(entry: Owned) -> Value:
    """Say what an owned entry is worth."""
    return value_of(entry.section, entry.dates, accepted=entry.accepted)


class Room:
    """How much MEMORY.md still takes before it is at a cap, and what may leave it."""

    def __init__(self, document: longterm.Document, owned: dict[str, Owned]) -> None:
        """Begin with a document; *owned* are its entries that are Daybook's to curate, by text."""
        self.sections = {section.title for section in document.sections}
        self._owned = owned
        self._document = document
        self._kept: set[str] = set()

    @cached_property
    def lines(self) -> int:
        """How many more lines fit."""
        return longterm.MAX_LINES - longterm.count_lines(self._document)

    @cached_property
    def words(self) -> int:
        """How many more words fit."""
        return longterm.MAX_WORDS - longterm.count_words(self._document)

    @cached_property
    def _leaving(self) -> list[tuple[Value, longterm.Entry]]:
        """Entries that may leave, the least valuable last."""
        entries = [one for one in self._document.entries if one.text in self._owned and one.text not in self._kept]
        free = [one for one in entries if not (one.pinned or one.mine)]
        return sorted(((entry_value(self._owned[one.text]), one) for one in free), key=itemgetter(0), reverse=True)

    @property
    def over(self) -> bool:
        """Whether the file is over a cap as it stands."""
        return self.lines < 0 or self.words < 0

    def admit(self, section: str, text: str, value: Value) -> list[longterm.Entry] | None:
        """
        Use up the room for an entry, and for its heading if that is new.

        Returns:
            The entries that leave to make room, each worth less than the new one; None when there is none to make.
        """
        lines, words = self._needs(section, text)
        leave: list[longterm.Entry] = []
        while self.lines < lines or self.words < words:
            # A file that is over its cap already has no room to trade: what leaves would not let the new one in.
            if self.over or not self._leaving or self._leaving[-1][0] >= value:
                for entry in leave:
                    self._stay(entry)
                return None
            leave.append(self._leaving.pop()[1])
            self.free(leave[-1])
        self.lines -= lines
        self.words -= words
        self.sections.add(section)
        return leave

    def bring_under(self) -> list[longterm.Entry]:
        """Choose entries of Daybook's own making that leave because the file is over a cap; adopted ones stay."""
        leave: list[longterm.Entry] = []
        if all(entry.adopted for entry in self._owned.values()) or not self.over:
            return leave
        for pair in [pair for pair in reversed(self._leaving) if not self._owned[pair[1].text].adopted]:
            if not self.over:
                break
            self._leaving.remove(pair)
            self.free(pair[1])
            leave.append(pair[1])
        return leave

    def free(self, entry: longterm.Entry) -> None:
        """Count an entry's room as free."""
        lines, words = self._size(entry)
        self.lines += lines
        self.words += words

    def _stay(self, entry: longterm.Entry) -> None:
        lines, words = self._size(entry)
        self.lines -= lines
        self.words -= words
        self._leaving = [*self._leaving, (entry_value(self._owned[entry.text]), entry)]

    def keep(self, text: str) -> None:
        """Take an entry from those that may leave, before anything else: something is done to it already."""
        self._kept.add(text)

    def _needs(self, section: str, text: str) -> tuple[int, int]:
        heading = section not in self.sections
        return 1 + heading, len(text.split()) + 1 + (len(section.split()) + 1) * heading

    def _size(self, entry: longterm.Entry) -> tuple[int, int]:
        lines = self._document.lines[entry.start : entry.end]
        return sum(bool(line.strip()) for line in lines), sum(len(line.split()) for line in lines)
