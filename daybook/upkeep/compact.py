"""Bring MEMORY.md under its caps: show which entries would leave for topics, and move them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.curation.entries import LONGTERM
from daybook.curation.observing import observe, peek
from daybook.curation.room import entry_value
from daybook.curation.writing import Author, Plan, demote, write
from daybook.errors import UnreadableFileError
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

REASON = "compact"


@dataclass(frozen=True)
class Compaction:
    """
    What would leave MEMORY.md, or has left.

    Attributes:
        lines: Lines that count, before.
        lines_after: Lines that count, after.
        words: Words, before.
        words_after: Words, after.
        moves: Text of each entry that leaves, and the topic it goes to.
        theirs: How many entries are a person's own, pinned or in a section of theirs: none of them is moved.
    """

    lines: int
    lines_after: int
    words: int
    words_after: int
    moves: tuple[tuple[str, str], ...]
    theirs: int

    @property
    def fits(self) -> bool:
        """Whether the file is under both caps afterwards."""
        return self.lines_after <= longterm.MAX_LINES and self.words_after <= longterm.MAX_WORDS


def compact(workspace: Workspace, run: str, now: datetime, *, dry_run: bool) -> Compaction:
    """
    Move the least valuable entries out until the file is under its caps; takes the workspace lock.

    Args:
        workspace: Whose memory.
        run: Id of this run.
        now: The present instant.
        dry_run: Only say what would leave.

    Raises:
        UnreadableFileError: MEMORY.md is missing or cannot be read.
        ChangedFileError: It is being edited; nothing was moved.
    """
    with workspace.lock():
        observed = peek(workspace, now) if dry_run else observe(workspace, run, now)
        if LONGTERM in observed.changes.held:
            raise UnreadableFileError(observed.changes.held[LONGTERM])
        plan = Plan(workspace, observed, Author(run=run, channel="hand", model="hand"), now)
        document, owned = plan.document(LONGTERM), observed.state.of(LONGTERM)
        free = [one for one in document.entries if one.text in owned and not (one.pinned or one.mine)]
        lines, words = longterm.count_lines(document), longterm.count_words(document)
        left_lines, left_words = lines, words
        moves = []
        for entry in sorted(free, key=lambda one: entry_value(owned[one.text])):
            if left_lines <= longterm.MAX_LINES and left_words <= longterm.MAX_WORDS:
                break
            raw = document.lines[entry.start : entry.end]
            left_lines -= sum(bool(line.strip()) for line in raw)
            left_words -= sum(len(line.split()) for line in raw)
            moves.append((entry.text, topics.file_of(workspace, entry.section)))
            demote(plan, entry, REASON)
        if not dry_run:
            write(plan)
    theirs = len(document.entries) - len(free)
    return Compaction(lines, left_lines, words, left_words, tuple(moves), theirs)
