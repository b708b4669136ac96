"""
Earlier versions of MEMORY.md and the topics, kept in private state.

They tell a stale save from a deletion, and let `undo` and `restore` bring bytes back. Every version that was read or
written before or after a change is remembered, by its hash.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from daybook import files, folders
from daybook.clock import stamp

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

KEPT = timedelta(days=90)
KEPT_AT_LEAST = 20
By = Literal["read", "written"]


@dataclass(frozen=True)
class Version:
    """
    One version of one file.

    Attributes:
        file: Inside the workspace.
        sha: SHA-256 of its bytes.
        at: When it was first known to stand.
        run: Run that read or wrote it.
        by: `written` by that run, or `read`: somebody else's.
    """

    file: str
    sha: str
    at: datetime
    run: str
    by: By


def sha_of(data: bytes) -> str:
    """SHA-256 of a file's bytes, in hex."""
    return hashlib.sha256(data).hexdigest()


def remember(workspace: Workspace, file: str, data: bytes, run: str, now: datetime, *, by: By) -> None:
    """Keep a version, unless it is the last one that was kept of this file; the caller holds the workspace lock."""
    last = latest(workspace, file)
    sha = sha_of(data)
    if last is not None and last.sha == sha:
        return
    blob = _blob(workspace, sha)
    if files.look(blob) is None:
        folders.make_private_dir(blob.parent)
        files.replace(blob, data, expected=None, mode=files.PRIVATE_FILE_MODE)
    row = {"file": file, "sha": sha, "at": stamp(now), "run": run, "by": by}
    files.append(_rows(workspace), f"{json.dumps(row)}\n".encode(), mode=files.PRIVATE_FILE_MODE)


def history(workspace: Workspace, file: str) -> list[Version]:
    """Versions of a file, oldest first."""
    return [version for version in _read(workspace) if version.file == file]


def latest(workspace: Workspace, file: str) -> Version | None:
    """The version that was last known to stand."""
    return next((version for version in reversed(_read(workspace)) if version.file == file), None)


def content(workspace: Workspace, version: Version) -> bytes | None:
    """Bytes of a version; None if they are gone or damaged."""
    data = files.read_if_exists(_blob(workspace, version.sha))
    return data if data is not None and sha_of(data) == version.sha else None


def prune(workspace: Workspace, now: datetime) -> None:
    """Let versions go that are over 90 days old and not of the last 20 of their file; the caller holds the lock."""
    every = _read(workspace)
    kept = [
        version
        for index, version in enumerate(every)
        if now - version.at < KEPT or sum(one.file == version.file for one in every[index:]) <= KEPT_AT_LEAST
    ]
    if len(kept) < len(every):
        _keep(workspace, every, kept)


def purge(workspace: Workspace, holds: Callable[[bytes], bool]) -> int:
    """Let every version go whose bytes hold what was forgotten; how many."""
    every = _read(workspace)
    bad = {one.sha for one in every if holds(files.read_if_exists(_blob(workspace, one.sha)) or b"")}
    _keep(workspace, every, [version for version in every if version.sha not in bad])
    return len(bad)


def _keep(workspace: Workspace, every: list[Version], kept: list[Version]) -> None:
    rows = [{**vars(version), "at": stamp(version.at)} for version in kept]
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    files.update(_rows(workspace), lambda _: data, mode=files.PRIVATE_FILE_MODE)
    for sha in {version.sha for version in every} - {version.sha for version in kept}:
        folders.remove(_blob(workspace, sha))


def _read(workspace: Workspace) -> list[Version]:
    found = []
    for line in (files.read_if_exists(_rows(workspace)) or b"").splitlines():
        # A row torn by a kill is a version less to go back to; the file it was of stands.
        try:
            row = json.loads(line)
            found.append(Version(row["file"], row["sha"], datetime.fromisoformat(row["at"]), row["run"], row["by"]))
        except (ValueError, KeyError, TypeError):
            continue
    return found


def _rows(workspace: Workspace) -> Path:
    return workspace.private / "versions.jsonl"


def _blob(workspace: Workspace, sha: str) -> Path:
    return workspace.private / "versions" / sha
