from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from deployments.environment import (
    client_environment,
    client_settings,
    login,
    other_server,
    own_server,
    runner_environment,
    server_environment,
)

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace


def test_the_password_is_made_once_and_is_private(workspace: Workspace) -> None:
    first = login(workspace)
    assert login(workspace) == first
    assert first.startswith("daybook:")
    assert len(first) >= len("daybook:") + 24
    assert (workspace.prefect_home / "password").stat().st_mode & 0o777 == 0o600


def test_the_password_does_not_show_in_a_servers_repr(workspace: Workspace) -> None:
    server = own_server(workspace, 4200)
    assert server.login is not None
    assert server.login not in repr(server)


def test_s22_nothing_of_the_shells_prefect_settings_is_followed(workspace: Workspace) -> None:
    shell = {"PREFECT_API_URL": "https://company.example/api", "PREFECT_API_KEY": "k", "PREFECT_PROFILE": "work"}
    server = own_server(workspace, 4200)
    for found in (client_environment, runner_environment, server_environment):
        environment = found(workspace, server, shell)
        assert environment["PREFECT_API_URL"] == "http://127.0.0.1:4200/api"
        assert {"PREFECT_API_KEY", "PREFECT_PROFILE"}.isdisjoint(environment)


def test_a_server_of_the_operators_gets_no_password_of_ours(workspace: Workspace) -> None:
    server = other_server("https://prefect.example/api/")
    found = client_settings(workspace, server)
    assert found["PREFECT_API_URL"] == "https://prefect.example/api"
    assert "PREFECT_API_AUTH_STRING" not in found
    assert not (workspace.prefect_home / "password").exists()


def test_only_the_server_goes_without_the_callers_variables(workspace: Workspace) -> None:
    shell = {"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o", "SOME_TOKEN": "t", "PATH": "/usr/bin", "LC_ALL": "C.UTF-8"}
    server = own_server(workspace, 4200)
    of_server, of_runner = server_environment(workspace, server, shell), runner_environment(workspace, server, shell)
    assert {name: of_server.get(name) for name in shell} == dict.fromkeys(shell) | {
        "PATH": "/usr/bin",
        "LC_ALL": "C.UTF-8",
    }
    assert {name: of_runner[name] for name in shell} == shell


def test_the_callers_proxy_is_not_used_for_our_own_server(workspace: Workspace) -> None:
    shell = {"HTTP_PROXY": "http://proxy.example", "no_proxy": "intranet.example,localhost"}
    found = client_environment(workspace, own_server(workspace, 4200), shell)
    assert found["no_proxy"] == found["NO_PROXY"] == "intranet.example,localhost,127.0.0.1"
    assert found["HTTP_PROXY"] == "http://proxy.example"


def test_o12_others_packages_of_our_names_do_not_come_in_by_pythonpath(workspace: Workspace, tmp_path: Path) -> None:
    theirs, harmless, inside = tmp_path / "theirs", tmp_path / "harmless", workspace.root / "lib"
    for folder in (theirs / "flows", harmless, inside):
        folder.mkdir(parents=True)
    path = os.pathsep.join(map(str, (theirs, inside, workspace.root, harmless, sys.prefix)))
    found = client_environment(workspace, own_server(workspace, 4200), {"PYTHONPATH": path})
    assert found["PYTHONPATH"].split(os.pathsep) == [str(harmless), sys.prefix]
    assert found["PYTHONSAFEPATH"] == "1"
