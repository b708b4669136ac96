"""What memory holds, as a review sees it: entries with ids, and which of them state the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from daybook.language.words import statement_key

LONGTERM = "MEMORY.md"
HASH_CHARS = 32


@dataclass(frozen=True)
class Known:
    """
    An entry a review may speak of.

    Attributes:
        id: What operations call it, such as `e3`.
        file: MEMORY.md or a topic, inside the workspace.
        section: Its heading.
        text: Its words.
        owned: Whether Daybook may curate it: the ledger holds it, or the folder's every entry was adopted.
        protected: Pinned, or in a section marked as the person's own.
        lineage: Names it in the ledger; empty for a foreign one.
        edited: A person changed its words since: it can be confirmed, no more.
        accepted: The operator agreed to it: it is never retired by itself.
        adopted: It was there before Daybook.
        dates: ISO dates of trusted note lines that say so, the first one included.
        lines: Hashes of the note lines it rests on.
    """

    id: str
    file: str
    section: str
    text: str
    owned: bool
    protected: bool = False
    lineage: str = ""
    edited: bool = False
    accepted: bool = False
    adopted: bool = False
    dates: frozenset[str] = frozenset()
    lines: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Memory:
    """
    What memory holds, as far as a review must know.

    Attributes:
        entries: Every entry of MEMORY.md and the topics.
        sections: Headings of MEMORY.md that may be added to, in order.
        closed: Headings marked as the person's own, which nothing is added to.
        forgotten: Hashes of statements (`statement_hash`) that a person took out.
        forgotten_lines: Hashes of the note lines they rested on.
        vanished: Hashes of statements that are missing for a reason not yet known.
        retirements: How many more entries may be retired within the present seven days.
        strangers: Hashes of what came from outside first, and memory does not hold (see `guard.strangers`).
        shown: ISO dates on which a session was shown MEMORY.md: a line of such a date that repeats an entry word
            for word is its echo.
    """

    entries: tuple[Known, ...] = ()
    sections: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()
    forgotten_lines: frozenset[str] = frozenset()
    vanished: frozenset[str] = frozenset()
    retirements: int = 3
    strangers: frozenset[str] = frozenset()
    shown: frozenset[str] = frozenset()

    def entry(self, entry_id: str) -> Known | None:
        """The entry with this id."""
        return next((entry for entry in self.entries if entry.id == entry_id), None)


def statement_hash(text: str) -> str:
    """Hash of what a text states: the same for two texts with the same `statement_key`."""
    return hashlib.sha256(repr(statement_key(text)).encode()).hexdigest()[:HASH_CHARS]
