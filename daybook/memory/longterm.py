"""
Edit MEMORY.md and topics entry by entry; every byte that is not an edit's own stays.

Edits are values, applied to one parse, so that twenty of them on a long file cost one pass. A protected entry or
section is a matter of policy and decided before: nothing here looks at pins and marks but to keep them.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from daybook.memory.blocks import BLANK, BOM, heading_title
from daybook.memory.markdown import PIN, Document, Entry, Section, can_head, can_stand, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "MAX_LINES",
    "MAX_WORDS",
    "Add",
    "Document",
    "Edit",
    "Entry",
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
LEVELS = range(1, 7)
DEFAULT_LEVEL = 2
PREFIX = b"- "
# Its content begins at column 4, so that a heading or fence below it, indented by up to 3, is not drawn into it.
WIDE_PREFIX = b"-   "
WIDE_FROM = 2


@dataclass(frozen=True, slots=True)
class Add:
    """Add an entry at the end of a section, which is made at the end of the file when it is missing."""

    section: str
    text: str
    new_heading_level: int = DEFAULT_LEVEL


@dataclass(frozen=True, slots=True)
class Revise:
    """Replace an entry's lines by one; bullet, indentation, line end and pin stay, and text below stays apart."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an entry's lines out; a blank line stays only where text below would run into the entry above."""

    entry: Entry


Edit = Add | Revise | Remove


def count_lines(document: Document) -> int:
    """Count lines that are not blank, headings too, for the cap `MAX_LINES`."""
    return sum(1 for line in document.lines if line.removeprefix(BOM).strip(BLANK))


def count_words(document: Document) -> int:
    """Count words between white space, for the cap `MAX_WORDS`."""
    return sum(len(line.decode(errors="replace").split()) for line in document.lines)


def find_section(document: Document, title: str) -> Section | None:
    """
    Find the section an Add goes to: the first of that title, and rather one that is not the operator's own.

    Look at its `mine` before an Add. Case and spacing do not matter.
    """
    wanted = _key(title)
    found = [section for section in document.sections if _key(section.title) == wanted]
    return min(found, key=lambda section: section.mine, default=None)


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
        ValueError: A text or title cannot stand (`can_stand`), an entry is not of this document, or
            two edits are for one entry. Nothing is half applied.
    """
    plan = _Plan(document)
    known = {entry.start: entry for entry in document.entries}
    fresh: dict[str, list[Add]] = {}
    for edit in edits:
        match edit:
            case Add():
                section = find_section(document, edit.section)
                if section:
                    _plan_add(plan, section, edit)
                else:
                    fresh.setdefault(_key(edit.section), []).append(edit)
            case Revise() | Remove():
                if known.pop(edit.entry.start, None) != edit.entry:
                    raise ValueError(f"not an entry of this document, or edited twice: {edit.entry.text!r}")
                plan.replaced[edit.entry.start] = _revised(document, edit)
                plan.dropped.update(range(edit.entry.start, edit.entry.end))
            case _:
                assert_never(edit)
    for adds in fresh.values():
        _plan_section(plan, adds)
    return _carry_out(plan)


def _revised(document: Document, edit: Revise | Remove) -> bytes:
    entry = edit.entry
    gap = (_line_end(document.lines[entry.end - 1]) or b"\n") if _draws_in(document, entry) else b""
    if isinstance(edit, Remove):
        return gap
    old = b"".join(document.lines[entry.start : entry.end])
    pin = PIN.search(old)
    mark = b" " + pin[0] if pin else b""
    return _spaced(entry.prefix) + _encoded(edit.text) + mark + _line_end(document.lines[entry.end - 1]) + gap


def _draws_in(document: Document, above: Entry) -> bool:
    """Whether the text right below an entry would be read as its wrapped text, were the entry but one line."""
    below = document.lines[above.end] if above.end < len(document.lines) else b""
    return parse(_spaced(above.prefix.removeprefix(BOM)) + b"x\n" + below).entries[0].end > 1


