"""
Lay the files of memory beside what the ledger says stands in them, and pair what is gone with what is new.

An entry is the same one if it stands elsewhere word for word, or if it is likely reworded in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from daybook import files
from daybook.curation.entries import LONGTERM
from daybook.errors import UnreadableFileError, UnsafeFileError
from daybook.ledger import versions
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace

SAME_ENTRY = 60
SAME_PLACE = 30


@dataclass
class Sheet:
    """
    One file of memory: its present bytes, what stands in it, and what should.

    Attributes:
        name: Inside the workspace.
        data: Its bytes.
        document: What stands in it.
        before: What stood in it when Daybook last looked, if that differs and is kept.
        owned: What should stand in it, by text.
        gone: What should and does not.
        fresh: What stands in it and did not then.
    """

    name: str
    data: bytes
    document: longterm.Document
    before: longterm.Document | None
    owned: dict[str, Owned]
    gone: list[Owned] = field(default_factory=list)
    fresh: list[longterm.Entry] = field(default_factory=list)


def read_sheets(workspace: Workspace, state: State) -> tuple[dict[str, bytes | None], dict[str, str], dict[str, Sheet]]:
    """
    Read every file that is memory, or should be.

    Returns:
        Bytes per file, None where there is none; a sentence per file that is missing, empty or unreadable though it
        should not be; and the rest laid out.
    """
    names = [LONGTERM, *map(workspace.relative, topics.topic_files(workspace)), *state.by_text]
    present: dict[str, bytes | None] = {}
    held: dict[str, str] = {}
    sheets: dict[str, Sheet] = {}
    for name in dict.fromkeys(names):
        owned = state.of(name)
        try:
            data = files.read_if_exists(workspace.root / name)
        except (UnreadableFileError, UnsafeFileError) as error:
            held[name] = str(error)
            continue
        present[name] = data
        if (not data and name == LONGTERM) or (not (data or b"").strip() and owned):
            held[name] = _missing(workspace, name)
        elif data:
            sheets[name] = _sheet(workspace, name, data, owned)
    return present, held, sheets


def _sheet(workspace: Workspace, name: str, data: bytes, owned: dict[str, Owned]) -> Sheet:
    document = longterm.parse(data)
    texts = {entry.text for entry in document.entries}
    sheet = Sheet(name, data, document, None, owned)
    sheet.gone = [entry for text, entry in owned.items() if text not in texts]
    latest = versions.latest(workspace, name)
    old = versions.content(workspace, latest) if latest and latest.sha != versions.sha_of(data) else None
    sheet.before = longterm.parse(old) if old is not None else None
    known = {entry.text for entry in sheet.before.entries} if sheet.before else set()
    sheet.fresh = [entry for entry in document.entries if entry.text not in owned and entry.text not in known]
    return sheet


def _missing(workspace: Workspace, name: str) -> str:
    return (
        f"{workspace.root / name} is missing or empty, so nothing was written; bring it back with `daybook restore`, "
        "or start it anew with `daybook restore --keep`."
    )


def moved(sheets: Mapping[str, Sheet]) -> list[tuple[Owned, str, str]]:
    """Find entries that stand word for word under another heading or in another file; takes them from their sheets."""
    found = []
    for sheet in sheets.values():
        sections = {entry.text: entry.section for entry in reversed(sheet.document.entries)}
        for text, entry in sheet.owned.items():
            if text in sections and sections[text] != entry.section and not entry.adopted:
                found.append((entry, sheet.name, sections[text]))
        for entry in list(sheet.gone):
            for other in sheets.values():
                new = next((one for one in other.fresh if one.text == entry.text), None)
                if other is not sheet and new is not None:
                    found.append((entry, other.name, new.section))
                    other.fresh.remove(new)
                    sheet.gone.remove(entry)
                    break
    return found


def returned(state: State, sheets: Mapping[str, Sheet]) -> list[tuple[Owned, str, str]]:
    """Find vanished entries that stand somewhere again; takes them from their sheets."""
    found = []
    for entry in state.vanished.values():
        for sheet in sheets.values():
            new = next((one for one in sheet.document.entries if one.text == entry.text), None)
            if new is not None and new.text not in sheet.owned:
                found.append((entry, sheet.name, new.section))
                sheet.fresh = [one for one in sheet.fresh if one is not new]
                break
    return found


def pair_edits(sheet: Sheet) -> list[tuple[Owned, longterm.Entry]]:
    """Pair entries that are gone with new ones that are most likely the same, reworded; takes them from both."""
    scored = []
    for entry in sheet.gone:
        for new in sheet.fresh:
            score = fuzz.ratio(entry.text.casefold(), new.text.casefold())
            floor = SAME_PLACE if _same_place(sheet, entry, new) else SAME_ENTRY
            if score >= floor:
                scored.append((score + (SAME_ENTRY - floor), entry, new))
    pairs: list[tuple[Owned, longterm.Entry]] = []
    for _, entry, new in sorted(scored, key=lambda one: -one[0]):
        if entry in sheet.gone and new in sheet.fresh:
            sheet.gone.remove(entry)
            sheet.fresh.remove(new)
            pairs.append((entry, new))
    return pairs


def _same_place(sheet: Sheet, entry: Owned, new: longterm.Entry) -> bool:
    """Whether a new entry stands between the same neighbours that the one which is gone stood between."""
    return sheet.before is not None and _between(sheet.before, entry.text) == _between(sheet.document, new.text)


def _between(document: longterm.Document, text: str) -> tuple[str, str, str] | None:
    entries = document.entries
    for index, entry in enumerate(entries):
        if entry.text == text:
            near = entries[max(index - 1, 0) : index + 2]
            beside = [one.text if one.section == entry.section and one is not entry else "" for one in near]
            return entry.section, beside[0] if index else "", beside[-1] if index + 1 < len(entries) else ""
    return None
