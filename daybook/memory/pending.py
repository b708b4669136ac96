"""
Proposals that wait for the operator: `memory/_pending.md`, written to be read.

A proposal's id is a hash of what it would do, to what, with which text, from which lines; private state
keeps them, so a line that we did not write, or that was changed, stands for nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import stamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.ledger.record import Source
    from daybook.workspace import Workspace

MAX_OPEN = 10
LAPSES_AFTER = timedelta(days=21)
HEAD = """# Pending

Daybook proposes these changes of memory and waits for you. In this version ticks are not read yet: what you want to
keep, write into MEMORY.md yourself. A proposal that is left lapses.
"""
WHY = {
    "outside-only": "only text from outside says so",
    "ungrounded": "it is not word for word in your notes",
    "foreign": "the entry is yours",
    "supersedes": "an entry says something close; both cannot stand silently side by side",
    "question": "it asks, and states nothing",
    "relative-date": "it names a day relative to another, which means something else later",
    "second-opinion": "it would take something away",
}
VERB = {"add": "Add", "revise": "Change", "retire": "Retire"}


@dataclass(frozen=True)
class Proposal:
    """
    One change that waits.

    Attributes:
        id: 16 hex digits.
        op: `add`, `revise` or `retire`.
        file: File of the entry; for an Add, MEMORY.md.
        section: Its heading.
        text: The entry's new text.
        old: The entry as it is, or the one an Add may supersede.
        code: Why it is not done at once.
        sources: The note lines it rests on, as the ledger would keep them.
        run: Id of the run that proposed it.
        model: Who proposed it.
        prompt: Hash of the prompt's template, if a model proposed it.
    """

    id: str
    op: str
    file: str
    section: str
    text: str
    old: str
    code: str
    sources: tuple[Source, ...]
    run: str
    model: str
    prompt: str | None


def propose(
    workspace: Workspace, proposals: Sequence[Proposal], now: datetime
) -> tuple[list[Proposal], list[Proposal]]:
    """
    Write proposals that were never made before; the caller holds the workspace lock.

    Returns:
        Those that wait now (made here or before), and those for which there was no room.
    """
    rows = _read(workspace)
    present = files.read_if_exists(workspace.pending) or b""
    room = MAX_OPEN - len(open_ids(workspace, now))
    waiting: dict[str, Proposal] = {}
    left: list[Proposal] = []
    new: list[Proposal] = []
    for proposal in proposals:
        row = rows.get(proposal.id)
        # Registered and never shown: a kill came between, unless the line did get into the file.
        if row is not None and (row.shown or f"^{proposal.id}".encode() in present):
            waiting[proposal.id] = proposal
        elif proposal.id in waiting:
            continue
        elif row is not None or room > 0:
            room -= row is None
            new.append(proposal)
            waiting[proposal.id] = proposal
        else:
            left.append(proposal)
    if new:
        _register(workspace, [_row(one, now) for one in new])
        folders.make_dir(workspace.memory_dir)
        files.append(workspace.pending, lambda before: _written(before, new, now))
        _register(workspace, [{"kind": "shown", "id": one.id} for one in new])
    return list(waiting.values()), left


def open_ids(workspace: Workspace, now: datetime) -> list[str]:
    """Ids of proposals that have not lapsed."""
    return [key for key, row in _read(workspace).items() if now - row.at < LAPSES_AFTER]


def _written(present: bytes, proposals: Sequence[Proposal], now: datetime) -> bytes:
    parts = [] if present.strip() else [HEAD]
    parts += [_item(proposal, now) for proposal in proposals]
    return "\n".join(parts).encode()


def _item(proposal: Proposal, now: datetime) -> str:
    where = f"{proposal.section}" if proposal.file == "MEMORY.md" else f"{proposal.section}, {proposal.file}"
    what = proposal.text if proposal.op != "retire" else proposal.old
    lines = [f"- [ ] **{VERB[proposal.op]}** ({where}): {what} ^{proposal.id}"]
    if proposal.old and proposal.op != "retire":
        lines.append(f"  - {'instead of' if proposal.op == 'revise' else 'beside'}: {proposal.old}")
    lines.append(f"  - why it waits: {WHY.get(proposal.code, proposal.code)}")
    lines += [f'  - from {one.file}:{one.line} ({one.origin}): "{one.text}"' for one in proposal.sources]
    lines.append(f"  - since {now:%Y-%m-%d}, lapses {now + LAPSES_AFTER:%Y-%m-%d}")
    return "\n".join(lines) + "\n"


@dataclass
class _Row:
    at: datetime
    shown: bool = False


def _row(proposal: Proposal, now: datetime) -> dict[str, object]:
    sources = [source.model_dump(mode="json") for source in proposal.sources]
    return {"kind": "proposal", "at": stamp(now), **vars(proposal), "sources": sources}


def _register(workspace: Workspace, rows: Sequence[dict[str, object]]) -> None:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    files.append(_path(workspace), data.encode(), mode=files.PRIVATE_FILE_MODE)


def _read(workspace: Workspace) -> dict[str, _Row]:
    rows: dict[str, _Row] = {}
    for line in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # A row torn by a kill was not yet written for the operator: it is proposed again.
        try:
            row = json.loads(line)
        except ValueError:
            continue
        match row.get("kind"):
            case "proposal":
                rows[row["id"]] = _Row(datetime.fromisoformat(row["at"]))
            case "shown" if row["id"] in rows:
                rows[row["id"]].shown = True
            case _:
                continue
    return rows


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "proposals.jsonl")
