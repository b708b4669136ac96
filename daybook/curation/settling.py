"""Settle what a killed run left open: each intent is done or was never carried out, as the files say."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.curation import reverting
from daybook.curation.entries import LONGTERM
from daybook.curation.standing import Page, text_after
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Intent, Void
from daybook.ledger.replay import replay
from daybook.ledger.versions import sha_of
from daybook.memory import longterm

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from daybook.ledger.record import Record
    from daybook.workspace import Workspace


def settle(workspace: Workspace, records: Sequence[Record], now: datetime) -> list[Done | Void]:
    """
    Finish or void the intents that a killed run left open; the caller holds the workspace lock.

    What moves and stands at both places is taken from the old one. What was to be taken back is taken back.

    Returns:
        What was appended to the ledger for it.
    """
    left = ledger.open_intents(records)
    undoing = [intent for intent in left if intent.op == "undo"]
    taken = _take_back(workspace, records, undoing, now) if undoing else []
    looked = _Looked(workspace)
    found = {intent.id: _found(looked, intent) for intent in left if intent.op != "undo"}
    _leave(looked, [intent for intent in left if isinstance(found.get(intent.id), longterm.Entry)])
    done = taken + [name for name, one in found.items() if one]
    void = [one.id for one in left if one.id not in done]
    settled: list[Done | Void] = [Done(ids=tuple(done), at=stamp(now))] if done else []
    if void:
        settled.append(Void(ids=tuple(void), at=stamp(now), why="the file does not hold it"))
    ledger.append(workspace, settled)
    reverting.end(workspace)
    return settled


def foreseen(workspace: Workspace, records: Iterable[Record], now: datetime) -> list[Done]:
    """Say which open intents `settle` would find done already; writes nothing."""
    looked = _Looked(workspace)
    left = (intent for intent in ledger.open_intents(records) if intent.op != "undo")
    done = tuple(intent.id for intent in left if _found(looked, intent) is True)
    return [Done(ids=done, at=stamp(now))] if done else []


def _found(looked: _Looked, intent: Intent) -> bool | longterm.Entry:
    """Whether an operation was carried out, by hash, then by anchor; an entry that has only to leave its old place."""
    data = looked.data(intent.file)
    if intent.op == "confirm":
        return True
    if data is None:
        return False
    sha = sha_of(data)
    if sha == intent.after:
        # A person may have taken out the very entry: what moved was written at its new place first.
        return not intent.to or looked.data(intent.to) is not None
    if not intent.to:
        return sha != intent.before and looked.page(intent.file).ours(intent.text, intent.section) is not None
    if looked.page(intent.to).find(text_after(intent)) is None:
        return False
    return looked.page(intent.file).ours(intent.old, intent.section) or True


def _leave(looked: _Looked, intents: Sequence[Intent]) -> None:
    """Take entries out of the files they were to leave, which a kill kept us from."""
    leaving: dict[str, dict[int, longterm.Edit]] = defaultdict(dict)
    for intent in intents:
        entry = looked.page(intent.file).ours(intent.old, intent.section, leaving[intent.file])
        if entry is not None:
            leaving[intent.file][entry.start] = longterm.Remove(entry)
    for file, edits in leaving.items():
        wanted = longterm.apply(looked.page(file).document, list(edits.values()))
        files.replace(looked.workspace.root / file, wanted, expected=looked.data(file))


def _take_back(workspace: Workspace, records: Sequence[Record], undoing: list[Intent], now: datetime) -> list[str]:
    """Do what is left of each undo, and give the intents; one whose intents were cut off had not begun."""
    state = replay(records)
    taken: list[str] = []
    for run in dict.fromkeys(intent.run for intent in undoing):
        intents = [intent for intent in undoing if intent.run == run]
        if len(intents) < intents[0].together:
            continue
        taken += [intent.id for intent in intents]
        operations = [state.operations[one.undoes] for one in intents if one.undoes in state.operations]
        on = reverting.resume(workspace, operations, run)
        # A MEMORY.md that is missing is for the operator to restore.
        there = {file: sheet for file, sheet in on.items() if file != LONGTERM or (sheet.present or b"").strip()}
        reverting.write(workspace, there, run, now)
    return taken


class _Looked:
    """The files as they are, each read once."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._data: dict[str, bytes | None] = {}
        self._pages: dict[str, Page] = {}

    def data(self, file: str) -> bytes | None:
        """Bytes of a file; None if there is none."""
        if file not in self._data:
            self._data[file] = files.read_if_exists(self.workspace.root / file)
        return self._data[file]

    def page(self, file: str) -> Page:
        """The entries of a file."""
        if file not in self._pages:
            self._pages[file] = Page(longterm.parse(self.data(file) or b""))
        return self._pages[file]
