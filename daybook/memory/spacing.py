"""How a document spaces its entries: what is put in keeps to it, and what was taken out comes back as it was."""

from __future__ import annotations

from bisect import bisect_left
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING

from daybook.memory.blocks import BLANK, BOM

if TYPE_CHECKING:
    from daybook.memory.markdown import Document, Entry, Section


def are_blank(document: Document, start: int, end: int) -> bool:
    """Whether these lines are blank; what is beyond the file's end counts as blank below a line that is there."""
    lines = document.lines[max(start, 0) : end]
    return bool(lines) and not any(line.removeprefix(BOM).strip(BLANK) for line in lines)


def is_loose(document: Document, section: Section) -> bool | None:
    """Whether entries have blank lines between them, in this section or else anywhere; None where none follow."""
    first, end = _span(document, section)
    pairs = chain(pairwise(islice(document.entries, first, end)), pairwise(document.entries))
    for above, below in pairs:
        if above.end == below.start or are_blank(document, above.end, below.start):
            return above.end < below.start
    return None


def first_entry(document: Document, section: Section) -> Entry | None:
    """The first entry of a section's own body."""
    first, end = _span(document, section)
    return document.entries[first] if first < end else None


def last_entry(document: Document, section: Section) -> Entry | None:
    """The last entry of a section's own body."""
    first, end = _span(document, section)
    return document.entries[end - 1] if first < end else None


def _span(document: Document, section: Section) -> tuple[int, int]:
    first = bisect_left(document.entries, section.line, key=lambda one: one.start)
    return first, bisect_left(document.entries, section.end, lo=first, key=lambda one: one.start)
