"""Recognise a file that was saved from an old copy, and say what it should hold instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.curation import returning
from daybook.curation.returning import Returned
from daybook.ledger import versions
from daybook.memory import longterm

if TYPE_CHECKING:
    from daybook.curation.sheets import Sheet
    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace


def unstale(
    workspace: Workspace, state: State, sheet: Sheet, pairs: list[tuple[Owned, longterm.Entry]], *, rolled_back: bool
) -> Returned | None:
    """
    Give what a stale file should hold; None if it is not one, or nothing can be done for it.

    Bytes that equal an earlier version hold nothing new, so the last version comes back whole. An old copy with a
    person's new words keeps them, and our operations since are applied again.

    Args:
        workspace: Whose memory.
        state: The ledger's.
        sheet: The file.
        pairs: Entries that stand in other words.
        rolled_back: Whether the whole folder was taken back, so that what is gone was not deleted.
    """
    sha = versions.sha_of(sheet.data)
    current = versions.content(workspace, sheet.history[-1]) if sheet.history else None
    if current is not None and any(version.sha == sha for version in sheet.history[:-1]):
        whole = returning.without_forgotten(current, state.forgotten, sheet.owned)
        return returning.bring_back(workspace, sheet.name, whole, sheet.owned.values(), sheet.history)
    if not rolled_back and not _is_old_copy(workspace, sheet):
        return None
    edits, left = _again(workspace, state, sheet, pairs)
    return Returned(longterm.apply(sheet.document, edits), tuple(left)) if edits else None


def _again(
    workspace: Workspace, state: State, sheet: Sheet, pairs: list[tuple[Owned, longterm.Entry]]
) -> tuple[list[longterm.Edit], list[Owned]]:
    """Edits that apply our operations again, and the entries that could not be put back."""
    reverted = [(entry, new) for entry, new in pairs if is_earlier(state, entry, new)]
    texts = {entry.text for entry in (*sheet.gone, *(entry for entry, _ in reverted))}
    places = returning.last_places(workspace, sheet.history, texts)
    edits: list[longterm.Edit] = []
    lines: list[Owned] = []
    for entry, new in reverted:
        place = places.get(entry.text)
        if longterm.can_stand(entry.text) and (place is None or place.raw.count(b"\n") <= 1):
            edits.append(longterm.Revise(new, entry.text))
        elif place is not None:
            # What has lines of its own cannot stand as one: the old words leave, and the entry comes back whole.
            edits.append(longterm.Remove(new))
            lines.append(entry)
    back, left = returning.put_back(sheet.document, [*sheet.gone, *lines], places)
    removed = {
        one.old
        for one in state.operations.values()
        if one.file == sheet.name and one.op in {"retire", "demote", "promote"}
    }
    edits += [*back, *(longterm.Remove(new) for new in sheet.fresh if new.text in removed)]
    return edits, left


def _is_old_copy(workspace: Workspace, sheet: Sheet) -> bool:
    """Whether all that is gone had come after some version whose every entry of ours stands here."""
    here = {entry.text for entry in sheet.document.entries}
    gone = {entry.text for entry in sheet.gone}
    ours = {text for text in sheet.owned if text in here}
    for version in reversed(sheet.history[:-1]):
        data = versions.content(workspace, version)
        then = {entry.text for entry in longterm.parse(data).entries} if data is not None else set()
        # What came later than that version and stands here was not in it: then somebody has deleted the rest.
        if then and then <= here and not then & gone and ours <= then:
            return True
    return False


def is_earlier(state: State, entry: Owned, new: longterm.Entry) -> bool:
    """Whether the new words of an entry are ones that an operation of ours had replaced."""
    return (entry.lineage, new.text) in state.replaced
