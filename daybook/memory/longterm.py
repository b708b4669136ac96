"""
Edit MEMORY.md and topics entry by entry; every byte that is not an edit's own stays.

Edits are values, applied to one parse, so that twenty of them on a long file cost one pass. A protected entry or
section is a matter of policy and decided before: nothing here looks at pins and marks but to keep them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.memory import placing
from daybook.memory.blocks import BLANK, BOM
from daybook.memory.edits import DEFAULT_LEVEL, Add, Edit, Insert, Remove, Revise
from daybook.memory.markdown import Document, Entry, Section, can_head, can_stand, parse
from daybook.memory.placing import find_section
from daybook.memory.splicing import splice

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "MAX_LINES",
    "MAX_WORDS",
    "Add",
    "Document",
    "Edit",
    "Entry",
    "Insert",
    "Remove",
    "Revise",
    "Section",
    "add",
    "apply",
    "can_head",
    "can_stand",
    "count_lines",
    "count_words",
    "find_section",
    "parse",
    "remove",
    "revise",
]

MAX_LINES = 80
MAX_WORDS = 5_000


def count_lines(document: Document) -> int:
    """Count lines that are not blank, headings too, for the cap `MAX_LINES`."""
    return sum(1 for line in document.lines if line.removeprefix(BOM).strip(BLANK))


def count_words(document: Document) -> int:
    """Count words between white space, for the cap `MAX_WORDS`."""
    return len(b"".join(document.lines).decode(errors="replace").split())


def add(document: Document, section: str, text: str, new_heading_level: int = DEFAULT_LEVEL) -> bytes:
    """Apply one `Add`; see `apply`."""
    return apply(document, [Add(section, text, new_heading_level)])


def revise(document: Document, entry: Entry, text: str) -> bytes:
    """Apply one `Revise`; see `apply`."""
    return apply(document, [Revise(entry, text)])


def remove(document: Document, entry: Entry) -> bytes:
    """Apply one `Remove`; see `apply`."""
    return apply(document, [Remove(entry)])


def apply(document: Document, edits: Sequence[Edit]) -> bytes:
    """
    Apply edits to one parse and give the new file.

    A last line without a newline gets one only when something is put below it.

    Args:
        document: What the entries of the edits were read from.
        edits: In any order; Adds to one section keep theirs.

    Raises:
        ValueError: A text, title or raw entry cannot stand (`can_stand`), an entry is not of this document, or
            two edits are for one entry. Nothing is half applied.
    """
    return splice(placing.plan(document, edits))
