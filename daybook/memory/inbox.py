"""
The inbox: one cheap line per thing learned, claimed by rename when it is flushed.

A line written meanwhile starts a new inbox; a writer that still holds the old file writes into the claimed
one, so claimed files are read again at every flush, by line multiset, and kept 30 days.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from daybook import files

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

CLAIMED_PREFIX = "._inbox."
KEPT_DAYS = 30
SETTLED_S = 3600
KEY_CHARS = 16


class InboxLine(NamedTuple):
    """
    One line of a claimed inbox.

    Attributes:
        key: Names this line of this file: the file, its words, and its number among equal lines.
        text: Its text without the bullet.
    """

    key: str
    text: str


def waiting_lines(workspace: Workspace) -> list[str]:
    """Texts in the inbox that no flush has claimed yet."""
    return [text for text in map(_text, _complete(files.read_if_exists(workspace.inbox) or b"", whole=True)) if text]


def claim(workspace: Workspace, name: str) -> Path | None:
    """
    Rename the inbox to a dot file beside it; the caller holds the workspace lock.

    Args:
        workspace: Whose inbox.
        name: Name of the flush, unique.

    Returns:
        The claimed file; None when there is no inbox or it is empty.
    """
    if not files.read_if_exists(workspace.inbox):
        return None
    target = workspace.memory_dir / f"{CLAIMED_PREFIX}{name}.md"
    if os.path.lexists(target):
        return None
    workspace.inbox.rename(target)
    return target


def claimed_files(workspace: Workspace) -> list[Path]:
    """Claimed inboxes, oldest first."""
    if not workspace.memory_dir.is_dir():
        return []
    return sorted(p for p in workspace.memory_dir.iterdir() if p.name.startswith(CLAIMED_PREFIX) and p.suffix == ".md")


def read_claimed(path: Path, now: datetime) -> list[InboxLine]:
    """
    Read the lines of a claimed inbox.

    A last line without a newline waits for its rest, until the file has been still for an hour.
    """
    still = now.timestamp() - path.lstat().st_mtime > SETTLED_S
    lines = []
    seen: dict[str, int] = {}
    for raw in _complete(files.read_bytes(path), whole=still):
        text = _text(raw)
        if not text:
            continue
        digest = hashlib.sha256(text.encode()).hexdigest()[:KEY_CHARS]
        seen[digest] = seen.get(digest, 0) + 1
        lines.append(InboxLine(f"inbox:{path.name}:{digest}:{seen[digest]}", text))
    return lines


def is_old(path: Path, now: datetime) -> bool:
    """Whether a claimed inbox has been still for 30 days."""
    return now.timestamp() - path.lstat().st_mtime > KEPT_DAYS * 86_400


def _complete(data: bytes, *, whole: bool) -> list[str]:
    *lines, rest = data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    return [*lines, rest] if whole else lines


def _text(line: str) -> str:
    """Text of an inbox line; headings, comments and blank lines have none."""
    bare = " ".join(line.replace("\x00", "").split())
    is_heading = bare.startswith("#") and bare.lstrip("#")[:1] in {"", " "}
    if is_heading or bare.startswith(("<!--", "---")):
        return ""
    for mark in ("- [ ] ", "- [x] ", "- ", "* ", "+ "):
        if bare.startswith(mark):
            bare = bare.removeprefix(mark)
            break
    return "" if bare in {"-", "*", "+"} else bare
