"""
The repository whose root a workspace is, if there is one and this is a moment to commit to it.

A folder that came from elsewhere may point to a repository of the operator's; it is followed only if that
repository points back.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files, trust
from daybook.git.outcome import Left
from daybook.git.running import Git, find_program

if TYPE_CHECKING:
    from daybook.workspace import Workspace

NOBODY = ("Daybook", "daybook@localhost")
UNFINISHED = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "sequencer": "cherry-pick or revert",
    "BISECT_START": "bisect",
    "BISECT_LOG": "bisect",
}
# Some ways of storing references keep these in no file of their own.
HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD")


@dataclass(frozen=True)
class Repository:
    """
    A repository to commit to.

    Attributes:
        git: The program, for its root.
        folder: Its own git folder; for a linked worktree the worktree's.
        algorithm: Hash algorithm of its objects.
        head: Hash of the present commit; None before the first one.
        author: Variables that name who commits; empty where the user's configuration does.
    """

    git: Git
    folder: Path
    algorithm: str
    head: str | None
    author: dict[str, str]

    def unfinished(self) -> Left | None:
        """Say what the operator, or a tool, is in the middle of."""
        heads = _resolved(self.git, HEADS)
        for name, what in UNFINISHED.items():
            if name in heads or os.path.lexists(self.folder / name):
                return Left(f"A {what} is unfinished in {self.git.root}; memory is committed after it.", waits=True)
        if os.path.lexists(self.folder / "index.lock"):
            why = f"Another git is at work in {self.git.root}, or one was killed and left {self.folder / 'index.lock'}"
            return Left(f"{why}; memory is committed by a later run.", waits=True)
        return None


def open_repository(workspace: Workspace) -> Repository | Left:
    """
    Find the repository whose root the workspace is.

    No process runs where the workspace was not adopted on this machine, or has no `.git`.

    Raises:
        GitError: A call of git failed.
    """
    root = workspace.root
    if not trust.known(workspace):
        why = f"{root} was not adopted on this machine, so git is not called there; run `daybook init {root}`."
        return Left(why, waits=False)
    if not os.path.lexists(root / ".git"):
        return Left(f"{root} is not the root of a git repository.", waits=False)
    program = find_program(root)
    if program is None:
        return Left("There is no git on this machine's search path.", waits=False)
    git, author = _configured(Git(program, root))
    asked = ("--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--show-object-format")
    top, own, common, algorithm = (*git.run("rev-parse", *asked).split(b"\n"), b"", b"", b"")[:4]
    if Path(os.fsdecode(top)) != root:
        return Left(f"{root} is not the root of its git repository.", waits=False)
    folder, shared = Path(os.fsdecode(own)), (root / os.fsdecode(common)).resolve()
    if not _points_back(git, folder, shared):
        why = f"{root}/.git points to {folder}, which does not point back"
        return Left(f"{why}; let it: `git -C {root} config core.worktree {root}`.", waits=False)
    head = _resolved(git, ("HEAD",)).get("HEAD")
    return Repository(git, folder, "sha256" if algorithm == b"sha256" else "sha1", head, author)


def _configured(git: Git) -> tuple[Git, dict[str, str]]:
    """Read who commits, and which hooks the configuration defines."""
    rows = git.run("config", "-z", "--get-regexp", r"^(user\.(name|email)|hook\..*)$", fine=(0, 1))
    values = {}
    for row in os.fsdecode(rows).split("\0"):
        key, _, value = row.partition("\n")
        values[key] = value.strip()
    hooks = {key.removeprefix("hook.").rpartition(".")[0] for key in values if key.startswith("hook.")} - {""}
    author: dict[str, str] = {}
    if not (values.get("user.name") and values.get("user.email")):
        for role in ("AUTHOR", "COMMITTER"):
            author |= {f"GIT_{role}_NAME": NOBODY[0], f"GIT_{role}_EMAIL": NOBODY[1]}
    return replace(git, hooks=tuple(sorted(hooks))), author


def _points_back(git: Git, folder: Path, shared: Path) -> bool:
    pointer = git.root / ".git"
    if folder == shared and folder == pointer and not pointer.is_symlink():
        return True
    if folder.parent == shared / "worktrees":
        back = files.read_if_exists(folder / "gitdir") or b""
        return (folder / os.fsdecode(back.rstrip(b"\n"))).resolve() == pointer
    # With it set, git itself has told that this folder is where it leads.
    return folder == shared and bool(git.run("config", "--get", "core.worktree", fine=(0, 1)).strip())


def _resolved(git: Git, names: tuple[str, ...]) -> dict[str, str]:
    """Look up commits by name; those that are not there are left out."""
    out = git.run("cat-file", "--batch-check", stdin="".join(f"{name}\n" for name in names).encode())
    rows = zip(names, out.decode("ascii", "replace").splitlines(), strict=False)
    return {name: row.split()[0] for name, row in rows if row.split()[1:2] == ["commit"]}
