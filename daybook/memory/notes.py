"""
Daily notes: `memory/2026-02-07.md`. We only append; others may edit at any time.

A note line is `- HH:MM - text` under `## Morning|Afternoon|Evening|Night`, or under `## Lessons`. A heading
is written only if the last one in the file differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from daybook import files, folders
from daybook.clock import PartOfDay, part_of_day
from daybook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from daybook.workspace import Workspace

Heading = PartOfDay | Literal["Lessons"]
NOTE_NAME = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})(?:[-_ .].*)?\.md")
HEADING = re.compile(rb"^#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*\r?$")
MARKER = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)?")
TIME = re.compile(r"(?P<time>\d{1,2}:\d{2})(?::\d{2})?(?:\s*(?:[-–—:|]\s+|\s))")
FENCE = re.compile(rb"^ {0,3}(?P<fence>`{3,}|~{3,})")
FOLDERS = ("", "daily")


class Line(NamedTuple):
    """One line to append, and the heading it belongs under."""

    heading: Heading
    text: str


@dataclass(frozen=True)
class NoteFile:
    """A file that belongs to a date; several files may share one."""

    day: date
    path: Path


def taken_apart(line: str) -> tuple[str, str]:
    """Take a physical line of a note apart: its time as `HH:MM` or empty, and its text without marker and time."""
    bare = MARKER.sub("", line, count=1).strip()
    time = TIME.match(bare)
    text = " ".join((bare[time.end() :] if time else bare).split())
    return (time["time"].rjust(5, "0") if time else ""), text


def note_line(text: str, moment: datetime, *, heading: Heading | None = None) -> Line:
    """
    Form a note line.

    Args:
        text: One line.
        moment: Local time of the line.
        heading: Defaults to the part of the day.

    Raises:
        UsageError: The text is empty or has a line break.
    """
    text = text.strip()
    if not text or "\n" in text or "\r" in text:
        raise UsageError(f"A note is one line of text, not {text!r}; write each thing learned on its own.")
    return Line(heading or part_of_day(moment), f"- {moment:%H:%M} - {text}")


def append(workspace: Workspace, day: date, lines: Sequence[Line]) -> None:
    """Append lines to a date's note, making it when it is missing; nothing else in it changes."""
    if not lines:
        return
    folders.make_dir(workspace.memory_dir)
    files.append(workspace.daily_note(day), lambda present: _rendered(present, day, lines), follow=True)


def note_files(workspace: Workspace) -> list[NoteFile]:
    """
    List the daily notes, oldest first.

    Files of a date are `memory/` and `memory/daily/` names that begin with it. What is no file is listed too, so
    that its reader says so.
    """
    found = []
    for folder in FOLDERS:
        base = workspace.memory_dir / folder
        for path in base.iterdir() if base.is_dir() and not base.is_symlink() else ():
            match = NOTE_NAME.fullmatch(path.name)
            day = _valid_date(match["date"]) if match else None
            if day is not None:
                found.append(NoteFile(day, path))
    return sorted(found, key=lambda note: (note.day, note.path.name))


def last_heading(data: bytes) -> str | None:
    """Title of the last ATX heading outside fences; None if there is none."""
    title: bytes | None = None
    fence = b""
    for line in data.split(b"\n"):
        mark = FENCE.match(line)
        if mark and not fence:
            fence = mark["fence"]
        elif mark and mark["fence"].startswith(fence):
            fence = b""
        elif not fence and (heading := HEADING.match(line)):
            title = heading["title"]
    return None if title is None else title.decode("utf-8", "replace")


def _rendered(present: bytes, day: date, lines: Sequence[Line]) -> bytes:
    newline = "\r\n" if b"\r\n" in present else "\n"
    out = [] if present.strip() else [f"# {day.isoformat()}"]
    last = last_heading(present)
    if present.strip() and lines[0].heading != last:
        out.append("")
    for number, line in enumerate(lines):
        if line.heading != last:
            out += [""] if number or not present.strip() else []
            out.append(f"## {line.heading}")
            last = line.heading
        out.append(line.text)
    return (newline.join(out) + newline).encode("utf-8", "replace")


def _valid_date(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
