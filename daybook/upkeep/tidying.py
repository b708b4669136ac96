"""
Let go, once a day, what is past keeping in private state and in the run records.

Each file is replaced as a whole or not at all, and one in which nothing is past keeping is not written.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from daybook import files, notify
from daybook.guard import register
from daybook.guard.secrets import redact
from daybook.guard.strangers import KEPT as STRANGERS_KEPT
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Intent, Seen
from daybook.ledger.replay import replay
from daybook.memory import inbox, journal, proposals
from daybook.models import spend
from daybook.schedule import briefing, claim, record

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable
    from pathlib import Path

    from daybook.ledger.record import Record
    from daybook.workspace import Workspace

    Row = dict[str, Any]

# After this a call may be made again, which changes nothing: its lines are read, and its operations have their names.
REVIEWS_KEPT = timedelta(days=60)
# Notes that a review reads by itself are under 30 days old, and their echoes must be known.
SHOWN_KEPT = timedelta(days=60)
# This month and the one before.
SPEND_KEPT = timedelta(days=62)
PROPOSALS_KEPT = timedelta(days=400)
# What is that old is not met again, and so not told again.
TOLD_KEPT = timedelta(days=400)
TOLD_TEXT_KEPT = timedelta(days=7)
TOLD = frozenset({"told", "dropped"})
# A brief looks back a week.
BRIEFS_KEPT = timedelta(days=14)
OUTSIDE_KEPT = timedelta(days=400)
NEVER = datetime.min.replace(tzinfo=UTC)


def tidy(workspace: Workspace, now: datetime) -> int:
    """
    Let go what is past keeping; takes the workspace lock.

    Args:
        workspace: Whose.
        now: The present instant.

    Returns:
        How many run records, claims, journal entries and rows went.
    """
    limit = now - timedelta(days=record.KEPT_DAYS)
    with workspace.lock():
        # Before their keys are forgotten: a claimed inbox without keys would be flushed again.
        inbox.remove_old(workspace, now, journal.written(workspace, ""))
        kept = tuple(f"{inbox.KEY_PREFIX}{path.name}:" for path in inbox.claimed_files(workspace))
        gone = journal.prune(workspace, limit.date(), keep=kept)
        versions.prune(workspace, now)
        gone += _redact_earlier_texts(workspace)
        gone += proposals.prune(workspace, now - PROPOSALS_KEPT)
        private = workspace.private
        gone += _prune(private / "marks.jsonl", lambda rows: _last_of_each(rows, "line"))
        gone += _prune(private / register.FILE, lambda rows: _still_outside(rows, now))
        gone += _prune(private / "strangers.jsonl", lambda rows: _known_strangers(rows, now))
        gone += _prune(private / "reviews.jsonl", lambda rows: _since(rows, now - REVIEWS_KEPT))
        gone += _prune(private / spend.FILE, lambda rows: _since(rows, now - SPEND_KEPT))
        gone += _prune_shown(private / "shown", (now - SHOWN_KEPT).date())
        gone += _prune(private / briefing.FILE, lambda rows: _since(rows, now - BRIEFS_KEPT))
        with files.locked(private / notify.LOCK_FILE):
            gone += _prune(private / notify.JOURNAL, lambda rows: _still_told(rows, now))
    return gone + claim.prune(workspace, limit) + record.prune(workspace, now.date())


def _prune(path: Path, keep: Callable[[list[Row]], Iterable[int]]) -> int:
    """Keep those rows of a file whose numbers are given, each as it was written; what is torn goes. How many went."""
    gone = 0

    def kept(data: bytes | None) -> bytes:
        nonlocal gone
        lines = (data or b"").splitlines()
        held = [(line, row) for line in lines if (row := _row(line)) is not None]
        chosen = [held[number][0] for number in keep([row for _, row in held])]
        gone = len(lines) - len(chosen)
        return b"".join(line + b"\n" for line in chosen) if gone else data or b""

    if files.look(path) is not None:
        files.update(path, kept, mode=files.PRIVATE_FILE_MODE)
    return gone


def _last_of_each(rows: list[Row], name: str) -> list[int]:
    """Numbers of the last row of each value that rows have under a name; the last one counts."""
    return sorted({str(row.get(name)): number for number, row in enumerate(rows)}.values())


def _since(rows: list[Row], first: datetime) -> list[int]:
    return [number for number, row in enumerate(rows) if _at(row) >= first]


def _still_outside(rows: list[Row], now: datetime) -> list[int]:
    """What was only read is let go soon; a line that stands in a note is read again by `review --since`."""
    return [
        number
        for number, row in enumerate(rows)
        if now - _at(row) < (register.SEEN_KEPT if "seen" in row else OUTSIDE_KEPT)
    ]


def _known_strangers(rows: list[Row], now: datetime) -> list[int]:
    return [number for number in _last_of_each(rows, "name") if now - _at(rows[number]) < STRANGERS_KEPT]


def _still_told(rows: list[Row], now: datetime) -> list[int]:
    """What was told needs its text no more once no brief quotes it, only its key."""
    over = {str(row.get("key")) for row in rows if row.get("state") in TOLD}
    return [
        number
        for number, row in enumerate(rows)
        if now - _at(row) < (TOLD_TEXT_KEPT if _is_step_to(over, row) else TOLD_KEPT)
    ]


def _is_step_to(over: set[str], row: Row) -> bool:
    return row.get("state") not in TOLD and str(row.get("key")) in over


def _prune_shown(path: Path, first: date) -> int:
    gone = 0

    def kept(data: bytes | None) -> bytes:
        nonlocal gone
        days = (data or b"").splitlines(keepends=True)
        chosen = [day for day in days if day >= first.isoformat().encode()]
        gone = len(days) - len(chosen)
        return b"".join(chosen)

    if files.look(path) is not None:
        files.update(path, kept, mode=files.PRIVATE_FILE_MODE)
    return gone


def _redact_earlier_texts(workspace: Workspace) -> int:
    """
    Redact what entries once said and say no more: a secret that somebody typed into one and took out again.

    What an entry says now is kept word for word, since it is known by that.
    """
    state = replay(ledger.read(workspace).records)
    present = {entry.text for entry in (*state.entries.values(), *state.vanished.values())}
    count = 0

    def clean(_: Hashable, one: Record) -> Record:
        nonlocal count
        if not isinstance(one, Intent | Seen):
            return one
        held = {name: getattr(one, name) for name in ("text", "old", "old_raw") if getattr(one, name, "")}
        found = {name: redact(text) for name, text in held.items() if text not in present}
        if isinstance(one, Intent) and one.old in present:
            found.pop("old_raw", None)
        found = {name: text for name, text in found.items() if text != held[name]}
        count += bool(found)
        return one.model_copy(update=found) if found else one

    for path in ledger.copies(workspace):
        if files.look(path) is not None:
            ledger.rewrite(path, clean)
    return count


def _row(line: bytes) -> Row | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) else None


def _at(row: Row) -> datetime:
    """When a row was written; one that does not say it is as old as can be."""
    try:
        at = datetime.fromisoformat(str(row.get("at")))
    except ValueError:
        return NEVER
    return at if at.tzinfo else at.replace(tzinfo=UTC)
