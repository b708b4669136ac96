"""Recognise a file that was saved from an old copy, and say what it should hold instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.ledger import versions
from daybook.memory import longterm

if TYPE_CHECKING:
    from daybook.curation.sheets import Sheet
    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace


def unstale(
    workspace: Workspace, state: State, sheet: Sheet, pairs: list[tuple[Owned, longterm.Entry]], *, rolled_back: bool
) -> bytes | None:
    """
    Give what a stale file should hold; None if it is not one.

    Bytes that equal an earlier version hold nothing new, so the last version comes back whole. An old copy with a
    person's new words keeps them, and our operations since are applied again.

    Args:
        workspace: Whose memory.
        state: The ledger's.
        sheet: The file.
        pairs: Entries that stand in other words.
        rolled_back: Whether the whole folder was taken back, so that what is gone was not deleted.
    """
    history = versions.history(workspace, sheet.name)
    sha = versions.sha_of(sheet.data)
    current = versions.content(workspace, history[-1]) if history else None
    if current is not None and any(version.sha == sha for version in history[:-1]):
        return current
    if not rolled_back and not _is_old_copy(workspace, sheet, history):
        return None
    edits: list[longterm.Edit] = [longterm.Add(entry.section, entry.text) for entry in sheet.gone]
    edits += [longterm.Revise(new, entry.text) for entry, new in pairs if is_earlier(state, entry, new)]
    removed = {
        one.old
        for one in state.operations.values()
        if one.file == sheet.name and one.op in {"retire", "demote", "promote"}
    }
    edits += [longterm.Remove(new) for new in sheet.fresh if new.text in removed]
    return longterm.apply(sheet.document, edits) if edits else None


def _is_old_copy(workspace: Workspace, sheet: Sheet, history: list[versions.Version]) -> bool:
    """Whether all that is gone had come after some version whose every entry of ours stands here."""
    here = {entry.text for entry in sheet.document.entries}
    gone = {entry.text for entry in sheet.gone}
    for version in reversed(history[:-1]):
        data = versions.content(workspace, version)
        then = {entry.text for entry in longterm.parse(data).entries} if data is not None else set()
        if then and then <= here and not then & gone:
            return True
    return False


def is_earlier(state: State, entry: Owned, new: longterm.Entry) -> bool:
    """Whether the new words of an entry are ones that an operation of ours had replaced."""
    return any(one.entry == entry.lineage and one.old == new.text for one in state.operations.values())
