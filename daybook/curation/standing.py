"""
Find the entry that an operation speaks of, by the same rules for whoever writes, settles or takes back.

Several entries may read alike, and one of them may be a person's own: theirs is never taken for ours.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from daybook.ledger.record import Intent
    from daybook.memory import longterm


def text_after(operation: Intent) -> str:
    """Give an entry's words at the place it came to: in the archive a note stands below what was moved there."""
    if operation.op == "retire":
        return " ".join(f"{operation.old} - {archive_note(operation)}".split())
    return operation.text or operation.old


def archive_note(operation: Intent) -> str:
    """
    Word the note below an entry in the archive: since when it is not true, why, where it stood, and who says so.

    The entry is found again by it, so the same operation gives the same note for ever.
    """
    day = max((source.date for source in operation.sources), default=operation.at[:10])
    says = ", ".join(f"{source.file}:{source.line}" for source in operation.sources)
    said = [day, operation.reason or "no longer true", f"from {operation.file}"]
    return "; ".join([*said, f"says {says}"] if says else said)


class Page:
    """The entries of one document, by their words."""

    def __init__(self, document: longterm.Document) -> None:
        """Sort the entries of a document."""
        self.document = document
        self._alike: dict[str, list[longterm.Entry]] = defaultdict(list)
        for entry in document.entries:
            self._alike[entry.text].append(entry)

    def find(self, text: str, section: str = "") -> longterm.Entry | None:
        """The entry with these words: one that is free rather than a person's own, then one of that section, first."""
        alike = self._alike.get(text, ())
        return min(alike, key=lambda one: (one.mine, one.pinned, one.section != section), default=None)

    def ours(self, text: str, section: str, without: Container[int] = ()) -> longterm.Entry | None:
        """
        The entry with these words that is Daybook's.

        What stands in a section marked as a person's own is theirs, unless it was put into that very section.

        Args:
            text: Its words.
            section: The heading it was put under.
            without: First lines of entries that do not count any more.
        """
        alike = (
            one
            for one in self._alike.get(text, ())
            if one.start not in without and not (one.mine and one.section != section)
        )
        return min(alike, key=lambda one: (one.mine, one.pinned, one.section != section), default=None)
