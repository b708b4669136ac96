"""Proposals wait in a file that reads well; there are at most ten."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.ledger.record import Source
from daybook.memory import pending
from daybook.memory.pending import Proposal

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


def proposal(number: int) -> Proposal:
    return Proposal(
        id=f"{number:016x}",
        op="add",
        file="MEMORY.md",
        section="Lessons Learned",
        text=f"fact {number}",
        old="",
        code="outside-only",
        sources=(
            Source(
                file="memory/2026-02-07.md",
                line=5,
                date="2026-02-07",
                hash="m",
                text=f"[mail] fact {number}",
                origin="outside",
            ),
        ),
        run="r",
        model="extractive",
        prompt=None,
    )


def test_a_proposal_says_what_why_and_from_whom(workspace: Workspace, now: datetime) -> None:
    pending.propose(workspace, [proposal(1)], now)
    assert workspace.pending.read_text() == (
        f"{pending.HEAD}\n"
        "- [ ] **Add** (Lessons Learned): fact 1 ^0000000000000001\n"
        "  - why it waits: only text from outside says so\n"
        '  - from memory/2026-02-07.md:5 (outside): "[mail] fact 1"\n'
        "  - since 2026-02-07, lapses 2026-02-28\n"
    )


def test_a_proposal_is_made_once_and_at_most_ten_are_open(workspace: Workspace, now: datetime) -> None:
    waiting, left = pending.propose(workspace, [proposal(n) for n in range(12)], now)
    assert (len(waiting), len(left)) == (10, 2)
    again, left = pending.propose(workspace, [proposal(0), proposal(11)], now)
    assert ([one.id for one in again], [one.id for one in left]) == ([proposal(0).id], [proposal(11).id])
    assert workspace.pending.read_text().count("- [ ]") == 10
    later = now + timedelta(days=22)
    assert pending.open_ids(workspace, later) == []
    assert pending.propose(workspace, [proposal(11)], later) == ([proposal(11)], [])


def test_a_proposal_that_a_kill_kept_out_of_the_file_is_written_the_next_time(
    workspace: Workspace, now: datetime
) -> None:
    pending.propose(workspace, [proposal(1)], now)
    register = workspace.private / "proposals.jsonl"
    first, _shown = register.read_text().splitlines()
    register.write_text(f"{first}\n")
    pending.propose(workspace, [proposal(1)], now)
    assert workspace.pending.read_text().count("^0000000000000001") == 1
    register.write_text(f"{first}\n")
    workspace.pending.write_text("")
    pending.propose(workspace, [proposal(1)], now)
    assert workspace.pending.read_text().count("^0000000000000001") == 1
