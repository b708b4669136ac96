"""One `up` with real processes, shared by all tests here, which run in order: the last but one ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import httpx
import pytest

from daybook import adoption
from daybook.errors import ServerError, WorkspaceError
from daybook.settings import Settings
from deployments import client, state, supervisor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daybook.workspace import Workspace
    from deployments.environment import Server

    T = TypeVar("T")

USUAL_PORT = 4200
UP_DEADLINE_S = 90
RUN_DEADLINE_S = 60
STOP_DEADLINE_S = 20
EVIL = "http://evil.example"
OPEN = """
import os, sys
from daybook import settings
from daybook.workspace import open_workspace
from deployments import client, supervisor
workspace = open_workspace(sys.argv[1])
found = settings.load(workspace).settings
say = lambda line: print(line, flush=True)
"""
UP = f"{OPEN}supervisor.run(workspace, found, announce=say, caller=dict(os.environ))"
RUN = f"{OPEN}print(client.run_flow(workspace, found, 'heartbeat', {{'dry_run': True}}, progress=say), os.getcwd())"

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks at processes in /proc")


def wait_for(look: Callable[[], T | None], *, within_s: float, what: str) -> T:
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if found := look():
            return found
        time.sleep(0.1)
    pytest.fail(f"not within {within_s} s: {what}")


def read_proc(pid: int, name: str) -> str:
    try:
        return os.fsdecode(Path(f"/proc/{pid}/{name}").read_bytes())
    except OSError:
        return ""


def environment_of(pid: int) -> dict[str, str]:
    return dict(entry.split("=", 1) for entry in read_proc(pid, "environ").split("\0") if "=" in entry)


def processes_of(workspace: Workspace) -> list[int]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if environment_of(pid).get("DAYBOOK_WORKSPACE") == str(workspace.root)]


def plant_traps(root: Path) -> None:
    """Put files that Prefect or Python obey when they are started beside them; code among them leaves a mark."""
    trap = f"open({str(root / 'SPRUNG')!r}, 'a').write(__name__)\n"
    (root / "prefect.toml").write_text('[api]\nurl = "http://trap.invalid/api"\n')
    (root / ".env").write_text("PREFECT_API_URL=http://trap.invalid/api\n")
    (root / "cronsim.py").write_text(trap)
    (root / "flows").mkdir()
    (root / "flows" / "__init__.py").write_text(trap)


def hostile_shell() -> dict[str, str]:
    return os.environ | {
        "PREFECT_API_URL": "http://company.invalid/api",
        "PREFECT_API_KEY": "company-key",
        "HTTP_PROXY": "http://proxy.invalid:3128",
        "GEMINI_API_KEY": "fake-model-key",
    }


def listener_on(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except OSError:
        # Somebody else has it: taken all the same.
        return listener
    listener.listen()
    return listener


def run_heartbeat(workspace: Workspace) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUN, str(workspace.root)],
        cwd=workspace.root,
        env=hostile_shell(),
        capture_output=True,
        text=True,
        timeout=RUN_DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@dataclass(frozen=True)
class Up:
    """A running `up`, seen from outside."""

    workspace: Workspace
    process: subprocess.Popen[bytes]
    server: Server

    def api(self, method: str, path: str, body: object = None) -> Any:
        """Call Prefect's API as its own client does, which asks again while another writes to the database."""
        user, _, password = (self.server.login or "").partition(":")

        def answered() -> httpx.Response | None:
            answer = httpx.request(
                method, f"{self.server.api_url}{path}", json=body, auth=(user, password), trust_env=False
            )
            return None if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE else answer

        answer = wait_for(answered, within_s=RUN_DEADLINE_S, what="an answer of the API")
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def deployments(self) -> dict[str, Any]:
        """All deployments by name."""
        return {found["name"]: found for found in self.api("POST", "/deployments/filter", {})}

    def runner(self) -> int | None:
        """Process id of the runner."""
        found = [pid for pid in processes_of(self.workspace) if "deployments.serve" in read_proc(pid, "cmdline")]
        return found[0] if found else None


@pytest.fixture(scope="module")
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("state")
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.delenv("DAYBOOK_WORKSPACE", raising=False)
        yield folder


@pytest.fixture(autouse=True)
def _same_state_in_all_tests(state_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(state_home))


