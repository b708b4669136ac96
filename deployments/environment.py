"""
The environment of every Prefect process of ours, written out.

Nothing of the caller's own `PREFECT_*` is followed: a shell that points to a company's server must not
receive runs, notes or passwords of ours. Setting names were checked against Prefect 3.9.1.
"""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook import files, folders
from deployments.importing import safe_entries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.workspace import Workspace

HOST = "127.0.0.1"
USER = "daybook"
PASSWORD_BYTES = 18
KEEP_RUNS_S = 90 * 24 * 3600
POLL_EVERY_S = 5
LOCAL_HOSTS = ("127.0.0.1", "localhost")

# What a server needs of the caller's environment. An allow-list: keys of models have many names.
SERVER_KEEPS = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    *("PYTHONHOME", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)
SERVER_KEEPS_PREFIXES = ("LC_", "XDG_")


@dataclass(frozen=True)
class Server:
    """
    A Prefect server as its clients see it.

    Attributes:
        api_url: Ends in `/api`, without a slash after it.
        login: `user:password` for API and UI; None for a server that is not ours.
        port: Of our own server on 127.0.0.1; None for another.
        pid: Process that listens on it; None while unknown, or for a server that is not ours.
    """

    api_url: str
    login: str | None = field(default=None, repr=False)
    port: int | None = None
    pid: int | None = None

    @property
    def ui_url(self) -> str:
        """Address of the UI."""
        return self.api_url.removesuffix("/api")


def login(workspace: Workspace) -> str:
    """Give our server's `user:password`; the password is made once and lies in private state, mode 0600."""
    folders.make_private_dir(workspace.prefect_home)
    path = workspace.prefect_home / "password"
    with files.locked(workspace.prefect_home / "password.lock"):
        if not files.read_if_exists(path):
            made = secrets.token_urlsafe(PASSWORD_BYTES)
            files.replace(path, f"{made}\n".encode(), expected=None, mode=files.PRIVATE_FILE_MODE)
    return f"{USER}:{files.read_bytes(path).decode('ascii').strip()}"


def own_server(workspace: Workspace, port: int, *, pid: int | None = None) -> Server:
    """Describe our own server on *port*."""
    return Server(f"http://{HOST}:{port}/api", login(workspace), port, pid)


def other_server(api_url: str) -> Server:
    """Describe the operator's server of `[prefect] api_url`; it gets no password of ours."""
    return Server(api_url.rstrip("/"))


def client_settings(workspace: Workspace, server: Server) -> dict[str, str]:
    """Settings by which Prefect's own command line and client reach *server*, and nothing else."""
    home = workspace.prefect_home
    found = {
        "PREFECT_API_URL": server.api_url,
        "PREFECT_HOME": str(home),
        "PREFECT_PROFILES_PATH": str(home / "profiles.toml"),
        "PREFECT_SERVER_EPHEMERAL_ENABLED": "false",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "DO_NOT_TRACK": "1",
    }
    return found if server.login is None else found | {"PREFECT_API_AUTH_STRING": server.login}


def client_environment(workspace: Workspace, server: Server, caller: Mapping[str, str]) -> dict[str, str]:
    """Environment for a process of ours that uses *server*; everything of the caller's but `PREFECT_*` stays."""
    kept = {name: value for name, value in caller.items() if not name.startswith("PREFECT_")}
    return kept | _no_proxy(caller) | client_settings(workspace, server) | _ours(workspace, caller)


def runner_environment(workspace: Workspace, server: Server, caller: Mapping[str, str]) -> dict[str, str]:
    """Environment of the runner and its flow runs; keeps the keys of models."""
    return client_environment(workspace, server, caller) | {
        "PREFECT_RUNNER_POLL_FREQUENCY": str(POLL_EVERY_S),
        "PREFECT_LOGGING_COLORS": "false",
        # Prefect makes a folder of a fixed name there, which in /tmp may be someone else's.
        "TMPDIR": str(temporary_dir(workspace)),
    }


def server_environment(workspace: Workspace, server: Server, caller: Mapping[str, str]) -> dict[str, str]:
    """
    Environment of our server: no keys, and no variable it has no use for.

    Args:
        workspace: Whose private state holds the database.
        server: Our own, with its port and login.
        caller: The caller's environment.
    """
    kept = {n: v for n, v in caller.items() if n in SERVER_KEEPS or n.startswith(SERVER_KEEPS_PREFIXES)}
    origins = ",".join(f"http://{host}:{server.port}" for host in LOCAL_HOSTS)
    ours = {
        "PREFECT_SERVER_API_HOST": HOST,
        "PREFECT_SERVER_API_PORT": str(server.port),
        "PREFECT_SERVER_API_AUTH_STRING": server.login or "",
        "PREFECT_SERVER_API_CORS_ALLOWED_ORIGINS": origins,
        "PREFECT_SERVER_UI_API_URL": server.api_url,
        # The second UI calls an analytics host.
        "PREFECT_SERVER_UI_V2_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        # In memory, a lease that is lost with the server blocks its schedule for ever.
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": "prefect.server.concurrency.lease_storage.filesystem",
        "PREFECT_SERVER_SERVICES_DB_VACUUM_ENABLED": "events,flow_runs",
        "PREFECT_SERVER_SERVICES_DB_VACUUM_RETENTION_PERIOD": str(KEEP_RUNS_S),
        "PREFECT_CLI_PROMPT": "false",
        "PREFECT_CLI_COLORS": "false",
        "PREFECT_LOGGING_COLORS": "false",
    }
    return kept | _no_proxy(caller) | client_settings(workspace, server) | _ours(workspace, caller) | ours


def temporary_dir(workspace: Workspace) -> str:
    """Folder for the temporary files of runner and flow runs."""
    return str(workspace.private / "tmp")


def _ours(workspace: Workspace, caller: Mapping[str, str]) -> dict[str, str]:
    entries = safe_entries(workspace, filter(None, caller.get("PYTHONPATH", "").split(os.pathsep)))
    return {
        "DAYBOOK_WORKSPACE": str(workspace.root),
        "PYTHONPATH": os.pathsep.join(entries),
        "PYTHONSAFEPATH": "1",
        "PYTHONUNBUFFERED": "1",
    }


def _no_proxy(caller: Mapping[str, str]) -> dict[str, str]:
    # Without it, calls to our own server go through the caller's proxy, password and all.
    before = caller.get("no_proxy") or caller.get("NO_PROXY") or ""
    hosts = ",".join(dict.fromkeys([*filter(None, before.split(",")), *LOCAL_HOSTS]))
    return {"no_proxy": hosts, "NO_PROXY": hosts}
