"""
Bring ledger and files together before anything is written: heal, settle, and record what others did.

Every writer of memory goes through here first, with the workspace lock held.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import stamp
from daybook.curation import alerts, changes
from daybook.curation.settling import foreseen, settle
from daybook.errors import ChangedFileError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.replay import State, replay
from daybook.memory import topics

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.curation.changes import Changes, Stale
    from daybook.notify import Notice
    from daybook.workspace import Workspace

TRIES = 3


@dataclass(frozen=True)
class Observed:
    """
    Ledger and files, in agreement.

    Attributes:
        state: What should stand.
        changes: What others had done.
        alerts: What the operator should know of that.
    """

    state: State
    changes: Changes
    alerts: tuple[Notice, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """The alerts as sentences."""
        return tuple(dict.fromkeys(alert.text for alert in self.alerts))


def idle(workspace: Workspace) -> bool:
    """
    Whether no file of memory has changed since the last look, and that had nothing to tell.

    Costs a look at each file's size and time.
    """
    return (files.read_if_exists(_mark(workspace)) or b"") == _signature(workspace)


def peek(workspace: Workspace, now: datetime) -> Observed:
    """
    Look without writing: what others did counts already, as the run that writes will record it.

    Raises:
        UnreadableFileError: The ledger is there and cannot be read.
    """
    records = ledger.read(workspace).records
    records = (*records, *foreseen(workspace, records, now))
    state = replay(records)
    found = changes.compare(workspace, state, "", stamp(now), rolled_back=ledger.rolled_back(workspace))
    state = replay((*records, *found.seen)) if found.seen else state
    return Observed(state, found, tuple(alerts.alerts(workspace, state, found, "")))


def observe(workspace: Workspace, run: str, now: datetime) -> Observed:
    """
    Settle, heal and record; the caller holds the workspace lock.

    Raises:
        ChangedFileError: A file that is to be brought up to date is being edited without pause.
    """
    for left in range(TRIES - 1, -1, -1):
        try:
            return _observe(workspace, run, now)
        except ChangedFileError:
            if not left:
                raise
    raise AssertionError("unreachable")


def _observe(workspace: Workspace, run: str, now: datetime) -> Observed:
    records, rolled_back = ledger.heal(workspace)
    records = (*records, *settle(workspace, records, now))
    state = replay(records)
    mended: list[Stale] = []
    for _ in range(TRIES):
        # Taken first: what is saved while we read is looked at next time.
        signature = _signature(workspace)
        spared = frozenset(lineage for one in mended for lineage in one.left)
        found = changes.compare(workspace, state, run, stamp(now), rolled_back=rolled_back, spared=spared)
        if not found.stale:
            break
        for stale in found.stale:
            _mend(workspace, stale, run, now)
        # What moved or left can be seen only once what was saved from an old copy stands again.
        mended += found.stale
    found = replace(found, stale=tuple(mended))
    ledger.append(workspace, found.seen)
    _remember(workspace, found, run, now)
    if found.held.keys() <= found.present.keys():
        # What could not be read just now may be old, too.
        ledger.end_rollback(workspace)
    state = replay((*records, *found.seen)) if found.seen else state
    told = tuple(alerts.alerts(workspace, state, found, run))
    # Whoever looks now may not be one who tells: the next beat looks again, and finds the same.
    mark = signature if not told else b"to be told\n"
    if files.read_if_exists(_mark(workspace)) != mark:
        files.update(_mark(workspace), lambda _: mark, mode=files.PRIVATE_FILE_MODE)
    return Observed(state, found, told)


def _remember(workspace: Workspace, found: Changes, run: str, now: datetime) -> None:
    histories = versions.histories(workspace)
    for name, data in found.present.items():
        if data is None or name in found.held:
            continue
        history = histories.get(name)
        if not history or history[-1].sha != versions.sha_of(data):
            versions.remember(workspace, name, data, run, now, by="read")


def _mend(workspace: Workspace, stale: Stale, run: str, now: datetime) -> None:
    path = workspace.root / stale.file
    if stale.present is not None:
        # What the stale save held is kept as a version, too.
        versions.remember(workspace, stale.file, stale.present, run, now, by="read")
    folders.make_dir(path.parent)
    files.replace(path, stale.wanted, expected=stale.present)
    versions.remember(workspace, stale.file, stale.wanted, run, now, by="written")


def _signature(workspace: Workspace) -> bytes:
    rows = []
    for path in (workspace.longterm, *topics.topic_files(workspace), workspace.ledger):
        try:
            seen = path.lstat()
        except OSError:
            continue
        rows.append(f"{workspace.relative(path)} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns}\n")
    return "".join(rows).encode() or b"nothing\n"


def _mark(workspace: Workspace) -> Path:
    return workspace.private / "observed"
