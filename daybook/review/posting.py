"""
Carry verdicts out: merge what may be applied, propose what must wait, mark the lines that are settled.

Both pipelines that end in memory, review and flush, go through here.
"""

from __future__ import annotations

import difflib
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.curation.entries import LONGTERM, statement_hash
from daybook.curation.observing import observe
from daybook.guard.secrets import redact
from daybook.ledger.record import operation_id
from daybook.memory import pending
from daybook.review import enacting, merge
from daybook.review.merge import Applied, Author
from daybook.schedule.record import OperationResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from daybook.ledger.record import Intent
    from daybook.review.verdict import Code, Verdict
    from daybook.workspace import Workspace

Word = Literal["applied", "proposed", "refused", "later"]
WORDS: dict[str, Word] = {"apply": "applied", "propose": "proposed", "refuse": "refused", "later": "later"}


@dataclass(frozen=True)
class Posted:
    """
    What became of the verdicts.

    Attributes:
        results: One per operation, for the run record.
        diff: What changed in MEMORY.md, `+ …` and `- …` lines.
        unsettled: Marks of lines that must be read again: their operation waits.
        problems: What others did to memory meanwhile that the operator should know.
    """

    results: tuple[OperationResult, ...] = ()
    diff: tuple[str, ...] = ()
    unsettled: frozenset[str] = frozenset()
    problems: tuple[str, ...] = ()

    def count(self, verdict: Word, op: str | None = None) -> int:
        """How many operations came to this."""
        return sum(one.verdict == verdict and op in {None, one.op} for one in self.results)

    @property
    def summary(self) -> str:
        """In one phrase: entries added, revised and retired, then what waits and what was refused."""
        added, revised, retired = (self.count("applied", op) for op in ("add", "revise", "retire"))
        demoted = self.count("applied", "demote")
        moved = f", {demoted} moved to topics to make room" if demoted else ""
        rest = f"{self.count('proposed')} proposed, {self.count('refused')} refused"
        return f"+{added} ~{revised} -{retired}{moved}, {rest}"


def post(
    workspace: Workspace, verdicts: Sequence[Verdict], author: Author, now: datetime, *, topic: str | None = None
) -> Posted:
    """
    Apply and propose under the workspace lock.

    Args:
        workspace: Whose memory.
        verdicts: From verify.
        author: For the ledger.
        now: The present instant.
        topic: Title of the topic that Adds go to instead of MEMORY.md.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; nothing was written.
    """
    with workspace.lock():
        observed = observe(workspace, author.run, now)
        merged = merge.apply(workspace, verdicts, author, now, topic=topic, observed=observed)
        applied = _propose(workspace, merged.results, author, now)
        after = files.read_if_exists(workspace.longterm) or b""
    before = observed.changes.present.get(LONGTERM) or b""
    later = [mark for one in applied if one.verdict.fate == "later" for s in one.verdict.sources for mark in s.marks]
    return Posted(
        (*map(result, applied), *map(_moved, merged.moved)),
        tuple(diff(before, after)),
        frozenset(later),
        observed.problems,
    )


def _propose(workspace: Workspace, applied: Sequence[Applied], author: Author, now: datetime) -> list[Applied]:
    proposals = {
        index: _proposal(one.verdict, author) for index, one in enumerate(applied) if one.verdict.fate == "propose"
    }
    over = pending.settled(workspace, list(proposals.values()), now)
    _, left = pending.propose(workspace, list(proposals.values()), now)
    no_room = {proposal.id for proposal in left}
    return [_after(one, proposals.get(index), over, no_room) for index, one in enumerate(applied)]


def _after(applied: Applied, proposal: pending.Proposal | None, over: Mapping[str, Code], no_room: set[str]) -> Applied:
    """Say what became of a verdict that was proposed: what was settled before is refused, what finds no room waits."""
    if proposal is not None and proposal.id in over:
        return Applied(replace(applied.verdict, fate="refuse", code=over[proposal.id]))
    if proposal is not None and proposal.id in no_room:
        return Applied(replace(applied.verdict, fate="later", code="quota"))
    return applied


def _proposal(verdict: Verdict, author: Author) -> pending.Proposal:
    operation, entry = verdict.operation, verdict.entry
    file = entry.file if entry and operation.kind != "add" else LONGTERM
    old = entry.text if entry else ""
    sources = tuple(map(enacting.source, verdict.sources))
    return pending.Proposal(
        id=operation_id(operation.kind, file, old, operation.text, tuple(one.hash for one in sources)),
        op=operation.kind,
        file=file,
        section=operation.section or (entry.section if entry else ""),
        text=operation.text,
        old=redact(old),
        code=verdict.code or "",
        sources=sources,
        run=author.run,
        model=author.model,
        prompt=author.prompt,
        statement=statement_hash(operation.text) if operation.text else "",
    )


def result(applied: Applied) -> OperationResult:
    """Write what became of an operation for the run record."""
    verdict = applied.verdict
    return OperationResult(
        op=verdict.operation.kind,
        text=redact(verdict.operation.text),
        verdict=WORDS[verdict.fate],
        code=verdict.code or "",
        file=applied.file,
        section=verdict.operation.section,
        entry=redact(verdict.entry.text) if verdict.entry else "",
        sources=[source.where for source in verdict.sources],
    )


def _moved(intent: Intent) -> OperationResult:
    return OperationResult(
        op="demote",
        text="",
        verdict="applied",
        file=intent.to,
        section=intent.section,
        entry=redact(intent.old),
    )


def diff(before: bytes, after: bytes) -> list[str]:
    """Say what changed in MEMORY.md, as `+ …` and `- …` lines, redacted."""
    old, new = (data.decode("utf-8", "replace").splitlines() for data in (before, after))
    changed = {line for line, _ in Counter(old).items() ^ Counter(new).items()}
    # A whole long file is costly to compare: what changed, and in both the lines right above that, is enough.
    told = {one for lines in (old, new) for one, below in pairwise([*lines, ""]) if one in changed or below in changed}
    near = [[line for line in lines if line in told] for lines in (old, new)]
    lines = list(difflib.unified_diff(near[0], near[1], n=0, lineterm=""))[2:]
    return [redact(f"{line[0]} {line[1:]}".rstrip()) for line in lines if line[0] in "+-" and line[1:].strip()]
