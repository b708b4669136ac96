"""
Flush the inbox: every line into today's note first, then the marked ones on to MEMORY.md, the rest to topics.

Code only. Once a line stands in the note nothing can be lost any more; all after that may be repeated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from daybook.clock import part_of_day, slot_name
from daybook.guard import outside
from daybook.guard.secrets import redact
from daybook.memory import inbox, journal, topics
from daybook.review import extractive, posting
from daybook.review.known import read_memory
from daybook.review.merge import Author
from daybook.review.themes import theme_of
from daybook.review.verify import verify
from daybook.review.window import build

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date, datetime

    from daybook.review.posting import Posted
    from daybook.review.window import Evidence
    from daybook.workspace import Workspace

MODEL = "inbox"
PREFIX = "inbox:"


def to_note(workspace: Workspace, moment: datetime, now: datetime, values: Iterable[str] = ()) -> list[journal.Entry]:
    """
    Claim the inbox and write every line of every claimed inbox into the note, once.

    Args:
        workspace: Whose inbox.
        moment: Local time of the slot; its date is the note's.
        now: The present instant.
        values: Secrets known by value.

    Returns:
        The lines that stand in a note through this call.
    """
    known = outside.registered(workspace)
    secrets = tuple(values)
    with workspace.lock():
        inbox.claim(workspace, slot_name(now))
        entries = [
            _entry(line, moment, known, secrets)
            for path in inbox.claimed_files(workspace)
            for line in inbox.read_claimed(path, now)
        ]
        entries = journal.write(workspace, entries)
        done = journal.written(workspace, PREFIX)
        for path in inbox.claimed_files(workspace):
            if inbox.is_old(path, now) and all(line.key in done for line in inbox.read_claimed(path, now)):
                path.unlink()
    return [entry for entry in entries if entry.key.startswith(PREFIX)]


def to_memory(workspace: Workspace, run: str, now: datetime) -> tuple[Posted, ...]:
    """
    Offer flushed lines to verify and merge: marked ones as Adds to MEMORY.md, the rest as Adds to a topic.

    Lines from outside stay in the note. Lines that a killed flush did not get to are offered now.

    Returns:
        What became of the marked lines, then of the rest; empty when there was nothing to offer.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; the lines wait in the note.
    """
    offered = journal.unread(workspace, PREFIX)
    if not offered:
        return ()
    lines = _evidence(workspace, {entry.day for entry in offered}, {entry.text for entry in offered})
    marked = [line for line in lines if theme_of(line.text, line.heading)]
    rest = [line for line in lines if not theme_of(line.text, line.heading)]
    author = Author(run=run, channel="flush", model=MODEL)
    memory = read_memory(workspace)
    verdicts = verify(extractive.add_each(marked), marked, memory, adds=len(marked))
    first = posting.post(workspace, verdicts, author, now)
    memory = replace(read_memory(workspace), sections=(topics.NOTES,))
    verdicts = verify(extractive.add_each(rest, topics.NOTES), rest, memory, adds=len(rest))
    second = posting.post(workspace, verdicts, author, now, topic=topics.NOTES)
    journal.passed_on(workspace, [entry.key for entry in offered])
    return first, second


def _entry(line: inbox.InboxLine, moment: datetime, known: frozenset[str], secrets: tuple[str, ...]) -> journal.Entry:
    text = redact(line.text, secrets)
    if outside.is_outside(line.text, known):
        text = outside.flatten(text)
    return journal.Entry(line.key, moment.date(), part_of_day(moment), f"- {moment:%H:%M} - {text}", own=False)


def _evidence(workspace: Workspace, days: set[date], wanted: set[str]) -> list[Evidence]:
    window = build(workspace, max(days), "extractive", since=min(days), collapse=False)
    return [line for line in window.of("trusted") if f"- {line.time} - {line.text}" in wanted]
