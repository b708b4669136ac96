"""
Take a run's operations back.

Where nobody has touched a file since, and nothing prevents any part of it, its bytes come back as they were. Elsewhere
each operation is taken back for itself, and what a later change prevents is said. What is undone does not return by
the next review.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.clock import stamp
from daybook.curation import reverting
from daybook.curation.entries import statement_hash
from daybook.curation.observing import observe
from daybook.curation.standing import Page, text_after
from daybook.errors import NothingToDoError, UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Forgotten, Intent, operation_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from daybook.curation.observing import Observed
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
        prevented = _prevented(observed, operations, target)
        taken = [one for one in reversed(operations) if one.id not in prevented]
        staying = [one for one in operations if one.id in prevented]
        on = reverting.plan(workspace, taken, staying, target, observed.changes.present)
        if held := observed.changes.held.keys() & on.keys():
            raise UnreadableFileError(observed.changes.held[min(held)])
        _write(workspace, taken, on, run, now)
    changed = {name: one for name, one in on.items() if one.present != one.wanted}
    return Undone(
        target,
        tuple(name for name, one in changed.items() if one.exact),
        tuple(name for name, one in changed.items() if not one.exact),
        len(taken),
        tuple(Prevented(one.id, one.text or one.old, prevented[one.id]) for one in reversed(staying)),
    )


def _prevented(observed: Observed, operations: list[Intent], run: str) -> dict[str, str]:
    """Say which later change keeps operations of a run from being taken back, by their ids."""
    state, last = observed.state, dict[str, Intent]()
    changes: dict[str, list[tuple[int, Intent]]] = defaultdict(list)
    order = {}
    for number, one in enumerate(state.operations.values()):
        order[one.id] = number
        if one.run != run and one.op not in {"undo", "confirm"} and one.id not in state.undone:
            changes[_lineage(one)].append((number, one))
    # Where an entry should stand, and how it should read, is what the run did to it last.
    for one in operations:
        if one.op != "confirm" or _lineage(one) not in last:
            last[_lineage(one)] = one
    pages: dict[str, Page] = {}
    found: dict[str, str] = {}
    for one in operations:
        later = [other for number, other in changes[_lineage(one)] if number > order[one.id]]
        if why := _why(observed, one, later, last[_lineage(one)], pages):
            found[one.id] = why
    return found


def _why(observed: Observed, operation: Intent, later: list[Intent], last: Intent, pages: dict[str, Page]) -> str:
    """Say what keeps one operation from being taken back; empty if nothing does."""
    if operation.purged:
        return "was forgotten since; nothing of it is left to bring back"
    if later:
        return f"was changed again by run {later[-1].run} ({later[-1].op}); undo that run first"
    return "" if last.op == "retire" else _by_others(observed, last, pages)


def _by_others(observed: Observed, last: Intent, pages: dict[str, Page]) -> str:
    """Say what others did to an entry since the run did something to it last; empty if nothing."""
    now, file = observed.state.entries.get(_lineage(last)), last.to or last.file
    if now is None:
        return f"is gone from {file} by somebody else's hand; it stays so"
    if now.edited and now.text != text_after(last):
        return f"was edited in {now.file} since; it stays as it is"
    if now.file != file:
        return f"was moved to {now.file} since; it stays there"
    document = observed.changes.documents.get(file)
    if document is None or last.op == "confirm":
        return ""
    if file not in pages:
        pages[file] = Page(document)
    theirs = pages[file].ours(now.text, last.section) is None
    return f"stands in {file} among what is marked as yours; it stays there" if theirs else ""


def _lineage(operation: Intent) -> str:
    return operation.entry or operation.id


def _write(workspace: Workspace, taken: list[Intent], on: Mapping[str, Sheet], run: str, now: datetime) -> None:
    at = stamp(now)
    intents = [_intent(one, run, at, len(taken)) for one in taken]
    if not intents:
        return
    reverting.begin(workspace, on, run)
    ledger.append(workspace, [*(_block(one, run, at) for one in taken if one.text), *intents])
    # From here on the next look finishes it, if a kill cuts it short.
    reverting.write(workspace, on, run, now)
    ledger.append(workspace, [Done(ids=tuple(one.id for one in intents), at=at)])
    reverting.end(workspace)


def _intent(operation: Intent, run: str, at: str, together: int) -> Intent:
    back = operation.op not in {"add", "confirm"}
    return Intent(
        id=operation_id("undo", operation.file, operation.id, "", (run,)),
        at=at,
        run=run,
        op="undo",
        entry=_lineage(operation),
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
