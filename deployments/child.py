"""A child process of ours: on a leash, in a session of its own, with a log file, and ended with all its group."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, folders
from deployments import leash

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from daybook.workspace import Workspace

LOG_LIMIT_BYTES = 5_000_000


@dataclass(frozen=True)
class Child:
    """
    A running child.

    Attributes:
        process: It leads a session and a process group, which its own children stay in.
        line: Our end of its leash; the child ends when this is closed.
        log: Where its output goes.
    """

    process: subprocess.Popen[bytes]
    line: socket.socket
    log: Path

    @property
    def pid(self) -> int:
        """Process id, and id of its group."""
        return self.process.pid

    def ended(self) -> bool:
        """Whether it has ended by itself."""
        return self.process.poll() is not None

    def ready(self) -> bool:
        """Whether it said since the last call that it does its work now."""
        try:
            return leash.READY in self.line.recv(64)
        except BlockingIOError:
            return False


def start(workspace: Workspace, name: str, command: list[str], environment: Mapping[str, str]) -> Child:
    """
    Start `python -m` *command* from private state.

    Its current folder is never the workspace, whose files Prefect would obey. A terminal's Ctrl-C does not
    reach it: the parent ends it in order.

    Args:
        workspace: Whose private state it runs in.
        name: Name of the log file.
        command: A module and its arguments.
        environment: All of it.
    """
    folders.make_private_dir(workspace.logs_dir)
    log = workspace.logs_dir / f"{name}.log"
    if log.exists() and log.stat().st_size > LOG_LIMIT_BYTES:
        log.replace(log.with_suffix(".log.1"))
    ours, theirs = socket.socketpair()
    output = os.open(
        log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, files.PRIVATE_FILE_MODE
    )
    try:
        process = subprocess.Popen(  # noqa: S603 - our own module under our own interpreter
            [sys.executable, "-m", "deployments.leash", str(theirs.fileno()), *command],
            cwd=workspace.private,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    finally:
        theirs.close()
        os.close(output)
    ours.settimeout(0)
    return Child(process, ours, log)


def stop(child: Child, *, grace_s: float) -> None:
    """Ask the child to end, and after *grace_s* seconds end it and whatever is left of its group."""
    if not child.ended():
        child.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(grace_s)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.process.wait()
    child.line.close()
