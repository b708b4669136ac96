"""
What of memory differs from the present commit, and may be committed.

Content is committed byte for byte. A path that git would not take so (a filter, another encoding), or that somebody
told git not to look at, is left out.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from daybook import files
from daybook.errors import UnreadableFileError, UnsafeFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from daybook.git.repository import Repository
    from daybook.workspace import Workspace

FILE_MODES = (b"100644", b"100755")
NEW_MODE = FILE_MODES[0]
HERE = b"./"
LOOKED_AT = b"H"
FILTERS = ("filter", "working-tree-encoding")
NOT_SET = (None, "unspecified", "unset")


class Held(NamedTuple):
    """What a commit or the index holds at a path: mode and hash of the content, as git writes them."""

    mode: bytes
    sha: bytes


@dataclass(frozen=True)
class Change:
    """
    One path to commit.

    Attributes:
        name: Path inside the repository, as bytes.
        old: What the present commit holds there; None for nothing.
        new: What it shall hold; None when the file is gone.
        data: The content of *new*.
    """

    name: bytes
    old: Held | None
    new: Held | None
    data: bytes


def find_changes(
    repository: Repository, workspace: Workspace, paths: Iterable[Path]
) -> tuple[list[Change], tuple[str, ...]]:
    """
    Compare files with the present commit.

    Args:
        repository: Whose commit.
        workspace: Its workspace.
        paths: Names inside the workspace; one that is gone is a change too.

    Returns:
        The changes, and one sentence per path that changed and is left out.

    Raises:
        GitError: A call of git failed.
    """
    by_name = {os.fsencode(workspace.relative(path)): path for path in paths}
    view = _view(repository, by_name)
    left_out: list[str] = []
    differing: dict[bytes, bytes | None] = {}
    for name, path in by_name.items():
        try:
            data = files.read_if_exists(path)
        except (UnsafeFileError, UnreadableFileError) as error:
            left_out.append(f"{path} is not committed: {error}")
            continue
        if view.change(name, data) is None:
            continue
        if view.cannot_take(name) or _lies_elsewhere(workspace.root, path):
            left_out.append(f"{path} is not committed: git holds it in conflict, skips it, or has it elsewhere.")
        else:
            differing[name] = data
    written = [name for name, data in differing.items() if data is not None]
    attributes = _attributes(repository, written)
    # What the operator has git ignore is left out without a word.
    for name in _ignored(repository, [name for name in written if name not in view.head]):
        del differing[name]
    changes = []
    for name, data in differing.items():
        has = attributes.get(name, {})
        if any(has.get(attribute) not in NOT_SET for attribute in FILTERS):
            left_out.append(f"{by_name[name]} is not committed: its git attributes ask for a filter, and none is run.")
        elif change := view.change(name, _line_ends(data, has)):
            if view.index.get(name) in {change.old, change.new}:
                changes.append(change)
            else:
                # Committed now, it would be taken back by the operator's own commit of what is staged.
                left_out.append(f"{by_name[name]} is not committed: you have staged it; commit it with your own.")
    return changes, tuple(left_out)


@dataclass(frozen=True)
class _View:
    """What git holds: in the present commit, in the index, and the names it is not to be asked about there."""

    algorithm: str
    head: dict[bytes, Held]
    index: dict[bytes, Held]
    not_ours: frozenset[bytes]

    def change(self, name: bytes, data: bytes | None) -> Change | None:
        """Compare a file's content, None for no file, with the present commit."""
        old, staged = self.head.get(name), self.index.get(name)
        new = None
        if data is not None:
            sha = hashlib.new(self.algorithm, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
            modes = (held.mode for held in (old, staged) if held and held.mode in FILE_MODES)
            new = Held(next(modes, NEW_MODE), sha.encode())
        return None if new == old else Change(name, old, new, data or b"")

    def cannot_take(self, name: bytes) -> bool:
        """Whether git has a file, link or other repository where a folder of this path is, or the reverse."""
        above = _folders(name)
        return name in self.not_ours or name in self._all_folders or not self._all_names.isdisjoint(above)

    @cached_property
    def _all_names(self) -> set[bytes]:
        return self.head.keys() | self.index.keys()

    @cached_property
    def _all_folders(self) -> set[bytes]:
        return {folder for name in self._all_names for folder in _folders(name)}


def _view(repository: Repository, names: Iterable[bytes]) -> _View:
    # By the topmost names: a list of every note might not fit into one command line.
    tops = sorted({os.fsdecode(name.partition(b"/")[0]) for name in names})
    if not tops:
        return _View(repository.algorithm, {}, {}, frozenset())
    head: dict[bytes, Held] = {}
    if repository.head is not None:
        for about, name in _rows(repository.git.run("ls-tree", "-r", "-z", repository.head, "--", *tops)):
            mode, _, sha = about.split(b" ")
            head[name] = Held(mode, sha)
    index: dict[bytes, Held] = {}
    not_ours = set()
    for about, name in _rows(repository.git.run("ls-files", "-s", "-v", "-z", "--", *tops)):
        tag, mode, sha, stage = about.split(b" ")
        index[name] = Held(mode, sha)
        if tag != LOOKED_AT or stage != b"0" or mode not in FILE_MODES:
            not_ours.add(name)
    return _View(repository.algorithm, head, index, frozenset(not_ours))


def _rows(out: bytes) -> Iterator[tuple[bytes, bytes]]:
    for row in out.split(b"\0"):
        about, tab, name = row.partition(b"\t")
        if tab:
            yield about, name


def _folders(name: bytes) -> list[bytes]:
    parts = name.split(b"/")
    return [b"/".join(parts[:count]) for count in range(1, len(parts))]


def _lies_elsewhere(root: Path, path: Path) -> bool:
    """Whether the path lies behind a link, or in a repository of its own."""
    inside = [folder for folder in path.parents if folder != root and folder.is_relative_to(root)]
    return path.resolve() != path or any(os.path.lexists(folder / ".git") for folder in inside)


def _line_ends(data: bytes | None, has: dict[str, str]) -> bytes | None:
    # Such a file's line ends are LF in the repository; with others it would look changed for ever.
    turned = has.get("text") == "set" or (has.get("text") != "unset" and has.get("eol") not in NOT_SET)
    return data.replace(b"\r\n", b"\n") if data and turned else data


def _attributes(repository: Repository, names: list[bytes]) -> dict[bytes, dict[str, str]]:
    found: dict[bytes, dict[str, str]] = {}
    if names:
        stdin = b"".join(name + b"\0" for name in names)
        asked = (*FILTERS, "text", "eol")
        parts = repository.git.run("check-attr", "-z", "--stdin", *asked, stdin=stdin).split(b"\0")
        for name, attribute, value in zip(parts[::3], parts[1::3], parts[2::3], strict=False):
            found.setdefault(name, {})[attribute.decode()] = value.decode("utf-8", "replace")
    return found


def _ignored(repository: Repository, names: list[bytes]) -> list[bytes]:
    if not names:
        return []
    # This command alone knows no literal paths; behind `./` none looks like a pattern's signs.
    stdin = b"".join(HERE + name + b"\0" for name in names)
    out = repository.git.run(
        "check-ignore", "-z", "--stdin", stdin=stdin, fine=(0, 1), environment={"GIT_LITERAL_PATHSPECS": "0"}
    )
    return [name.removeprefix(HERE) for name in out.split(b"\0") if name]
