"""
Flush the inbox: every line into today's note first, then the marked ones on to MEMORY.md, the rest to topics.

Code only. Once a line stands in the note nothing can be lost any more; all after that may be repeated.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import part_of_day, slot_name
from daybook.guard import outside
from daybook.guard.secrets import redact
from daybook.memory import inbox, journal, notes, topics
from daybook.review import extractive, marks, posting
from daybook.review.known import read_memory
from daybook.review.merge import Author
from daybook.review.themes import theme_of
from daybook.review.verify import verify
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

MODEL = "inbox"
PREFIX = "inbox:"


def to_note(workspace: Workspace, moment: datetime, now: datetime) -> list[journal.Entry]:
    """
    Claim the inbox and write every line of every claimed inbox into the note, once.

    Args:
        workspace: Whose inbox.
        moment: Local time of the slot; its date is the note's.
        now: The present instant.

    Returns:
        The lines that stand in a note through this call.
    """
    known = outside.registered(workspace)
    with workspace.lock():
        inbox.claim(workspace, slot_name(now))
        lines = inbox.read_all_claimed(workspace, now)
        journal.pass_over(workspace, [_entry(line, moment, known) for line in lines if line.replayed])
        entries = journal.write(workspace, [_entry(line, moment, known) for line in lines if not line.replayed])
        inbox.remove_old(workspace, now, journal.written(workspace, PREFIX))
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
    lines = _evidence(workspace, offered)
    if not lines:
        journal.passed_on(workspace, [entry.key for entry in offered])
        return ()
    marked = [line for line in lines if theme_of(line.text, line.heading)]
    rest = [line for line in lines if not theme_of(line.text, line.heading)]
    author = Author(run=run, channel="flush", model=MODEL)
    # What is over the quota stands in the note as it is, marked, and the next review reads it there.
    verdicts = verify(extractive.add_each(marked), marked, read_memory(workspace))
    first = posting.post(workspace, verdicts, author, now)
    memory = replace(read_memory(workspace), sections=(topics.NOTES,))
    verdicts = verify(extractive.add_each(rest, topics.NOTES), rest, memory, adds=len(rest), everywhere=True)
    second = posting.post(workspace, verdicts, author, now, topic=topics.NOTES)
    journal.passed_on(workspace, [entry.key for entry in offered])
    return first, second


def _entry(line: inbox.InboxLine, moment: datetime, known: frozenset[str]) -> journal.Entry:
    text = redact(line.text)
    if outside.is_outside(line.text, known):
        text = outside.flatten(text)
    return journal.Entry(line.key, moment.date(), part_of_day(moment), f"- {moment:%H:%M} - {text}", own=False)


def _evidence(workspace: Workspace, entries: Sequence[journal.Entry]) -> list[Evidence]:
    """Make trusted flushed lines evidence, each with its place in the note; one that was edited since has line 0."""
    known = outside.registered(workspace)
    found: list[Evidence] = []
    for day in sorted({entry.day for entry in entries}):
        path = workspace.daily_note(day)
        places = _places((files.read_if_exists(path) or b"").decode("utf-8", "replace").split("\n"))
        for entry in (one for one in entries if one.day == day):
            time, text = notes.taken_apart(entry.text)
            line, count = places[entry.text].popleft() if places[entry.text] else (0, 1)
            if not outside.is_outside(text, known):
                mark = marks.mark_of(day, text, count)
                file = workspace.relative(path)
                evidence = Evidence(len(found) + 1, day, file, line, time, text, entry.heading, "trusted", (mark,))
                found.append(evidence)
    return found


def _places(lines: Sequence[str]) -> dict[str, deque[tuple[int, int]]]:
    """Where each physical line of a note stands, and how many lines of the same text stand up to there."""
    places: dict[str, deque[tuple[int, int]]] = defaultdict(deque)
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        text = notes.taken_apart(line)[1]
        counts[text] += 1
        places[line.removesuffix("\r")].append((number, counts[text]))
    return places
