"""
Flush the inbox: every line into today's note first, then the marked ones on to MEMORY.md, the rest to topics.

Code only. Once a line stands in the note nothing can be lost any more; all after that may be repeated.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from daybook import files
from daybook.clock import part_of_day, slot_name
from daybook.curation.known import read_memory
from daybook.errors import DaybookError
from daybook.guard import outside, register
from daybook.guard.secrets import redact
from daybook.language.themes import theme_of
from daybook.memory import inbox, journal, notes, synced, topics
from daybook.review import extractive, marks, posting
from daybook.review.merge import Author
from daybook.review.verify import verify
from daybook.review.window import Evidence
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from daybook.guard.register import Register
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

MODEL = "inbox"
PREFIX = "inbox:"


class _Place(NamedTuple):
    """
    A physical line of a note.

    Attributes:
        line: Its number, from 1.
        nth: Its number among lines of the same text, from 1.
        time: As `notes.taken_apart` gives it; likewise its text.
    """

    line: int
    nth: int
    time: str
    text: str


def to_note(workspace: Workspace, moment: datetime, now: datetime) -> journal.Written:
    """
    Claim the inbox and write every line of every claimed inbox into the note, once.

    Args:
        workspace: Whose inbox.
        moment: Local time of the slot; its date is the note's.
        now: The present instant.

    Returns:
        The lines that stand in a note through this call, and problems met.
    """
    known = register.read(workspace)
    with workspace.lock():
        claimed = inbox.claim(workspace, slot_name(now))
        lines = inbox.read_all_claimed(workspace, now)
        tagged = [line.text for line in lines if outside.TAG.match(line.text)]
        register.write(workspace, [text for text in tagged if register.line_hash(text) not in known.lines], now)
        old = _noted_before(workspace, lines, claimed) | {line.key for line in lines if line.replayed}
        entries = _entries(lines, moment, known)
        again = journal.pass_over(workspace, [entry for entry in entries if entry.key in old])
        written = journal.write(workspace, [entry for entry in entries if entry.key not in old])
        if any(inbox.is_old(path, now) for path in inbox.claimed_files(workspace)):
            inbox.remove_old(workspace, now, journal.written(workspace, PREFIX))
    left = tuple(synced.left_behind(workspace))
    said = f"{counted(again, 'inbox line')} of an old copy, saved again: passed over, since a note has them."
    mine = tuple(entry for entry in written.entries if entry.key.startswith(PREFIX))
    return journal.Written(mine, written.problems + left + ((said,) if again else ()))


def to_memory(workspace: Workspace, run: str, now: datetime) -> tuple[Posted, ...]:
    """
    Offer flushed lines to verify and merge: marked ones as Adds to MEMORY.md, the rest as Adds to a topic.

    Lines from outside stay in the note. Lines that a killed flush did not get to are offered now.

    What finds no room waits, and is offered again by the next flush.

    Returns:
        What became of the marked lines, then of the rest.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; the lines wait in the note.
    """
    offered = journal.unread(workspace, PREFIX)
    lines = _evidence(workspace, offered)
    marked, rest = list[Evidence](), list[Evidence]()
    for line in lines.values():
        (marked if theme_of(line.text, line.heading) else rest).append(line)
    author = Author(run=run, channel="flush", model=MODEL)
    posted = []
    if marked:
        verdicts = verify(extractive.add_each(marked), marked, read_memory(workspace, now))
        posted.append(posting.post(workspace, verdicts, author, now))
    if rest:
        memory = replace(read_memory(workspace, now), sections=(topics.NOTES,))
        verdicts = verify(extractive.add_each(rest, topics.NOTES), rest, memory, adds=len(rest), everywhere=True)
        posted.append(posting.post(workspace, verdicts, author, now, topic=topics.NOTES))
    waiting = frozenset[str]().union(*(part.unsettled for part in posted))
    waits = {key for key, line in lines.items() if not waiting.isdisjoint(line.marks)}
    journal.passed_on(workspace, [entry.key for entry in offered if entry.key not in waits])
    journal.offered(workspace, sorted(waits))
    return tuple(posted)


def _noted_before(workspace: Workspace, lines: Sequence[inbox.InboxLine], claimed: Path | None) -> set[str]:
    """
    Keys of lines that a note holds already, of claimed inboxes that came without our journal.

    A copied workspace, or one whose private state was lost, brings its claimed inboxes along; the one that was
    claimed just now is none of them.
    """
    known = {inbox.file_of(key) for key in journal.known(workspace, PREFIX)}
    known.add(claimed.name if claimed else "")
    strange = [line for line in lines if inbox.file_of(line.key) not in known]
    if not strange:
        return set()
    noted: set[str] = set()
    for note in notes.note_files(workspace):
        # A note that cannot be read is named by those who need it; here it only holds nothing.
        with suppress(DaybookError):
            text = (files.read_if_exists(note.path) or b"").decode("utf-8", "replace")
            noted |= {notes.taken_apart(line)[1] for line in text.split("\n")}
    return {line.key for line in strange if " ".join(redact(line.text).split()) in noted}


def _entries(lines: Sequence[inbox.InboxLine], moment: datetime, known: Register) -> list[journal.Entry]:
    day, heading, start = moment.date(), part_of_day(moment), f"- {moment:%H:%M} - "
    entries = []
    for line in lines:
        text = redact(line.text)
        if register.is_outside(line.text, known):
            text = outside.flatten(text)
        entries.append(journal.Entry(line.key, day, heading, start + text, own=False))
    return entries


def _evidence(workspace: Workspace, entries: Sequence[journal.Entry]) -> dict[str, Evidence]:
    """Make trusted flushed lines that still stand in their note evidence, by key."""
    known = register.read(workspace)
    found: dict[str, Evidence] = {}
    for day in sorted({entry.day for entry in entries}):
        path = workspace.daily_note(day)
        file = workspace.relative(path)
        places = _places((files.read_if_exists(path) or b"").decode("utf-8", "replace").split("\n"))
        for entry in (one for one in entries if one.day == day):
            standing = places.get(entry.text)
            place = standing.popleft() if standing else None
            # What a person has taken out of the note since, or changed, is no longer said.
            if place is None or register.is_outside(place.text, known):
                continue
            mark = marks.mark_of(day, place.text, place.nth)
            found[entry.key] = Evidence(
                len(found) + 1, day, file, place.line, place.time, place.text, entry.heading, "trusted", (mark,)
            )
    return found


def _places(lines: Sequence[str]) -> dict[str, deque[_Place]]:
    """Where each physical line of a note stands."""
    places: dict[str, deque[_Place]] = defaultdict(deque)
    counts: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        time, text = notes.taken_apart(line)
        counts[text] += 1
        places[line.removesuffix("\r")].append(_Place(number, counts[text], time, text))
    return places
