"""
HEARTBEAT.md: the timing rules that people wrote for an agent, understood or not. The file is read, never written.

A rule stands in an item, in a table with a column for it, behind a label (`Frequency: …`), at the edge of a line of
text, or in a heading, for the items below it. Fences, comments, quotes and front matter are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook.guard.cleaning import clean
from daybook.memory import markdown
from daybook.memory.visible import visible
from daybook.rules import timewords as words
from daybook.rules.suggesting import check_name, remark, settings_lines, told
from daybook.rules.timing import Timing, is_state, read, smells

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from daybook.memory.markdown import Document, Section

MAX_BYTES = 65_536
TEXT_CHARS = 200
ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,3}[.)])(?:\s+(?:\[[ xX]?\](?:\s+|$))?|$)(?P<text>.*)")
RULER = re.compile(r"[\s:|-]*|\s*(?:=+|(?:[_*]\s*){3,})\s*")
IN_BRACKETS = re.compile(r"\(([^()]*)\)\W*$")
NESTED_INDENT = 2


@dataclass(frozen=True)
class Rule:
    """
    A line that says when.

    Attributes:
        line: Its number, from 1.
        text: The line, without bullet and secrets.
        understood_as: What we read.
        toml: The lines of daybook.toml that would make a check of it.
        note: What such a check cannot do of it.
    """

    line: int
    text: str
    understood_as: str
    toml: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Unclear:
    """A line that may say when, and was not understood: its number, from 1, and its text."""

    line: int
    text: str


@dataclass(frozen=True)
class Rules:
    """
    What HEARTBEAT.md says of time.

    Attributes:
        understood: Rules, in order.
        not_understood: What may be rules, in order.
        nothing_to_do: Whether it holds comments, headings and empty boxes alone.
        cut: Whether it is longer than what was read.
    """

    understood: tuple[Rule, ...] = ()
    not_understood: tuple[Unclear, ...] = ()
    nothing_to_do: bool = True
    cut: bool = False


def read_rules(data: bytes, beat: timedelta) -> Rules:
    """
    Read the rules of a file.

    Args:
        data: HEARTBEAT.md; what is beyond 64 KB is not read.
        beat: Time from one heartbeat of Daybook's to the next.
    """
    document = markdown.parse(data[:MAX_BYTES])
    reader = _Reader(beat, {section.line: section for section in document.sections})
    for number, line in _lines(document):
        reader.take(number, line)
    reader.close()
    return Rules(
        tuple(sorted(reader.understood, key=lambda rule: rule.line)),
        tuple(reader.unclear),
        nothing_to_do=not reader.busy,
        cut=len(data) > MAX_BYTES,
    )


def _lines(document: Document) -> Iterator[tuple[int, str]]:
    """Lines outside front matter, fences and comments, with their index."""
    lines = (raw.decode("utf-8", "replace").strip("\r\n\ufeff") for raw in document.lines[document.first :])
    return ((number + document.first, line) for number, line in visible(lines))


@dataclass
class _Heading:
    section: Section
    line: int
    timing: Timing | None
    filled: bool = False
    carried: bool = False


@dataclass
class _Reader:
    """Takes the lines of a file one by one, and knows which headings, item and table it is in."""

    beat: timedelta
    sections: dict[int, Section]
    understood: list[Rule] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    busy: bool = False
    headings: list[_Heading] = field(default_factory=list)
    item: str = ""
    item_timed: bool = False
    in_table: bool = False
    column: int | None = None

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        section = self.sections.get(number)
        row = line.lstrip().startswith("|")
        self.in_table = self.in_table and row
        if section is not None:
            self.close(section.level)
            self.item = ""
            self.headings.append(_Heading(section, number, read(section.title)))
        elif not line.strip() or RULER.fullmatch(line):
            return
        elif item := ITEM.fullmatch(line):
            self._item(number, item["text"].strip(), nested=len(item["indent"].expandtabs()) >= NESTED_INDENT)
        else:
            self._fill()
            if row:
                self._row(number, [cell.strip() for cell in line.strip().strip("|").split("|")])
            elif not line.lstrip().startswith(">"):
                self._text(number, line)

    def close(self, level: int = 0) -> None:
        """Leave the headings of this level and below; a rule that no item took is one for the text under it."""
        while self.headings and self.headings[-1].section.level >= level:
            heading = self.headings.pop()
            if heading.timing is not None and heading.filled and not heading.carried:
                self._add(heading.line, heading.section.title, heading.timing)

    def _fill(self) -> None:
        self.busy = True
        for heading in self.headings:
            heading.filled = True

    def _item(self, number: int, text: str, *, nested: bool) -> None:
        if not text:
            return
        self._fill()
        if not nested:
            self.item, self.item_timed = text, False
        if is_state(text) or self._labelled(number, text):
            return
        timing = read(text)
        above = next((one.timing for one in reversed(self.headings) if one.timing is not None), None)
        if timing is None and not nested:
            timing = above
        if timing is not None:
            self._add(number, text, timing)
        elif smells(text) and above is None and not (nested and self.item_timed):
            self.unclear.append(Unclear(number + 1, _shown(text)))

    def _row(self, number: int, cells: list[str]) -> None:
        if not self.in_table:
            self.in_table = True
            named = [index for index, cell in enumerate(cells) if words.COLUMN.search(words.plain(cell))]
            self.column = named[0] if named else None
            return
        text = " | ".join(cells)
        if self.column is None:
            timings = (read(cell) for cell in cells)
            found = next((timing for timing in timings if timing is not None), None)
            meant = smells(text)
        else:
            value = cells[self.column] if self.column < len(cells) else ""
            found, meant = read(value, labelled=True), bool(re.search(r"\w", value))
        if found is not None:
            self._add(number, text, found, named=next((cell for cell in cells if re.search(r"\w", cell)), ""))
        elif meant:
            self.unclear.append(Unclear(number + 1, _shown(text)))

    def _text(self, number: int, line: str) -> None:
        if is_state(line) or self._labelled(number, line):
            return
        if self.item and line[:1].isspace():
            timing = read(line)
        else:
            self.item = ""
            behind = IN_BRACKETS.search(line)
            leads = words.LEADS.match(words.plain(line))
            timing = read(line) if leads else read(behind[1]) if behind else None
        if timing is not None:
            self._add(number, line, timing, named=self.item or line)

    def _labelled(self, number: int, text: str) -> bool:
        label = words.LABEL.fullmatch(words.plain(text))
        if label is None:
            return False
        timing = read(label["value"], labelled=True)
        if timing is not None:
            self._add(number, text, timing, named="" if self.item == text else self.item)
        elif label["always"] or smells(label["value"]):
            self.unclear.append(Unclear(number + 1, _shown(text)))
        return True

    def _add(self, number: int, text: str, timing: Timing, *, named: str | None = None) -> None:
        self.item_timed = True
        for heading in self.headings:
            heading.carried = True
        title = self.headings[-1].section.title if self.headings else ""
        name = check_name(text if named is None else named, title, self.names)
        lines = settings_lines(timing, name, self.beat)
        if lines is not None:
            self.names.add(name)
        self.understood.append(Rule(number + 1, _shown(text), told(timing), lines, remark(timing, self.beat)))


def _shown(text: str) -> str:
    return clean(text.strip(), limit=TEXT_CHARS)