def _plan_add(plan: _Plan, section: Section, edit: Add) -> None:
    document = plan.document
    limit = section.end if document.unclosed is None else min(section.end, max(document.unclosed, section.line + 1))
    last = plan.last_entry.get(section.line)
    if last:
        line = _spaced(last.prefix.removeprefix(BOM)) + _encoded(edit.text)
        plan.inserted[last.end].append(line)
        if _draws_in(document, last):
            plan.spaced_below.add(last.end)
        return
    at = limit
    while not document.lines[at - 1].strip(BLANK):
        at -= 1
    if not plan.inserted[at]:
        plan.inserted[at].append(b"")
    plan.inserted[at].append(_prefix_above(document, at) + _encoded(edit.text))
    if at < len(document.lines) and document.lines[at].strip(BLANK):
        plan.spaced_below.add(at)


def _plan_section(plan: _Plan, adds: list[Add]) -> None:
    document, title, level = plan.document, adds[0].section, adds[0].new_heading_level
    if level not in LEVELS or not can_head(title):
        raise ValueError(f"not a heading: level {level}, {title!r}")
    heading = b"#" * level + b" " + title.encode()
    if heading_title(title.encode()) != title:
        heading += b" #"  # `C #` alone would read as `C`
    at = _new_section_line(document)
    block = plan.inserted[at]
    if block or (at and document.lines[at - 1].removeprefix(BOM).strip(BLANK)):
        block.append(b"")
    prefix = _prefix_above(document, at)
    block += [heading, b"", *(prefix + _encoded(edit.text) for edit in adds)]
    if at < len(document.lines):
        plan.spaced_below.add(at)


def _new_section_line(document: Document) -> int:
    # Below a fence that is never closed a heading would be code: the new section goes above the one that holds it.
    if document.unclosed is None:
        return len(document.lines)
    above = [section.line for section in document.sections if section.line < document.unclosed]
    return above[-1] if above else document.unclosed


def _prefix_above(document: Document, at: int) -> bytes:
    below = next((line for line in document.lines[at:] if line.strip(BLANK)), b"").removeprefix(BOM)
    return WIDE_PREFIX if len(below) - len(below.lstrip(b" \t")) >= WIDE_FROM else PREFIX


def _carry_out(plan: _Plan) -> bytes:
    document, out = plan.document, list[bytes]()
    newline = next((end for line in document.lines if (end := _line_end(line))), b"\n")
    if document.lines and document.lines[0].startswith(BOM):
        out.append(BOM)
    for number, line in enumerate((*document.lines, b"")):
        for new in plan.inserted.get(number, ()):
            _put(out, new, newline)
        if number in plan.spaced_below:
            _put(out, b"", newline)
        kept = plan.replaced.get(number, b"") if number in plan.dropped else line
        kept = kept if number else kept.removeprefix(BOM)
        if kept:
            out.append(kept)
    return b"".join(out)


def _put(out: list[bytes], line: bytes, newline: bytes) -> None:
    """Add one line of ours, with its neighbour's line end."""
    above = _line_end(out[-1]) if out else newline
    if out and not above and out[-1] != BOM:
        out.append(newline)
    out.append(line + (above or newline))


def _spaced(prefix: bytes) -> bytes:
    return prefix if prefix[-1:] in {b" ", b"\t"} else prefix + b" "


def _encoded(text: str) -> bytes:
    if not can_stand(text):
        raise ValueError(f"cannot stand as one line of Markdown: {text!r}")
    return text.encode()


def _line_end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else line[-1:] if line.endswith(b"\n") else b""


def _key(title: str) -> str:
    return " ".join(unicodedata.normalize("NFC", title).casefold().split())


def _last_entries(document: Document) -> dict[int, Entry]:
    """Last entry of each section's own body that a new one can follow, by the line of the heading."""
    ends = {}
    entries = iter(document.entries)
    entry = next(entries, None)
    for section in document.sections:
        while entry and entry.start < section.end:
            if entry.start > section.line:
                ends[section.line] = entry
            entry = next(entries, None)
    return ends


@dataclass(slots=True)
class _Plan:
    """What is to be done at which line of one document."""

    document: Document
    replaced: dict[int, bytes] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    inserted: defaultdict[int, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    spaced_below: set[int] = field(default_factory=set)
    last_entry: dict[int, Entry] = field(init=False)

    def __post_init__(self) -> None:
        """Look up each section's last entry once, for all edits."""
        self.last_entry = _last_entries(self.document)
