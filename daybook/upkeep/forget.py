"""
Take an entry out for good, and its words out of everything Daybook keeps.

Only hashes stay, so that no older copy brings it back. Daily notes and claimed inboxes are not ours to rewrite: where
they hold the words is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.curation.entries import statement_hash
from daybook.curation.observing import observe
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Forgotten, Intent, Seen
from daybook.memory import inbox, journal, longterm, notes, pending, topics
from daybook.schedule import record as run_records

if TYPE_CHECKING:
    from collections.abc import Hashable
    from datetime import datetime
    from pathlib import Path

    from daybook.ledger.record import Record
    from daybook.ledger.replay import State
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Match:
    """An entry that is meant, by its words, and the files it stands in."""

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
        left: `file:line` of each note line that still holds the words.
    """

    files: tuple[str, ...]
    records: int
    versions: int
    left: tuple[str, ...]


def find(workspace: Workspace, text: str) -> Match:
    """
    Find the one entry that is meant: by its whole words, else by a part that only one entry has.

    Raises:
        NothingToDoError: None has it, or several do; the sentence says how many.
    """
    wanted = _folded(text)
    standing: dict[str, list[str]] = {}
    for path in _memory_files(workspace):
        for entry in longterm.parse(files.read_if_exists(path) or b"").entries:
            standing.setdefault(entry.text, []).append(workspace.relative(path))
    found = [one for one in standing if _folded(one) == wanted] or [one for one in standing if wanted in _folded(one)]
    if not found:
        raise NothingToDoError("No entry of memory holds these words; `daybook why` finds entries by a part of them.")
    if len(found) > 1:
        raise NothingToDoError(f"{len(found)} entries hold these words; give the whole text of the one that is meant.")
    return Match(found[0], tuple(standing[found[0]]))


def forget(workspace: Workspace, match: Match, run: str, now: datetime) -> Gone:
    """
    Forget an entry; takes the workspace lock.

    Raises:
        ChangedFileError: A file is being edited; what must not come back is remembered already, and forget can be
            run again.
    """
    with workspace.lock():
        state = observe(workspace, run, now).state
        ledger.append(workspace, _forgotten(state, match.text, run, stamp(now)))
        left_in = tuple(name for name in match.files if _take_out(workspace, name, match.text))
        purged = sum(_purge(path, match.text) for path in ledger.copies(workspace) if files.look(path))
        journal.purge(workspace, match.text)
        pending.purge(workspace, match.text, run, now)
        run_records.purge(workspace, match.text)
        old = versions.purge(workspace, lambda data: match.text.encode() in data)
    return Gone(left_in, purged, old, tuple(_where(workspace, match.text)))


def _forgotten(state: State, text: str, run: str, at: str) -> list[Forgotten]:
    """Hashes of the entry, for each lineage that has or had these words; one at least."""
    lineages = {
        entry.lineage: entry for entry in (*state.entries.values(), *state.vanished.values()) if entry.text == text
    }
    rows = [
        Forgotten(
            at=at,
            run=run,
            entry=lineage,
            statement=statement_hash(text),
            lines=tuple(source.hash for source in entry.sources),
            by="forget",
        )
        for lineage, entry in lineages.items()
    ]
    return rows or [Forgotten(at=at, run=run, statement=statement_hash(text), by="forget")]


def _take_out(workspace: Workspace, name: str, text: str) -> bool:
    path = workspace.root / name
    present = files.read_if_exists(path) or b""
    document = longterm.parse(present)
    edits = [longterm.Remove(entry) for entry in document.entries if entry.text == text]
    if edits:
        files.replace(path, longterm.apply(document, edits), expected=present)
    return bool(edits)


def _purge(path: Path, text: str) -> int:
    count = 0

    def without(_: Hashable, record: Record) -> Record:
        nonlocal count
        if isinstance(record, Intent) and any(text in one for one in _texts(record)):
            count += 1
            sources = tuple(source.model_copy(update={"text": ""}) for source in record.sources)
            gone = {"text": "", "old": "", "old_raw": "", "reason": "", "sources": sources, "purged": True}
            return record.model_copy(update=gone)
        if isinstance(record, Seen) and text in record.text:
            count += 1
            return record.model_copy(update={"text": "", "purged": True})
        return record

    ledger.rewrite(path, without)
    return count


def _texts(intent: Intent) -> list[str]:
    return [intent.text, intent.old, intent.reason, *(source.text for source in intent.sources)]


def _where(workspace: Workspace, text: str) -> list[str]:
    places = []
    paths = [note.path for note in notes.note_files(workspace)]
    for path in (*paths, workspace.inbox, *inbox.copies(workspace), *inbox.claimed_files(workspace)):
        lines = (files.read_if_exists(path) or b"").decode("utf-8", "replace").split("\n")
        places += [f"{workspace.relative(path)}:{number}" for number, line in enumerate(lines, 1) if text in line]
    return places


def _memory_files(workspace: Workspace) -> list[Path]:
    return [workspace.longterm, *topics.topic_files(workspace), workspace.archive]


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
