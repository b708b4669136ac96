"""
Review without a model: no key, no network, the same every time, and every word as it was written.

It takes what is marked as a lesson, decision, preference or deadline, and what was noted on several dates.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from daybook.language.themes import theme_of, unmarked
from daybook.language.tokens import CJK
from daybook.language.words import content_tokens, statement_key
from daybook.review.grounding import enough, is_shortening
from daybook.review.operations import MAX_TEXT_CHARS, Operation

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from daybook.review.window import Evidence

MODEL = "extractive"
MAX_ADDS = 5
REPEAT_DATES = 3
MIN_TOKENS = 3


def add_each(lines: Sequence[Evidence], section: str = "") -> tuple[Operation, ...]:
    """Propose an Add for every trusted line, with its marker (`Lesson:`) left out."""
    return tuple(
        Operation(kind="add", text=unmarked(line.text), section=section, sources=(line.number,))
        for line in lines
        if line.origin == "trusted"
    )


def propose(lines: Sequence[Evidence]) -> tuple[Operation, ...]:
    """
    Propose an Add for each trusted line that is marked, and for each that was noted on three dates.

    Args:
        lines: A window's lines; outside ones are left alone.

    Returns:
        Adds, oldest line first; how many of them may be made is for verify to say.
    """
    trusted = [line for line in lines if line.origin == "trusted"]
    says: dict[Hashable, list[Evidence]] = defaultdict(list)
    for line in trusted:
        says[statement_key(unmarked(line.text))].append(line)
    proposed = []
    for same in says.values():
        worth = next((line for line in same if _is_worth(line, same)), None)
        if worth is not None:
            # Every line that says it is a source: each date of them confirms what stands already.
            numbers = tuple(line.number for line in same)
            proposed.append(Operation(kind="add", text=unmarked(worth.text), sources=numbers))
    return tuple(proposed)


def _is_worth(line: Evidence, same: Sequence[Evidence]) -> bool:
    text = unmarked(line.text)
    marked = theme_of(line.text, line.heading) is not None
    repeated = len({one.day for one in same}) >= REPEAT_DATES
    fits = len(text) <= MAX_TEXT_CHARS and (marked or _says_enough(text))
    return (marked or repeated) and fits and is_shortening(text, line.text)


def _says_enough(text: str) -> bool:
    tokens = content_tokens(text)
    return len(tokens) >= MIN_TOKENS or (CJK.search(text) is not None and enough(tokens))
