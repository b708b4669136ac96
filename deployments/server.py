"""Our own Prefect server: its port, its start, and waiting until it is ours that answers."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.errors import ServerError
from deployments import api, child
from deployments.environment import HOST, Server, own_server, server_environment
from deployments.listening import free_port, is_free, listens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from daybook.workspace import Workspace

USUAL_PORT = 4200
HIGHEST_PORT = 65535
START_TIMEOUT_S = 120.0
STOP_GRACE_S = 5.0
LOOK_EVERY_S = 0.2
PORT_WAIT_S = 8.0


@dataclass(frozen=True)
class OwnServer:
    """
    A server we started.

    Attributes:
        server: As its clients see it.
        child: Its process.
    """

    server: Server
    child: child.Child

    def stop(self) -> None:
        """End it."""
        child.stop(self.child, grace_s=STOP_GRACE_S)


def start(
    workspace: Workspace, caller: Mapping[str, str], *, progress: Callable[[str], None], only_api: bool = False
) -> OwnServer:
    """
    Start our server and wait until it answers.

    Args:
        workspace: Whose server it is.
        caller: The caller's environment.
        progress: Told what takes longer than two seconds.
        only_api: Without schedules and clean-ups, for a server that serves one command.

    Raises:
        ServerError: It ended, or did not answer in time; the sentence names its log.
    """
    # One start at a time: two would migrate the same new database.
    folders.make_private_dir(workspace.prefect_home)
    with files.locked(workspace.prefect_home / "start.lock"):
        # Nobody looks at a server for one command, so it leaves the UI's port to `up`.
        server = own_server(workspace, free_port() if only_api else choose_port(workspace, progress))
        new = not (workspace.prefect_home / "prefect.db").exists()
        progress(f"Starting Prefect's server (about {15 if new else 5} s) …")
        command = ["prefect", "server", "start", "--host", HOST, "--port", str(server.port)]
        command += ["--no-services"] if only_api else []
        process = child.start(workspace, "server", command, server_environment(workspace, server, caller))
        started = OwnServer(replace(server, pid=process.pid), process)
        try:
            _wait_until_healthy(started)
        except BaseException:
            started.stop()
            raise
        return started


def choose_port(workspace: Workspace, progress: Callable[[str], None]) -> int:
    """Take the port of last time if it is or soon becomes free, else 4200, else any free one; and remember it."""
    path = workspace.prefect_home / "port"
    before = files.read_if_exists(path)
    text = (before or b"").decode("ascii", "replace").strip()
    remembered = int(text) if text.isdigit() and 0 < int(text) <= HIGHEST_PORT else None
    if remembered is not None and _becomes_free(remembered, progress):
        return remembered
    port = USUAL_PORT if is_free(USUAL_PORT) else free_port()
    files.replace(path, f"{port}\n".encode(), expected=before, mode=files.PRIVATE_FILE_MODE)
    return port


def _becomes_free(port: int, progress: Callable[[str], None]) -> bool:
    # The server of an `up` that was killed takes a moment to end.
    if is_free(port):
        return True
    progress(f"Waiting for port {port} (at most {PORT_WAIT_S:.0f} s) …")
    deadline = time.monotonic() + PORT_WAIT_S
    while time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_S)
        if is_free(port):
            return True
    return False


def _wait_until_healthy(started: OwnServer) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    port = started.server.port
    while time.monotonic() < deadline:
        if started.child.ended():
            raise ServerError(f"Prefect's server ended as it started; its log is {started.child.log}.")
        # The login goes out only after the port is seen to be our child's.
        if port is not None and listens(started.child.pid, port) and api.is_healthy(started.server):
            return
        time.sleep(LOOK_EVERY_S)
    raise ServerError(
        f"Prefect's server did not answer within {START_TIMEOUT_S:.0f} s; its log is {started.child.log}; "
        "start `daybook up` again."
    )
