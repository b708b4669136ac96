"""Read what memory holds: every entry of MEMORY.md and the topics, and which of them are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files
from daybook.ledger import append as ledger
from daybook.ledger.replay import Owned, replay
from daybook.memory import longterm, topics
from daybook.review.verify import Known, Memory

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace


def read_memory(workspace: Workspace) -> Memory:
    """
    Read MEMORY.md and the topics.

    Raises:
        UnreadableFileError: One of them is there and cannot be read.
    """
    owned = replay(ledger.read(workspace).records)
    entries: list[Known] = []
    sections: list[str] = []
    for path in (workspace.longterm, *topics.topic_files(workspace)):
        document = longterm.parse(files.read_if_exists(path) or b"")
        mine = {section.title for section in document.sections if section.mine}
        if path == workspace.longterm:
            sections = [s.title for s in document.sections if s.level > 1 and s.title not in mine]
        entries += _entries(workspace, path, document, owned, mine, len(entries))
    return Memory(tuple(entries), tuple(dict.fromkeys(sections)), owned.done)


def _entries(
    workspace: Workspace, path: Path, document: longterm.Document, owned: Owned, mine: set[str], start: int
) -> list[Known]:
    name = workspace.relative(path)
    return [
        Known(
            id=f"e{number}",
            file=name,
            section=entry.section,
            text=entry.text,
            owned=owned.owns(name, entry.text),
            protected=entry.pinned or entry.section in mine,
        )
        for number, entry in enumerate(document.entries, start=start + 1)
    ]
