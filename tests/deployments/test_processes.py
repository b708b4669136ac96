from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from daybook.errors import ServerError, WorkspaceError
from deployments import api, child, server, state
from deployments.environment import other_server, own_server
from deployments.listening import free_port, is_free, listens

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

DEADLINE_S = 20
PARENT = """
import os, sys, time
from pathlib import Path
from daybook.workspace import Workspace
from deployments import child
started = child.start(Workspace(Path(sys.argv[1]), "0" * 32, Path(sys.argv[1])), "log", ["timeit", "-n", "1",
    "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)'])"], os.environ)
print(started.pid, flush=True)
time.sleep(600)
"""


def wait_until(look: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not look():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


def group_is_gone(pgid: int) -> bool:
    try:
        os.killpg(pgid, 0)
    except ProcessLookupError:
        return True
    return False


def test_core_and_command_line_do_without_importing_prefect() -> None:
    code = "import sys, deployments.client, deployments.supervisor; sys.exit('prefect' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_child_and_its_own_children_end_when_the_parent_is_killed(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pgid = int(parent.stdout.readline())
    assert not group_is_gone(pgid)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: group_is_gone(pgid))


def test_stop_ends_a_child_that_ignores_sigterm(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "stubborn.py").write_text(
        "import os, signal, time\nfrom deployments.leash import tell_ready\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\ntell_ready()\ntime.sleep(600)\n"
    )
    found = child.start(workspace, "stubborn", ["stubborn"], os.environ | {"PYTHONPATH": str(tmp_path)})
    wait_until(found.ready)
    child.stop(found, grace_s=0.2)
    assert found.process.returncode == -signal.SIGKILL
    assert group_is_gone(found.pid)


def test_a_port_is_known_by_who_listens_on_it() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert not is_free(port)
        assert listens(os.getpid(), port)
        assert not listens(os.getppid(), port)
    assert is_free(port)
    assert not listens(os.getpid(), port)


def test_the_port_of_last_time_is_taken_again(workspace: Workspace) -> None:
    remembered = workspace.prefect_home / "port"
    remembered.parent.mkdir(parents=True)
    port = free_port()
    remembered.write_text(f"{port}\n")
    assert server.choose_port(workspace, print) == port
    remembered.write_text("nonsense\n")
    chosen = server.choose_port(workspace, print)
    assert is_free(chosen)
    assert remembered.read_text() == f"{chosen}\n"


def test_one_up_per_workspace(workspace: Workspace) -> None:
    assert not state.is_up(workspace)
    with state.held(workspace):
        state.write(workspace, own_server(workspace, 4321, pid=os.getpid()))
        assert state.is_up(workspace)
        with pytest.raises(WorkspaceError, match=r"already up .* http://127\.0\.0\.1:4321"), state.held(workspace):
            pass
        assert state.read(workspace) is not None
    assert not state.is_up(workspace)
    assert state.read(workspace) is None


def test_a_server_file_of_a_killed_up_counts_for_nothing(workspace: Workspace) -> None:
    workspace.private.mkdir(parents=True, exist_ok=True)
    state.write(workspace, own_server(workspace, 4321, pid=os.getpid()))
    with state.held(workspace):
        assert state.read(workspace) is None


def test_a_server_of_the_operators_is_called_without_a_login(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/api/health").respond_with_json(True)  # noqa: FBT003 - what Prefect answers
    httpserver.expect_request("/api/admin/version").respond_with_json("3.9.1")
    httpserver.expect_request("/api/deployments/name/review/review").respond_with_json({"id": "d1"})
    httpserver.expect_request("/api/deployments/d1/create_flow_run", method="POST").respond_with_json({"id": "r1"})
    theirs = other_server(httpserver.url_for("/api"))
    assert api.is_healthy(theirs)
    assert api.start_run(theirs, "review/review", {"dry_run": True}) == "r1"
    assert all("Authorization" not in request.headers for request, _ in httpserver.log)


@pytest.mark.parametrize(("status", "reason"), [(401, "wants a login"), (500, "answers 500 to GET /admin/version")])
def test_a_server_of_the_operators_that_cannot_be_used_is_named(
    httpserver: HTTPServer, status: int, reason: str
) -> None:
    httpserver.expect_request("/api/health").respond_with_json(True)  # noqa: FBT003 - what Prefect answers
    httpserver.expect_request("/api/admin/version").respond_with_json({}, status=status)
    theirs = other_server(httpserver.url_for("/api"))
    assert not api.is_healthy(theirs)
    with pytest.raises(ServerError, match=reason):
        api.require(theirs)


def test_a_server_that_refuses_is_one_sentence(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/api/deployments/name/review/review").respond_with_json({}, status=404)
    with pytest.raises(ServerError, match="answered 404 to GET"):
        api.start_run(other_server(httpserver.url_for("/api")), "review/review", {})
    with pytest.raises(ServerError, match="does not answer"):
        api.start_run(other_server(f"http://127.0.0.1:{free_port()}/api"), "review/review", {})
