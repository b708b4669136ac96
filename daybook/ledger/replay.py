"""Replay the ledger: which entries Daybook owns, and which operations are done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, assert_never

from daybook.ledger.record import Done, Intent, Void

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Owned:
    """
    What the ledger says memory holds.

    Attributes:
        entries: Per file inside the workspace the owned entries' texts, each with the intent that gave it.
        done: Ids of all operations that were carried out.
    """

    entries: dict[str, dict[str, Intent]] = field(default_factory=dict)
    done: frozenset[str] = frozenset()

    def owns(self, file: str, text: str) -> bool:
        """Whether the entry with this text in this file is ours."""
        return text in self.entries.get(file, {})


def replay(records: Iterable[Intent | Done | Void]) -> Owned:
    """Carry out every done operation in the order of its completion."""
    waiting: dict[str, Intent] = {}
    entries: dict[str, dict[str, Intent]] = {}
    done: set[str] = set()
    for record in records:
        match record:
            case Intent():
                waiting[record.id] = record
            case Void():
                waiting.pop(record.id, None)
            case Done():
                intent = waiting.pop(record.id, None)
                if intent is not None:
                    done.add(intent.id)
                    _carry_out(entries.setdefault(intent.file, {}), intent)
            case _:
                assert_never(record)
    return Owned(entries, frozenset(done))


def _carry_out(texts: dict[str, Intent], intent: Intent) -> None:
    match intent.op:
        case "add":
            texts[intent.text] = intent
        case "revise":
            texts.pop(intent.old, None)
            texts[intent.text] = intent
        case "retire":
            texts.pop(intent.old, None)
        case "confirm":
            pass
        case _:
            assert_never(intent.op)
