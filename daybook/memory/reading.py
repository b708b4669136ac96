"""
Read daily notes as lines of evidence, whatever shape they have in somebody's folder.

Not evidence, and left out: headings, front matter, fenced text, HTML comments, session dumps and captured
prompts. Wrapped text belongs to the line it continues.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import UnreadableFileError
from daybook.memory.notes import HEADING, heading_time, next_fence, taken_apart

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

MAX_BYTES = 20_000_000
# A wrapped bullet rarely has more lines; what stands further off is a thought of its own.
MAX_WRAPPED = 8
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
        time: `HH:MM` if the line begins with one or its heading tells one, else empty.
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
        UnreadableFileError: It cannot be read, or is too large; it is never taken for empty.
    """
    data = files.read_bytes(path)
    if len(data) > MAX_BYTES:
        raise UnreadableFileError(f"{path} is over {MAX_BYTES // 1_000_000} MB and was not read; split it.")
    text = data.decode("utf-8", "replace").removeprefix("\ufeff").replace("\x00", "")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if _is_dump(lines):
        return []
    out: list[RawLine] = []
    heading, above = "", None
    for number, line, title in _outside_structure(lines):
        if title is not None:
            heading, above = title, None
        elif above and number - above <= MAX_WRAPPED and line.startswith((" ", "\t")) and not BULLET.match(line):
            out[-1] = replace(out[-1], text=f"{out[-1].text} {' '.join(line.split())}")
        else:
            clock, body = taken_apart(line)
            above = None
            if body and not CAPTURED.search(body):
                out.append(RawLine(day, path, number, clock or heading_time(heading), body, heading))
                above = number
    return out


def _is_dump(lines: list[str]) -> bool:
    # One line that begins so may be prose; a dialogue has both roles.
    roles = {turn["role"].casefold() for turn in map(TURN.match, lines) if turn}
    return any(DUMP.match(line) for line in lines[:20] if line.startswith("#")) or len(roles) > 1


def _outside_structure(lines: list[str]) -> list[tuple[int, str, str | None]]:
    """Lines that say something: (number, line, None), and headings: (number, line, title)."""
    out: list[tuple[int, str, str | None]] = []
    fence, indented, comment = b"", False, False
    start = _front_matter_end(lines)
    for number, line in enumerate(lines[start:], start=start + 1):
        if indented and line.strip() and not line.startswith((" ", "\t")):
            # A fence within a list item ends with it.
            fence = b""
        above, fence = fence, fence if comment else next_fence(line.lstrip().encode(), fence)
        indented = bool(fence) and (indented or (not above and line.startswith((" ", "\t"))))
        if above or fence:
            continue
        if comment:
            comment = "-->" not in line
        elif line.lstrip().startswith("<!--"):
            comment, behind = _after_comment(line, lines[number:])
            out += [(number, behind, None)] if behind else []
        elif found := HEADING.match(line.encode()):
            out.append((number, line, found["title"].decode("utf-8", "replace")))
        elif line.strip() and not RULE.match(line) and not TABLE_RULE.match(line):
            out.append((number, line, None))
    return out


def _after_comment(line: str, following: list[str]) -> tuple[bool, str]:
    """Whether a comment goes on below this line, and what stands behind it; one that never ends hides only its line."""
    _, closed, behind = line.partition("-->")
    return not closed and any("-->" in below for below in following), behind.strip()


def _front_matter_end(lines: list[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:], start=1) if line.strip() in {"---", "..."}), 0)
