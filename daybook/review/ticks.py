"""
Carry out what the operator ticked in `_pending.md`, once; while nothing changed it costs two looks at file times.

On disk: `acting` in the register, then the merge with its ledger, then `settled` in the register, then the file. After
a kill the ledger says whether the operation was done; if it was not, the tick that still stands does it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.clock import stamp
from daybook.curation.entries import statement_hash
from daybook.curation.settling import settle
from daybook.errors import ChangedFileError, UnreadableFileError
from daybook.guard.secrets import redact
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import pending, proposals, ticked
from daybook.review import accepting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from daybook.ledger.record import Intent
    from daybook.memory.checklist import Mark
    from daybook.memory.proposals import Kept, Proposal, Register
    from daybook.review.accepting import Outcome
    from daybook.schedule.record import OperationResult
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Acted:
    """
    What ticks came to.

    Attributes:
        results: One per proposal that was accepted, refused, or could not be carried out; for the run record.
        problems: Ticks that stand for nothing, and what could not be carried out; sentences without text of memory.
        lapsed: How many proposals had been left alone for too long.
    """

    results: tuple[OperationResult, ...] = ()
    problems: tuple[str, ...] = ()
    lapsed: int = 0

    @property
    def summary(self) -> str:
        """In one sentence; empty if nothing was settled."""
        accepted = sum(one.verdict == "applied" for one in self.results)
        refused = sum(one.verdict == "refused" for one in self.results)
        counts = {"accepted": accepted, "refused": refused, "lapsed": self.lapsed}
        said = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        return f"Proposals: {said}." if said else ""


def idle(workspace: Workspace, now: datetime) -> bool:
    """Whether nothing can have been ticked, proposed or have lapsed since the last look."""
    register = _file_mark(proposals.path(workspace))
    if register is None:
        return True
    last = _last_look(workspace)
    until = last.get("until")
    same = last.get("register") == register and last.get("file") == _file_mark(workspace.pending)
    return same and "file" in last and (until is None or now < datetime.fromisoformat(str(until)))


def act(workspace: Workspace, run: str, now: datetime) -> Acted:
    """
    Carry out what was ticked since the last look, let lapse what is old, and bring the file up to date.

    Args:
        workspace: Whose proposals; its lock is taken, if there is anything to look at.
        run: Id of the run, for the ledger.
        now: The present instant.

    Raises:
        UnsafeFileError: Something else than a file stands in the place of `_pending.md`.
        UnreadableFileError: It cannot be read or written; what was carried out by then stays so.
    """
    if idle(workspace, now):
        return Acted()
    with workspace.lock():
        outcomes = _settle_interrupted(workspace, run, now)
        register = proposals.read(workspace)
        ticks = ticked.read_ticks(files.read_if_exists(workspace.pending) or b"", register)
        decided, blocked = _decide(workspace, register, ticks.marks, run, now)
        outcomes += decided
        over = (one for one in register.kept.values() if one.fate is None and not one.is_open(now))
        lapsed = [one.proposal.id for one in over if one.proposal.id not in ticks.marks]
        proposals.settle(workspace, lapsed, "lapsed", run, now)
        new = {key: sentence for key, sentence in ticks.problems if key not in register.said}
        proposals.say(workspace, new)
        shown = pending.refresh(workspace, now, _held(register, outcomes))
        if not blocked:
            _remember_look(workspace, shown, now)
    return _acted(outcomes, (*new.values(), blocked), len(lapsed))


def decide(workspace: Workspace, proposal_id: str, mark: Literal["accept", "refuse"], run: str, now: datetime) -> Acted:
    """
    Accept or refuse one proposal at once, whatever its box says.

    Args:
        workspace: Whose proposal; its lock is taken.
        proposal_id: Whole.
        mark: The decision.
        run: Id of the run, for the ledger.
        now: The present instant.

    Returns:
        Without any result if the proposal does not wait any more, or MEMORY.md cannot be written.
    """
    with workspace.lock():
        outcomes = [one for one in _settle_interrupted(workspace, run, now) if one.proposal.id == proposal_id]
        register = proposals.read(workspace)
        blocked = ""
        if any(one.proposal.id == proposal_id for one in register.open(now)):
            outcomes, blocked = _decide(workspace, register, {proposal_id: mark}, run, now)
        pending.refresh(workspace, now, _held(register, outcomes))
    return _acted(outcomes, (blocked,), 0)


def _decide(
    workspace: Workspace, register: Register, marks: Mapping[str, Mark], run: str, now: datetime
) -> tuple[list[Outcome], str]:
    """Refuse and accept; gives what came of it, and why nothing could be written, if so."""
    outcomes: list[Outcome] = []
    blocked = ""
    for name, mark in marks.items():
        kept = register.kept[name]
        if mark == "refuse":
            proposals.settle(workspace, [name], "refused", run, now)
            outcomes.append(accepting.refuse(kept.proposal))
        elif not blocked:
            try:
                outcomes.append(_accept(workspace, kept, run, now))
            except (UnreadableFileError, ChangedFileError) as error:
                # The tick stays as it is, and is read again at the next beat.
                blocked = str(error)
    return outcomes, blocked


def _accept(workspace: Workspace, kept: Kept, run: str, now: datetime) -> Outcome:
    name = kept.proposal.id
    if kept.acting is None:
        proposals.begin(workspace, name, run, now)
    outcome = accepting.accept(workspace, kept.proposal, run, now)
    if outcome.fate is None:
        proposals.hold(workspace, name, outcome.why, now)
    else:
        proposals.settle(workspace, [name], outcome.fate, run, now)
    return outcome


def _settle_interrupted(workspace: Workspace, run: str, now: datetime) -> list[Outcome]:
    """Settle proposals that a killed run had carried out; what it had not waits on as if nothing had been."""
    every = proposals.read(workspace).kept.values()
    begun = [one for one in every if one.acting is not None and one.fate is None]
    if not begun:
        return []
    settle(workspace, ledger.read(workspace).records, now)
    operations = replay(ledger.read(workspace).records).operations.values()
    outcomes = []
    for kept in begun:
        alike = [one for one in every if one is not kept and _same_change(one.proposal, kept.proposal)]
        intents = (one for one in operations if _is_of(one, kept))
        # Of several entries with the same words only the file tells which one it was.
        intent = next((one for one in intents if not alike or one.file == kept.proposal.file), None)
        if intent is not None:
            proposals.settle(workspace, [kept.proposal.id], "accepted", run, now)
            outcomes.append(accepting.done(kept.proposal, intent.to or intent.file))
    return outcomes


def _is_of(intent: Intent, kept: Kept) -> bool:
    """Whether an operation of the ledger is what carried a proposal out."""
    proposal = kept.proposal
    began = kept.acting is not None and datetime.fromisoformat(intent.at) >= kept.acting
    same_lines = frozenset(source.hash for source in intent.sources) == proposal.lines
    return intent.channel == "pending" and began and same_lines and _does(intent, proposal)


def _does(intent: Intent, proposal: Proposal) -> bool:
    """Whether an operation does to the same entry what a proposal would."""
    if proposal.op != "add":
        return (intent.op, intent.text, redact(intent.old)) == (proposal.op, proposal.text, proposal.old)
    if intent.op == "add":
        return intent.text == proposal.text
    # An Add of what stood there already, since then, became one of these.
    stood = intent.op in {"confirm", "promote"}
    return stood and statement_hash(intent.old) == statement_hash(proposal.text)


def _same_change(one: Proposal, other: Proposal) -> bool:
    return (one.op, one.old, one.text, one.lines) == (other.op, other.old, other.text, other.lines)


def _held(register: Register, outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Ids of what could not be carried out, with the reason that was shown before."""
    return {one.proposal.id: register.kept[one.proposal.id].why for one in outcomes if one.fate is None}


