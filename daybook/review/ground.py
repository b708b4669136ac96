"""What operations are judged against: the lines they may cite, and what memory holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.curation.entries import LONGTERM, statement_hash
from daybook.language.themes import label_end, unmarked
from daybook.language.tokens import ARTICLES, TO_BE
from daybook.review.grounding import MIN_TOKENS
from daybook.review.likeness import Near, Statements
from daybook.review.rewording import CHANGED_IN_A_STATEMENT, standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from daybook.curation.entries import Known, Memory
    from daybook.review.placing import Places
    from daybook.review.rewording import Standing
    from daybook.review.window import Evidence

EDGES = ".,;:!?\"'()[]{}*_`"
FILLERS = ARTICLES | TO_BE


@dataclass(frozen=True)
class Ground:
    """
    What one call's operations are judged against.

    Attributes:
        lines: Its lines by number; nothing else can be cited.
        memory: What memory holds.
        by_id: Its entries by what operations call them.
        equal: Entries that an Add may turn out to be.
        elsewhere: Entries of topics that an Add may turn out to promote.
        near: Entries of MEMORY.md that an Add may supersede.
        places: Its headings.
        today: The day of the review.
    """

    lines: Mapping[int, Evidence]
    memory: Memory
    by_id: Mapping[str, Known]
    equal: Statements[Known]
    elsewhere: Statements[Known]
    near: Near
    places: Places
    today: date


def lay(lines: Sequence[Evidence], memory: Memory, places: Places, today: date, *, everywhere: bool) -> Ground:
    """
    Lay the ground for a call.

    Args:
        lines: The lines of the call.
        memory: What there is.
        places: The headings, shared by all calls of a review.
        today: The day of the review.
        everywhere: Whether an Add that stands in a topic is known too; else a review may promote it from there.
    """
    curated = [entry for entry in memory.entries if entry.file == LONGTERM]
    topics = [entry for entry in memory.entries if entry.file != LONGTERM]
    known = memory.entries if everywhere else curated
    return Ground(
        lines={line.number: line for line in lines},
        memory=memory,
        by_id={entry.id: entry for entry in memory.entries},
        equal=Statements((entry.text, entry) for entry in known),
        # A foreign one stays where it is, and does not keep the statement out of MEMORY.md.
        elsewhere=Statements((entry.text, entry) for entry in topics if entry.owned and not everywhere),
        near=Near(curated),
        places=places,
        today=today,
    )


def is_forgotten(text: str, cited: Sequence[Evidence], memory: Memory) -> bool:
    """
    Whether a person took a statement out, or another one that rested on one of these lines.

    A line that says what was taken out, word for word, counts as such a line.
    """
    if memory.forgotten_lines and any(not memory.forgotten_lines.isdisjoint(line.marks) for line in cited):
        return True
    if not memory.forgotten:
        return False
    said = {text, *(unmarked(line.text) for line in cited)}
    return any(statement_hash(one) in memory.forgotten for one in said if one)


def stands(text: str, trusted: Sequence[Evidence], *, changed: int = CHANGED_IN_A_STATEMENT) -> Standing:
    """Say how a statement stands to trusted lines; one that is a whole line needs no closer look."""
    if any(_is_whole(text, line.text) for line in trusted):
        return "grounded"
    return standing(text, [(line.text, line.day) for line in trusted], changed=changed)


def _is_whole(text: str, line: str) -> bool:
    """Whether a statement is a line word for word, its label left out or not, and states something."""
    if not line.endswith(text) or "?" in text or "？" in text:
        return False
    if len(line) != len(text) and line[label_end(line) :].strip() != text:
        return False
    telling = 0
    for raw in text.split():
        word = raw.strip(EDGES)
        telling += bool(word) and word.casefold() not in FILLERS and any(map(str.isalnum, word))
        if telling == MIN_TOKENS:
            return True
    return False
