"""
Read daily notes as lines of evidence, whatever shape they have in somebody's folder.

Not evidence, and left out: headings, front matter, fenced text, HTML comments, session dumps and captured
prompts. Wrapped text belongs to the line it continues.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files
from daybook.memory.notes import FENCE, HEADING, taken_apart

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

MAX_BYTES = 20_000_000
BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,4}[.)])\s")
TURN = re.compile(r"^(?:\*\*)?(?P<role>user|assistant)(?:\*\*)?:(?:\*\*)?(?:\s|$)", re.IGNORECASE)
DUMP = re.compile(r"^# Session:", re.IGNORECASE)
CAPTURED = re.compile(r"\(untrusted metadata\)", re.IGNORECASE)
RULE = re.compile(r"^\s*(?:[-*_=]\s*){3,}$")
TABLE_RULE = re.compile(r"^(?=[^|]*\|)[\s:|-]+$")


@dataclass(frozen=True)
class RawLine:
    """
    One line of evidence as it stands in a note.

    Attributes:
        number: Line number in the file, from 1.
        time: `HH:MM` if the line begins with one, else empty.
        text: Its text: no bullet, no time, continuation joined by single spaces.
        heading: Title of the heading it stands under.
    """

    day: date
    path: Path
    number: int
    time: str
    text: str
    heading: str


def read_lines(day: date, path: Path) -> list[RawLine]:
    """
    Read the evidence of one note.

    Raises:
        UnsafeFileError: A link, FIFO or device stands there.
        UnreadableFileError: It cannot be read; it is never taken for empty.
    """
    data = files.read_bytes(path)[:MAX_BYTES]
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\x00", "")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if _is_dump(lines):
        return []
    out: list[RawLine] = []
    heading = ""
    for number, line, title in _outside_structure(lines):
        if title is not None:
            heading = title
            continue
        if (
            line.startswith((" ", "\t"))
            and not BULLET.match(line)
            and out
            and number - out[-1].number <= _span(out[-1])
        ):
            out[-1] = _joined(out[-1], line)
            continue
        clock, body = taken_apart(line)
        if body and not CAPTURED.search(body):
            out.append(RawLine(day, path, number, clock, body, heading))
    return out


def _is_dump(lines: list[str]) -> bool:
    # One line that begins so may be prose; a dialogue has both roles.
    roles = {turn["role"].casefold() for turn in map(TURN.match, lines) if turn}
    return any(DUMP.match(line) for line in lines[:20] if line.startswith("#")) or len(roles) > 1


def _outside_structure(lines: list[str]) -> list[tuple[int, str, str | None]]:
    """Lines that say something: (number, line, None), and headings: (number, line, title)."""
    out: list[tuple[int, str, str | None]] = []
    fence, comment = "", False
    start = _front_matter_end(lines)
    for number, line in enumerate(lines[start:], start=start + 1):
        mark = FENCE.match(line.encode())
        opened = mark["fence"].decode() if mark else ""
        if fence:
            fence = "" if opened.startswith(fence) else fence
        elif comment:
            comment = "-->" not in line
        elif line.lstrip().startswith("<!--"):
            comment, behind = _after_comment(line, lines[number:])
            out += [(number, behind, None)] if behind.strip() else []
        elif opened:
            fence = opened
        elif found := HEADING.match(line.encode()):
            out.append((number, line, found["title"].decode("utf-8", "replace")))
        elif line.strip() and not RULE.match(line) and not TABLE_RULE.match(line):
            out.append((number, line, None))
    return out


def _after_comment(line: str, following: list[str]) -> tuple[bool, str]:
    """Whether a comment goes on below this line, and what stands behind it; one that never ends hides only its line."""
    _, closed, behind = line.partition("-->")
    return not closed and any("-->" in below for below in following), behind


def _front_matter_end(lines: list[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:], start=1) if line.strip() in {"---", "..."}), 0)


def _span(line: RawLine) -> int:
    # A wrapped bullet rarely has many lines; what stands further off is a thought of its own.
    return 8 if line.text else 1


def _joined(line: RawLine, more: str) -> RawLine:
    return RawLine(line.day, line.path, line.number, line.time, f"{line.text} {' '.join(more.split())}", line.heading)