def _acted(outcomes: Iterable[Outcome], problems: Iterable[str], lapsed: int) -> Acted:
    all_of_them = list(outcomes)
    said = [problem for one in all_of_them for problem in one.problems]
    said += [
        f"Proposal {one.proposal.id} was accepted but not carried out: {one.why}; it waits on in memory/_pending.md."
        for one in all_of_them
        if one.fate is None
    ]
    said += [problem for problem in problems if problem]
    return Acted(tuple(one.result for one in all_of_them), tuple(dict.fromkeys(said)), lapsed)


def _file_mark(path: Path) -> list[int] | None:
    """What changes when a file is written: inode, size and time; None if there is none."""
    found = files.look(path)
    return None if found is None else [found.st_ino, found.st_size, found.st_mtime_ns]


def _last_look(workspace: Workspace) -> dict[str, object]:
    # A note torn by a kill means that the file is looked at once more.
    try:
        found = json.loads(files.read_if_exists(_look_path(workspace)) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _remember_look(workspace: Workspace, shown: bytes, now: datetime) -> None:
    """Keep what the file was like when it held what we showed; a save since then is looked at next time."""
    mark = _file_mark(workspace.pending)
    if (files.read_if_exists(workspace.pending) or b"") != shown:
        return
    until = min((one.lapses for one in proposals.read(workspace).open(now)), default=None)
    look = {
        "file": mark,
        "register": _file_mark(proposals.path(workspace)),
        "until": stamp(until) if until else None,
    }
    path = _look_path(workspace)
    data = f"{json.dumps(look)}\n".encode()
    files.update(path, lambda _: data, mode=files.PRIVATE_FILE_MODE)


def _look_path(workspace: Workspace) -> Path:
    return workspace.private / "pending.json"
