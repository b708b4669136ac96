"""
Bring entries back into a file as they last stood there: their own lines, in their old place.

What no earlier version holds comes back in the ledger's words, if these can stand as one line; else it stays in the
ledger alone, and is told.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.curation.entries import LONGTERM, statement_hash
from daybook.ledger import versions
from daybook.memory import longterm
from daybook.memory.placing import title_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from daybook.ledger.replay import Owned
    from daybook.ledger.versions import Version
    from daybook.workspace import Workspace

# How far up an entry is looked for to go below.
NEIGHBOURS = 20
LAST = (sys.maxsize, 0)
ANEW = b"# Memory\n"


@dataclass(frozen=True)
class Place:
    """
    How an entry stood in the last version that held it.

    Attributes:
        order: Age of the version, then its line: what stood above comes first.
        raw: Its own lines.
        section: Its heading.
        above: Texts of the entries above it under that heading, the nearest first.
    """

    order: tuple[int, int]
    raw: bytes
    section: str
    above: tuple[str, ...]


@dataclass(frozen=True)
class Returned:
    """
    A file with entries put back.

    Attributes:
        data: Its bytes.
        left: Entries that could not be put back.
    """

    data: bytes
    left: tuple[Owned, ...] = ()


def beginning(file: str) -> bytes:
    """What a file begins with that has to be made anew."""
    return ANEW if file == LONGTERM else b""


def bring_back(
    workspace: Workspace, file: str, data: bytes, entries: Iterable[Owned], history: Sequence[Version]
) -> Returned:
    """
    Put entries back into a file that lacks them; never raises for what they hold.

    Args:
        workspace: Whose versions.
        file: Inside the workspace.
        data: What it holds now, or is to begin with; empty for a new file.
        entries: What is to stand in it; those that do already are passed over.
        history: Versions of the file, oldest first.
    """
    document = longterm.parse(data)
    here = {entry.text for entry in document.entries}
    gone = [entry for entry in entries if entry.text not in here]
    places = last_places(workspace, history, {entry.text for entry in gone})
    edits, left = put_back(document, gone, places, level=1 if not data and file != LONGTERM else 2)
    return Returned(longterm.apply(document, edits) if edits else data, tuple(left))


def put_back(
    document: longterm.Document, gone: Iterable[Owned], places: dict[str, Place], *, level: int = 2
) -> tuple[list[longterm.Edit], list[Owned]]:
    """
    Make the edits that put entries back.

    Args:
        document: What they are put into.
        gone: Entries that do not stand in it.
        places: How they stood, by text.
        level: Of a heading that has to be made.

    Returns:
        The edits, and the entries that there is none for.
    """
    standing: dict[str, set[str]] = {}
    for one in document.entries:
        standing.setdefault(title_key(one.section), set()).add(one.text)
    edits: list[longterm.Edit] = []
    left: list[Owned] = []
    for entry in sorted(gone, key=lambda one: places[one.text].order if one.text in places else LAST):
        place = places.get(entry.text)
        section = _heading(document, place.section if place else entry.section)
        beside = standing.setdefault(title_key(section), set())
        if place is not None:
            after = next((text for text in place.above if text in beside), "")
            edits.append(longterm.Insert(place.raw, section, after, new_heading_level=level))
        elif not longterm.can_stand(entry.text):
            left.append(entry)
            continue
        elif section:
            edits.append(longterm.Add(section, entry.text, level))
        else:
            edits.append(longterm.Insert(b"- " + entry.text.encode() + b"\n", section))
        beside.add(entry.text)
    return edits, left


def last_places(workspace: Workspace, history: Sequence[Version], texts: AbstractSet[str]) -> dict[str, Place]:
    """Find how each of these entries stood in the last version that held it."""
    places: dict[str, Place] = {}
    left = set(texts)
    for age, version in zip(range(len(history), 0, -1), reversed(history), strict=True):
        data = versions.content(workspace, version) if left else None
        # Looking for a word is a hundred times as fast as reading the structure.
        if data is None or not any(text.split(" ", 1)[0].encode() in data or "\ufffd" in text for text in left):
            continue
        for place in _places(data, left, age):
            places.setdefault(*place)
        left -= places.keys()
    return places


def without_forgotten(data: bytes, forgotten: AbstractSet[str], owned: Iterable[str]) -> bytes:
    """Leave out of an earlier version what `forget` took out since; *owned* are texts that may stand."""
    if not forgotten:
        return data
    document, allowed = longterm.parse(data), set(owned)
    edits: list[longterm.Edit] = [
        longterm.Remove(entry)
        for entry in document.entries
        if entry.text not in allowed and statement_hash(entry.text) in forgotten
    ]
    return longterm.apply(document, edits) if edits else data


def told(left: Iterable[Owned]) -> tuple[str, ...]:
    """Say how many entries of which file could not be put back; their words are not for everybody."""
    return tuple(
        f"{count} {'entry' if count == 1 else 'entries'} of {file} cannot be put back: no earlier version is kept, and "
        "the ledger's words cannot stand as one line. `daybook why` tells them; write them by hand, or agree with "
        "`daybook restore --keep`."
        for file, count in Counter(entry.file for entry in left).items()
    )


def _places(data: bytes, wanted: AbstractSet[str], age: int) -> list[tuple[str, Place]]:
    document = longterm.parse(data)
    above: dict[str, list[str]] = {}
    found = []
    for entry in document.entries:
        raw = b"".join(document.lines[entry.start : entry.end]).removeprefix(b"\xef\xbb\xbf")
        over = above.setdefault(entry.section, [])
        if entry.text in wanted and _stands_alone(raw, entry.text):
            place = Place((age, entry.start), raw, entry.section, tuple(over[: -NEIGHBOURS - 1 : -1]))
            found.append((entry.text, place))
        over.append(entry.text)
    return found


def _stands_alone(raw: bytes, text: str) -> bool:
    """Whether the lines of an entry are read as that one entry wherever they stand."""
    read = longterm.parse(raw)
    return [(one.start, one.end, one.text) for one in read.entries] == [(0, len(read.lines), text)]


def _heading(document: longterm.Document, section: str) -> str:
    """The heading itself, or none where it is missing and cannot be made."""
    return section if longterm.find_section(document, section) or longterm.can_head(section) else ""
