"""
Where a workspace is, and where its private state lies.

Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import os

from daybook.errors import WorkspaceError

OWN_DIR = ".daybook"
ID_FILE = "id"
DEFAULT_WORKSPACE = "~/daybook"


def find_root(named: str | None, *, cwd: str | None = None) -> str:
    """
    Find the workspace's folder.

    In order: the one that is named, `DAYBOOK_WORKSPACE`, the nearest folder above the current one that
    is a workspace of this user, `~/daybook`.

    Returns:
        An absolute path with symlinks resolved.

    Raises:
        WorkspaceError: There is no workspace there.
    """
    chosen = named or os.environ.get("DAYBOOK_WORKSPACE")
    if not chosen:
        chosen = workspace_above(cwd or os.getcwd()) or DEFAULT_WORKSPACE
    named_root = os.path.realpath(os.path.expanduser(chosen))
    root = (workspace_above(named_root) if os.path.isdir(named_root) else None) or named_root
    if not os.path.isdir(root):
        raise WorkspaceError(f"There is no folder {root}; make a workspace with `daybook init {chosen}`.")
    if not os.path.lexists(os.path.join(root, OWN_DIR, ID_FILE)):
        raise WorkspaceError(f"{root} is not a workspace yet; adopt it with `daybook init {chosen}`.")
    return root


def state_home() -> str:
    """Folder of this user's private state of all workspaces: `$XDG_STATE_HOME/daybook`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.expanduser("~/.local/state")
    return os.path.join(base, "daybook")


def workspace_above(folder: str) -> str | None:
    """Find the nearest folder, this one or one above it, that is a workspace of this user."""
    # A folder that someone else planted above ours (in /tmp, say) must not be picked up.
    folder = os.path.realpath(folder)
    while True:
        own = os.path.join(folder, OWN_DIR)
        if os.path.lexists(os.path.join(own, ID_FILE)) and os.stat(own).st_uid == os.geteuid():
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent
