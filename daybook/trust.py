"""
What the operator has allowed on this machine, per workspace: `trust.json` in private state.

A folder that came from elsewhere brings settings and a ledger with it; neither acts before it is trusted here.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.errors import UnreadableFileError
from daybook.finding import state_home

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Grant:
    """
    What is allowed for one workspace.

    Attributes:
        settings: Hash of each acting part of daybook.toml that the operator has seen, by its name.
        ledger: Whether the ledger inside the folder counts.
    """

    settings: dict[str, str] = field(default_factory=dict)
    ledger: bool = False


def trusted_parts(workspace: Workspace) -> dict[str, str]:
    """Hash of each part that was allowed, by its name."""
    return _grant(workspace).settings


def ledger_trusted(workspace: Workspace) -> bool:
    """Whether the ledger that lies in the folder counts."""
    return _grant(workspace).ledger


def grant(workspace: Workspace, *, settings: Mapping[str, str], ledger: bool) -> None:
    """Allow these acting parts and this ledger; what was allowed before is replaced."""
    _change(workspace, Grant(settings=dict(settings), ledger=ledger))


def revoke(workspace: Workspace) -> None:
    """Allow nothing any more."""
    _change(workspace, None)


def known(workspace: Workspace) -> bool:
    """Whether `init` or `trust` ever ran for this workspace on this machine."""
    return workspace.id in _read()[1]


def _grant(workspace: Workspace) -> Grant:
    return _read()[1].get(workspace.id, Grant())


def _change(workspace: Workspace, new: Grant | None) -> None:
    folders.make_private_dir(state_home())
    with files.locked(_path().with_suffix(".lock")):
        data, grants = _read()
        grants.pop(workspace.id, None)
        if new is not None:
            grants[workspace.id] = new
        text = json.dumps({key: asdict(value) for key, value in sorted(grants.items())}, indent=1)
        files.replace(_path(), f"{text}\n".encode(), expected=data, mode=files.PRIVATE_FILE_MODE)


def _path() -> Path:
    return Path(state_home()) / "trust.json"


def _read() -> tuple[bytes | None, dict[str, Grant]]:
    data = files.read_if_exists(_path())
    try:
        return data, {key: _understood(row) for key, row in json.loads(data or "{}").items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise UnreadableFileError(
            f"{_path()} is damaged, so nothing is trusted; move it away and run `daybook trust` in each workspace."
        ) from error


def _understood(row: dict[str, object]) -> Grant:
    # By hand and not by Pydantic: `daybook context` comes through here.
    settings, ledger = row.get("settings"), row.get("ledger")
    if not isinstance(settings, dict) or not isinstance(ledger, bool):
        raise TypeError(f"no grant: {row!r}")
    return Grant({str(name): str(digest) for name, digest in settings.items()}, ledger)