@pytest.fixture(scope="module")
def up(state_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    workspace = adoption.adopt(tmp_path_factory.mktemp("up") / "workspace", datetime.now(UTC)).workspace
    plant_traps(workspace.root)
    output = state_home / "up.out"
    with ExitStack() as stack:
        stack.enter_context(closing(listener_on(USUAL_PORT)))
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", UP, str(workspace.root)],
            cwd=workspace.root,
            env=hostile_shell(),
            stdout=stack.enter_context(output.open("wb")),
            stderr=subprocess.STDOUT,
        )
        stack.callback(process.wait, STOP_DEADLINE_S)
        stack.callback(process.terminate)

        def running() -> Server | None:
            assert process.poll() is None, output.read_text()
            return client.running(workspace) if "UI: " in output.read_text() else None

        server = wait_for(running, within_s=UP_DEADLINE_S, what="the address of the UI")
        assert f"UI: {server.ui_url} (login: {server.login})" in output.read_text()
        yield Up(workspace, process, server)


def test_a_free_port_is_taken_when_4200_is_not(up: Up) -> None:
    assert up.server.port != USUAL_PORT
    settings = httpx.get(f"{up.server.ui_url}/ui-settings", trust_env=False).json()
    assert settings["api_url"] == up.server.api_url
    assert settings["default_ui"] == "v1"


def test_the_api_needs_the_password(up: Up) -> None:
    url = f"{up.server.api_url}/admin/version"
    assert httpx.get(url, trust_env=False).status_code == 401
    assert httpx.get(url, auth=("daybook", "guess"), trust_env=False).status_code == 401
    assert up.api("GET", "/admin/version").startswith("3.")


def test_other_pages_may_not_call_the_api(up: Up) -> None:
    def allowed(origin: str) -> str | None:
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        answer = httpx.options(f"{up.server.api_url}/deployments/filter", headers=headers, trust_env=False)
        found: str | None = answer.headers.get("access-control-allow-origin")
        return found

    assert allowed(EVIL) is None
    assert allowed(f"http://localhost:{up.server.port}") == f"http://localhost:{up.server.port}"


def test_all_deployments_are_there_with_their_schedules(up: Up) -> None:
    found = up.deployments()
    schedules = {name: [entry["schedule"] for entry in it["schedules"]] for name, it in found.items()}
    assert {name: [it.get("cron", it.get("interval")) for it in those] for name, those in schedules.items()} == {
        "heartbeat": [1800.0],
        "news-scan": ["0 8 * * *"],
        "email-check": [],
        "daily-note": ["55 23 * * *"],
        "inbox-flush": [],
        "review": ["30 3 * * *"],
    }
    assert {it["entrypoint"] for it in found.values() if it["name"] == "review"} == {"flows.review.review"}
    assert all({"daybook", up.workspace.id} <= set(it["tags"]) for it in found.values())
    assert set(found["review"]["parameter_openapi_schema"]["properties"]) == {"dry_run", "since", "compare"}


def test_s22_o12_neither_shell_nor_folder_redirects_or_runs_anything(up: Up) -> None:
    private = str(up.workspace.private)
    pids = processes_of(up.workspace)
    assert len(pids) >= 2
    for pid in pids:
        environment = environment_of(pid)
        assert environment["PREFECT_API_URL"] == up.server.api_url
        assert environment["PYTHONSAFEPATH"] == "1"
        assert "127.0.0.1" in environment["NO_PROXY"].split(",")
        assert "PREFECT_API_KEY" not in environment
        assert str(Path(f"/proc/{pid}/cwd").readlink()) == private
    assert not (up.workspace.root / "SPRUNG").exists()


def test_the_server_gets_no_key_of_a_model_and_the_runner_does(up: Up) -> None:
    runner = up.runner()
    assert runner is not None
    assert up.server.pid is not None
    assert "GEMINI_API_KEY" not in environment_of(up.server.pid)
    assert environment_of(runner)["GEMINI_API_KEY"] == "fake-model-key"


def test_the_password_lies_in_a_private_file_and_in_no_log(up: Up) -> None:
    path = up.workspace.prefect_home / "password"
    assert path.stat().st_mode & 0o777 == 0o600
    assert (up.workspace.private / "server.json").stat().st_mode & 0o777 == 0o600
    password = path.read_text().strip()
    logs = [log.read_text() for log in up.workspace.logs_dir.iterdir()]
    assert logs
    assert not any(password in log for log in logs)


