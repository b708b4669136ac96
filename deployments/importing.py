"""
Where Python looks for modules, without the places that would give others' code in place of ours.

`flows` and `tasks` are common names: a workspace, or a folder on the operator's PYTHONPATH, may have its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.workspace import Workspace

OURS = Path(__file__).resolve().parent.parent
PACKAGES = ("daybook", "deployments", "flows", "prompts", "tasks")


def safe_entries(workspace: Workspace, entries: Iterable[str]) -> list[str]:
    """
    Keep what is ours, what is installed, and what shadows none of our packages.

    Args:
        workspace: Nothing is imported from inside it, but from an environment that is installed there.
        entries: Of `sys.path` or PYTHONPATH; an empty one is the current folder.
    """
    return [entry for entry in entries if _is_safe(workspace, Path(entry or ".").resolve())]


def _is_safe(workspace: Workspace, folder: Path) -> bool:
    prefixes = {Path(prefix).resolve() for prefix in (sys.prefix, sys.base_prefix)}
    if folder == OURS or any(folder.is_relative_to(prefix) for prefix in prefixes):
        return True
    if folder.is_relative_to(workspace.root):
        return False
    return not any((folder / name).is_dir() or (folder / f"{name}.py").exists() for name in PACKAGES)
