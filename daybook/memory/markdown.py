r"""
Read the structure of a Markdown file without ever losing a byte of it.

Lines end at b"\n" alone. Headings are ATX headings outside front matter, fences, HTML blocks and list items;
entries are top-level bullets with all that belongs to them. Block rules are CommonMark's
(https://spec.commonmark.org/0.31.2/), with one exception: a table row at the margin ends an entry.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from daybook.memory.blocks import BLANK, BOM, scan, unclosed_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybook.memory.blocks import Scan

LINE = re.compile(rb"[^\n]*\n|[^\n]+")
PREFIX = re.compile(rb"(?:\xef\xbb\xbf)?[ \t]*[-*+](?:(?: {1,4}|\t)(?![ \t\r\n])|[ \t]?)")
PIN = re.compile(rb"<!--\s*pin\s*-->", re.IGNORECASE)
STRUCTURE = re.compile(r"(?:[-*+]|#{1,6}|\d{1,9}[.)])(?:\s|$)|>|`{3}|~{3}|\||=+$|(?:[-_*]\s*){3,}$|<[A-Za-z/!?]")
NO_SECTION = ("", False)
MINE = re.compile(rb"<!--\s*mine\s*-->", re.IGNORECASE)


@lru_cache(maxsize=16)
def parse(data: bytes) -> Document:
    """
    Read sections and entries; `b"".join(document.lines)` is *data* again, whatever it holds.

    Args:
        data: A whole file: any bytes, any line ends, valid UTF-8 or not.
    """
    lines = tuple(LINE.findall(data))
    first = _front_matter_end(lines)
    state = scan(lines, first)
    sections = tuple(_sections(state))
    entries = tuple(_entries(state, sections, pins=PIN.search(data) is not None))
    return Document(lines, sections, entries, first, unclosed_line(state))


def can_stand(text: str) -> bool:
    """
    Whether *text* can be an entry: one line of visible words that does not look like structure.

    Comments are structure too: a text must not pin itself.
    """
    if not text or text != text.strip() or "<!--" in text or STRUCTURE.match(text):
        return False
    return not _has_controls(text)


def can_head(title: str) -> bool:
    """Whether *title* can be a heading: one line of visible words."""
    return bool(title) and title == title.strip() and not _has_controls(title)


def _front_matter_end(lines: tuple[bytes, ...]) -> int:
    if not lines or lines[0].removeprefix(BOM).rstrip(BLANK) != b"---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 2) if line.rstrip(BLANK) in {b"---", b"..."})
    return next(ends, 0)


def _sections(state: Scan) -> Iterator[Section]:
    guarded = 0  # level of the heading whose mark covers what stands below it; 0 for none
    ends = [*(number for number, _, _ in state.headings), len(state.lines)][1:]
    for (number, level, title), end in zip(state.headings, ends, strict=True):
        if level <= guarded:
            guarded = 0
        under = next((line for line in state.lines[number + 1 : end] if line.strip(BLANK)), b"")
        if not guarded and MINE.fullmatch(under.strip(BLANK)):
            guarded = level
        yield Section(title, level, number, end, mine=bool(guarded))


def _entries(state: Scan, sections: tuple[Section, ...], *, pins: bool) -> Iterator[Entry]:
    by_line = {section.line: (section.title, section.mine) for section in sections}
    lines = state.lines
    for top in state.bullets:
        start, end = top.start, top.end
        body = lines[start] if end == start + 1 else b"".join(lines[start:end])
        match = PREFIX.match(body)
        prefix = match[0] if match else b""
        pinned = pins and PIN.search(body) is not None
        bare = PIN.sub(b" ", body[len(prefix) :]) if pinned else body[len(prefix) :]
        words = bare.decode(errors="replace").strip()
        # White space that is not a single space is not printable, or it is two of them.
        text = words if words.isprintable() and "  " not in words else " ".join(words.split())
        if text:
            title, mine = by_line.get(top.section, NO_SECTION)
            yield Entry(title, start, end, text, prefix, pinned, mine)


def _has_controls(text: str) -> bool:
    return not text.isprintable() and any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in text)


@dataclass(frozen=True, slots=True)
class Document:
    """
    A file as lines, and what was read from them.

    Attributes:
        lines: All lines with their ends, in order.
        sections: Headings, in order; what stands above the first one has no section.
        entries: Top-level bullets with text, in order.
        first: Index of the first line after the front matter.
        unclosed: Index of the line that opens a fence or comment which is never closed, if there is one.
    """

    lines: tuple[bytes, ...]
    sections: tuple[Section, ...]
    entries: tuple[Entry, ...]
    first: int
    unclosed: int | None


@dataclass(frozen=True, slots=True)
class Section:
    """
    An ATX heading and its own body, which ends at the next heading of any level.

    Attributes:
        title: Without signs and edge spaces.
        level: 1 to 6.
        line: Index of the heading's line.
        end: Index one after its body.
        mine: Whether `<!-- mine -->` stands directly under it, or under a heading it is part of.
    """

    title: str
    level: int
    line: int
    end: int
    mine: bool


class Entry(NamedTuple):
    """
    A top-level bullet with its continuation lines and nested bullets.

    A tuple, because a topic of 10,000 bullets makes as many of them at every look.

    Attributes:
        section: Title of the heading above it; empty when there is none.
        start: Index of its first line.
        end: Index one after its last line that is not blank.
        text: Its words on one line, without the bullet and the pin; invalid UTF-8 shows as U+FFFD.
        prefix: The bytes before the words: indentation, bullet, spaces.
        pinned: Whether it holds `<!-- pin -->`.
        mine: Whether its section is the operator's own.
    """

    section: str
    start: int
    end: int
    text: str
    prefix: bytes
    pinned: bool
    mine: bool
