"""
Proposals that wait for the operator: `memory/_pending.md`, written to be read.

What is proposed stands in private state (`daybook.memory.proposals`); the file only shows it, and says what the
operator ticked. A line that we did not write, or that was changed, stands for nothing.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from daybook import files, folders
from daybook.memory import checklist, proposals
from daybook.memory.blocks import BOM
from daybook.memory.checklist import Item
from daybook.memory.markdown import parse
from daybook.memory.proposals import LAPSES_AFTER, Kept, Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from daybook.memory.checklist import Mark
    from daybook.memory.forgotten import Words
    from daybook.memory.proposals import Register
    from daybook.workspace import Workspace

__all__ = [
    "GROUPS",
    "HEAD",
    "LAPSES_AFTER",
    "MAX_OPEN",
    "VERB",
    "WHY",
    "Proposal",
    "item",
    "item_of",
    "open_ids",
    "propose",
    "purge",
    "refresh",
    "settled",
]

MAX_OPEN = 10
MAX_QUOTE_CHARS = 300
HEAD = """# Pending

Daybook proposes these changes of memory and waits for you. Tick a box with `[x]` to accept, or with `[-]` to refuse;
it is done at the next beat. Or run `daybook pending accept ID` or `daybook pending refuse ID`, which act at once; the
ID stands behind the `^`. What you refuse is not proposed again; what you leave alone lapses after 21 days.
"""
# What the first version wrote, which read no ticks.
OLD_HEAD = """# Pending

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
GROUPS = tuple(VERB.values())


def propose(workspace: Workspace, wanted: Sequence[Proposal], now: datetime) -> tuple[list[Proposal], list[Proposal]]:
    """
    Show proposals that were never made before; the caller holds the workspace lock.

    Those that are `settled` are passed over.

    Returns:
        Those that wait now (made here or before), and those for which there was no room.
    """
    if not wanted:
        return [], []
    register = proposals.read(workspace)
    over = settled(workspace, wanted, now)
    waiting = {one.proposal.id: one.proposal for one in register.open(now)}
    known = set(waiting)
    left: list[Proposal] = []
    new: list[Kept] = []
    for proposal in wanted:
        if proposal.id in waiting or proposal.id in over:
            continue
        if len(waiting) < MAX_OPEN:
            waiting[proposal.id] = proposal
            new.append(Kept(proposal, now, item(proposal, now).lines))
        else:
            left.append(proposal)
    proposals.register(workspace, new)
    if new or any(one.id in known for one in wanted):
        refresh(workspace, now)
    asked = dict.fromkeys(one.id for one in wanted)
    return [waiting[one] for one in asked if one in waiting], left


def settled(
    workspace: Workspace, wanted: Sequence[Proposal], now: datetime
) -> dict[str, Literal["refused", "lapsed", "done-before"]]:
    """
    Say which of these are not proposed (again), and why, by id.

    `refused`: the operator refused it, or another with its text, or the same for the same entry from the same lines.
    `lapsed`: the same from the same lines was left alone. `done-before`: it was accepted.
    """
    register = proposals.read(workspace)
    refused = [one for one in register.kept.values() if one.fate == "refused"]
    over: dict[str, Literal["refused", "lapsed", "done-before"]] = {}
    for proposal in wanted:
        before = register.kept.get(proposal.id)
        if before is not None and before.fate == "accepted":
            over[proposal.id] = "done-before"
        elif any(one.proposal.id == proposal.id or one.forbids(proposal) for one in refused):
            over[proposal.id] = "refused"
        elif before is not None and not before.is_open(now):
            over[proposal.id] = "lapsed"
    return over


def open_ids(workspace: Workspace, now: datetime) -> list[str]:
    """Ids of proposals that wait."""
    return [one.proposal.id for one in proposals.read(workspace).open(now)]


