"""Decide where in a document edits go, and how much room they leave around them; nothing is written here."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from daybook.memory.blocks import BLANK, BOM, heading_title
from daybook.memory.edits import Add, Insert, Remove, Revise
from daybook.memory.markdown import PIN, Section, can_head, can_stand, parse
from daybook.memory.spacing import are_blank, first_entry, is_loose, last_entry
from daybook.memory.splicing import Block, Cut, Plan, line_end

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.memory.edits import Edit
    from daybook.memory.markdown import Document, Entry

LEVELS = range(1, 7)
PREFIX = b"- "
# Its content begins at column 4, so that a heading or fence below it, indented by up to 3, is not drawn into it.
WIDE_PREFIX = b"-   "
WIDE_FROM = 2


def plan(document: Document, edits: Sequence[Edit]) -> Plan:
    """
    Find every edit's place.

    Raises:
        ValueError: A text, title or raw entry cannot stand, an entry is not of this document, or edited twice.
    """
    places = _Places(Plan(document))
    fresh: dict[str, list[Add | Insert]] = {}
    for edit in edits:
        match edit:
            case Revise() | Remove():
                _cut(places.plan, edit)
            case Add() | Insert():
                section = places.section(edit)
                if not section:
                    fresh.setdefault(title_key(edit.section), []).append(edit)
                elif isinstance(edit, Add):
                    _add(places, section, edit)
                else:
                    _insert(places, section, edit)
            case _:
                assert_never(edit)
    for one in fresh.values():
        _add_section(places.plan, one)
    return places.plan


def find_section(document: Document, title: str) -> Section | None:
    """
    Find the section an Add goes to: the first of that title, and rather one that is not the operator's own.

    Look at its `mine` before an Add. Case and spacing do not matter.
    """
    wanted = title_key(title)
    found = [section for section in document.sections if title_key(section.title) == wanted]
    return min(found, key=lambda section: section.mine, default=None)


def title_key(title: str) -> str:
    """What makes two titles the same."""
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def _cut(plan: Plan, edit: Revise | Remove) -> None:
    document, entry = plan.document, edit.entry
    at = bisect_left(document.entries, entry.start, key=lambda one: one.start)
    if document.entries[at : at + 1] != (entry,) or entry.start in plan.cuts:
        raise ValueError(f"not an entry of this document, or edited twice: lines {entry.start + 1} to {entry.end}")
    line = b""
    if isinstance(edit, Revise):
        pin = PIN.search(b"".join(document.lines[entry.start : entry.end])) if entry.pinned else None
        mark = b" " + pin[0] if pin else b""
        line = _spaced(entry.prefix) + _encoded(edit.text) + mark + line_end(document.lines[entry.end - 1])
    plan.cuts[entry.start] = Cut(entry.end, line)


def _add(places: _Places, section: Section, edit: Add) -> None:
    # A flush adds thousands of lines to one topic: they are one block, and its place is looked up once.
    adds = places.adds.get(section.line)
    if adds is None or places.ends[section.line][1] is not adds.block:
        document = places.plan.document
        block, loose, last = Block([]), is_loose(document, section) or False, last_entry(document, section)
        at = _put_at_end(places, section, block, loose=loose, is_new=True)
        prefix = _spaced(last.prefix) if last else _prefix_above(document, at)
        adds = places.adds[section.line] = _Adds(block, prefix, loose=loose)
    elif adds.loose:
        adds.block.lines.append(b"")
    adds.block.lines.append(adds.prefix + _encoded(edit.text))


def _insert(places: _Places, section: Section, edit: Insert) -> None:
    text, block = _raw_block(edit)
    document, key = places.plan.document, title_key(edit.section)
    loose, first = is_loose(document, section), first_entry(document, section)
    if edit.after and (key, edit.after) in places.put_back:
        at, other = places.put_back[key, edit.after]
        _put_behind(places, at, other, block, loose=loose or False)
    elif edit.after and (entry := places.entry(key, edit.after)):
        block.blank_above = block.blank_below = loose or False
        at = entry.end + _room_below(document, entry.end, loose=loose)
        places.plan.blocks[at].insert(0, block)
    elif edit.after == "" and first:
        block.blank_below = loose or False
        at = first.start - (loose is not False and are_blank(document, first.start - 2, first.start))
        places.plan.blocks[at].insert(0, block)
    else:
        at = _put_at_end(places, section, block, loose=loose, is_new=False)
    places.put_back[key, text] = at, block


def _put_at_end(places: _Places, section: Section, block: Block, *, loose: bool | None, is_new: bool) -> int:
    if section.line in places.ends:
        at, other = places.ends[section.line]
        _put_behind(places, at, other, block, loose=loose or False)
    elif last := last_entry(places.plan.document, section):
        block.blank_above = block.blank_below = loose or False
        at = last.end + _room_below(places.plan.document, last.end, loose=loose)
        places.plan.blocks[at].append(block)
    else:
        at = _below_text(places.plan.document, section)
        # What was taken out had no blank lines around it, or they are there still.
        block.blank_above = block.blank_below = is_new
        places.plan.blocks[at].append(block)
    places.ends[section.line] = at, block
    return at


def _put_behind(places: _Places, at: int, other: Block, block: Block, *, loose: bool) -> None:
    block.blank_above, block.blank_below, other.blank_below = loose, other.blank_below, loose
    blocks = places.plan.blocks[at]
    blocks.insert(1 + next(index for index, one in enumerate(blocks) if one is other), block)


def _room_below(document: Document, end: int, *, loose: bool | None) -> int:
    """How many of the blank lines below an entry are to stay above what goes below it."""
    if loose is None:
        # Where an entry was taken out of a list with blank lines in between, two of them follow each other.
        loose = are_blank(document, end, end + 2)
    return int(loose and are_blank(document, end, end + 1))


def _below_text(document: Document, section: Section) -> int:
    """Find the place in a section without entries, below its text."""
    at = section.end if document.unclosed is None else min(section.end, max(document.unclosed, section.line + 1))
    while at > section.line + 1 and are_blank(document, at - 1, at):
        at -= 1
    # Where an entry stood between blank lines, two of them follow each other.
    return at + 1 if are_blank(document, at, at + 2) else at


def _add_section(plan: Plan, edits: list[Add | Insert]) -> None:
    document, title, level = plan.document, edits[0].section, edits[0].new_heading_level
    if level not in LEVELS or not can_head(title):
        raise ValueError(f"not a heading: level {level}, {len(title)} characters")
    heading = b"#" * level + b" " + title.encode()
    if heading_title(title.encode()) != title:
        heading += b" #"  # `C #` alone would read as `C`
    at = _new_section_line(document)
    prefix = _prefix_above(document, at)
    texts: list[str] = []
    blocks: list[Block] = []
    for edit in edits:
        if isinstance(edit, Add):
            text, block = edit.text, Block([prefix + _encoded(edit.text)])
            place = len(texts)
        else:
            text, block = _raw_block(edit)
            place = 0 if edit.after == "" else texts.index(edit.after) + 1 if edit.after in texts else len(texts)
        texts.insert(place, text)
        blocks.insert(place, block)
    blocks[-1].blank_below = True
    plan.blocks[at] += [Block([heading, b""], blank_above=True), *blocks]


def _new_section_line(document: Document) -> int:
    # Below a fence that is never closed a heading would be code: the new section goes above the one that holds it.
    if document.unclosed is None:
        return len(document.lines)
    above = [section.line for section in document.sections if section.line < document.unclosed]
    return above[-1] if above else document.unclosed


def _raw_block(edit: Insert) -> tuple[str, Block]:
    """Text of a raw entry, and its lines without their ends."""
    read = parse(edit.raw.removeprefix(BOM))
    if [(entry.start, entry.end) for entry in read.entries] != [(0, len(read.lines))]:
        raise ValueError(f"not the lines of one entry: {len(edit.raw)} bytes")
    lines = [line.removesuffix(line_end(line)) for line in read.lines]
    return read.entries[0].text, Block(lines, unended=not line_end(read.lines[-1]))


def _prefix_above(document: Document, at: int) -> bytes:
    below = next((line for line in document.lines[at:] if line.strip(BLANK)), b"").removeprefix(BOM)
    return WIDE_PREFIX if len(below) - len(below.lstrip(b" \t")) >= WIDE_FROM else PREFIX


def _spaced(prefix: bytes) -> bytes:
    prefix = prefix.removeprefix(BOM)
    return prefix if prefix[-1:] in {b" ", b"\t"} else prefix + b" "


def _encoded(text: str) -> bytes:
    if not can_stand(text):
        raise ValueError(f"cannot stand as one line of Markdown: {len(text)} characters")
    return text.encode()


@dataclass(frozen=True, slots=True)
class _Adds:
    """The Adds to one section so far, and what each further one begins with."""

    block: Block
    prefix: bytes
    loose: bool


@dataclass(slots=True)
class _Places:
    """
    A document's places, and what was put there already.

    Attributes:
        put_back: Where each Insert went, by its section and text.
        ends: What was put at a section's end last, by the line of the heading.
        adds: Adds of a section, by the line of the heading.
    """

    plan: Plan
    put_back: dict[tuple[str, str], tuple[int, Block]] = field(default_factory=dict)
    ends: dict[int, tuple[int, Block]] = field(default_factory=dict)
    adds: dict[int, _Adds] = field(default_factory=dict)
    _sections: dict[str, Section | None] = field(default_factory=dict)
    _entries: dict[tuple[str, str], Entry] = field(default_factory=dict)

    def section(self, edit: Add | Insert) -> Section | None:
        """The section an edit goes to, if it is there; what stands above the first heading is one for an Insert."""
        if isinstance(edit, Insert) and not edit.section:
            document = self.plan.document
            end = document.sections[0].line if document.sections else len(document.lines)
            return Section("", 0, document.first - 1, end, mine=False)
        if edit.section not in self._sections:
            self._sections[edit.section] = find_section(self.plan.document, edit.section)
        return self._sections[edit.section]

    def entry(self, key: str, text: str) -> Entry | None:
        """The first entry of that text under a heading of that title."""
        if not self._entries:
            for entry in self.plan.document.entries:
                self._entries.setdefault((title_key(entry.section), entry.text), entry)
        return self._entries.get((key, text))
