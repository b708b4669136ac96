"""
Take an entry out for good, and its words out of everything Daybook keeps.

It goes by lineage: every text that the entry ever had, and the note lines it rested on. Only hashes stay, so that no
older copy brings it back. Daily notes, claimed inboxes and set-aside copies are not ours to rewrite: where they hold
the words is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import stamp
from daybook.curation.entries import statement_hash
from daybook.curation.observing import observe
from daybook.errors import NothingToDoError, UnreadableFileError, UnsafeFileError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Forgotten
from daybook.memory import journal, longterm, notes, pending, topics
from daybook.memory.forgotten import folded
from daybook.schedule import record as run_records
from daybook.upkeep.lineage import Lineages, without

if TYPE_CHECKING:
    from collections.abc import Hashable
    from datetime import datetime
    from pathlib import Path

    from daybook.ledger.record import Record
    from daybook.memory.forgotten import Words
    from daybook.workspace import Workspace

# What is put below an entry when it is archived; it is ours, and no word of the entry.
ARCHIVE_NOTE = re.compile(
    r"(?P<text>.+) - \d{4}-\d\d-\d\d; .+; from (?:MEMORY\.md|memory/topics/\S+\.md)(?:; says .+)?", re.DOTALL
)


@dataclass(frozen=True)
class Match:
    """An entry that is meant, by its words, and the files it stands in; none if the ledger alone holds it still."""

    text: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class Gone:
    """
    What was forgotten.

    Attributes:
        files: Files of memory the entry was taken out of.
        records: Ledger records whose words were taken out.
        versions: Earlier versions of files that were let go.
        left: `file:line` of each place that still holds the words.
    """

    files: tuple[str, ...]
    records: int
    versions: int
    left: tuple[str, ...]


def find(workspace: Workspace, text: str) -> Match:
    """
    Find the one entry that is meant: by its whole words, else by a part that only one entry has.

    Where none stands, the ledger is asked: what somebody deleted by hand can be forgotten, too.

    Raises:
        NothingToDoError: None has it, or several do; the sentence says how many.
    """
    wanted = folded(text)
    standing: dict[str, list[str]] = {}
    for path in _memory_files(workspace):
        for entry in longterm.parse(files.read_if_exists(path) or b"").entries:
            names = standing.setdefault(_text(workspace, path, entry), [])
            names += [workspace.relative(path)] if workspace.relative(path) not in names else []
    found = _named(list(standing), wanted)
    if not found:
        found = _named(Lineages(ledger.read(workspace).records).last_texts(), wanted)
    if not found:
        raise NothingToDoError("No entry of memory holds these words; `daybook why` finds entries by a part of them.")
    if len(found) > 1:
        raise NothingToDoError(f"{len(found)} entries hold these words; give the whole text of the one that is meant.")
    return Match(found[0], tuple(standing.get(found[0], ())))


def forget(workspace: Workspace, match: Match, run: str, now: datetime) -> Gone:
    """
    Forget an entry; takes the workspace lock.

    The files come last: as long as the entry stands, a forget that was cut short can be run again.

    Raises:
        ChangedFileError: A file is being edited; what must not come back is remembered already, and forget can be
            run again.
    """
    with workspace.lock():
        observe(workspace, run, now)
        found = Lineages(ledger.read(workspace).records)
        gone = found.with_text(match.text)
        raw = [line for name in match.files for line in _lines_of(workspace, name, match.text)]
        words = found.words(gone, match.text, raw)
        standing = _standing(workspace) - {folded(match.text)}
        ledger.append(workspace, _forgotten(found, gone, match.text, standing, run, stamp(now)))
        # What a kill left open is settled first: a line that is not in its note yet must still get there.
        journal.write(workspace, [])
        journal.purge(workspace, words)
        pending.purge(workspace, words, run, now)
        run_records.purge(workspace, words)
        old = versions.purge(workspace, lambda data: _holds(words, data))
        records = sum(_purge(path, gone, words) for path in ledger.copies(workspace) if files.look(path))
        left_in = tuple(name for name in match.files if _take_out(workspace, name, match.text, run, now))
        return Gone(left_in, records, old, tuple(_where(workspace, words)))


def _named(texts: list[str], wanted: str) -> list[str]:
    return [one for one in texts if folded(one) == wanted] or [one for one in texts if wanted in folded(one)]


def _text(workspace: Workspace, path: Path, entry: longterm.Entry) -> str:
    """An entry's own words, without the note that stands below it in the archive."""
    noted = ARCHIVE_NOTE.fullmatch(entry.text) if path == workspace.archive else None
    return noted["text"] if noted else entry.text


