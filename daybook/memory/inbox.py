"""
The inbox: one cheap line per thing learned, claimed by rename when it is flushed.

A line written meanwhile starts a new inbox; a writer that still holds the old file writes into the claimed
one, so claimed files are read again at every flush, by line multiset, and kept 30 days. Copies of it that sync
tools make are claimed with it.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from daybook import files, folders
from daybook.clock import from_slot_name
from daybook.memory import synced

if TYPE_CHECKING:
    from collections.abc import Container
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

CLAIMED_PREFIX = ".inbox-claimed-"
# Sorts behind the inbox that was claimed at the same time.
COPY_MARK = "_copy-"
NUMBERED_COPY = re.compile(r"_inbox \d+\.md")
KEPT = timedelta(days=30)
STALE_FOR = timedelta(hours=12)
STAMP = re.compile(r"\d{8}T\d{6}(?:\.\d{6})?Z")
KEY_PREFIX = "inbox:"
SETTLED_S = 3600
KEY_CHARS = 16
HEADING = re.compile(r"#{1,6}(?: (?P<title>.*))?")
BULLET = re.compile(r"- (?:\[[ x]\] )?|[*+] ")
NOTHING = re.compile(r"(?:<!--.*-->|[-*_=]{3,}|[-*+])?")


class InboxLine(NamedTuple):
    """
    One line of a claimed inbox.

    Attributes:
        key: Names this line of this file: the file, its words, and its number among equal lines.
        text: Its text without the bullet.
        replayed: An earlier inbox held it too: it stands in a block of an old copy that an editor saved, or in a
            copy that a sync tool made.
    """

    key: str
    text: str
    replayed: bool = False


def waiting_lines(workspace: Workspace) -> list[str]:
    """Texts in the inbox that no flush has claimed yet; of its copies, those that it does not hold itself."""
    texts = _texts(files.read_if_exists(workspace.inbox) or b"")
    for path in copies(workspace):
        left = Counter(texts)
        for text in _texts(files.read_if_exists(path) or b""):
            left[text] -= 1
            texts += [text] if left[text] < 0 else []
    return texts


def copies(workspace: Workspace) -> list[Path]:
    """Copies of the inbox that sync tools made when two machines wrote to it."""
    folder = workspace.memory_dir
    named = (
        folder / name
        for name in folders.listed(folder)
        if synced.copy_of(name) == workspace.inbox.name or NUMBERED_COPY.fullmatch(name)
    )
    return [path for path in named if folders.holds_file(path)]


def claim(workspace: Workspace, name: str) -> Path | None:
    """
    Rename the inbox to a dot file beside it, and its copies too; the caller holds the workspace lock.

    Args:
        workspace: Whose inbox.
        name: Name of the flush, unique.

    Returns:
        The claimed inbox; None when there is none or it is empty.
    """
    for number, path in enumerate(copies(workspace), start=1):
        copy = workspace.memory_dir / f"{CLAIMED_PREFIX}{name}{COPY_MARK}{number}.md"
        if not os.path.lexists(copy):
            folders.rename(path, copy)
    if not files.read_if_exists(workspace.inbox):
        return None
    target = workspace.memory_dir / f"{CLAIMED_PREFIX}{name}.md"
    if os.path.lexists(target):
        return None
    folders.rename(workspace.inbox, target)
    return target


def claimed_files(workspace: Workspace) -> list[Path]:
    """Claimed inboxes, oldest first."""
    names = folders.listed(workspace.memory_dir)
    return [workspace.memory_dir / one for one in names if one.startswith(CLAIMED_PREFIX) and one.endswith(".md")]


def read_claimed(path: Path, now: datetime) -> list[InboxLine]:
    """
    Read the lines of a claimed inbox.

    A last line without a newline waits for its rest, until the file has been still for an hour.
    """
    still = _still_for_s(path, now) > SETTLED_S
    lines = []
    start = f"{KEY_PREFIX}{path.name}:"
    seen: dict[str, int] = {}
    for raw in _complete(files.read_bytes(path), whole=still):
        text = _text(raw)
        if not text:
            continue
        digest = hashlib.sha256(text.encode()).hexdigest()[:KEY_CHARS]
        seen[digest] = seen.get(digest, 0) + 1
        lines.append(InboxLine(f"{start}{digest}:{seen[digest]}", text))
    return lines


def read_all_claimed(workspace: Workspace, now: datetime) -> list[InboxLine]:
    """
    Read every claimed inbox, oldest first; what stood in an earlier one is marked as replayed, if that is no repeat.

    What an editor saved again begins with two or more lines of an inbox that was claimed within the last hours, in
    order; the same lines on another day, or elsewhere, are honest repeats. A sync tool's copy says again whatever
    any earlier inbox says, line by line.
    """
    earlier: list[tuple[datetime | None, list[str]]] = []
    lines: list[InboxLine] = []
    for path in claimed_files(workspace):
        mine, when = read_claimed(path, now), claimed_at(path)
        texts = [line.text for line in mine]
        if COPY_MARK in path.name:
            again = _said_before(texts, [text for _, old in earlier for text in old])
        else:
            near = [old for at, old in earlier if when and at and when - at <= STALE_FOR]
            alike = max((_same_beginning(old, texts) for old in near), default=0)
            again = [alike > 1 and index < alike for index in range(len(texts))]
        lines += [line._replace(replayed=True) if old else line for line, old in zip(mine, again, strict=True)]
        earlier.append((when, texts))
    return lines


def _said_before(texts: list[str], before: list[str]) -> list[bool]:
    left = Counter(before)
    said = []
    for text in texts:
        said.append(left[text] > 0)
        left[text] -= 1
    return said


def _same_beginning(old: list[str], new: list[str]) -> int:
    alike = [first == second for first, second in zip(old, new, strict=False)]
    return alike.index(False) if False in alike else len(alike)


def remove_old(workspace: Workspace, now: datetime, done: Container[str]) -> None:
    """Remove claimed inboxes that have been still for 30 days and whose every line is done."""
    for path in claimed_files(workspace):
        if is_old(path, now) and all(line.key in done for line in read_claimed(path, now)):
            folders.remove(path)


def is_old(path: Path, now: datetime) -> bool:
    """Whether a claimed inbox was claimed 30 days ago; by its name, since sync tools touch files."""
    since = claimed_at(path)
    age = now - since if since else timedelta(seconds=_still_for_s(path, now))
    return age > KEPT


def _still_for_s(path: Path, now: datetime) -> float:
    seen = files.look(path)
    return now.timestamp() - seen.st_mtime if seen else 0.0


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


def _texts(data: bytes) -> list[str]:
    return [text for text in map(_text, _complete(data, whole=True)) if text]


def _text(line: str) -> str:
    """Text of an inbox line; blank lines, rules, whole comments and the inbox's own heading have none."""
    bare = " ".join(line.replace("\x00", "").split())
    heading = HEADING.fullmatch(bare) if bare.startswith("#") else None
    bare = heading["title"] or "" if heading else bare
    if NOTHING.fullmatch(bare) or (heading and bare.casefold() == "inbox"):
        return ""
    mark = BULLET.match(bare)
    bare = bare[mark.end() :] if mark else bare
    return "" if NOTHING.fullmatch(bare) else bare