def test_the_first_heartbeat_runs_at_once_and_completes(up: Up) -> None:
    def first() -> dict[str, Any] | None:
        runs = up.api("POST", "/flow_runs/filter", {"flows": {"name": {"any_": ["heartbeat"]}}})
        done = [run for run in runs if run["state_type"] in {"COMPLETED", "FAILED", "CRASHED"}]
        return done[0] if done else None

    run = wait_for(first, within_s=RUN_DEADLINE_S, what="the end of a heartbeat")
    assert run["state_type"] == "COMPLETED"


def test_a_second_up_says_where_the_first_one_is(up: Up) -> None:
    with pytest.raises(WorkspaceError, match="already up") as caught:
        supervisor.run(up.workspace, Settings(), announce=print, caller={})
    assert up.server.ui_url in str(caught.value)


def test_settings_for_prefects_own_command_line_reach_the_server(up: Up) -> None:
    found = client.settings_for_cli(up.workspace)
    assert found["PREFECT_API_URL"] == up.server.api_url
    assert found["PREFECT_API_AUTH_STRING"] == up.server.login
    assert found["PREFECT_HOME"] == str(up.workspace.prefect_home)


def test_a_flow_of_the_command_line_runs_on_the_running_server(up: Up) -> None:
    before = up.api("POST", "/flow_runs/count", {"flows": {"name": {"any_": ["heartbeat"]}}})
    done = run_heartbeat(up.workspace)
    assert done.stderr == ""
    assert done.stdout.rstrip().endswith(str(up.workspace.root))
    assert "Starting" not in done.stdout
    assert up.api("POST", "/flow_runs/count", {"flows": {"name": {"any_": ["heartbeat"]}}}) > before


def test_s20_pauses_and_edits_of_the_ui_survive_a_restart_and_new_settings_are_applied(up: Up) -> None:
    before = up.deployments()
    edited, paused, resting = before["news-scan"], before["review"], before["daily-note"]
    cron = {"cron": "0 7 * * *", "timezone": "Europe/Berlin"}
    up.api("PATCH", f"/deployments/{edited['id']}/schedules/{edited['schedules'][0]['id']}", {"schedule": cron})
    up.api("PATCH", f"/deployments/{paused['id']}/schedules/{paused['schedules'][0]['id']}", {"active": False})
    up.api("POST", f"/deployments/{resting['id']}/pause_deployment")
    (up.workspace.root / "daybook.toml").write_text('[schedule]\nreview = "15 4 * * *"\nheartbeat = false\n')

    old = up.runner()
    assert old is not None
    os.kill(old, signal.SIGTERM)

    def applied() -> dict[str, Any] | None:
        found = up.deployments()
        return found if found["review"]["schedules"][0]["schedule"]["cron"] == "15 4 * * *" else None

    # The review is the last one that is applied.
    after = wait_for(applied, within_s=RUN_DEADLINE_S, what="a new runner that applied the new settings")
    assert up.runner() not in {None, old}
    assert after["news-scan"]["schedules"][0]["schedule"]["cron"] == "0 7 * * *"
    assert after["daily-note"]["paused"] is True
    assert [it["active"] for it in after["review"]["schedules"]] == [False]
    assert after["heartbeat"]["schedules"] == []


def test_sigterm_leaves_no_process_of_ours(up: Up) -> None:
    assert len(processes_of(up.workspace)) >= 2
    up.process.send_signal(signal.SIGTERM)
    assert up.process.wait(STOP_DEADLINE_S) == 0
    assert processes_of(up.workspace) == []
    assert not state.is_up(up.workspace)
    assert client.running(up.workspace) is None
    with pytest.raises(ServerError, match="not up"):
        client.settings_for_cli(up.workspace)


def test_without_up_a_flow_runs_on_a_temporary_server_that_is_gone_afterwards(up: Up) -> None:
    if up.process.poll() is None:
        pytest.skip("needs the test before it, which ends `up`")
    done = run_heartbeat(up.workspace)
    assert done.stdout.startswith("Starting Prefect's server (about 5 s)")
    assert processes_of(up.workspace) == []
    assert not (up.workspace.root / "SPRUNG").exists()
