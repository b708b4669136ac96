"""
Decide what becomes of each proposed operation: code decides, the model only proposes.

Each refusal has a code, which stands in the run record.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Literal, assert_never

from daybook.guard.outside import flatten
from daybook.guard.secrets import redact
from daybook.language.themes import unmarked
from daybook.language.words import content_tokens
from daybook.memory import longterm
from daybook.review.adding import judge_add
from daybook.review.changing import judge_change
from daybook.review.ground import lay
from daybook.review.likeness import rough
from daybook.review.limits import MAX_ADDS, Limits
from daybook.review.operations import MAX_TEXT_CHARS, Operation
from daybook.review.placing import Places
from daybook.review.verdict import Code, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.curation.entries import Memory
    from daybook.review.ground import Ground
    from daybook.review.window import Evidence

__all__ = ["MAX_ADDS", "Code", "Verdict", "judge", "verify"]

SECTION_CHARS = 60


def verify(
    operations: Sequence[Operation],
    lines: Sequence[Evidence],
    memory: Memory,
    *,
    adds: int = MAX_ADDS,
    everywhere: bool = False,
    today: date | None = None,
) -> list[Verdict]:
    """
    Judge operations in their order, without a second opinion.

    Args:
        operations: As proposed.
        lines: The lines of the call that proposed them; nothing else can be cited.
        memory: What there is.
        adds: How many Adds this call may make; the rest waits.
        everywhere: Whether an Add that stands in a topic is known too; else a review may promote it from there.
        today: The day of the review; None for that of the newest line.
    """
    places = Places(memory.sections, memory.closed)
    verdicts = judge(operations, lines, memory, places, today=today, everywhere=everywhere)
    return Limits(memory.retirements, apart=everywhere).keep(verdicts, adds)


def judge(
    operations: Sequence[Operation],
    lines: Sequence[Evidence],
    memory: Memory,
    places: Places,
    *,
    today: date | None = None,
    everywhere: bool = False,
) -> list[Verdict]:
    """
    Judge each operation by itself; how many may be done is for `Limits` to say.

    Args:
        operations: As proposed.
        lines: The lines of the call that proposed them.
        memory: What there is.
        places: The headings, shared by all calls of a review.
        today: The day of the review; None for that of the newest line.
        everywhere: As for `verify`.
    """
    if not operations:
        return []
    day = today or max((line.day for line in lines), default=date.min)
    ground = lay(lines, memory, places, day, everywhere=everywhere)
    return [_judge(operation, ground) for operation in operations]


def _judge(operation: Operation, ground: Ground) -> Verdict:
    found = ground.lines
    cited = tuple([found[number] for number in dict.fromkeys(operation.sources) if number in found])
    bad: Code | None = None
    if operation.kind in {"add", "revise"}:
        operation, bad = _cleaned(operation, cited, ground)
    if not cited or len(cited) < len(set(operation.sources)):
        bad = "no-source"
    if bad:
        return Verdict("refuse", operation, cited, code=bad)
    trusted = tuple([line for line in cited if line.origin == "trusted"])
    match operation.kind:
        case "add":
            return judge_add(operation, cited, trusted, ground)
        case "revise" | "retire" | "confirm":
            return judge_change(operation, cited, trusted, ground)
        case _:
            assert_never(operation.kind)


def _cleaned(
    operation: Operation, cited: tuple[Evidence, ...], ground: Ground
) -> tuple[Operation, Literal["too-long", "secret", "ungrounded"] | None]:
    """
    Make a proposed text one harmless line without its label, and say what is wrong with it.

    What a trusted line says word for word stays as it is.
    """
    text = " ".join(operation.text.split())
    if operation.kind == "add":
        text = unmarked(text)
    fits = any(line.origin == "trusted" and text in line.text for line in cited) and longterm.can_stand(text)
    if not fits:
        text = flatten(text, limit=2 * MAX_TEXT_CHARS)
    section = operation.section
    if section and section not in ground.memory.sections:
        section = flatten(section, limit=SECTION_CHARS)
    if (text, section) != (operation.text, operation.section):
        operation = operation.model_copy(update={"text": text, "section": section})
    if len(text) > MAX_TEXT_CHARS:
        return operation, "too-long"
    if redact(text) != text or "[redacted:" in text:
        return operation, "secret"
    states = (fits or longterm.can_stand(text)) and (rough(text) or content_tokens(text))
    return operation, None if states else "ungrounded"
