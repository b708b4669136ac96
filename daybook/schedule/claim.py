"""
Make a slot happen once.

A claim is the run's file in private state, with a lock on it that the kernel holds for the run's life: no
lease that a suspended owner outlives, no process id that another process takes over, nothing a kill leaks.
The file's lines say what was done: finished effects, each with its key, and the outcome.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import from_slot_name, slot_name, stamp

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.workspace import Workspace

SUFFIX = ".jsonl"
LOCK = "running.lock"
LOCK_TRIES = 5
LOCK_PAUSE_S = 0.02


@dataclass
class Claim:
    """
    A slot that is ours until `release`.

    Attributes:
        check: The check or flow.
        slot: The scheduled instant.
        interrupted: An earlier owner began this slot and was killed.
        effects: Keys of the effects already finished.
    """

    check: str
    slot: datetime
    path: Path
    interrupted: bool
    effects: set[str]
    _locks: list[int] = field(default_factory=list)

    def first(self, key: str, now: datetime) -> bool:
        """Record an effect before it is made, when no owner of this slot made it; False if one did."""
        if key in self.effects:
            return False
        self._write({"at": stamp(now), "effect": key})
        self.effects.add(key)
        return True

    def done(self, outcome: str, now: datetime) -> None:
        """Record that the slot is over; it will not run again."""
        self._write({"at": stamp(now), "done": outcome})

    def failed(self, outcome: str, now: datetime) -> None:
        """Record that this owner ended without the slot being over; another may take it again."""
        self._write({"at": stamp(now), "failed": outcome})

    def release(self) -> None:
        """Let the locks go."""
        while self._locks:
            os.close(self._locks.pop())

    def _write(self, row: dict[str, str]) -> None:
        # Not files.append: that would wait for the lock this claim itself holds.
        os.write(self._locks[0], json.dumps(row).encode() + b"\n")
        os.fsync(self._locks[0])


@dataclass(frozen=True)
class Running:
    """Another process is at work on this check now."""

    check: str


@dataclass(frozen=True)
class Finished:
    """This slot is over."""

    check: str
    slot: datetime
    outcome: str


def take(workspace: Workspace, check: str, slot: datetime, now: datetime) -> Claim | Running | Finished:
    """
    Try to take a slot of a check.

    Returns:
        The claim, to be released by the caller; or why there is none.
    """
    folder = workspace.claims_dir / check
    folders.make_private_dir(folder)
    running = _lock_soon(folder / LOCK)
    if running is None:
        return Running(check)
    path = folder / f"{slot_name(slot)}{SUFFIX}"
    held = files.try_lock(path)
    if held is None:
        os.close(running)
        return Running(check)
    rows = _rows(path)
    outcome = next((row["done"] for row in rows if "done" in row), None)
    if outcome is not None:
        os.close(held)
        os.close(running)
        return Finished(check, slot, outcome)
    if os.lseek(held, 0, os.SEEK_END) and os.pread(held, 1, os.lseek(held, 0, os.SEEK_END) - 1) != b"\n":
        os.write(held, b"\n")
    claim = Claim(
        check=check,
        slot=slot,
        path=path,
        interrupted=_interrupted(rows),
        effects={row["effect"] for row in rows if "effect" in row},
        _locks=[held, running],
    )
    claim._write({"at": stamp(now), "begin": str(os.getpid())})  # noqa: SLF001 - the claim's own first line
    return claim


def _lock_soon(path: Path) -> int | None:
    # Somebody who only looks (`interrupted_slots`) holds it for an instant.
    for turn in range(LOCK_TRIES):
        if turn:
            time.sleep(LOCK_PAUSE_S)
        if (lock := files.try_lock(path)) is not None:
            return lock
    return None


def wait_for_running(workspace: Workspace, check: str) -> None:
    """Block until no process is at work on this check."""
    folder = workspace.claims_dir / check
    folders.make_private_dir(folder)
    with files.locked(folder / LOCK):
        return


@dataclass(frozen=True)
class Done:
    """A finished slot: the instant it was for, and the one it ran at."""

    slot: datetime
    at: datetime


def last_done(
    workspace: Workspace, check: str, *, acted: frozenset[str] | None = None, until: datetime | None = None
) -> Done | None:
    """
    Find the newest finished slot of a check.

    Args:
        workspace: Whose.
        check: Which.
        acted: Count only slots with one of these outcomes; None for any.
        until: Pass over slots after this instant: a clock that was ahead once must not stop a check until then.
    """
    for path in _newest_first(workspace, check):
        slot = from_slot_name(path.name.removesuffix(SUFFIX))
        if until is not None and slot > until:
            continue
        row = next((row for row in _rows(path) if "done" in row), None)
        if row is not None and (acted is None or row["done"] in acted):
            return Done(slot, datetime.fromisoformat(row["at"]))
    return None


def interrupted_slots(workspace: Workspace, check: str, since: datetime) -> list[datetime]:
    """Slots since *since* whose owner was killed, newest first, the running one left out."""
    folder = workspace.claims_dir / check
    if not folder.exists() or (lock := files.try_lock(folder / LOCK)) is None:
        return []
    os.close(lock)
    found = []
    for path in _newest_first(workspace, check):
        slot = from_slot_name(path.name.removesuffix(SUFFIX))
        if slot < since:
            break
        if _interrupted(_rows(path)):
            found.append(slot)
    return found


def prune(workspace: Workspace, before: datetime) -> int:
    """Remove claims of slots before *before*; each check keeps its newest finished one."""
    removed = 0
    for folder in workspace.claims_dir.iterdir() if workspace.claims_dir.exists() else ():
        newest = last_done(workspace, folder.name)
        keep = newest.slot if newest else None
        for path in _newest_first(workspace, folder.name):
            slot = from_slot_name(path.name.removesuffix(SUFFIX))
            if slot < before and slot != keep:
                path.unlink()
                removed += 1
    return removed


def _interrupted(rows: list[dict[str, str]]) -> bool:
    ends = [row for row in rows if row.keys() & {"begin", "failed", "done"}]
    return bool(ends) and "begin" in ends[-1]


def _newest_first(workspace: Workspace, check: str) -> Iterator[Path]:
    folder = workspace.claims_dir / check
    names = [path.name for path in folder.iterdir() if path.suffix == SUFFIX] if folder.exists() else []
    # Without the Z a slot with a fraction of a second sorts after the one without.
    return (folder / name for name in sorted(names, key=lambda name: name.replace("Z", ""), reverse=True))


def _rows(path: Path) -> list[dict[str, str]]:
    rows = []
    for line in (files.read_if_exists(path) or b"").splitlines():
        # A row torn by a kill says nothing that the next owner must know: the slot is simply not done.
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(row)
    return rows