def refresh(workspace: Workspace, now: datetime, held: Mapping[str, str] = MappingProxyType({})) -> bytes:
    """
    Show exactly what waits, and give what the file holds then; the caller holds the workspace lock.

    Lines of ours about what is settled go, what is missing comes back, and a text of ours that is out of date is
    replaced. The rest of the file stays byte for byte.

    Args:
        workspace: Whose file.
        now: The present instant.
        held: By id, proposals whose tick could not be carried out just now, and the reason that stood there before:
            their box is made empty, and the new reason is put under it.
    """
    register = proposals.read(workspace)
    written = b""

    def shown(before: bytes | None) -> bytes:
        nonlocal written
        written = _shown(before or b"", register, held, now)
        return written

    if files.read_if_exists(workspace.pending) is None and not register.open(now):
        return b""
    folders.make_dir(workspace.memory_dir)
    files.update(workspace.pending, shown)
    return written


def purge(workspace: Workspace, words: Words, run: str, now: datetime) -> None:
    """
    Take words that were forgotten out of all proposals; the caller holds the workspace lock.

    A proposal that waits and holds them, or rests on a line that does, counts as refused, and leaves the file.
    """
    waiting = proposals.read(workspace).open(now)
    holding = [one.proposal.id for one in waiting if proposals.holds(one, words)]
    proposals.settle(workspace, holding, "refused", run, now)
    refresh(workspace, now)
    proposals.purge(workspace, words)


def item(proposal: Proposal, at: datetime) -> Item:
    """Write what a proposal made at this instant looks like: what, why, and from whom."""
    place = proposal.section if proposal.file == "MEMORY.md" else f"{proposal.section}, {proposal.file}"
    what = proposal.text if proposal.op != "retire" else proposal.old
    lines = [f"- [ ] **{VERB[proposal.op]}** ({place or proposal.file}): {what} ^{proposal.id}"]
    if proposal.old and proposal.op != "retire":
        lines.append(f"  - {'instead of' if proposal.op == 'revise' else 'beside'}: {proposal.old}")
    lines.append(f"  - why it waits: {WHY.get(proposal.code, proposal.code)}")
    lines += [f'  - from {one.file}:{one.line} ({one.origin}): "{_quote(one.text)}"' for one in proposal.sources]
    lines.append(f"  - since {at:%Y-%m-%d}, lapses {at + LAPSES_AFTER:%Y-%m-%d}")
    return Item(VERB[proposal.op], tuple(" ".join(line.split("\n")) for line in lines))


def item_of(kept: Kept) -> Item:
    """An item as it was written, with no reason why it could not be carried out."""
    return Item(VERB[kept.proposal.op], kept.item) if kept.item else item(kept.proposal, kept.at)


def _with_reason(kept: Kept) -> Item:
    whole = item_of(kept)
    first, *rest = whole.lines
    return Item(whole.group, (first, _reason(kept.why), *rest)) if kept.why else whole


def _reason(why: str) -> str:
    return f"  - not done: {why}"


def _shown(before: bytes, register: Register, held: Mapping[str, str], now: datetime) -> bytes:
    bom = BOM if before.startswith(BOM) else b""
    data = before.removeprefix(BOM)
    for ending in ("\n", "\r\n"):
        old, new = (head.replace("\n", ending).encode() for head in (OLD_HEAD, HEAD))
        data = data.replace(old, new)
    over = {name: kept for name, kept in register.kept.items() if kept.fate is not None}
    marks: dict[str, Mark] = {name: "accept" for name, kept in over.items() if kept.fate == "accepted"}
    marks |= {name: "refuse" for name, kept in over.items() if kept.fate == "refused"}
    data = checklist.take_out(data, {name: _with_reason(kept) for name, kept in over.items()}, marks)
    for name, reason in held.items():
        kept = register.kept[name]
        data = checklist.reset(data, item_of(kept), _reason(reason), _reason(kept.why))
    present = {box.id for box in checklist.boxes(parse(data))}
    missing = [_with_reason(kept) for kept in register.open(now) if kept.proposal.id not in present]
    if missing and not data.strip():
        data = HEAD.encode()
    return bom + checklist.put_in(data, missing, GROUPS)


def _quote(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= MAX_QUOTE_CHARS else f"{folded[: MAX_QUOTE_CHARS - 1].rstrip()}…"
