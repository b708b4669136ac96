"""What memory holds, as a review sees it: entries with ids, and which of them state the same."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.review.tokens import ARTICLES, TO_BE
from daybook.review.words import statement_key

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGTERM = "MEMORY.md"
LETTERS = re.compile(r"[^\W\d_]+")
PASSED_OVER = ARTICLES | TO_BE


@dataclass(frozen=True)
class Known:
    """
    An entry a review may speak of.

    Attributes:
        id: What operations call it, such as `e3`.
        file: MEMORY.md or a topic, inside the workspace.
        owned: Whether the ledger says it is ours.
        protected: Pinned, or in a section marked as the person's own.
    """

    id: str
    file: str
    section: str
    text: str
    owned: bool
    protected: bool = False


@dataclass(frozen=True)
class Memory:
    """
    What memory holds, as far as a review must know.

    Attributes:
        entries: Every entry of MEMORY.md and the topics.
        sections: Headings of MEMORY.md that may be added to, in order.
        closed: Headings marked as the person's own, which nothing is added to.
    """

    entries: tuple[Known, ...] = ()
    sections: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()

    def entry(self, entry_id: str) -> Known | None:
        """The entry with this id."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)


class Equal:
    """
    Entries by what they state.

    The whole comparison is costly, so it is made only between texts whose letters are the same words in order.
    """

    def __init__(self, entries: Sequence[Known]) -> None:
        """Sort entries roughly."""
        self._rough: dict[tuple[str, ...], list[Known]] = defaultdict(list)
        for entry in entries:
            self._rough[_rough(entry.text)].append(entry)

    def find(self, text: str) -> Known | None:
        """The first entry that states the same."""
        alike = self._rough.get(_rough(text), [])
        wanted = statement_key(text) if alike else None
        return next((entry for entry in alike if statement_key(entry.text) == wanted), None)


def _rough(text: str) -> tuple[str, ...]:
    words = LETTERS.findall(unicodedata.normalize("NFC", text).casefold())
    return tuple(word for word in words if word not in PASSED_OVER)
