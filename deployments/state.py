"""
What `up` leaves for the command line: `server.json`, and a lock that tells whether it still runs.

The lock is the truth: the kernel frees it with the process, and a file can outlive a power cut.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from daybook import files, folders
from daybook.errors import WorkspaceError
from deployments.environment import Server, login, other_server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.workspace import Workspace


class ServerFile(BaseModel):
    """
    `server.json`; the login is not in it.

    Attributes:
        api_url: Where Prefect's API is.
        ui_url: Where a person looks.
        port: Of our own server; None for another.
        server_pid: Process of our own server; None for another.
        pid: Process of `up`.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    api_url: str
    ui_url: str
    port: int | None = None
    server_pid: int | None = None
    pid: int


@contextmanager
def held(workspace: Workspace) -> Iterator[None]:
    """
    Hold the lock of `up`, one per workspace; `server.json` goes with it.

    Raises:
        WorkspaceError: Another `up` holds it.
    """
    folders.make_private_dir(workspace.private)
    lock = files.try_lock(_lock(workspace))
    if lock is None:
        found = read(workspace)
        where = f" with its UI at {found.ui_url}" if found else ""
        raise WorkspaceError(
            f"Daybook is already up for {workspace.root}{where}; use that, or end it with Ctrl-C in its terminal."
        )
    try:
        # A killed predecessor's file must not be taken for ours.
        _path(workspace).unlink(missing_ok=True)
        yield
    finally:
        _path(workspace).unlink(missing_ok=True)
        os.close(lock)


def is_up(workspace: Workspace) -> bool:
    """Whether some process holds the lock of `up`."""
    if not _lock(workspace).exists():
        return False
    lock = files.try_lock(_lock(workspace))
    if lock is None:
        return True
    os.close(lock)
    return False


def write(workspace: Workspace, server: Server) -> None:
    """Tell the command line where the server is."""
    found = ServerFile(
        api_url=server.api_url, ui_url=server.ui_url, port=server.port, server_pid=server.pid, pid=os.getpid()
    )
    data = f"{found.model_dump_json(indent=1)}\n".encode()
    before = files.read_if_exists(_path(workspace))
    files.replace(_path(workspace), data, expected=before, mode=files.PRIVATE_FILE_MODE)


def read(workspace: Workspace) -> ServerFile | None:
    """Read what the running `up` wrote; None while it is starting."""
    data = files.read_if_exists(_path(workspace))
    if not data:
        return None
    try:
        return ServerFile.model_validate_json(data)
    except ValidationError:
        # Written atomically by us, so this is another version's; it counts as not there.
        return None


def as_server(workspace: Workspace, found: ServerFile) -> Server:
    """Describe the running server; ours with its login."""
    if found.port is None:
        return other_server(found.api_url)
    return Server(found.api_url, login(workspace), found.port, found.server_pid)


def _lock(workspace: Workspace) -> Path:
    return workspace.private / "up.lock"


def _path(workspace: Workspace) -> Path:
    return workspace.private / "server.json"
