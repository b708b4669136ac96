"""Read what memory holds: every entry of MEMORY.md and the topics, which are ours, and what must not come back."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import files
from daybook.curation import observing
from daybook.curation.entries import Known, Memory, statement_hash
from daybook.guard import strangers
from daybook.memory import longterm, shown, topics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace

OPERATORS_OWN = ("USER.md", "SOUL.md", "AGENTS.md")
QUOTA_DAYS = timedelta(days=7)
FEW = 3
A_PART = 4


def read_memory(workspace: Workspace, now: datetime) -> Memory:
    """
    Read MEMORY.md and the topics; writes nothing.

    What people did since the last run counts already, as the run that writes will record it.

    Raises:
        UnreadableFileError: One of them is there and cannot be read.
    """
    state = observing.peek(workspace, now).state
    entries: list[Known] = []
    open_titles: list[str] = []
    closed: set[str] = set()
    for path in (workspace.longterm, *topics.topic_files(workspace)):
        document = longterm.parse(files.read_if_exists(path) or b"")
        if path == workspace.longterm:
            # An Add goes under the first heading of its name, so that one decides.
            titles = [s.title for s in document.sections if s.level > 1 and longterm.can_head(s.title)]
            sections = {title: longterm.find_section(document, title) for title in titles}
            closed = {title for title, section in sections.items() if section is not None and section.mine}
            open_titles = [title for title in sections if title not in closed]
        name = workspace.relative(path)
        owned = state.of(name)
        entries += [
            _known(f"e{number}", name, entry, owned.get(entry.text), state)
            for number, entry in enumerate(document.entries, start=len(entries) + 1)
        ]
    return Memory(
        entries=tuple(entries),
        sections=tuple(open_titles),
        closed=frozenset(closed),
        forgotten=frozenset(state.statements),
        forgotten_lines=frozenset(state.lines),
        vanished=frozenset(statement_hash(one.text) for one in state.vanished.values()),
        retirements=retirements_left(state, now),
        strangers=_strangers(workspace, entries, now),
        shown=shown.days(workspace),
    )


def _strangers(workspace: Workspace, entries: Sequence[Known], now: datetime) -> frozenset[str]:
    found = strangers.registered(workspace, now)
    if not found:
        return found
    own = [
        (files.read_if_exists(workspace.readable(workspace.root / name)) or b"").decode("utf-8", "replace")
        for name in OPERATORS_OWN
    ]
    return found - strangers.known_by(
        [*(entry.text for entry in entries), *(line for t in own for line in t.split("\n"))]
    )


def retirements_left(state: State, now: datetime) -> int:
    """
    Say how many entries may still be retired: in seven days at most three, or a quarter of those owned.

    What leaves because its date has passed, and what the operator agreed to, is not counted.
    """
    recent = [
        one
        for one in state.operations.values()
        if one.op in {"retire", "revise"}
        and one.loses
        and not one.accepted
        and one.id not in state.undone
        and timedelta(0) <= now - datetime.fromisoformat(one.at) < QUOTA_DAYS
    ]
    owned = sum(map(state.curates, state.entries.values()))
    return max(max(FEW, (owned + len(recent)) // A_PART) - len(recent), 0)


def _known(name: str, file: str, entry: longterm.Entry, owned: Owned | None, state: State) -> Known:
    if owned is None:
        return Known(name, file, entry.section, entry.text, owned=False, protected=entry.pinned or entry.mine)
    return Known(
        id=name,
        file=file,
        section=entry.section,
        text=entry.text,
        owned=True,
        protected=entry.pinned or entry.mine,
        lineage=owned.lineage,
        # In a folder whose every entry may be curated, an edit is an agent's.
        edited=owned.edited and state.mode != "all",
        accepted=owned.accepted,
        adopted=owned.adopted,
        dates=owned.dates,
        lines=frozenset(source.hash for source in owned.sources),
    )
