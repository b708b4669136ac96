"""
Put lines of ours between the lines of a Markdown file so that all the others still say what they said.

Where our lines, or a gap we leave, meet lines that stay, a blank line or an empty comment keeps the two apart if
they would otherwise be read as one.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook.memory.blocks import BLANK, BOM
from daybook.memory.markdown import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.memory.markdown import Document

# A bullet with words, or a heading, at the margin: it is read alike whatever entry or text stands above it.
FRESH = re.compile(rb" ?(?:[-*+][ \t]+[^ \t\r\n]|#{1,6}(?:[ \t\r\n]|$))")
# An empty comment at the margin ends whatever a blank line leaves open.
PARTINGS = (b"", b"<!-- -->")


def splice(plan: Plan) -> bytes:
    """Carry out a plan: the new file."""
    out = _Output(plan.document)
    at = 0
    for number in sorted({*plan.blocks, *plan.cuts}):
        out.keep(at, number)
        at = number
        for block in plan.blocks.get(number, ()):
            out.put(block)
        if cut := plan.cuts.get(number):
            out.cut(cut)
            at = cut.end
    out.keep(at, len(plan.document.lines))
    return out.ended()


def line_end(line: bytes) -> bytes:
    r"""Tell how a line ends: b"\r\n", b"\n", or b"" for a last line that does not."""
    return b"\r\n" if line.endswith(b"\r\n") else line[-1:] if line.endswith(b"\n") else b""


def _reading(data: bytes) -> list[tuple[int, int, str]]:
    """Every entry (first line, how many, text) and heading (line, minus its level, title) in order."""
    document = parse(data)
    entries = [(entry.start, entry.end - entry.start, entry.text) for entry in document.entries]
    return sorted([*entries, *((section.line, -section.level, section.title) for section in document.sections)])


def _next_known(document: Document, number: int) -> int:
    """Index of the first line from here on that begins an entry or a section; the number of lines if there is none."""
    entry = bisect_left(document.entries, number, key=lambda one: one.start)
    section = bisect_left(document.sections, number, key=lambda one: one.line)
    entries = [one.start for one in document.entries[entry : entry + 1]]
    sections = [one.line for one in document.sections[section : section + 1]]
    return min([*entries, *sections, len(document.lines)])


def _last_known(document: Document, start: int, end: int) -> int:
    """Index of the last line of these that begins an entry or a section; -1 if there is none."""
    entry = bisect_left(document.entries, end, key=lambda one: one.start)
    section = bisect_left(document.sections, end, key=lambda one: one.line)
    entries = [one.start for one in document.entries[max(entry - 1, 0) : entry]]
    sections = [one.line for one in document.sections[max(section - 1, 0) : section]]
    return max((line for line in (*entries, *sections) if line >= start), default=-1)


@dataclass(slots=True)
class Block:
    """
    Lines to put in.

    Attributes:
        lines: Without their ends.
        blank_above: Whether a blank line is to stand above them.
        blank_below: Whether a blank line is to stand below them.
        unended: Whether the last one goes without a newline at the end of the file.
    """

    lines: list[bytes]
    blank_above: bool = False
    blank_below: bool = False
    unended: bool = False


@dataclass(frozen=True, slots=True)
class Cut:
    """Where the lines of an entry end that are taken out, and the whole line that takes their place, if one does."""

    end: int
    line: bytes = b""


@dataclass(slots=True)
class Plan:
    """
    What is to be done to one document.

    Attributes:
        blocks: Blocks to put in above the line of that index, in order.
        cuts: Entries to take out, by the index of their first line.
    """

    document: Document
    blocks: defaultdict[int, list[Block]] = field(default_factory=lambda: defaultdict(list))
    cuts: dict[int, Cut] = field(default_factory=dict)


class _Output:
    """The new file, as far as it is put together."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._source = list(document.lines)
        self._newline = next((end for line in document.lines if (end := line_end(line))), b"\n")
        self._lines: list[bytes] = []
        if self._source and self._source[0].startswith(BOM):
            self._lines.append(BOM)
            self._source[0] = self._source[0].removeprefix(BOM)
        # Index of the last line at which reading begins anew.
        self._fresh = 0
        self._touched = self._wants_blank = self._unended = False

    def keep(self, start: int, end: int) -> None:
        """Copy lines of the document."""
        if start >= end:
            return
        if self._touched:
            # A rule that becomes the first line would begin a front matter.
            wants_blank = self._wants_blank or (not self._above() and self._source[start].rstrip(BLANK) == b"---")
            if wants_blank and self._source[start].strip(BLANK):
                self._add(b"")
            self._part(self._following(start))
        known = _last_known(self._document, start, end)
        if known >= 0:
            self._fresh = len(self._lines) + known - start
        self._lines += self._source[start:end]
        self._touched = self._wants_blank = self._unended = False

    def put(self, block: Block) -> None:
        """Add a block."""
        if self._wants_blank or (block.blank_above and self._above().strip(BLANK)):
            self._add(b"")
        self._part([line + b"\n" for line in block.lines])
        self._fresh = len(self._lines)
        for line in block.lines:
            self._add(line)
        self._touched, self._wants_blank, self._unended = True, block.blank_below, block.unended

    def cut(self, cut: Cut) -> None:
        """Leave an entry's lines out."""
        self._touched = True
        if cut.line:
            if self._wants_blank:
                self._add(b"")
            self._part([cut.line])
            self._end_above()
            self._fresh = len(self._lines)
            self._lines.append(cut.line)
            self._wants_blank = self._unended = False

    def ended(self) -> bytes:
        """Give the whole file."""
        if self._unended:
            self._lines[-1] = self._lines[-1].removesuffix(line_end(self._lines[-1]))
        return b"".join(self._lines)

    def _above(self) -> bytes:
        return self._lines[-1].removeprefix(BOM) if self._lines else b""

    def _end_above(self) -> None:
        if self._above() and not line_end(self._above()):
            self._lines[-1] += self._newline

    def _add(self, line: bytes) -> None:
        """Add one line of ours, with the line end of the one above."""
        self._end_above()
        self._lines.append(line + (line_end(self._above()) or self._newline))

    def _following(self, start: int) -> list[bytes]:
        """Lines that stay, up to one that is read alike in any case."""
        end = _next_known(self._document, start)
        while end < len(self._source) and not FRESH.match(self._source[end]):
            end = _next_known(self._document, end + 1)
        return self._source[start : end + 1]

    def _part(self, below: Sequence[bytes]) -> None:
        """Keep lines apart from what stands above them, if something must."""
        first = next((line for line in below if line.strip(BLANK)), b"")
        # Text that begins like HTML may go on to the next blank line, whatever stands in it.
        html = any(line.lstrip(BLANK).startswith(b"<") for line in self._lines[self._fresh :])
        if not first or (FRESH.match(first) and not html):
            return
        self._end_above()
        rest = b"".join(below)
        above = (b"\n" if self._fresh else b"") + b"".join(self._lines[self._fresh :])
        alone, before = _reading(b"\n" + rest), _reading(above)
        for parting in (None, *PARTINGS):
            head = above if parting is None else above + parting + b"\n"
            lines_above = head.count(b"\n") - 1
            if _reading(head + rest) == [*before, *((line + lines_above, *what) for line, *what in alone)]:
                break
        if parting is not None:
            self._add(parting)
