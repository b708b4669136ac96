"""What the command line needs of Prefect: is it up, its settings, and running one flow here and now."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybook import folders
from daybook.errors import ServerError
from daybook.schedule import manifest
from deployments import api, embedded, state
from deployments import server as own
from deployments.environment import Server, client_environment, client_settings, other_server
from deployments.importing import safe_entries
from deployments.listening import listens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from daybook.settings import Settings
    from daybook.workspace import Workspace


def running(workspace: Workspace) -> Server | None:
    """Give the server that `daybook up` runs for this workspace, if it answers; changes nothing."""
    found = state.read(workspace) if state.is_up(workspace) else None
    if found is None:
        return None
    if found.port is not None and (found.server_pid is None or not listens(found.server_pid, found.port)):
        return None
    server = state.as_server(workspace, found)
    return server if api.is_healthy(server) else None


def settings_for_cli(workspace: Workspace) -> dict[str, str]:
    """
    Give the environment for Prefect's own command line, as `daybook env` prints it.

    Raises:
        ServerError: Nothing is up.
    """
    server = running(workspace)
    if server is None:
        raise ServerError(f"Daybook is not up for {workspace.root}; start it with `daybook up` in another terminal.")
    return client_settings(workspace, server)


def run_flow(
    workspace: Workspace,
    settings: Settings,
    name: str,
    parameters: Mapping[str, Any],
    *,
    progress: Callable[[str], None],
    console_level: str = "CRITICAL",
) -> Any:
    """
    Run one flow in this process and give what it returns.

    Args:
        workspace: The workspace it works on.
        settings: Of the workspace.
        name: Name of its deployment in the manifest.
        parameters: For the flow.
        progress: Told what takes longer than two seconds.
        console_level: From which level on Prefect's logs show on the terminal; a flow's failure is raised here
            anyway, and the UI has them all.

    Raises:
        ServerError: No server could be reached or started.
    """
    with session(workspace, settings, progress=progress, console_level=console_level) as run:
        return run(name, parameters)


@contextmanager
def session(
    workspace: Workspace, settings: Settings, *, progress: Callable[[str], None], console_level: str = "CRITICAL"
) -> Iterator[Callable[[str, Mapping[str, Any]], Any]]:
    """
    Give a function that runs flows in this process, all on the same server.

    That is the running one, else the one of `[prefect] api_url`, else a temporary one of ours. Inside, the
    current folder is private state and the environment is ours, set before Prefect is first imported.

    Args:
        workspace: The workspace they work on.
        settings: Of the workspace.
        progress: Told what takes longer than two seconds.
        console_level: From which level on Prefect's logs show on the terminal; a flow's failure is raised here
            anyway, and the UI has them all.

    Raises:
        ServerError: No server could be reached or started.
    """
    caller = dict(os.environ)

    def run(name: str, parameters: Mapping[str, Any]) -> Any:
        module, _, function = manifest.plan(settings, name).entrypoint.rpartition(".")
        flow = getattr(importlib.import_module(module), function)
        return asyncio.run(flow(**parameters))

    with _reachable(workspace, settings, caller, progress) as server:
        environment = client_environment(workspace, server, caller)
        environment["PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL"] = console_level
        with _inside(workspace, environment), _telling(progress):
            yield run


@contextmanager
def _telling(progress: Callable[[str], None]) -> Iterator[None]:
    """Tell what the core says while it works: that a model is asked, or waited for."""
    logger, handler = logging.getLogger("daybook"), logging.Handler(logging.INFO)
    level = logger.level
    handler.emit = lambda record: progress(record.getMessage())  # type: ignore[method-assign] # all it has to do
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def _reachable(
    workspace: Workspace, settings: Settings, caller: Mapping[str, str], progress: Callable[[str], None]
) -> Iterator[Server]:
    found = running(workspace)
    if found is not None:
        yield found
        return
    if settings.prefect.api_url is not None:
        yield api.require(other_server(settings.prefect.api_url))
        return
    temporary = own.start(workspace, caller, progress=progress, only_api=True)
    try:
        yield temporary.server
    finally:
        temporary.stop()


@contextmanager
def _inside(workspace: Workspace, environment: Mapping[str, str]) -> Iterator[None]:
    folders.make_private_dir(workspace.private)
    folder, variables, path = Path.cwd(), dict(os.environ), list(sys.path)
    # Before the change of folder: an empty entry means the caller's.
    sys.path[:] = safe_entries(workspace, path)
    os.chdir(workspace.private)
    _replace_environment(environment)
    embedded.renew_settings()
    try:
        yield
    finally:
        embedded.flush()
        sys.path[:] = path
        _replace_environment(variables)
        os.chdir(folder)


def _replace_environment(wanted: Mapping[str, str]) -> None:
    for name in [name for name in os.environ if name not in wanted]:
        del os.environ[name]
    os.environ.update(wanted)
