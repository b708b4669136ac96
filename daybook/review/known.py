"""Read what memory holds: every entry of MEMORY.md and the topics, and which of them are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files
from daybook.ledger import append as ledger
from daybook.ledger.replay import Owned, replay
from daybook.memory import longterm, topics
from daybook.review.entries import Known, Memory

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
    open_titles: list[str] = []
    closed: set[str] = set()
    for path in (workspace.longterm, *topics.topic_files(workspace)):
        document = longterm.parse(files.read_if_exists(path) or b"")
        if path == workspace.longterm:
            # An Add goes under the first heading of its name, so that one decides.
            titles = [s.title for s in document.sections if s.level > 1 and longterm.can_head(s.title)]
            found = {title: longterm.find_section(document, title) for title in titles}
            closed = {title for title, section in found.items() if section is not None and section.mine}
            open_titles = [title for title in found if title not in closed]
        entries += _entries(workspace, path, document, owned, len(entries))
    return Memory(tuple(entries), tuple(open_titles), frozenset(closed))


def _entries(workspace: Workspace, path: Path, document: longterm.Document, owned: Owned, start: int) -> list[Known]:
    name = workspace.relative(path)
    return [
        Known(
            id=f"e{number}",
            file=name,
            section=entry.section,
            text=entry.text,
            owned=owned.owns(name, entry.text),
            protected=entry.pinned or entry.mine,
        )
        for number, entry in enumerate(document.entries, start=start + 1)
    ]
