"""
Find what states the same, and what is so close that both cannot stand silently side by side.

Equal is decided by `statement_key` alone, which is costly, so it is made only where the words and numbers are the same.
Closeness never merges anything: it makes a proposal.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Generic, TypeVar

from rapidfuzz import fuzz, process, utils

from daybook.language.tokens import ARTICLES, CJK, TO_BE
from daybook.language.words import statement_key

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from daybook.curation.entries import Known

T = TypeVar("T")
MAYBE_SUPERSEDES = 80
# Runs of letters, and numbers without their leading zeros: what equal statements have in common.
PIECES = re.compile(r"[^\W\d_]+|[1-9]\d*")
PASSED_OVER = ARTICLES | TO_BE
# Which entries are worth a closer look: they share a third of the words that are not too short to tell anything.
TELLING_CHARS = 3
SHARED_OF = 3

Rough = tuple[str, ...]


# As many as a large flush has lines: each is looked at several times.
@lru_cache(maxsize=16_384)
def rough(text: str) -> Rough:
    """Give a cheap key that equal statements share; others may share it, too."""
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFC", text).casefold()
    return tuple([piece for piece in PIECES.findall(folded) if piece not in PASSED_OVER])


class Statements(Generic[T]):
    """Values by the statement they belong to."""

    def __init__(self, pairs: Iterable[tuple[str, T]] = ()) -> None:
        """Sort them in; of equal statements the first counts."""
        # Under each rough key either the one statement, not yet looked at closely, or all of them by their whole key.
        self._one: dict[Rough, tuple[str, T]] = {}
        self._many: dict[Rough, dict[Hashable, T]] = {}
        for text, value in pairs:
            self.add(text, value)

    def find(self, text: str) -> T | None:
        """Give the value of the statement that *text* makes."""
        key = rough(text)
        if key not in self._one:
            return None
        return self._keyed(key).get(statement_key(text))

    def add(self, text: str, value: T) -> None:
        """Keep a value for the statement, unless there is one."""
        key = rough(text)
        if key in self._one:
            self._keyed(key).setdefault(statement_key(text), value)
        else:
            self._one[key] = (text, value)

    def _keyed(self, key: Rough) -> dict[Hashable, T]:
        if key not in self._many:
            text, value = self._one[key]
            self._many[key] = {statement_key(text): value}
        return self._many[key]


class Near:
    """Entries that a statement may supersede: those most like it, if they are like it at all."""

    def __init__(self, entries: Iterable[Known] = ()) -> None:
        """Sort them by their telling words."""
        self._entries: list[Known] = []
        self._plain: list[str] = []
        self._sizes: list[int] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for entry in entries:
            self.add(entry)

    def add(self, entry: Known) -> None:
        """Take one more."""
        words = _telling(rough(entry.text))
        for word in words:
            self._by_word[word].append(len(self._entries))
        self._sizes.append(len(words))
        self._plain.append(_plain(entry.text))
        self._entries.append(entry)

    def find(self, text: str) -> Known | None:
        """Give the entry most like *text*, if it is like it."""
        if not self._entries:
            return None
        words = _telling(rough(text))
        shared = Counter(chain.from_iterable([self._by_word[word] for word in words if word in self._by_word]))
        few, sizes = len(words) / SHARED_OF, self._sizes
        choices = {
            index: self._plain[index]
            for index, count in shared.items()
            if count >= few or count * SHARED_OF >= sizes[index]
        }
        if not choices:
            return None
        best = process.extractOne(
            _plain(text), choices, scorer=fuzz.token_set_ratio, processor=None, score_cutoff=MAYBE_SUPERSEDES
        )
        return self._entries[best[2]] if best else None


def _telling(key: Rough) -> frozenset[str]:
    told = {word for word in key if len(word) >= TELLING_CHARS}
    if not "".join(key).isascii():
        # Without spaces between words each sign tells something.
        told |= {sign for word in key if CJK.search(word) for sign in word}
    return frozenset(told or key)


def _plain(text: str) -> str:
    shown = utils.default_process(text)
    return " ".join(shown) if CJK.search(shown) else shown
