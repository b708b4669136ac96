"""
What a review reads: the last five daily notes, and every older line that no review has read.

Trusted and outside lines are kept apart from here on: the call that may write never sees outside text.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal

from daybook.errors import UnreadableFileError, UnsafeFileError
from daybook.guard import outside, register
from daybook.guard.secrets import redact
from daybook.language.themes import theme_of
from daybook.memory import journal, notes, synced
from daybook.memory.reading import RawLine, read_lines
from daybook.models import tokens
from daybook.review import marks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from daybook.memory.notes import NoteFile
    from daybook.review.marks import Reader
    from daybook.workspace import Workspace

DATES = 5
UNREAD_DAYS = 30
AHEAD_DAYS = 1
NOISE_LINES = 3
CALL_TOKENS = 12_000
MAX_LINE_CHARS = 4_000
# Number, date and time before a line's text.
LINE_TOKENS = 8
SENTENCE_ENDS = (". ", "! ", "? ", "; ", "。", "！", "？")
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class _Marked:
    """
    A line, or a piece of a very long one.

    Attributes:
        raw: The line, with the piece's text, secrets taken out.
        mark: Its own mark.
        is_outside: Where the whole line comes from.
    """

    raw: RawLine
    mark: str
    is_outside: bool


@dataclass(frozen=True)
class Evidence:
    """
    One numbered note line of a window.

    Attributes:
        number: Its number in the window, from 1; operations cite it.
        file: Path inside the workspace.
        line: Line number there.
        marks: Marks of the lines it stands for: its own, and those of the repeats collapsed into it.
    """

    number: int
    day: date
    file: str
    line: int
    time: str
    text: str
    heading: str
    origin: Literal["trusted", "outside"]
    marks: tuple[str, ...]

    @property
    def where(self) -> str:
        """`file:line`, as records and proposals cite it."""
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Window:
    """
    The lines of one review.

    Attributes:
        lines: All evidence, oldest first.
        passed: Marks of lines that are no evidence (Daybook's own reports); they count as read.
        stale: How many unread lines are too old to be read without `--since`.
        problems: What could not be read, as sentences: notes, and what sync tools left behind.
    """

    lines: tuple[Evidence, ...]
    passed: tuple[str, ...] = ()
    stale: int = 0
    problems: tuple[str, ...] = ()

    def of(self, origin: Literal["trusted", "outside"]) -> tuple[Evidence, ...]:
        """Lines of one origin."""
        return tuple(line for line in self.lines if line.origin == origin)


def build(
    workspace: Workspace, today: date, reader: Reader, *, since: date | None = None, collapse: bool = True
) -> Window:
    """
    Build the window of a review.

    Args:
        workspace: Whose notes.
        today: The slot's date; notes dated more than a day ahead are left out until then.
        reader: Who will read it; a line counts as read if this reader, or a model, has read it.
        since: Read everything from this date on, also what is long past, and nothing older.
        collapse: Whether noise becomes one line.
    """
    readers = marks.read(workspace)
    read = {mark for mark, by in readers.items() if by in {reader, "model", "none"}}
    last = today + timedelta(days=AHEAD_DAYS)
    files = [note for note in notes.note_files(workspace) if (since or note.day) <= note.day <= last]
    found, passed, problems = _read_notes(workspace, files, readers)
    chosen, stale = (found, 0) if since else _choose(found, read, today)
    lines = [_evidence(workspace, one) for one in chosen]
    kept = _collapse(lines) if collapse else lines
    numbered = tuple(replace(line, number=number) for number, line in enumerate(kept, start=1))
    unread = tuple(mark for mark in passed if mark not in read)
    return Window(numbered, unread, stale, (*problems, *synced.left_behind(workspace)))


def digest(lines: Iterable[Evidence], *parts: str) -> str:
    """Hash of lines, prompt, model and schema: the same digest on schedule means no call."""
    text = "\n".join([*(f"{line.day}\t{line.origin}\t{line.text}" for line in lines), *parts])
    return hashlib.sha256(text.encode()).hexdigest()


def calls(lines: Sequence[Evidence], room: int = CALL_TOKENS) -> list[tuple[Evidence, ...]]:
    """Cut a window into calls of at most about *room* tokens of note text each; none is dropped."""
    cut: list[list[Evidence]] = []
    left = 0
    for line in lines:
        size = tokens.estimate(line.text) + LINE_TOKENS
        if not cut or size > left:
            cut.append([])
            left = room
        cut[-1].append(line)
        left -= size
    return [tuple(part) for part in cut]


def _evidence(workspace: Workspace, one: _Marked) -> Evidence:
    raw = one.raw
    text = redact(raw.text)
    return Evidence(
        number=0,
        day=raw.day,
        file=workspace.relative(raw.path),
        line=raw.number,
        time=raw.time,
        text=outside.flatten(text, limit=len(text) + 1) if one.is_outside else text,
        heading=raw.heading,
        origin="outside" if one.is_outside else "trusted",
        marks=(one.mark,),
    )


def _read_notes(
    workspace: Workspace, files: Sequence[NoteFile], read: Mapping[str, Reader]
) -> tuple[list[_Marked], list[str], list[str]]:
    """Read notes: their lines with their marks, the marks of Daybook's own reports, and problems."""
    own, known = journal.own_lines(workspace), register.read(workspace)
    lines: list[_Marked] = []
    passed: list[str] = []
    problems: list[str] = []
    counts: Counter[tuple[date, str]] = Counter()
    for note in files:
        try:
            raw_lines = read_lines(note.day, note.path)
        except (UnsafeFileError, UnreadableFileError) as error:
            problems.append(str(error))
            continue
        except FileNotFoundError:
            # Taken away since the folder was listed; its lines come back with it.
            continue
        for raw in raw_lines:
            is_outside = register.is_outside(raw.text, known)
            for piece in _pieces(raw):
                counts[note.day, piece.text] += 1
                mark = marks.mark_of(note.day, piece.text, counts[note.day, piece.text])
                # A report's journal row may be gone; that a review passed it by is remembered.
                # What has no word says nothing; collapsed, it would have those of the count.
                silent = not any(map(str.isalnum, raw.text))
                if silent or f"- {raw.time} - {raw.text}" in own or read.get(mark) == "none":
                    passed.append(mark)
                else:
                    lines.append(_Marked(piece, mark, is_outside))
    return lines, passed, problems


def _pieces(raw: RawLine) -> list[RawLine]:
    """Cut a very long line where sentences or words end, so that all of it is read; each piece has its own mark."""
    if len(raw.text) <= MAX_LINE_CHARS:
        return [raw]
    pieces: list[str] = []
    rest = redact(raw.text)
    while len(rest) > MAX_LINE_CHARS:
        head = rest[:MAX_LINE_CHARS]
        sentence = max(head.rfind(sign) + len(sign) for sign in SENTENCE_ENDS)
        end = sentence if sentence > MAX_LINE_CHARS // 2 else head.rfind(" ") + 1 or MAX_LINE_CHARS
        pieces.append(rest[:end].strip())
        rest = rest[end:].lstrip()
    return [replace(raw, text=text) for text in (*pieces, rest) if text]


def _choose(lines: list[_Marked], read: set[str], today: date) -> tuple[list[_Marked], int]:
    """Lines of the last dates that have one, and unread ones of not too long ago; how many are too old."""
    recent = set(sorted({one.raw.day for one in lines})[-DATES:])
    limit = today - timedelta(days=UNREAD_DAYS)
    chosen: list[_Marked] = []
    stale = 0
    for one in lines:
        if one.raw.day in recent or (one.mark not in read and one.raw.day >= limit):
            chosen.append(one)
        elif one.mark not in read:
            stale += 1
    return chosen, stale


def _collapse(lines: list[Evidence]) -> list[Evidence]:
    """
    Collapse noise: three or more lines alike but for digits become the first of them, with a count.

    The same words on several dates are a repeat, which says something, and stay.
    """
    groups: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for line in lines:
        groups[line.origin, DIGITS.sub("0", line.text.casefold())].append(line)
    out = []
    for line in lines:
        alike = groups[line.origin, DIGITS.sub("0", line.text.casefold())]
        marked = theme_of(line.text, line.heading) is not None
        repeated = len({one.text for one in alike}) == 1 and len({one.day for one in alike}) > 1
        if marked or repeated or len(alike) < NOISE_LINES:
            out.append(line)
        elif line is alike[0]:
            every = tuple(mark for one in alike for mark in one.marks)
            out.append(replace(line, text=f"{line.text} (and {len(alike) - 1} more alike)", marks=every))
    return out
