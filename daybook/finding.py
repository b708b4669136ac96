"""
Where a workspace is, and where its private state lies.

Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import os
import stat

from daybook import files, folders
from daybook.errors import WorkspaceError

OWN_DIR = ".daybook"
ID_FILE = "id"
LEDGER_FILE = "ledger.jsonl"
PATH_FILE = "path"
DEFAULT_WORKSPACE = "~/daybook"
POINTER = b"gitdir:"


def find_root(named: str | None, *, cwd: str | None = None) -> str:
    """
    Find the workspace's folder.

    In order: the one that is named, `DAYBOOK_WORKSPACE`, the nearest folder above the current one that
    is a workspace of this user, `~/daybook`. One that lost its id to `git clean` gets it back.

    Returns:
        An absolute path with symlinks resolved.

    Raises:
        WorkspaceError: There is no workspace there.
    """
    chosen = named or os.environ.get("DAYBOOK_WORKSPACE")
    if not chosen:
        here = cwd or os.getcwd()
        chosen = workspace_above(here) or restored_above(here) or DEFAULT_WORKSPACE
    named_root = os.path.realpath(os.path.expanduser(chosen))
    root = named_root
    if os.path.isdir(named_root):
        root = workspace_above(named_root) or restored_above(named_root) or named_root
    if not os.path.isdir(root):
        raise WorkspaceError(f"There is no folder {root}; make a workspace with `daybook init {chosen}`.")
    if not _has_id(root):
        raise WorkspaceError(f"{root} is not a workspace yet; adopt it with `daybook init {chosen}`.")
    return root


def state_home() -> str:
    """Folder of this user's private state of all workspaces: `$XDG_STATE_HOME/daybook`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.local/state")
    return os.path.join(base, "daybook")


def workspace_above(folder: str) -> str | None:
    """
    Find the nearest folder, this one or one above it, that is a workspace of this user.

    A git worktree of a workspace is that workspace, whatever lies in the worktree.
    """
    folder = os.path.realpath(folder)
    while True:
        main = _main_worktree(folder)
        if main is not None and _is_workspace(main):
            return main
        if _is_workspace(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def restored_above(folder: str) -> str | None:
    """
    Find the nearest folder, this one or one above it, that private state knows as a workspace, and restore its id.

    `git clean` and a checkout of old times delete `.daybook/id`. Another folder may have come to stand there since: it
    is taken for the same only if it brings no ledger line that private state does not hold.

    Returns:
        The folder, whose id is in its place again; None if there is none.
    """
    folder = os.path.realpath(folder)
    found = []
    for name in os.listdir(state_home()) if os.path.isdir(state_home()) else ():
        remembered = os.path.join(state_home(), name, PATH_FILE)
        if not _is_own_file(remembered):
            continue
        root = os.fsdecode(files.read_bytes(remembered).removesuffix(b"\n"))
        above = os.path.isabs(root) and os.path.commonpath((root, folder)) == root
        if above and not _has_id(root) and _is_same(root, os.path.dirname(remembered)):
            # Of several that stood there, the one that was adopted last.
            found.append((len(root), os.stat(remembered).st_mtime_ns, root, name))
    if not found:
        return None
    _, _, root, name = max(found)
    folders.make_dir(os.path.join(root, OWN_DIR))
    files.replace(os.path.join(root, OWN_DIR, ID_FILE), f"{name}\n".encode(), expected=None)
    return root


def _is_same(root: str, private: str) -> bool:
    own = os.path.join(root, OWN_DIR)
    if not os.path.isdir(root) or os.stat(root).st_uid != os.geteuid() or os.path.islink(own):
        return False
    here, known = (
        set((files.read_if_exists(os.path.join(place, LEDGER_FILE)) or b"").split(b"\n")) for place in (own, private)
    )
    return here - {b""} <= known


def _has_id(root: str) -> bool:
    return os.path.lexists(os.path.join(root, OWN_DIR, ID_FILE))


def _is_workspace(folder: str) -> bool:
    # A folder that someone else planted above ours (in /tmp, say) must not be picked up.
    own = os.path.join(folder, OWN_DIR)
    return _has_id(folder) and os.stat(own).st_uid == os.geteuid()


def _main_worktree(folder: str) -> str | None:
    """Find the folder whose linked git worktree this one is: each points to the other, or it is not followed."""
    pointer = os.path.join(folder, ".git")
    if not _is_own_file(pointer):
        return None
    said = files.read_bytes(pointer)
    place = os.path.realpath(os.path.join(folder, os.fsdecode(said.removeprefix(POINTER).strip())))
    listed, name = os.path.split(os.path.dirname(place))
    main, git = os.path.split(listed)
    back = os.path.join(place, "gitdir")
    if not said.startswith(POINTER) or (git, name) != (".git", "worktrees") or not _is_own_file(back):
        return None
    answer = os.path.join(place, os.fsdecode(files.read_bytes(back).strip()))
    return main if os.path.realpath(answer) == pointer else None


def _is_own_file(path: str) -> bool:
    try:
        found = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
