"""
Carry out one proposal that the operator accepted: verified once more for what can have changed since it was made.

What was outside, foreign or not grounded is so no longer: the operator's word stands above all of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from daybook.curation.entries import LONGTERM
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.guard.secrets import redact
from daybook.memory import longterm
from daybook.review import merge
from daybook.review.likeness import Statements
from daybook.review.merge import Author
from daybook.review.operations import MAX_TEXT_CHARS, Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.schedule.record import OperationResult

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.curation.entries import Known, Memory
    from daybook.ledger.record import Source
    from daybook.memory.proposals import Proposal
    from daybook.review.verdict import Code
    from daybook.workspace import Workspace

REASON = "no longer true, the operator agreed"
WHY_NOT = {
    "conflict": "what it speaks of is gone, was changed, or stands there already",
    "done-before": "it was done before, and taken out again",
    "secret": "it holds a secret",
    "too-long": f"it is over {MAX_TEXT_CHARS} characters long",
    "ungrounded": "it cannot stand as one line",
}


@dataclass(frozen=True)
class Outcome:
    """
    What became of one proposal.

    Attributes:
        proposal: Which.
        result: For the run record.
        fate: What it came to; None if it waits on.
        why: Why it could not be carried out; empty if it was.
        problems: What others did to memory meanwhile that the operator should know.
    """

    proposal: Proposal
    result: OperationResult
    fate: Literal["accepted", "refused"] | None
    why: str = ""
    problems: tuple[str, ...] = ()


def accept(workspace: Workspace, proposal: Proposal, run: str, now: datetime) -> Outcome:
    """
    Merge a proposal that the operator accepted; the caller holds the workspace lock.

    Raises:
        UnreadableFileError: MEMORY.md is missing, empty, wiped or cannot be read: nothing is written.
        ChangedFileError: It is edited faster than we can write.
    """
    observed = observe(workspace, run, now)
    verdict = _verdict(proposal, read_memory(workspace, now))
    if isinstance(verdict, str):
        return held(proposal, verdict, observed.problems)
    if verdict.fate == "refuse" and verdict.entry is not None:
        # Somebody has written it already: what was wanted is so.
        return done(proposal, verdict.entry.file, code="done-before", problems=observed.problems)
    author = Author(run, "pending", proposal.model, proposal.prompt, accepted=True)
    (applied,) = merge.apply(workspace, [verdict], author, now, observed=observed).results
    if applied.verdict.fate == "apply":
        return done(proposal, applied.file, problems=observed.problems)
    return held(proposal, applied.verdict.code or "", observed.problems)


def refuse(proposal: Proposal) -> Outcome:
    """Say that the operator refused a proposal."""
    return Outcome(proposal, _result(proposal, "refused", "refused"), "refused")


def done(proposal: Proposal, file: str, *, code: str = "", problems: tuple[str, ...] = ()) -> Outcome:
    """Say that an accepted proposal stands in a file."""
    return Outcome(proposal, _result(proposal, "applied", code, file), "accepted", problems=problems)


def held(proposal: Proposal, code: str, problems: tuple[str, ...] = ()) -> Outcome:
    """Say that an accepted proposal cannot be carried out now, and waits on."""
    why = WHY_NOT.get(code, f"it cannot be done now ({code})")
    return Outcome(proposal, _result(proposal, "later", code), None, why, problems)


def _verdict(proposal: Proposal, memory: Memory) -> Verdict | Code:
    """Judge a proposal anew; an Add of what a person has written already is one to refuse, with their entry."""
    if proposal.op != "retire" and (bad := _bad_text(proposal.text)):
        return bad
    lines = tuple(_evidence(source, number) for number, source in enumerate(proposal.sources, start=1))
    entry = _same(proposal, memory) if proposal.op == "add" else _entry(proposal, memory)
    stands = proposal.op == "add" and entry is not None and entry.file == LONGTERM
    operation = Operation.model_validate(
        {
            "kind": "confirm" if stands else proposal.op,
            "text": proposal.text,
            "section": proposal.section if proposal.op == "add" else "",
            "entry": entry.id if entry else "",
            "sources": [line.number for line in lines],
        }
    )
    if entry is None:
        return Verdict("apply", operation, lines) if proposal.op == "add" else "conflict"
    if proposal.op == "add" and not entry.owned:
        return Verdict("refuse", operation, lines, entry)
    return Verdict("apply", operation, lines, entry, promotes=operation.kind == "add", reason=REASON)


def _bad_text(text: str) -> Code | None:
    if len(text) > MAX_TEXT_CHARS:
        return "too-long"
    if redact(text) != text:
        return "secret"
    return None if longterm.can_stand(text) else "ungrounded"


def _entry(proposal: Proposal, memory: Memory) -> Known | None:
    """The entry a proposal speaks of, word for word; it may have moved to another file."""
    alike = [entry for entry in memory.entries if redact(entry.text) == proposal.old]
    return min(alike, key=lambda entry: entry.file != proposal.file, default=None)


def _same(proposal: Proposal, memory: Memory) -> Known | None:
    """The entry that states what an Add would add."""
    curated = Statements((entry.text, entry) for entry in memory.entries if entry.file == LONGTERM)
    return curated.find(proposal.text) or Statements((one.text, one) for one in memory.entries).find(proposal.text)


def _evidence(source: Source, number: int) -> Evidence:
    day = date.fromisoformat(source.date)
    return Evidence(number, day, source.file, source.line, "", source.text, "", source.origin, (source.hash,))


def _result(
    proposal: Proposal, word: Literal["applied", "refused", "later"], code: str, file: str = ""
) -> OperationResult:
    return OperationResult(
        op=proposal.op,
        text=redact(proposal.text),
        verdict=word,
        code=code,
        file=file,
        section=proposal.section,
        entry=redact(proposal.old),
        sources=[f"{source.file}:{source.line}" for source in proposal.sources],
    )
