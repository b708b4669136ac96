"""
Make a commit of paths, out of parts: contents, an index of our own, a tree, a commit, and last the branch.

The files and whatever else is staged stay as they are. The repository's index is brought up to date before the branch
moves: killed in between, the paths are staged as they stand, and the next commit takes them along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import files
from daybook.git.changes import find_changes
from daybook.git.outcome import Committed, Left
from daybook.git.repository import open_repository
from daybook.git.running import GitError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from daybook.git.changes import Change, Held
    from daybook.git.outcome import Outcome
    from daybook.git.repository import Repository
    from daybook.workspace import Workspace


def commit(workspace: Workspace, paths: Iterable[Path], message: str, now: datetime) -> Outcome:
    """
    Commit what differs from the present commit at these paths, as it stands in the files.

    Nothing is done in a merge, rebase, cherry-pick, revert or bisect; what is left then is taken by the next commit
    that names the same paths.

    Args:
        workspace: Committed to only if it is a repository's own root, and was adopted on this machine.
        paths: Names inside the workspace; others' changes at other paths are never committed.
        message: One line.
        now: The commit's time.

    Returns:
        The commit, or why there is none.
    """
    try:
        with files.locked(workspace.private / "git.lock"):
            found = open_repository(workspace)
            if isinstance(found, Left):
                return found
            return found.unfinished() or _commit(found, workspace, paths, message, now)
    except GitError as error:
        return Left(str(error), waits=True)


def _commit(
    repository: Repository, workspace: Workspace, paths: Iterable[Path], message: str, now: datetime
) -> Outcome:
    changes, left_out = find_changes(repository, workspace, paths)
    if not changes:
        return Left(left_out[0] if left_out else "Memory is as it was committed last.", waits=bool(left_out))
    tree = _tree(repository, changes, workspace.private / "git-index")
    new = _commit_object(repository, tree, message, now)
    # While we were at it a merge may have begun; one at work holds the index, one that stopped has left its mark.
    if (left := repository.unfinished()) is not None:
        return left
    _stage(repository, {change.name: change.new for change in changes})
    try:
        repository.git.run("update-ref", "-m", f"commit: {message}", "HEAD", new, repository.head or "")
    except GitError:
        _stage(repository, {change.name: change.old for change in changes})
        raise
    return Committed(new, left_out)


def _tree(repository: Repository, changes: list[Change], index: Path) -> str:
    git = repository.git
    for change in changes:
        if change.new is not None:
            git.run("hash-object", "-w", "--no-filters", "--stdin", stdin=change.data)
    leftovers = (index, index.with_name(f"{index.name}.lock"))
    try:
        for path in leftovers:
            path.unlink(missing_ok=True)
        if repository.head is not None:
            git.run("read-tree", repository.head, index=index)
        _stage(repository, {change.name: change.new for change in changes}, index)
        return git.run("write-tree", "--missing-ok", index=index).decode("ascii").strip()
    finally:
        for path in leftovers:
            path.unlink(missing_ok=True)


def _stage(repository: Repository, content: dict[bytes, Held | None], index: Path | None = None) -> None:
    """Put entries into an index, ours or the repository's; None takes one out."""
    nothing = b"0" * (64 if repository.algorithm == "sha256" else 40)
    rows = [
        b"%s %s\t%s\0" % ((held.mode, held.sha, name) if held else (b"0", nothing, name))
        for name, held in content.items()
    ]
    if rows:
        repository.git.run("update-index", "-z", "--index-info", stdin=b"".join(rows), index=index)


def _commit_object(repository: Repository, tree: str, message: str, now: datetime) -> str:
    when = f"@{int(now.timestamp())} +0000"
    named = repository.author | {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    parents = ["-p", repository.head] if repository.head else []
    stdin = f"{message}\n".encode()
    return repository.git.run("commit-tree", tree, *parents, stdin=stdin, environment=named).decode("ascii").strip()
