"""
Earlier versions of MEMORY.md and the topics, kept in private state.

They tell a stale save from a deletion, and let `undo` and `restore` bring bytes back. Every version that was read or
written before or after a change is remembered, by its hash; that there was no file is a version, too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from daybook import files, folders
from daybook.clock import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from daybook.workspace import Workspace

KEPT = timedelta(days=90)
KEPT_AT_LEAST = 20
MAX_BYTES = 50_000_000
ABSENT = "absent"
By = Literal["read", "written"]


@dataclass(frozen=True)
class Version:
    """
    One version of one file.

    Attributes:
        file: Inside the workspace.
        sha: SHA-256 of its bytes; `ABSENT` for no file.
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


def remember(workspace: Workspace, file: str, data: bytes | None, run: str, now: datetime, *, by: By) -> None:
    """
    Keep a version, unless it is the last one that was kept of this file; the caller holds the workspace lock.

    Args:
        workspace: Whose private state keeps it.
        file: Inside the workspace.
        data: Its bytes; None for no file, which is told from a file with nothing in it.
        run: Run that read or wrote it.
        now: The present instant.
        by: Who made it.
    """
    remember_each(workspace, {file: data}, run, now, by=by)


def remember_each(
    workspace: Workspace, contents: Mapping[str, bytes | None], run: str, now: datetime, *, by: By
) -> None:
    """Keep a version of each of these files, as `remember` does, with one write for all their rows."""
    rows = []
    for file, data in contents.items():
        last = latest(workspace, file)
        sha = ABSENT if data is None else sha_of(data)
        if last is not None and last.sha == sha:
            continue
        blob = _blob(workspace, sha)
        if data is not None and files.look(blob) is None:
            folders.make_private_dir(blob.parent)
            files.replace(blob, data, expected=None, mode=files.PRIVATE_FILE_MODE)
        rows.append({"file": file, "sha": sha, "at": stamp(now), "run": run, "by": by})
    if rows:
        whole = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        files.append(_rows(workspace), whole, mode=files.PRIVATE_FILE_MODE)


def histories(workspace: Workspace) -> dict[str, list[Version]]:
    """Versions of every file, oldest first; for a look at many files, which reads the rows once."""
    found: dict[str, list[Version]] = {}
    for version in _read(workspace):
        found.setdefault(version.file, []).append(version)
    return found


def history(workspace: Workspace, file: str) -> list[Version]:
    """Versions of a file, oldest first."""
    return [version for version in _read(workspace, file) if version.file == file]


def written_by(workspace: Workspace, run: str) -> list[str]:
    """Files that a run wrote, or took away."""
    return list(dict.fromkeys(one.file for one in _read(workspace) if one.run == run and one.by == "written"))


def latest(workspace: Workspace, file: str) -> Version | None:
    """The version that was last known to stand."""
    return next((version for version in _read(workspace, file, newest_first=True) if version.file == file), None)


def content(workspace: Workspace, version: Version) -> bytes | None:
    """Bytes of a version; None if they are gone or damaged, or there was no file."""
    data = files.read_if_exists(_blob(workspace, version.sha))
    return data if data is not None and sha_of(data) == version.sha else None


def prune(workspace: Workspace, now: datetime) -> None:
    """
    Let versions go that are over 90 days old; the caller holds the workspace lock.

    Beyond 50 MB in all the oldest go sooner. The last 20 of each file stay, whatever their age and size.
    """
    every = list(_read(workspace))
    sizes = {sha: _size(workspace, sha) for sha in {version.sha for version in every}}
    newer: Counter[str] = Counter()
    kept: list[Version] = []
    held: set[str] = set()
    left = MAX_BYTES
    for version in reversed(every):
        newer[version.file] += 1
        size = 0 if version.sha in held else sizes[version.sha]
        if newer[version.file] <= KEPT_AT_LEAST or (now - version.at < KEPT and size <= left):
            kept.append(version)
            held.add(version.sha)
            left -= size
        elif size > left:
            # What is older than the first that finds no room goes, too: a history has no gaps.
            left = 0
    if len(kept) < len(every):
        _keep(workspace, every, kept[::-1])


def purge(workspace: Workspace, holds: Callable[[bytes], bool]) -> int:
    """
    Let the bytes of every version go that hold what was forgotten; how many.

    Their rows stay: whoever goes back to a version must see the gap.
    """
    every = list(_read(workspace))
    bad = {one.sha for one in every if holds(files.read_if_exists(_blob(workspace, one.sha)) or b"")}
    for sha in bad:
        folders.remove(_blob(workspace, sha))
    return len(bad)


def _keep(workspace: Workspace, every: list[Version], kept: list[Version]) -> None:
    rows = [{**vars(version), "at": stamp(version.at)} for version in kept]
    data = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
    files.update(_rows(workspace), lambda _: data, mode=files.PRIVATE_FILE_MODE)
    for sha in {version.sha for version in every} - {version.sha for version in kept}:
        folders.remove(_blob(workspace, sha))


def _size(workspace: Workspace, sha: str) -> int:
    seen = files.look(_blob(workspace, sha))
    return seen.st_size if seen is not None else 0


def _read(workspace: Workspace, file: str = "", *, newest_first: bool = False) -> Iterator[Version]:
    """Read the rows as they are asked for; those that cannot be of *file*, if one is named, are passed over unread."""
    mark = json.dumps(file).encode() if file else b""
    lines = (files.read_if_exists(_rows(workspace)) or b"").splitlines()
    for line in reversed(lines) if newest_first else lines:
        if mark not in line:
            continue
        # A row torn by a kill is a version less to go back to; the file it was of stands.
        try:
            row = json.loads(line)
            version = Version(row["file"], row["sha"], datetime.fromisoformat(row["at"]), row["run"], row["by"])
        except (ValueError, KeyError, TypeError):
            continue
        yield version


def _rows(workspace: Workspace) -> Path:
    return workspace.private / "versions.jsonl"


def _blob(workspace: Workspace, sha: str) -> Path:
    return workspace.private / "versions" / sha
