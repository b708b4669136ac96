"""
What a session should load, in a stable order: who it is, whom it serves, what it knows, what happened lately.

Without `main` (group chat, sub-agent, cron) nothing of MEMORY.md or the topics is shown. Lines from outside
are left out and counted. Over the budget the older note is cut first, then the older part of today's; SOUL,
USER and MEMORY never are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError
from daybook.guard import register
from daybook.guard.secrets import redact
from daybook.memory import inbox, notes

if TYPE_CHECKING:
    from datetime import date

    from daybook.guard.register import Register
    from daybook.workspace import Workspace

NOTES = 2
CHARS_PER_TOKEN = 4


@dataclass(frozen=True)
class Part:
    """
    One file of the context.

    Attributes:
        name: Path inside the workspace.
        text: What is shown of it.
        cut: Lines left out for the budget, from its beginning.
        outside: Lines left out because they come from outside.
        problem: Why it is not shown at all; empty otherwise.
    """

    name: str
    text: str
    cut: int = 0
    outside: int = 0
    problem: str = ""


@dataclass(frozen=True)
class Context:
    """
    All a session should load.

    Attributes:
        parts: In order.
        tokens: Estimate for the whole.
        over: Whether it is over the budget even so, because the parts that are never cut are.
    """

    parts: tuple[Part, ...]
    tokens: int
    over: bool = False

    def render(self) -> str:
        """Write the context as Markdown, cuts marked."""
        return "\n".join(_rendered(part) for part in self.parts)


def build(workspace: Workspace, today: date, *, main: bool, budget: int | None = None) -> Context:
    """
    Build the context of a session.

    Args:
        workspace: Whose.
        today: The date in the workspace's zone; notes dated later are left out.
        main: Whether this is the operator's own session.
        budget: Tokens it may take, about; None for all.

    A file that cannot be read is named with what is wrong, and never taken for empty.
    """
    fixed = [_whole(workspace, name) for name in ("SOUL.md", "USER.md", *(["MEMORY.md"] if main else []))]
    fixed += [_topics(workspace)] if main else []
    kept = [part for part in fixed if part is not None]
    known = register.read(workspace)
    recent = [note for note in notes.note_files(workspace) if note.day <= today]
    days = sorted({note.day for note in recent})[-NOTES:]
    daily = [_note(workspace, note, known) for note in recent if note.day in days]
    staged = _inbox(workspace, known)
    if budget is not None:
        room = budget - sum(map(_tokens, kept)) - (_tokens(staged) if staged else 0)
        daily = _fit(daily, room)
    parts = (*kept, *daily, *([staged] if staged else []))
    tokens = sum(map(_tokens, parts))
    return Context(parts, tokens, over=budget is not None and tokens > budget)


def _whole(workspace: Workspace, name: str) -> Part | None:
    try:
        data = files.read_if_exists(workspace.readable(workspace.root / name))
    except DaybookError as error:
        # A session must start all the same, and must know what it lacks.
        return _missing(name, str(error))
    return None if data is None else Part(name, redact(_text(data)))


def _missing(name: str, problem: str) -> Part:
    return Part(name, f"(not shown: {problem})\n", problem=problem)


def _topics(workspace: Workspace) -> Part | None:
    # Parsing Markdown is for those who ask for topics; most sessions do not.
    from daybook.memory import topics  # noqa: PLC0415 - start-up time

    listed = topics.topic_list(workspace)
    if not listed:
        return None
    lines = [f"- {topic.title} ({topic.entries}): {workspace.relative(topic.path)}" for topic in listed]
    return Part("topics", "\n".join(lines) + "\n")


def _note(workspace: Workspace, note: notes.NoteFile, known: Register) -> Part:
    try:
        lines = _text(files.read_bytes(note.path)).splitlines()
    except (DaybookError, FileNotFoundError) as error:
        return _missing(workspace.relative(note.path), str(error))
    trusted = [line for line in lines if not _is_outside(line, known)]
    return Part(workspace.relative(note.path), redact("\n".join(trusted)) + "\n", outside=len(lines) - len(trusted))


def _inbox(workspace: Workspace, known: Register) -> Part | None:
    try:
        lines = inbox.waiting_lines(workspace)
    except DaybookError as error:
        return _missing(workspace.relative(workspace.inbox), str(error))
    trusted = [line for line in lines if not register.is_outside(line, known)]
    if not lines:
        return None
    text = "".join(f"- {redact(line)}\n" for line in trusted)
    return Part(workspace.relative(workspace.inbox), text, outside=len(lines) - len(trusted))


def _is_outside(line: str, known: Register) -> bool:
    return register.is_outside(notes.taken_apart(line)[1], known)


def _fit(parts: list[Part], room: int) -> list[Part]:
    """Cut from the beginning of the oldest part on, until the rest fits."""
    fitted = list(parts)
    for index, part in enumerate(parts):
        lines = part.text.splitlines(keepends=True)
        cut = 0
        while cut < len(lines) and sum(map(_tokens, fitted)) > room:
            over = sum(map(_tokens, fitted)) - room
            taken = 0
            while cut < len(lines) and taken < over * CHARS_PER_TOKEN:
                taken += len(lines[cut])
                cut += 1
            fitted[index] = Part(part.name, "".join(lines[cut:]), cut, part.outside)
    return fitted


def _rendered(part: Part) -> str:
    marks = [f"{part.cut} earlier lines cut"] if part.cut else []
    marks += [f"{part.outside} lines from outside left out"] if part.outside else []
    note = f" ({', '.join(marks)})" if marks else ""
    return f"<!-- {part.name}{note} -->\n{part.text.rstrip()}\n"


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _tokens(part: Part) -> int:
    return len(part.text) // CHARS_PER_TOKEN + len(part.name) // CHARS_PER_TOKEN + 4
