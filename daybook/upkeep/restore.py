"""
Bring back what an accident took, or agree with what is there now.

The present file is never lost by it: what `restore` replaces is set aside beside it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import slot_name, stamp
from daybook.curation import returning
from daybook.curation.entries import LONGTERM, statement_hash
from daybook.curation.observing import Observed, observe
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Seen
from daybook.memory import longterm

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.curation.returning import Returned
    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Restored:
    """
    What was done.

    Attributes:
        files: Files that were brought back, or agreed with.
        set_aside: Where their content went that was there before.
        entries: How many entries came back, or count as forgotten now.
        problems: Sentence per entry that could not be put back; it is still missing.
    """

    files: tuple[str, ...]
    set_aside: tuple[str, ...]
    entries: int
    problems: tuple[str, ...] = ()


def missing(observed: Observed) -> dict[str, list[Owned]]:
    """Entries that are gone without a person's word, by file; a file may be gone with no entry of ours in it."""
    gone: dict[str, list[Owned]] = defaultdict(list)
    for file in observed.changes.held:
        present = longterm.parse(observed.changes.present.get(file) or b"")
        texts = {entry.text for entry in present.entries}
        gone[file] = [entry for entry in observed.state.of(file).values() if entry.text not in texts]
    for entry in observed.state.vanished.values():
        gone[entry.file].append(entry)
    return gone


def restore(workspace: Workspace, run: str, now: datetime, *, keep: bool) -> Restored:
    """
    Bring back, or agree; takes the workspace lock.

    Args:
        workspace: Whose memory.
        run: Id of this run.
        now: The present instant.
        keep: Agree with the files as they are: what is gone counts as deleted, and does not come back.

    Raises:
        NothingToDoError: Nothing is missing.
    """
    with workspace.lock():
        observed = observe(workspace, run, now)
        gone = missing(observed)
        if not gone:
            raise NothingToDoError("Nothing of memory is missing; to take back what a run did use `daybook undo`.")
        if keep:
            _agree(workspace, gone, observed, run, now)
            return Restored(tuple(gone), (), sum(map(len, gone.values())))
        return bring_back(workspace, gone, observed, run, now)[0]


def bring_back(
    workspace: Workspace, gone: dict[str, list[Owned]], observed: Observed, run: str, now: datetime
) -> tuple[Restored, list[Owned]]:
    """
    Bring back what is missing, and look again; the caller holds the workspace lock, and has just observed.

    Returns:
        What was done, and the entries that are still missing.
    """
    aside: list[str] = []
    left: list[Owned] = []
    for file, entries in gone.items():
        held = file in observed.changes.held
        name, still = _bring_back(workspace, file, entries, observed.state, held=held, run=run, now=now)
        aside += [name] if name else []
        left += still
    observe(workspace, run, now)
    count = sum(map(len, gone.values())) - len(left)
    return Restored(tuple(gone), tuple(aside), count, returning.told(left)), left


def _agree(workspace: Workspace, gone: dict[str, list[Owned]], observed: Observed, run: str, now: datetime) -> None:
    ledger.append(
        workspace,
        [
            Seen(
                what="deleted",
                at=stamp(now),
                run=run,
                entry=entry.lineage,
                file=entry.file,
                section=entry.section,
                text=entry.text,
                statement=statement_hash(entry.text),
                lines=tuple(source.hash for source in entry.sources),
            )
            for entries in gone.values()
            for entry in entries
        ],
    )
    for file in observed.changes.held:
        if data := observed.changes.present.get(file):
            # From here on this is what stands.
            versions.remember(workspace, file, data, run, now, by="read")
    present = observed.changes.present.get(LONGTERM)
    if LONGTERM in gone and not (present or b"").strip():
        files.replace(workspace.longterm, returning.ANEW, expected=present)


def _bring_back(
    workspace: Workspace, file: str, entries: list[Owned], state: State, *, held: bool, run: str, now: datetime
) -> tuple[str, tuple[Owned, ...]]:
    """Bring one file back; gives where its content went, if it was set aside, and what is still missing."""
    path = workspace.root / file
    present = files.read_if_exists(path)
    put = _wanted(workspace, file, present, entries, state, held=held)
    aside = ""
    if present and held:
        kept = path.with_name(f"{path.name}.kept-{slot_name(now)}")
        files.replace(kept, present, expected=None)
        aside = workspace.relative(kept)
    folders.make_dir(path.parent)
    files.replace(path, put.data, expected=present)
    versions.remember(workspace, file, put.data, run, now, by="written")
    return aside, put.left


def _wanted(
    workspace: Workspace, file: str, present: bytes | None, entries: list[Owned], state: State, *, held: bool
) -> Returned:
    """The last version that is kept, if the file is in pieces, else what is there; and the entries again."""
    history = versions.history(workspace, file)
    kept = (versions.content(workspace, version) for version in reversed(history))
    last = next((data for data in kept if data is not None), None) if held else None
    begin = present or returning.beginning(file)
    if last is not None:
        begin = returning.without_forgotten(last, state.forgotten, state.of(file))
    return returning.bring_back(workspace, file, begin, entries, history)
