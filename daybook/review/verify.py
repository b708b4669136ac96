"""
Decide what becomes of each proposed operation: code decides, the model only proposes.

Each refusal has a code, which stands in the run record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from rapidfuzz import fuzz

from daybook.guard.outside import flatten
from daybook.guard.secrets import redact
from daybook.memory import longterm
from daybook.review import grounding
from daybook.review.dates import is_relative
from daybook.review.entries import LONGTERM, Equal, Known, Memory
from daybook.review.operations import MAX_TEXT_CHARS, Operation
from daybook.review.themes import section_for, theme_of
from daybook.review.words import content_tokens, identifiers, polarity_words, statement_key

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from datetime import date

    from daybook.review.window import Evidence

MAX_ADDS = 7
MAYBE_SUPERSEDES = 80
Code = Literal[
    "no-source",
    "outside-only",
    "ungrounded",
    "secret",
    "foreign",
    "conflict",
    "too-long",
    "quota",
    "done-before",
    "supersedes",
    "second-opinion",
    "relative-date",
    "question",
]


@dataclass(frozen=True)
class Verdict:
    """
    What becomes of one operation.

    Attributes:
        fate: `apply` it, `propose` it to the operator, `refuse` it for good, or leave it for `later`.
        operation: With its text flattened, its section chosen; an Add that equals an entry is a Confirm.
        sources: The note lines it rests on.
        entry: The entry it speaks of.
        code: Why it is not applied.
    """

    fate: Literal["apply", "propose", "refuse", "later"]
    operation: Operation
    sources: tuple[Evidence, ...]
    entry: Known | None = None
    code: Code | None = None


def verify(
    operations: Sequence[Operation],
    lines: Sequence[Evidence],
    memory: Memory,
    *,
    adds: int = MAX_ADDS,
    everywhere: bool = False,
) -> list[Verdict]:
    """
    Judge operations in their order.

    Args:
        operations: As proposed.
        lines: The lines of the call that proposed them; nothing else can be cited.
        memory: What there is.
        adds: How many Adds this call may make; the rest waits.
        everywhere: Whether an Add that stands in a topic is known too; else a review may promote it from there.
    """
    by_number = {line.number: line for line in lines}
    equal = Equal([entry for entry in memory.entries if everywhere or entry.file == LONGTERM])
    added: set[Hashable] = set()
    verdicts: list[Verdict] = []
    for operation in operations:
        verdict = _judge(operation, by_number, memory, equal)
        if verdict.fate == "apply" and verdict.operation.kind == "add":
            statement = statement_key(verdict.operation.text)
            if statement in added:
                continue
            if len(added) >= adds:
                verdict = Verdict("later", verdict.operation, verdict.sources, code="quota")
            added.add(statement)
        verdicts.append(verdict)
    return verdicts


def _judge(
    operation: Operation,
    by_number: Mapping[int, Evidence],
    memory: Memory,
    equal: Equal,
) -> Verdict:
    cited = tuple(by_number[n] for n in dict.fromkeys(operation.sources) if n in by_number)
    operation = _cleaned(operation, cited)
    if not cited or len(cited) < len(set(operation.sources)):
        return Verdict("refuse", operation, cited, code="no-source")
    if operation.kind in {"add", "revise"} and (bad := _bad_text(operation.text)):
        return Verdict("refuse", operation, cited, code=bad)
    trusted = tuple(line for line in cited if line.origin == "trusted")
    match operation.kind:
        case "add":
            return _judge_add(operation, cited, trusted, memory, equal)
        case "revise" | "retire" | "confirm":
            return _judge_change(operation, cited, trusted, memory)
        case _:
            assert_never(operation.kind)


def _judge_add(
    operation: Operation,
    cited: tuple[Evidence, ...],
    trusted: tuple[Evidence, ...],
    memory: Memory,
    equal: Equal,
) -> Verdict:
    operation = operation.model_copy(update={"section": _section(operation, cited, memory.sections)})
    if not trusted:
        return Verdict("propose", operation, cited, code="outside-only")
    ground = _ground(operation.text, trusted)
    if ground != "grounded":
        code: Code = "question" if "?" in polarity_words(operation.text) else "ungrounded"
        return Verdict("propose" if ground == "unsure" else "refuse", operation, trusted, code=code)
    if (same := equal.find(operation.text)) is not None:
        confirm = operation.model_copy(update={"kind": "confirm", "entry": same.id})
        return Verdict("apply", confirm, trusted, entry=same)
    older = _maybe_superseded(operation.text, memory.entries)
    waits = _why_an_add_waits(operation, older, memory)
    return Verdict("propose" if waits else "apply", operation, trusted, older, waits)


def _why_an_add_waits(operation: Operation, older: Known | None, memory: Memory) -> Code | None:
    if operation.section in memory.closed:
        return "foreign"
    if is_relative(operation.text):
        return "relative-date"
    return "supersedes" if older is not None else None


def _judge_change(
    operation: Operation, cited: tuple[Evidence, ...], trusted: tuple[Evidence, ...], memory: Memory
) -> Verdict:
    entry = memory.entry(operation.entry)
    if entry is None:
        return Verdict("refuse", operation, cited, code="conflict")
    if not trusted:
        fate: Literal["refuse", "propose"] = "refuse" if operation.kind == "confirm" else "propose"
        return Verdict(fate, operation, cited, entry, "outside-only")
    if operation.kind == "confirm":
        grounded = _ground(entry.text, trusted) == "grounded"
        return Verdict("apply" if grounded else "refuse", operation, trusted, entry, None if grounded else "ungrounded")
    if not entry.owned or entry.protected:
        return Verdict("propose", operation, trusted, entry, "foreign")
    if operation.kind == "retire":
        return Verdict("propose", operation, trusted, entry, "second-opinion")
    return _judge_revise(operation, trusted, entry)


def _judge_revise(operation: Operation, trusted: tuple[Evidence, ...], entry: Known) -> Verdict:
    ground = _ground(operation.text, trusted)
    if ground != "grounded":
        return Verdict("propose" if ground == "unsure" else "refuse", operation, trusted, entry, "ungrounded")
    day = max(line.day for line in trusted)
    if not _related(entry.text, operation.text, day) or _loses(entry.text, operation.text, day):
        return Verdict("propose", operation, trusted, entry, "second-opinion")
    return Verdict("apply", operation, trusted, entry)


def _cleaned(operation: Operation, cited: tuple[Evidence, ...]) -> Operation:
    """Make a proposed text one harmless line; what a trusted line says word for word stays as it is."""
    text = " ".join(operation.text.split())
    verbatim = any(line.origin == "trusted" and text in line.text for line in cited)
    if not verbatim or not longterm.can_stand(text):
        text = flatten(text, limit=2 * MAX_TEXT_CHARS)
    return operation.model_copy(update={"text": text, "section": flatten(operation.section, limit=60)})


def _bad_text(text: str) -> Code | None:
    if len(text) > MAX_TEXT_CHARS:
        return "too-long"
    if redact(text) != text or "[redacted:" in text:
        return "secret"
    return None if longterm.can_stand(text) and content_tokens(text) else "ungrounded"


def _ground(text: str, trusted: tuple[Evidence, ...]) -> Literal["grounded", "unsure", "made-up"]:
    if grounding.grounded(text, [line.text for line in trusted]):
        return "grounded"
    cited = [(line.text, line.day) for line in trusted]
    return "unsure" if grounding.names_nothing_new(text, cited) else "made-up"


def _section(operation: Operation, cited: tuple[Evidence, ...], sections: Sequence[str]) -> str:
    wanted = operation.section.strip().casefold()
    fitting = next((name for name in sections if wanted and name.casefold() == wanted), None)
    if fitting is not None:
        return fitting
    theme = next((theme for line in cited if (theme := theme_of(line.text, line.heading))), None)
    return section_for(theme or "lesson", sections)


def _maybe_superseded(text: str, entries: Sequence[Known]) -> Known | None:
    curated = [entry for entry in entries if entry.file == LONGTERM]
    scored = [(fuzz.token_set_ratio(text.casefold(), entry.text.casefold()), entry) for entry in curated]
    best = max(scored, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] >= MAYBE_SUPERSEDES else None


def _related(old: str, new: str, day: date) -> bool:
    """Whether two texts speak of the same: a shared identifier, or two shared content tokens."""
    shared = set(content_tokens(old)) & set(content_tokens(new))
    return bool(identifiers(old, day) & identifiers(new, day)) or len(shared) > 1


def _loses(old: str, new: str, day: date) -> bool:
    lost_names = identifiers(old, day) - identifiers(new, day)
    return bool(lost_names) or not set(polarity_words(old)) <= set(polarity_words(new))