def _lines_of(workspace: Workspace, name: str, text: str) -> list[str]:
    """The lines of an entry that has several, so that what quotes one of them alone is found."""
    path = workspace.root / name
    document = longterm.parse(files.read_if_exists(path) or b"")
    raw = [document.lines[one.start : one.end] for one in document.entries if _text(workspace, path, one) == text]
    several = [line for lines in raw if len(lines) > 1 for line in lines]
    return [line.decode("utf-8", "replace").strip() for line in several]


def _standing(workspace: Workspace) -> frozenset[str]:
    documents = [(path, longterm.parse(files.read_if_exists(path) or b"")) for path in _memory_files(workspace)]
    return frozenset(
        folded(_text(workspace, path, entry)) for path, document in documents for entry in document.entries
    )


def _forgotten(
    found: Lineages, gone: frozenset[str], text: str, standing: frozenset[str], run: str, at: str
) -> list[Forgotten]:
    """Hashes of what must not return: of each lineage, and of each earlier wording that no other entry has now."""
    rows = [
        Forgotten(at=at, run=run, entry=one, statement=statement_hash(text), lines=found.lines(one), by="forget")
        for one in sorted(gone)
    ] or [Forgotten(at=at, run=run, statement=statement_hash(text), by="forget")]
    earlier = {statement_hash(one) for one in found.texts(gone) if folded(one) not in standing}
    rows += [Forgotten(at=at, run=run, statement=one, by="forget") for one in sorted(earlier - {statement_hash(text)})]
    return rows


def _holds(words: Words, data: bytes) -> bool:
    entries = longterm.parse(data).entries
    return words.stand_in(data.decode("utf-8", "replace")) or any(words.stand_in(one.text) for one in entries)


def _purge(path: Path, gone: frozenset[str], words: Words) -> int:
    count = 0

    def change(_: Hashable, record: Record) -> Record:
        nonlocal count
        after = without(record, gone, words)
        count += after is not record
        return after

    ledger.rewrite(path, change)
    return count


def _take_out(workspace: Workspace, name: str, text: str, run: str, now: datetime) -> bool:
    path = workspace.root / name
    present = files.read_if_exists(path) or b""
    document = longterm.parse(present)
    edits = [longterm.Remove(entry) for entry in document.entries if _text(workspace, path, entry) == text]
    if edits:
        wanted = longterm.apply(document, edits)
        files.replace(path, wanted, expected=present)
        versions.remember(workspace, name, wanted, run, now, by="written")
    return bool(edits)


def _where(workspace: Workspace, words: Words) -> list[str]:
    root = [name for name in folders.listed(workspace.root) if name.endswith(".md") or "MEMORY.md" in name]
    paths = [workspace.root / name for name in root]
    paths += [
        folder / name for folder in (workspace.memory_dir, workspace.topics_dir) for name in folders.listed(folder)
    ]
    paths += [note.path for note in notes.note_files(workspace)]
    regular = (path for path in dict.fromkeys(paths) if folders.holds_file(path))
    return [place for path in regular for place in _places(workspace, path, words)]


def _places(workspace: Workspace, path: Path, words: Words) -> list[str]:
    name = workspace.relative(path)
    try:
        data = files.read_if_exists(path) or b""
    except (UnsafeFileError, UnreadableFileError):
        return [f"{name} (it cannot be read, so look yourself)"]
    lines = [line.decode("utf-8", "replace") for line in data.split(b"\n")]
    found = {number for number, line in enumerate(lines, 1) if words.stand_in(line)}
    # What is wrapped stands in no line of its own.
    found |= {
        entry.start + 1
        for entry in longterm.parse(data).entries
        if found.isdisjoint(range(entry.start + 1, entry.end + 1)) and words.stand_in(entry.text)
    }
    return [f"{name}:{number}" for number in sorted(found)]


def _memory_files(workspace: Workspace) -> list[Path]:
    return [workspace.longterm, *topics.topic_files(workspace), workspace.archive]
