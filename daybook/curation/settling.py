"""Settle what a killed run left open: each intent is done or was never carried out, as the files say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.curation import reverting
from daybook.curation.entries import LONGTERM
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
    moved = [one.id for one in left if one.op != "undo" and (_stands(workspace, one) or _moved(workspace, one))]
    done = taken + moved
    void = [one.id for one in left if one.id not in done]
    settled: list[Done | Void] = [Done(ids=tuple(done), at=stamp(now))] if done else []
    if void:
        settled.append(Void(ids=tuple(void), at=stamp(now), why="the file does not hold it"))
    ledger.append(workspace, settled)
    return settled


def foreseen(workspace: Workspace, records: Iterable[Record], now: datetime) -> list[Done]:
    """Say which open intents `settle` would find done already; writes nothing."""
    left = (intent for intent in ledger.open_intents(records) if intent.op != "undo")
    done = tuple(intent.id for intent in left if _stands(workspace, intent))
    return [Done(ids=done, at=stamp(now))] if done else []


def _stands(workspace: Workspace, intent: Intent) -> bool:
    if intent.op == "confirm":
        return True
    data = files.read_if_exists(workspace.root / intent.file)
    if intent.to:
        return data is not None and intent.old not in _texts(data)
    if intent.after is not None and data is not None and sha_of(data) == intent.after:
        return True
    return data is not None and sha_of(data) != intent.before and intent.text in _texts(data)


def _moved(workspace: Workspace, intent: Intent) -> bool:
    """Whether an entry has come to its new place; then it is taken from the old one, which a kill kept us from."""
    data = files.read_if_exists(workspace.root / intent.file)
    if not intent.to or data is None:
        return False
    target = files.read_if_exists(workspace.root / intent.to) or b""
    if not any(text == intent.old or text.startswith(f"{intent.old} ") for text in _texts(target)):
        return False
    document = longterm.parse(data)
    entry = next(one for one in document.entries if one.text == intent.old)
    files.replace(workspace.root / intent.file, longterm.remove(document, entry), expected=data)
    return True


def _take_back(workspace: Workspace, records: Sequence[Record], undoing: list[Intent], now: datetime) -> list[str]:
    """Do what is left of each undo, and give the intents; one whose intents were cut off had not begun."""
    state = replay(records)
    taken: list[str] = []
    for run in dict.fromkeys(intent.run for intent in undoing):
        intents = [intent for intent in undoing if intent.run == run]
        if len(intents) < intents[0].together:
            continue
        taken += [intent.id for intent in intents]
        names = [intent.undoes for intent in intents]
        mine = [state.operations[name] for name in names if name in state.operations]
        # The bytes before a run are those without any of its operations.
        left = [one for one in state.operations.values() if one.id not in state.undone and one.id not in names]
        runs = {one.run for one in mine} - {one.run for one in left}
        on = reverting.sheets(workspace, mine, min(runs, default=""), {})
        for operation in mine:
            reverting.take_back(on, operation)
        # A MEMORY.md that is missing is for the operator to restore.
        there = {file: sheet for file, sheet in on.items() if file != LONGTERM or (sheet.present or b"").strip()}
        reverting.write(workspace, there, run, now)
    return taken


def _texts(data: bytes) -> set[str]:
    return {entry.text for entry in longterm.parse(data).entries}
