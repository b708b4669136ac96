"""
The inbox: one cheap line per thing learned, claimed by rename when it is flushed.

A line written meanwhile starts a new inbox; a writer that still holds the old file writes into the claimed
one, so claimed files are read again at every flush, by line multiset, and kept 30 days.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from daybook import files
from daybook.clock import from_slot_name

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

CLAIMED_PREFIX = ".inbox-claimed-"
KEPT = timedelta(days=30)
STALE_FOR = timedelta(hours=12)
STAMP = re.compile(r"\d{8}T\d{6}(?:\.\d{6})?Z")
KEY_PREFIX = "inbox:"
SETTLED_S = 3600
KEY_CHARS = 16
HEADING = re.compile(r"#{1,6}(?: (?P<title>.*))?")
NOTHING = re.compile(r"(?:<!--.*-->|[-*_=]{3,}|[-*+])?")


class InboxLine(NamedTuple):
    """
    One line of a claimed inbox.

    Attributes:
        key: Names this line of this file: the file, its words, and its number among equal lines.
        text: Its text without the bullet.
        replayed: It stands in a block that an earlier inbox held too: an editor saved an old copy.
    """

    key: str
    text: str
    replayed: bool = False


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
        lines.append(InboxLine(f"{KEY_PREFIX}{path.name}:{digest}:{seen[digest]}", text))
    return lines


def read_all_claimed(workspace: Workspace, now: datetime) -> list[InboxLine]:
    """
    Read every claimed inbox, oldest first; what an editor saved again from an old copy is marked as replayed.

    An old copy begins with two or more lines of an inbox that was claimed within the last hours, in order. The same
    lines on another day, or elsewhere, are honest repeats.
    """
    earlier: list[tuple[datetime | None, list[str]]] = []
    lines: list[InboxLine] = []
    for path in claimed_files(workspace):
        mine, when = read_claimed(path, now), claimed_at(path)
        texts = [line.text for line in mine]
        near = [old for at, old in earlier if when and at and when - at <= STALE_FOR]
        again = max((_same_beginning(old, texts) for old in near), default=0)
        lines += [line._replace(replayed=again > 1 and index < again) for index, line in enumerate(mine)]
        earlier.append((when, texts))
    return lines


def _same_beginning(old: list[str], new: list[str]) -> int:
    alike = [first == second for first, second in zip(old, new, strict=False)]
    return alike.index(False) if False in alike else len(alike)


def remove_old(workspace: Workspace, now: datetime, done: Container[str]) -> None:
    """Remove claimed inboxes that have been still for 30 days and whose every line is done."""
    for path in claimed_files(workspace):
        if is_old(path, now) and all(line.key in done for line in read_claimed(path, now)):
            path.unlink()


def is_old(path: Path, now: datetime) -> bool:
    """Whether a claimed inbox was claimed 30 days ago; by its name, since sync tools touch files."""
    since = claimed_at(path)
    age = now - since if since else timedelta(seconds=now.timestamp() - path.lstat().st_mtime)
    return age > KEPT


def claimed_at(path: Path) -> datetime | None:
    """When an inbox was claimed, by its name; None if the name does not say."""
    stamp = STAMP.match(path.name.removeprefix(CLAIMED_PREFIX))
    return from_slot_name(stamp[0]) if stamp else None


def file_of(key: str) -> str:
    """Name of the claimed inbox that a line's key belongs to."""
    return key.removeprefix(KEY_PREFIX).rsplit(":", 2)[0]


def _complete(data: bytes, *, whole: bool) -> list[str]:
    *lines, rest = data.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    return [*lines, rest] if whole else lines


def _text(line: str) -> str:
    """Text of an inbox line; blank lines, rules, whole comments and the inbox's own heading have none."""
    bare = " ".join(line.replace("\x00", "").split())
    heading = HEADING.fullmatch(bare)
    bare = heading["title"] or "" if heading else bare
    if NOTHING.fullmatch(bare) or (heading and bare.casefold() == "inbox"):
        return ""
    for mark in ("- [ ] ", "- [x] ", "- ", "* ", "+ "):
        if bare.startswith(mark):
            bare = bare.removeprefix(mark)
            break
    return "" if NOTHING.fullmatch(bare) else bare
