"""
Append to both copies of the ledger, and read their union.

The copy in the folder is tracked by git and travels; the copy in private state cannot be rolled back.
Each is append-only, so their union by operation is safe. The folder's copy counts only where it is trusted.
It is written first: what a kill cuts short is missing from the private copy alone, so whatever the folder's copy lacks
was taken from it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from daybook import files, folders, trust
from daybook.ledger.record import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from pathlib import Path

    from daybook.ledger.record import Intent, Record
    from daybook.workspace import Workspace

REMEMBERED_ROWS = 1 << 17
# Rows never change, and a run reads the ledger several times.
_decoded = lru_cache(maxsize=REMEMBERED_ROWS)(decode)
# What a record is told by from the others of its kind.
NAMED_BY = {
    "intent": attrgetter("kind", "id"),
    "done": attrgetter("kind", "ids"),
    "void": attrgetter("kind", "ids"),
    "seen": attrgetter("kind", "what", "entry", "at"),
    "forgotten": attrgetter("kind", "statement", "lines"),
    "curate": attrgetter("kind", "at", "mode"),
}


@dataclass(frozen=True)
class Ledger:
    """
    The ledger as read.

    Attributes:
        records: In the order they were written.
        torn: One sentence per line that could not be read; such a line never swallows the next.
    """

    records: tuple[Record, ...] = ()
    torn: tuple[str, ...] = ()


def append(workspace: Workspace, records: Sequence[Record]) -> None:
    """Append records to the folder's copy, then to the private one; the caller holds the workspace lock."""
    data = b"".join(map(encode, records))
    if data:
        files.append(workspace.ledger, data)
        files.append(workspace.private_ledger, data, mode=files.PRIVATE_FILE_MODE)


def read(workspace: Workspace) -> Ledger:
    """Read the union of the copies that count; where `forget` has taken a text out of one copy, it is out."""
    torn: dict[bytes, str] = {}
    contents = _contents(workspace)
    if _alike(contents):
        return Ledger(tuple(_records(*next(iter(contents.items())), torn)), tuple(torn.values()))
    union: dict[Hashable, Record] = {}
    for path, data in contents.items():
        for key, record in _by_name(_records(path, data, torn)).items():
            if key not in union or _purged(record):
                union[key] = record
    return Ledger(tuple(union.values()), tuple(torn.values()))


def heal(workspace: Workspace) -> tuple[tuple[Record, ...], bool]:
    """
    Give each copy what only the other one holds; the caller holds the workspace lock.

    Returns:
        All records, and whether the folder was rolled back, by git or a backup: its copy lacked some. That is said
        again until `end_rollback`, so that a kill before the files are brought up to date forgets nothing.
    """
    contents = _contents(workspace)
    mark = _rollback_mark(workspace)
    if _alike(contents):
        return tuple(_records(*next(iter(contents.items())), {})), files.look(mark) is not None
    copies = {path: _by_name(_records(path, data, {})) for path, data in contents.items()}
    union: dict[Hashable, Record] = {}
    for copy in copies.values():
        union |= copy
    purged = {key: record for copy in copies.values() for key, record in copy.items() if _purged(record)}
    union |= purged
    for path, copy in copies.items():
        missing = [record for key, record in union.items() if key not in copy]
        mode = files.PRIVATE_FILE_MODE if path == workspace.private_ledger else files.NEW_FILE_MODE
        if any(key in copy and not _purged(copy[key]) for key in purged):
            rewrite(path, purged.get)
        if missing and path == workspace.ledger:
            files.update(mark, lambda _: b"the folder was rolled back\n", mode=files.PRIVATE_FILE_MODE)
        if missing:
            files.append(path, b"".join(map(encode, missing)), mode=mode)
    return tuple(union.values()), files.look(mark) is not None


def rolled_back(workspace: Workspace) -> bool:
    """Whether the folder's copy lacks records that the private one holds, or did when `heal` last looked."""
    if files.look(_rollback_mark(workspace)) is not None:
        return True
    contents = _contents(workspace)
    if _alike(contents):
        return False
    private, *others = (_by_name(_records(path, data, {})) for path, data in contents.items())
    return any(key not in copy for copy in others for key in private)


def end_rollback(workspace: Workspace) -> None:
    """Say that the files are up to date with the ledger again."""
    if files.look(_rollback_mark(workspace)) is not None:
        folders.remove(_rollback_mark(workspace))


def rewrite(path: Path, change: Callable[[Hashable, Record], Record]) -> None:
    """
    Change records of one copy in place; torn lines and unknown ones stay as they are.

    Only `forget` may do that: the ledger is append-only but for what a person wants gone.
    """
    seen: Counter[Hashable] = Counter()

    def changed(row: bytes) -> bytes:
        record = _decoded(row)
        if isinstance(record, str):
            return row
        seen[_name(record)] += 1
        after = change((_name(record), seen[_name(record)]), record)
        return row if after is record else encode(after).removesuffix(b"\n")

    def whole(present: bytes | None) -> bytes:
        seen.clear()
        return b"\n".join(map(changed, (present or b"").split(b"\n")))

    files.update(path, whole)


def copies(workspace: Workspace) -> list[Path]:
    """Both copies, the private one first, whether or not they count."""
    return [workspace.private_ledger, workspace.ledger]


def open_intents(records: Iterable[Record]) -> list[Intent]:
    """Intents that were neither done nor voided, in order."""
    waiting: dict[str, Intent] = {}
    for record in records:
        if record.kind == "intent":
            waiting[record.id] = record
        elif record.kind in {"done", "void"}:
            for one in record.ids:
                waiting.pop(one, None)
    return list(waiting.values())


def _rollback_mark(workspace: Workspace) -> Path:
    return workspace.private / "rolled-back"


def _contents(workspace: Workspace) -> dict[Path, bytes | None]:
    """Read the copies that count, the private one first."""
    counting = copies(workspace) if trust.ledger_trusted(workspace) else [workspace.private_ledger]
    return {path: files.read_if_exists(path) for path in counting}


def _alike(contents: Mapping[Path, bytes | None]) -> bool:
    """Whether one copy tells all: nearly always, so that half the work is saved."""
    return len(set(contents.values())) == 1


def _records(path: Path, data: bytes | None, torn: dict[bytes, str]) -> list[Record]:
    """Read the records of one copy; adds a sentence for each torn line to *torn*."""
    found: list[Record] = []
    for number, row in enumerate((data or b"").split(b"\n"), start=1):
        if not row or row.isspace():
            continue
        record = _decoded(row)
        if not isinstance(record, str):
            found.append(record)
        elif record == "torn":
            torn.setdefault(row, f"{path.name} line {number} in {path.parent} is torn and was passed over.")
    return found


def _by_name(records: Iterable[Record]) -> dict[Hashable, Record]:
    """Records of one copy by name; an equal one that stands there again is a record of its own."""
    found: dict[Hashable, Record] = {}
    seen: Counter[Hashable] = Counter()
    for record in records:
        name = _name(record)
        seen[name] += 1
        found[name, seen[name]] = record
    return found


def _name(record: Record) -> Hashable:
    return NAMED_BY[record.kind](record)


def _purged(record: Record) -> bool:
    return record.kind in {"intent", "seen"} and record.purged
