"""
Append to both copies of the ledger, and read their union.

The copy in the folder is tracked by git and travels; the copy in private state cannot be rolled back.
Each is append-only, so their union by line is safe. The folder's copy counts only where it is trusted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, trust
from daybook.ledger.record import Done, Intent, Void, decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Ledger:
    """
    The ledger as read.

    Attributes:
        records: In the order they were written.
        torn: One sentence per line that could not be read; such a line never swallows the next.
    """

    records: tuple[Intent | Done | Void, ...] = ()
    torn: tuple[str, ...] = ()


def append(workspace: Workspace, records: Sequence[Intent | Done | Void]) -> None:
    """Append records to the private copy, then to the folder's."""
    data = b"".join(encode(record) for record in records)
    if data:
        files.append(workspace.private_ledger, data, mode=files.PRIVATE_FILE_MODE)
        files.append(workspace.ledger, data)


def read(workspace: Workspace) -> Ledger:
    """Read the union of the copies that count."""
    copies = [workspace.private_ledger]
    if trust.ledger_trusted(workspace):
        copies.append(workspace.ledger)
    taken: Counter[bytes] = Counter()
    torn: list[str] = []
    records = []
    for path in copies:
        # Equal lines of one copy are lines of their own; only what the other copy holds as often is the same.
        here: Counter[bytes] = Counter()
        for number, row in enumerate((files.read_if_exists(path) or b"").split(b"\n"), start=1):
            here[row] += 1
            if here[row] <= taken[row] or not row.strip():
                continue
            taken[row] += 1
            match decode(row):
                case "torn":
                    torn.append(f"{path.name} line {number} in {path.parent} is torn and was passed over.")
                case "unknown":
                    continue
                case record:
                    records.append(record)
    return Ledger(tuple(records), tuple(torn))


def open_intents(records: Iterable[Intent | Done | Void]) -> list[Intent]:
    """Intents that were neither done nor voided, in order."""
    waiting: dict[str, Intent] = {}
    for record in records:
        if isinstance(record, Intent):
            waiting[record.id] = record
        else:
            waiting.pop(record.id, None)
    return list(waiting.values())
