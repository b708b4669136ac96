"""
Daily notes: `memory/2026-02-07.md`. We only append; others may edit at any time.

A note line is `- HH:MM - text` under `## Morning|Afternoon|Evening|Night`, or under `## Lessons`. A heading
is written only if the last one in the file differs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from daybook import files, folders
from daybook.clock import PartOfDay, part_of_day
from daybook.errors import UnreadableFileError, UsageError
from daybook.memory import synced

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from daybook.workspace import Workspace

Heading = PartOfDay | Literal["Lessons"]
NOTE_NAME = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})(?:[-_ .].*)?\.md")
HEADING = re.compile(rb"^#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*\r?$")
MARKER = re.compile(r"\s*(?:>\s?)*(?:(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?)?")
MINUTES = r"(?:[01]?\d|2[0-3]):[0-5]\d"
HALF = r"\s?[AaPp]\.?[Mm]\b\.?"
CLOCK = rf"{MINUTES}(?::[0-5]\d)?(?:{HALF})?"
ZONE = r"(?:\s?(?:UTC|GMT|[A-Z]{1,3}[SD]T|CET|CEST)\b)?"
# What a line begins with: `14:30 - x`, `**9:15 PM - 10:40 PM CST**: x`, `[14:30] x`.
TIME = re.compile(
    rf"(?P<bold>\*\*)?(?P<square>\[)?(?P<round>\()?~?(?P<time>{CLOCK})(?:\s*[-–—]\s*{CLOCK})?{ZONE}"
    r"(?(round)\))(?(square)\])(?(bold):?\*\*):?(?:\s*(?:[-–—:|]\s+|\s))"
)
# In a heading one digit before the colon may be a verse or a score, so something must tell that it is a time.
HEADING_TIME = re.compile(
    rf"(?P<late>下午|晚上|午後|오후)\s?(?P<evening>{CLOCK})|(?:上午|早上|凌晨|午前|오전)\s?(?P<early>{CLOCK})"
    rf"|(?<![\w:.])(?P<plain>{MINUTES}{HALF}|(?:(?=\d\d:)|(?<=~)){MINUTES})(?![\w:])"
)
FENCE = re.compile(rb"^ {0,3}(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
FOLDERS = ("", "daily")
NOON = 12


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
    marker = MARKER.match(line)
    bare = line[marker.end() if marker else 0 :].strip()
    time = TIME.match(bare)
    text = " ".join((bare[time.end() :] if time else bare).split())
    return (_clock(time["time"]) if time else ""), text


def heading_time(title: str) -> str:
    """Time of day a heading tells, as `HH:MM`; empty if it tells none."""
    found = HEADING_TIME.search(title)
    if not found:
        return ""
    return _clock(found["evening"], late=True) if found["late"] else _clock(found["early"] or found["plain"])


def next_fence(line: bytes, fence: bytes) -> bytes:
    """Signs of the fence that is open below a line, given those of the one above it; empty for none."""
    mark = FENCE.match(line)
    if not mark or not fence:
        return mark["fence"] if mark else fence
    closes = mark["fence"].startswith(fence) and not line[mark.end() :].strip()
    return b"" if closes else fence


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
    """
    Append lines to a date's note, making it when it is missing; nothing else in it changes.

    Raises:
        UnreadableFileError: It cannot be written, or is only in iCloud.
    """
    if not lines:
        return
    path = _ready(workspace, day)
    files.append(path, lambda present: _rendered(present, day, lines), follow=True)


def finish(workspace: Workspace, day: date, size: int, lines: Sequence[Line]) -> bool:
    """
    Finish an `append` that was cut short, if nobody has written into the note since.

    Args:
        workspace: Whose note.
        day: Its date.
        size: Bytes that the note held before.
        lines: All that was to be appended.

    Returns:
        Whether the lines stand there now; False, and nothing is changed, if somebody wrote into the note.
    """
    path = _ready(workspace, day)
    finished = False

    def rest(present: bytes) -> bytes:
        nonlocal finished
        before, begun = present[:size], present[size:]
        whole = _rendered(before, day, lines)
        if before and not before.endswith(b"\n"):
            whole = b"\n" + whole
        finished = len(before) == size and whole.startswith(begun)
        return whole[len(begun) :] if finished else b""

    if len(files.read_if_exists(path) or b"") >= size:
        files.append(path, rest, follow=True, own_line=False)
    return finished


def _ready(workspace: Workspace, day: date) -> Path:
    folders.make_dir(workspace.memory_dir)
    synced.require_here(workspace.daily_note(day))
    return workspace.daily_note(day)


def note_files(workspace: Workspace) -> list[NoteFile]:
    """
    List the daily notes, oldest first.

    Files of a date are `memory/` and `memory/daily/` names that begin with it, but for the copies that sync tools
    make (`synced.left_behind`). What is no file is listed too, so that its reader says so.

    Raises:
        UnreadableFileError: A folder cannot be listed.
    """
    found = []
    for folder in FOLDERS:
        for path in _paths(workspace.memory_dir / folder):
            match = NOTE_NAME.fullmatch(path.name)
            day = _valid_date(match["date"]) if match else None
            if day is not None and synced.copy_of(path.name) is None:
                found.append(NoteFile(day, path))
    return sorted(found, key=lambda note: (note.day, note.path.name))


def last_heading(data: bytes) -> str | None:
    """Title of the last ATX heading outside fences; None if there is none."""
    title: bytes | None = None
    fence = b""
    for line in data.split(b"\n"):
        above, fence = fence, next_fence(line, fence)
        if not above and not fence and (heading := HEADING.match(line)):
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


def _paths(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else []
    except OSError as error:
        raise UnreadableFileError(files.sentence("list", folder, error)) from error


# A day has few minutes, and a batch of lines fewer.
@lru_cache(maxsize=1_024)
def _clock(text: str, *, late: bool = False) -> str:
    hour, minute = int(text.partition(":")[0]), text.partition(":")[2][:2]
    half = "".join(filter(str.isalpha, text)).lower()
    if half == "am" and hour == NOON:
        hour = 0
    elif (late or half == "pm") and hour < NOON:
        hour += NOON
    return f"{hour:02}:{minute}"
