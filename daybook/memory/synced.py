"""
What sync tools leave in a folder: conflict copies, and stand-ins for files that are not on this machine.

Neither is taken for the file itself: a copy says again what the file says, and a stand-in says nothing at all.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from daybook import folders
from daybook.errors import UnreadableFileError

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

# Dropbox, Nextcloud and Obsidian put words in brackets, in the user's language; Syncthing a mark of its own.
COPY = re.compile(
    r"(?P<stem>.+?)\s?(?:\(.*(?:conflicted|case conflict|konflikt.{0,20}kopie|c[oó]p\w+ (?:en|in|em) confl\w+"
    r"|conflicterende kopie|冲突|衝突|競合).*\)|\.sync-conflict-[\w-]+)(?P<ending>\.\w+)?",
    re.IGNORECASE,
)
STAND_IN = re.compile(r"\.(?P<name>.+)\.icloud")
AT_THE_ROOT = frozenset({"MEMORY.md", "SOUL.md", "USER.md", "AGENTS.md", "HEARTBEAT.md", "daybook.toml"})


def copy_of(name: str) -> str | None:
    """Name of the file that *name* is a conflict copy of; None if it is none."""
    match = COPY.fullmatch(name)
    return f"{match['stem']}{match['ending'] or ''}" if match else None


def require_here(path: Path) -> None:
    """
    Make sure that a file which is missing is not merely elsewhere.

    Raises:
        UnreadableFileError: iCloud keeps it, and only its stand-in is on this machine.
    """
    if os.path.lexists(path.with_name(f".{path.name}.icloud")) and not os.path.lexists(path):
        raise UnreadableFileError(f"{path} is not on this machine, only in iCloud; download it and try again.")


def left_behind(workspace: Workspace) -> list[str]:
    """Say which conflict copies and stand-ins lie in the folders of memory; copies of the inbox are flushed."""
    memory = workspace.memory_dir
    problems = [_told(workspace, path) for path in _paths(workspace.root) if _file_of(path) in AT_THE_ROOT]
    for folder in (memory, memory / "daily", workspace.topics_dir):
        problems += [_told(workspace, path) for path in _paths(folder)]
    return [problem for problem in problems if problem]


def _told(workspace: Workspace, path: Path) -> str:
    file = path.with_name(_file_of(path))
    if STAND_IN.fullmatch(path.name) and not os.path.lexists(file):
        return f"{workspace.relative(file)} is only in iCloud and was not read; download it."
    if copy_of(path.name) and file != workspace.inbox:
        return f"{workspace.relative(path)} is a sync tool's copy of {file.name} and was not read; merge and delete it."
    return ""


def _file_of(path: Path) -> str:
    """Name of the file that a copy or a stand-in is for; else the file's own."""
    stand_in = STAND_IN.fullmatch(path.name)
    return stand_in["name"] if stand_in else copy_of(path.name) or path.name


def _paths(folder: Path) -> list[Path]:
    # A folder that cannot be listed is told by those who read it.
    with suppress(UnreadableFileError):
        return [folder / name for name in folders.listed(folder)]
    return []
