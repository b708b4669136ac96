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
from daybook.curation.entries import LONGTERM, statement_hash
from daybook.curation.observing import Observed, observe
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Seen
from daybook.memory import longterm

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.ledger.replay import Owned
    from daybook.workspace import Workspace

ANEW = b"# Memory\n"


@dataclass(frozen=True)
class Restored:
    """
    What was done.

    Attributes:
        files: Files that were brought back, or agreed with.
        set_aside: Where their content went that was there before.
        entries: How many entries came back, or count as forgotten now.
    """

    files: tuple[str, ...]
    set_aside: tuple[str, ...]
    entries: int


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
            aside = _agree(workspace, gone, observed, run, now)
        else:
            aside = [name for file in gone for name in _bring_back(workspace, file, gone[file], observed, run, now)]
            observe(workspace, run, now)
    return Restored(tuple(gone), tuple(aside), sum(map(len, gone.values())))


def _agree(
    workspace: Workspace, gone: dict[str, list[Owned]], observed: Observed, run: str, now: datetime
) -> list[str]:
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
    present = observed.changes.present.get(LONGTERM)
    if LONGTERM in gone and not (present or b"").strip():
        files.replace(workspace.longterm, ANEW, expected=present)
    return []


def _bring_back(
    workspace: Workspace, file: str, entries: list[Owned], observed: Observed, run: str, now: datetime
) -> list[str]:
    path = workspace.root / file
    present = files.read_if_exists(path)
    wanted, aside = _wanted(workspace, file, present, entries, held=file in observed.changes.held), list[str]()
    if present and file in observed.changes.held:
        name = f"{path.name}.kept-{slot_name(now)}"
        files.replace(path.with_name(name), present, expected=None)
        aside.append(workspace.relative(path.with_name(name)))
    folders.make_dir(path.parent)
    files.replace(path, wanted, expected=present)
    versions.remember(workspace, file, wanted, run, now, by="written")
    return aside


def _wanted(workspace: Workspace, file: str, present: bytes | None, entries: list[Owned], *, held: bool) -> bytes:
    """The last version that stood, if the file is in pieces; else what is there, and the entries again."""
    latest = versions.latest(workspace, file)
    kept = versions.content(workspace, latest) if held and latest else None
    if kept is not None:
        return kept
    document = longterm.parse(present or b"")
    texts = {entry.text for entry in document.entries}
    level = 1 if not present and file != LONGTERM else 2
    adds = [longterm.Add(one.section, one.text, level) for one in entries if one.text not in texts]
    return longterm.apply(longterm.parse(present or ANEW) if file == LONGTERM else document, adds)
