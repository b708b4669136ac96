"""
`daybook up`: server and runner in the foreground, started, watched, started again, and ended together.

This process imports no Prefect and runs no flow, so nothing of theirs can take it down.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from daybook import folders
from daybook.errors import ServerError
from deployments import api, child, state
from deployments import server as own
from deployments.environment import other_server, runner_environment, temporary_dir
from deployments.importing import safe_entries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from daybook.settings import Settings
    from daybook.workspace import Workspace
    from deployments.environment import Server

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RUNNER_GRACE_S = 8.0
READY_TIMEOUT_S = 90.0
LOOK_EVERY_S = 0.5
READY_EVERY_S = 0.1
FIRST_DELAY_S = 1.0
LONGEST_DELAY_S = 60.0
STEADY_AFTER_S = 120.0
FIRST_RUN = "heartbeat/heartbeat"


class _Stopped(BaseException):
    """A signal asked us to end."""


def run(
    workspace: Workspace, settings: Settings, *, announce: Callable[[str], None], caller: Mapping[str, str]
) -> None:
    """
    Keep server and runner up until SIGINT, SIGTERM or SIGHUP; then end all of it within 20 s.

    Changes the current folder to private state. Must be called on the main thread.

    Args:
        workspace: Opened.
        settings: Its settings, as far as they are trusted.
        announce: Gets every line meant for the operator.
        caller: The caller's environment; nothing of its `PREFECT_*` is followed.

    Raises:
        WorkspaceError: Another machine is its home, or another `up` runs for it.
        ServerError: Server or runner did not start.
    """
    workspace.require_home()
    with state.held(workspace):
        keeper = _Keeper(workspace, settings, announce, caller)
        sys.path[:] = safe_entries(workspace, sys.path)
        os.chdir(workspace.private)
        shutil.rmtree(temporary_dir(workspace), ignore_errors=True)
        folders.make_private_dir(temporary_dir(workspace))
        _keep_until_signal(keeper, announce)


def _keep_until_signal(keeper: _Keeper, announce: Callable[[str], None]) -> None:
    with _signals_that_stop():
        try:
            keeper.start()
            keeper.watch()
        except _Stopped:
            announce("Stopping (up to 20 s) …")
        finally:
            # From here on a second Ctrl-C would leave children behind.
            _ignore_signals()
            keeper.stop()


class _Keeper:
    """What is running now. An object, so that whatever fails in between, what was started is ended."""

    def __init__(
        self, workspace: Workspace, settings: Settings, announce: Callable[[str], None], caller: Mapping[str, str]
    ) -> None:
        self.workspace, self.announce, self.caller = workspace, announce, caller
        self.api_url = settings.prefect.api_url
        self.own: own.OwnServer | None = None
        self.runner: child.Child | None = None
        self.server: Server | None = None
        self.delay_s = FIRST_DELAY_S
        self.restarted_s = time.monotonic()

    def start(self) -> None:
        """Start server and runner, say where the UI is, and start the first heartbeat."""
        server = self._start_server()
        self._start_runner(server)
        self._tell_address(server)
        try:
            api.start_run(server, FIRST_RUN, {})
            self.announce("The first heartbeat starts.")
        except ServerError as error:
            self.announce(f"The first heartbeat waits for its schedule: {error}")

    def watch(self) -> None:
        """Start again what ends, with growing pauses, until a signal."""
        while True:
            time.sleep(LOOK_EVERY_S)
            try:
                self._look()
            except ServerError as error:
                self.announce(str(error))

    def stop(self) -> None:
        """End the runner first: it still has to tell the server what became of its runs."""
        self._stop_runner()
        if self.own is not None:
            self.own.stop()
            self.own = None

    def _look(self) -> None:
        if self.api_url is None and (self.own is None or self.own.child.ended()):
            self._pause("Prefect's server has ended", "server.log")
            if self.own is not None:
                self.own.stop()
                self.own = None
            before = self.server
            server = self._start_server()
            if before is None or server.api_url != before.api_url:
                self._restart_runner(server)
                self._tell_address(server)
        elif self.server is not None and (self.runner is None or self.runner.ended()):
            self._pause("The runner has ended", "runner.log")
            self._restart_runner(self.server)

    def _start_server(self) -> Server:
        if self.api_url is None:
            self.own = own.start(self.workspace, self.caller, progress=self.announce)
            self.server = self.own.server
        else:
            self.server = api.require(other_server(self.api_url))
        state.write(self.workspace, self.server)
        return self.server

    def _start_runner(self, server: Server) -> None:
        self.announce("Starting the runner (about 5 s) …")
        environment = runner_environment(self.workspace, server, self.caller)
        self.runner = child.start(self.workspace, "runner", ["deployments.serve"], environment)
        deadline = time.monotonic() + READY_TIMEOUT_S
        while not self.runner.ready():
            if self.runner.ended() or time.monotonic() > deadline:
                self._stop_runner()
                log = self.workspace.logs_dir / "runner.log"
                raise ServerError(f"The runner did not start; its log is {log}.")
            time.sleep(READY_EVERY_S)

    def _tell_address(self, server: Server) -> None:
        self.announce(f"Daybook is up for {self.workspace.root}; Ctrl-C ends it.")
        login = f" (login: {server.login})" if server.login else ""
        self.announce(f"UI: {server.ui_url}{login}")

    def _restart_runner(self, server: Server) -> None:
        # Its flow runs must not go on beside those of its successor.
        self._stop_runner()
        self._start_runner(server)

    def _stop_runner(self) -> None:
        if self.runner is not None:
            child.stop(self.runner, grace_s=RUNNER_GRACE_S)
            self.runner = None

    def _pause(self, what: str, log: str) -> None:
        if time.monotonic() - self.restarted_s > STEADY_AFTER_S:
            self.delay_s = FIRST_DELAY_S
        path = self.workspace.logs_dir / log
        self.announce(f"{what}; starting it again in {self.delay_s:.0f} s (its log is {path}).")
        time.sleep(self.delay_s)
        self.delay_s = min(self.delay_s * 2, LONGEST_DELAY_S)
        self.restarted_s = time.monotonic()


@contextmanager
def _signals_that_stop() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _Stopped

    before = {number: signal.signal(number, stop) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _ignore_signals() -> None:
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
