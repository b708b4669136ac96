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
from daybook.language.words import content_tokens
from daybook.ledger import versions
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from daybook.ledger.replay import Owned, State
    from daybook.ledger.versions import Version
    from daybook.workspace import Workspace

_Neighbours = tuple[str, str, str]

FEW = 3
A_PART = 10
# Letters in common, of 100: anywhere in the file, and for a mistyped word that is put right.
SAME_ENTRY = 60
SAME_LETTERS = 85
# Words in common, as a part of the shorter one's.
SAME_WORDS = 0.5
IN_PLACE = 30
# Where a file was written anew, only what stands in the place of another is compared with it.
MAX_COMPARED = 1_000_000


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
        history: Its versions, oldest first.
    """

    name: str
    data: bytes
    document: longterm.Document
    before: longterm.Document | None
    owned: dict[str, Owned]
    gone: list[Owned] = field(default_factory=list)
    fresh: list[longterm.Entry] = field(default_factory=list)
    history: list[Version] = field(default_factory=list)


@dataclass
class Read:
    """
    Every file that is memory, or should be.

    Attributes:
        present: Bytes per file that could be read; None where there is none.
        held: A sentence per file that is missing, empty or unreadable though it should not be.
        sheets: The rest, laid out.
        absent: Topics that are missing or empty, laid out: they may have been renamed.
    """

    present: dict[str, bytes | None] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    sheets: dict[str, Sheet] = field(default_factory=dict)
    absent: dict[str, Sheet] = field(default_factory=dict)


def few(owned: int) -> int:
    """How many of so many entries a person may delete at once."""
    return max(FEW, owned // A_PART)


def read_sheets(workspace: Workspace, state: State, histories: Mapping[str, list[Version]]) -> Read:
    """Read every file that is memory, or should be."""
    names = [LONGTERM, *map(workspace.relative, topics.topic_files(workspace)), *state.by_text]
    found = Read()
    for name in dict.fromkeys(names):
        owned, history = state.of(name), histories.get(name, [])
        try:
            data = files.read_if_exists(workspace.root / name)
        except (UnreadableFileError, UnsafeFileError) as error:
            found.held[name] = str(error)
            continue
        found.present[name] = data
        if (not data and name == LONGTERM) or (not (data or b"").strip() and owned):
            found.held[name] = _missing(workspace, name)
            if name != LONGTERM:
                found.absent[name] = _sheet(workspace, name, data or b"", owned, history)
        elif data:
            found.sheets[name] = _sheet(workspace, name, data, owned, history)
    return found


def _sheet(workspace: Workspace, name: str, data: bytes, owned: dict[str, Owned], history: list[Version]) -> Sheet:
    document = longterm.parse(data)
    texts = {entry.text for entry in document.entries}
    sheet = Sheet(name, data, document, None, owned, history=history)
    gone = [entry for text, entry in owned.items() if text not in texts]
    # Below a fence that is being typed an entry is none for a while, and stands there all the same.
    hidden = document.lines[document.unclosed :] if document.unclosed is not None else ()
    lines = {" ".join(line.decode(errors="replace").split()).lstrip("-*+ ") for line in hidden}
    sheet.gone = [entry for entry in gone if entry.text not in lines]
    old = versions.content(workspace, history[-1]) if history and history[-1].sha != versions.sha_of(data) else None
    sheet.before = longterm.parse(old) if old is not None else None
    known = {entry.text for entry in sheet.before.entries} if sheet.before else set()
    sheet.fresh = [entry for entry in document.entries if entry.text not in owned and entry.text not in known]
    return sheet


def _missing(workspace: Workspace, name: str) -> str:
    return (
        f"{workspace.root / name} is missing or empty, so nothing was written; bring it back with `daybook restore`, "
        "or start it anew with `daybook restore --keep`."
    )


def moved(sheets: Mapping[str, Sheet], absent: Mapping[str, Sheet]) -> list[tuple[Owned, str, str]]:
    """
    Find entries that stand word for word under another heading or in another file; takes them from their sheets.

    Of a topic that is missing they are taken only if few are left: then it was renamed, or went into another one.
    """
    found = []
    new: dict[str, list[tuple[Sheet, longterm.Entry]]] = {}
    for sheet in sheets.values():
        found += _under_other_headings(sheet)
        for one in sheet.fresh:
            new.setdefault(one.text, []).append((sheet, one))
    taken: set[int] = set()
    for sheet in (*sheets.values(), *absent.values()):
        matches = _elsewhere(sheet, new)
        left = len(sheet.gone) - len(matches)
        if sheet.name in absent and not (matches and left <= few(len(sheet.owned))):
            continue
        for entry, other, at in matches:
            found.append((entry, other.name, at.section))
            new[entry.text] = [one for one in new[entry.text] if one[1] is not at]
            taken.add(id(at))
        came = {entry.text for entry, _, _ in matches}
        sheet.gone = [one for one in sheet.gone if one.text not in came]
    for sheet in sheets.values() if taken else ():
        sheet.fresh = [one for one in sheet.fresh if id(one) not in taken]
    return found


def _under_other_headings(sheet: Sheet) -> list[tuple[Owned, str, str]]:
    """Entries that stand under other headings alone; one that stands twice has not moved."""
    owned, entries = sheet.owned, sheet.document.entries
    away = {one.text for one in entries if one.text in owned and one.section != owned[one.text].section}
    headings: dict[str, list[str]] = {}
    for one in entries if away else ():
        if one.text in away:
            headings.setdefault(one.text, []).append(one.section)
    return [
        (owned[text], sheet.name, sections[0])
        for text, sections in headings.items()
        if owned[text].section not in sections
    ]


def _elsewhere(
    sheet: Sheet, new: Mapping[str, list[tuple[Sheet, longterm.Entry]]]
) -> list[tuple[Owned, Sheet, longterm.Entry]]:
    matches = []
    for entry in sheet.gone:
        place = next((one for one in new.get(entry.text, ()) if one[0] is not sheet), None)
        if place is not None:
            matches.append((entry, *place))
    return matches


def returned(state: State, sheets: Mapping[str, Sheet]) -> list[tuple[Owned, str, str]]:
    """Find vanished entries that stand somewhere again; takes them from their sheets."""
    found = []
    wanted = {entry.text for entry in state.vanished.values()}
    places: dict[str, tuple[Sheet, longterm.Entry]] = {}
    for sheet in sheets.values() if wanted else ():
        for one in sheet.document.entries:
            if one.text in wanted and one.text not in sheet.owned:
                places.setdefault(one.text, (sheet, one))
    for entry in state.vanished.values():
        if entry.text in places:
            sheet, new = places[entry.text]
            found.append((entry, sheet.name, new.section))
            sheet.fresh = [one for one in sheet.fresh if one is not new]
    return found


def pair_edits(sheet: Sheet, replaced: AbstractSet[tuple[str, str]]) -> list[tuple[Owned, longterm.Entry]]:
    """
    Pair entries that are gone with new ones that are most likely the same, reworded; takes them from both.

    Args:
        sheet: The file.
        replaced: Lineage and earlier words of entries that an operation of ours changed.
    """
    scored = sorted(_scored(sheet, replaced), key=lambda one: -one[0]) if sheet.gone and sheet.fresh else []
    gone, fresh = set(range(len(sheet.gone))), set(range(len(sheet.fresh)))
    pairs: list[tuple[Owned, longterm.Entry]] = []
    for _, index, number in scored:
        if index in gone and number in fresh:
            gone.remove(index)
            fresh.remove(number)
            pairs.append((sheet.gone[index], sheet.fresh[number]))
    sheet.gone = [one for index, one in enumerate(sheet.gone) if index in gone]
    sheet.fresh = [one for number, one in enumerate(sheet.fresh) if number in fresh]
    return pairs


def _scored(sheet: Sheet, replaced: AbstractSet[tuple[str, str]]) -> Iterator[tuple[float, int, int]]:
    """How likely a gone entry (its index) and a new one (its index) are the same, best 100 and more."""
    old = [(one.text.casefold(), frozenset(content_tokens(one.text))) for one in sheet.gone]
    new = [(one.text.casefold(), frozenset(content_tokens(one.text))) for one in sheet.fresh]
    before = _neighbours(sheet.before) if sheet.before else {}
    after = _neighbours(sheet.document)
    many = len(old) * len(new) > MAX_COMPARED
    by_place: dict[_Neighbours, list[int]] = {}
    by_text: dict[str, list[int]] = {}
    for number, one in enumerate(sheet.fresh):
        by_place.setdefault(after[one.text], []).append(number)
        by_text.setdefault(one.text, []).append(number)
    lineages = {one.lineage: index for index, one in enumerate(sheet.gone)}
    for lineage, text in replaced:
        if lineage in lineages:
            # Our own earlier words of an entry are no new words of anybody's.
            yield from ((1000.0, lineages[lineage], number) for number in by_text.get(text, ()))
    for index, entry in enumerate(sheet.gone):
        place = before.get(entry.text)
        here = set(by_place.get(place, ())) if place else set()
        for number in sorted(here) if many else range(len(new)):
            (letters, words), (new_letters, new_words) = old[index], new[number]
            in_place = number in here
            score = fuzz.ratio(letters, new_letters, score_cutoff=0 if in_place else SAME_ENTRY)
            common = score and len(words & new_words) >= SAME_WORDS * max(min(len(words), len(new_words)), 1)
            if common or score >= SAME_LETTERS:
                yield score + IN_PLACE * in_place, index, number


def _neighbours(document: longterm.Document) -> dict[str, _Neighbours]:
    """Heading of each entry, and the texts above and below it there; of equal entries the first counts."""
    found: dict[str, _Neighbours] = {}
    entries = document.entries
    for index, entry in enumerate(entries):
        above = entries[index - 1] if index else None
        below = entries[index + 1] if index + 1 < len(entries) else None
        beside = [one.text if one and one.section == entry.section else "" for one in (above, below)]
        found.setdefault(entry.text, (entry.section, beside[0], beside[1]))
    return found
