"""
Take a run's operations back.

Where nobody has touched a file since, its bytes come back as they were. Elsewhere each operation is taken back for
itself, and what a later change prevents is said. What is undone does not return by the next review.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook.clock import stamp
from daybook.curation import reverting
from daybook.curation.entries import statement_hash
from daybook.curation.observing import observe
from daybook.errors import NothingToDoError, UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Forgotten, Intent, operation_id

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.curation.reverting import Sheet
    from daybook.ledger.replay import State
    from daybook.workspace import Workspace

HAND = "hand"


@dataclass(frozen=True)
class Prevented:
    """
    An operation that cannot be taken back.

    Attributes:
        operation: Its id.
        text: The entry's words; empty if they were forgotten.
        why: What prevents it, as the end of a sentence about the entry.
    """

    operation: str
    text: str
    why: str


@dataclass(frozen=True)
class Undone:
    """
    What an undo came to.

    Attributes:
        run: Whose operations were taken back.
        files: Files whose bytes are what they were before that run.
        changed: Files in which operations were taken back one by one.
        operations: How many were taken back.
        prevented: Operations that a later change prevents from being taken back.
    """

    run: str
    files: tuple[str, ...]
    changed: tuple[str, ...]
    operations: int
    prevented: tuple[Prevented, ...]


@dataclass
class _Work:
    workspace: Workspace
    state: State
    run: str
    sheets: dict[str, Sheet]
    taken: list[Intent] = field(default_factory=list)
    prevented: list[Prevented] = field(default_factory=list)


def run_to_undo(state: State, named: str | None) -> str:
    """
    Find the run that is meant: by its id or the beginning of it, else the last one that changed memory.

    Raises:
        NothingToDoError: There is none.
    """
    left = [one.run for one in state.operations.values() if one.op != "undo" and one.id not in state.undone]
    found = list(dict.fromkeys(run for run in left if run.startswith(named or "")))
    if not found:
        what = f"No run {named} changed memory" if named else "No run changed memory"
        raise NothingToDoError(f"{what}, or it is undone already; `daybook why TEXT` names the run of an entry.")
    if named and len(found) > 1:
        raise NothingToDoError(f"{named} begins more than one run: {', '.join(found)}; write more of it.")
    return found[-1]


def undo(workspace: Workspace, named: str | None, run: str, now: datetime) -> Undone:
    """
    Take a run's operations back; takes the workspace lock.

    Args:
        workspace: Whose memory.
        named: Id of the run to undo, or its beginning; None for the last one that changed memory.
        run: Id of this run.
        now: The present instant.

    Raises:
        NothingToDoError: There is no such run.
        UnreadableFileError: A file is missing or was wiped; it has to be restored first.
        ChangedFileError: A file is being edited; what was written by then stands, and the next look does the rest.
    """
    with workspace.lock():
        observed = observe(workspace, run, now)
        state = observed.state
        target = run_to_undo(state, named)
        operations = [
            one
            for one in state.operations.values()
            if one.run == target and one.op != "undo" and one.id not in state.undone
        ]
        on = reverting.sheets(workspace, operations, target, observed.changes.present)
        if held := observed.changes.held.keys() & on.keys():
            raise UnreadableFileError(observed.changes.held[min(held)])
        work = _Work(workspace, state, target, on)
        for operation in reversed(operations):
            _take_back(work, operation)
        _write(work, run, now)
    changed = {name: one for name, one in work.sheets.items() if one.present != one.wanted}
    return Undone(
        target,
        tuple(name for name, one in changed.items() if one.exact),
        tuple(name for name, one in changed.items() if not one.exact),
        len(work.taken),
        tuple(work.prevented),
    )


def _take_back(work: _Work, operation: Intent) -> None:
    if operation.op != "confirm" and (why := _prevented(work, operation)):
        work.prevented.append(Prevented(operation.id, operation.text or operation.old, why))
        return
    reverting.take_back(work.sheets, operation)
    work.taken.append(operation)


def _prevented(work: _Work, operation: Intent) -> str:
    """Say which later change keeps an operation from being taken back; empty if none does."""
    if operation.purged:
        return "was forgotten since; nothing of it is left to bring back"
    lineage = operation.entry or operation.id
    later = [
        one
        for one in work.state.operations.values()
        if (one.entry or one.id) == lineage and one.run != work.run and one.op not in {"undo", "confirm"}
    ]
    order = {name: index for index, name in enumerate(work.state.operations)}
    later = [one for one in later if order[one.id] > order[operation.id] and one.id not in work.state.undone]
    if later:
        return f"was changed again by run {later[-1].run} ({later[-1].op}); undo that run first"
    if operation.op == "retire":
        return ""
    now = work.state.entries.get(lineage)
    if now is None:
        return f"is gone from {operation.to or operation.file} by somebody else's hand; it stays so"
    if now.edited and now.text != (operation.text or operation.old):
        return f"was edited in {now.file} since; it stays as it is"
    return ""


def _write(work: _Work, run: str, now: datetime) -> None:
    workspace, at = work.workspace, stamp(now)
    intents = [_intent(one, run, at, len(work.taken)) for one in work.taken]
    ledger.append(workspace, [*(_block(one, run, at) for one in work.taken if one.text), *intents])
    # From here on the next look finishes it, if a kill cuts it short.
    reverting.write(workspace, work.sheets, run, now)
    if intents:
        ledger.append(workspace, [Done(ids=tuple(one.id for one in intents), at=at)])


def _intent(operation: Intent, run: str, at: str, together: int) -> Intent:
    back = operation.op not in {"add", "confirm"}
    return Intent(
        id=operation_id("undo", operation.file, operation.id, "", (run,)),
        at=at,
        run=run,
        op="undo",
        entry=operation.entry or operation.id,
        file=operation.file,
        section=operation.section,
        text=operation.old if back else "",
        old=operation.text if operation.op in {"add", "revise"} else "",
        model=HAND,
        channel="hand",
        undoes=operation.id,
        together=together,
    )


def _block(operation: Intent, run: str, at: str) -> Forgotten:
    lines = tuple(source.hash for source in operation.sources)
    return Forgotten(at=at, run=run, statement=statement_hash(operation.text), lines=lines, by="undo")
