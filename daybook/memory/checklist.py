"""
Edit a list of check boxes as bytes: read what was ticked, put items in, take our own lines out.

An item is ours as long as its first line is, but for the sign in its box. Every byte that somebody else wrote stays.
Files are given without their BOM.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from daybook.memory.blocks import BLANK
from daybook.memory.markdown import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from daybook.memory.markdown import Document, Section

Mark = Literal["open", "accept", "refuse"]
MARKS: dict[bytes, Mark] = {b"x": "accept", b"X": "accept", b"-": "refuse"}
SIGNS: dict[Mark, bytes] = {"open": b" ", "accept": b"x", "refuse": b"-"}
BOX = re.compile(rb"(?P<bullet>[ \t]*[-*+][ \t]+\[)(?P<sign>[^\]])(?P<rest>\][ \t]+(?P<words>.*))", re.DOTALL)
ID = re.compile(r"\s\^(?P<id>[0-9a-f]{16})$")


@dataclass(frozen=True)
class Box:
    """
    A check box at the margin, outside fences, comments and quotes.

    Attributes:
        id: What stands behind `^`; empty if nothing does.
        mark: What its sign says; one that is not known says nothing.
        words: The rest of its line, white space folded, without the id.
        start: Index of its line.
        end: Index one after the last line that belongs to it.
    """

    id: str
    mark: Mark
    words: str
    start: int
    end: int


@dataclass(frozen=True)
class Item:
    """
    A check box with what stands under it, as we write it.

    Attributes:
        group: The heading it stands under.
        lines: Without line ends; the first is `- [ ] **Verb** (place): text ^id`.
    """

    group: str
    lines: tuple[str, ...]

    @property
    def id(self) -> str:
        """Its id."""
        return self.lines[0].rpartition("^")[2]

    @property
    def place(self) -> str:
        """What it has in common with items it is put next to: verb and place."""
        return self.lines[0].removeprefix("- [ ] ").partition("): ")[0]

    @property
    def words(self) -> str:
        """What `Box.words` is of an item that nobody changed."""
        return " ".join(self.lines[0].removeprefix("- [ ] ").rpartition("^")[0].split())


def boxes(document: Document) -> list[Box]:
    """Read every check box at the margin."""
    found = []
    for entry in document.entries:
        match = BOX.fullmatch(_body(document, entry.start))
        if match:
            words = " ".join(match["words"].decode(errors="replace").split())
            named = ID.search(words)
            words, name = (words[: named.start()], named["id"]) if named else (words, "")
            found.append(Box(name, MARKS.get(match["sign"], "open"), words.strip(), entry.start, entry.end))
    return found


def put_in(data: bytes, items: Iterable[Item], groups: Sequence[str]) -> bytes:
    """
    Put items in, each under its group's heading, next to those of the same place.

    Args:
        data: The whole file.
        items: None of which stands in it.
        groups: All groups in the order of their headings; a missing heading is made.
    """
    for item in items:
        document = parse(data)
        section = _section(document, item.group)
        if section is None:
            at = _new_section_line(document, groups[groups.index(item.group) + 1 :])
            data = _inserted(document, at, (f"## {item.group}", "", *item.lines))
        else:
            data = _inserted(document, _line_within(document, section, item), item.lines)
    return data


def take_out(data: bytes, items: Mapping[str, Item], marks: Mapping[str, Mark]) -> bytes:
    """
    Take items out: lines that are ours byte for byte, and headings of ours that are left with nothing.

    Where somebody wrote into an item, its first line stays above their words, with its sign set.

    Args:
        data: The whole file.
        items: By id, as they were written.
        marks: By id, the sign for a first line that stays.
    """
    document = parse(data)
    lines = list(document.lines)
    emptied = set()
    for box in reversed(boxes(document)):
        item = items.get(box.id)
        if item is None or not _is_first(document, box, item):
            continue
        ours = {line.encode() for line in item.lines[1:]}
        under = lines[box.start + 1 : box.end]
        kept = [line for line in under if line.rstrip(b"\r\n") not in ours]
        if any(line.strip(BLANK) for line in kept):
            first = _signed(lines[box.start], marks.get(box.id, "open"))
            lines[box.start : box.end] = [first, *kept]
        else:
            del lines[box.start : box.end]
            _close_gap(lines, box.start)
            emptied.add(item.group)
    return _without_empty(b"".join(lines), emptied)


def reset(data: bytes, item: Item, old: str, new: str) -> bytes:
    """
    Empty an item's box, and put a line under it in the place of an old one.

    Args:
        data: The whole file.
        item: As it was written.
        old: The line that may stand there.
        new: The line that shall.
    """
    document = parse(data)
    lines = list(document.lines)
    newline = _newline(document)
    for box in reversed(boxes(document)):
        if box.id == item.id and _is_first(document, box, item):
            under = [line for line in lines[box.start + 1 : box.end] if line.rstrip(b"\r\n") != old.encode()]
            first = _ended(_signed(lines[box.start], "open"), newline)
            lines[box.start : box.end] = [first, new.encode() + newline, *under]
    return b"".join(lines)


def _is_first(document: Document, box: Box, item: Item) -> bool:
    return _signed(_body(document, box.start), "open") == item.lines[0].encode()


def _signed(line: bytes, mark: Mark) -> bytes:
    match = BOX.search(line)
    return line[: match.start("sign")] + SIGNS[mark] + line[match.end("sign") :] if match else line


def _body(document: Document, number: int) -> bytes:
    return document.lines[number].rstrip(b"\r\n")


def _section(document: Document, title: str) -> Section | None:
    return next((one for one in document.sections if one.title == title), None)


def _line_within(document: Document, section: Section, item: Item) -> int:
    inside = [box for box in boxes(document) if section.line < box.start < section.end]
    alike = [box.end for box in inside if box.words.startswith(f"{item.place}): ")]
    entries = [entry.end for entry in document.entries if section.line < entry.start < section.end]
    return (alike or entries or [section.line + 1])[-1]


def _new_section_line(document: Document, later: Sequence[str]) -> int:
    found = (section for title in later if (section := _section(document, title)))
    before = next(found, None)
    if before is not None:
        return before.line
    if document.unclosed is None:
        return len(document.lines)
    # Below a fence or comment that is never closed nothing would be seen: it goes above the section that holds it.
    above = [section.line for section in document.sections if section.line < document.unclosed]
    return above[-1] if above else document.unclosed


def _inserted(document: Document, at: int, lines: Sequence[str]) -> bytes:
    newline = _newline(document)
    above, below = list(document.lines[:at]), list(document.lines[at:])
    new = [line.encode() + newline for line in lines]
    if above:
        above[-1] = _ended(above[-1], newline)
        if above[-1].strip(BLANK):
            new.insert(0, newline)
    if below and below[0].strip(BLANK):
        new.append(newline)
    return b"".join((*above, *new, *below))


def _close_gap(lines: list[bytes], at: int) -> None:
    """Drop the blank line that parted what was taken out from what stands below, or at the end from above."""
    above = at == 0 or not lines[at - 1].strip(BLANK)
    if above and at < len(lines) and not lines[at].strip(BLANK):
        del lines[at]
    elif above and at == len(lines) > 0:
        del lines[at - 1]


def _without_empty(data: bytes, groups: Iterable[str]) -> bytes:
    for group in groups:
        document = parse(data)
        section = _section(document, group)
        if section is None or _body(document, section.line) != f"## {group}".encode():
            continue
        if not any(line.strip(BLANK) for line in document.lines[section.line + 1 : section.end]):
            lines = list(document.lines)
            del lines[section.line : section.end]
            _close_gap(lines, section.line)
            data = b"".join(lines)
    return data


def _newline(document: Document) -> bytes:
    first = next((line for line in document.lines if line.endswith(b"\n")), b"\n")
    return b"\r\n" if first.endswith(b"\r\n") else b"\n"


def _ended(line: bytes, newline: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + newline
