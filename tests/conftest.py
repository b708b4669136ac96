"""A workspace on real files, a fixed clock, and real servers: Prefect, Dovecot, and one that answers like Gemini."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import tomllib
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mailserver
import pytest
from mailserver import Dovecot
from werkzeug import Request, Response

from daybook import adoption, folders, trust
from daybook.guard import secrets
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.settings import acting_parts, fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
KEY = "AIzaFakeKeyForTests0123456789"
# Every key of a model that a test makes up looks like one of these.
FAKE_KEYS = re.compile(rb"AIza\w*FakeKey|sk-fake-key|fakekeyoftests|not-a-real-key")
SAID = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m",))
MARK_CHARS = 3
PREFECT_TIMEOUT_S = 60
NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's state, zone, workspace or keys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TZ", "UTC")
    for name in ("DAYBOOK_WORKSPACE", "DAYBOOK_MACHINE", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(secrets, "_known", set())


@pytest.fixture(scope="session", autouse=True)
def _no_key_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No file that any test left holds a key of a model, but for the one that keys are kept in."""
    yield
    left = [path for path in tmp_path_factory.getbasetemp().rglob("*") if path.is_file() and path.name != "keys.env"]
    assert [path for path in left if FAKE_KEYS.search(path.read_bytes())] == []


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A new workspace, at home on this machine."""
    return adoption.adopt(tmp_path / "workspace", NOW).workspace


@pytest.fixture
def post() -> Callable[..., None]:
    """Post texts to MEMORY.md as a review would, each from a note line of its own."""

    def call(workspace: Workspace, texts: Iterable[str], now: datetime, run: str = "one") -> None:
        verdicts = [
            Verdict(
                "apply",
                Operation(kind="add", text=text, section="Lessons Learned", sources=(1,)),
                (replace(SAID, text=text, marks=(f"mark of {text[:MARK_CHARS]}",)),),
            )
            for text in texts
        ]
        with workspace.lock():
            merge.apply(workspace, verdicts, Author(run, "review", "some:model", "prompt-hash"), now)

    return call


@pytest.fixture
def at_once() -> Callable[[str, int, Iterable[str]], list[list[str]]]:
    """
    Run a script in several processes, and give each line of input to all of them at the same time.

    The script reads lines and prints one for each. What each process printed comes back, in order.
    """

    def run(script: str, count: int, lines: Iterable[str]) -> list[list[str]]:
        command = [sys.executable, "-c", script]
        started = [
            subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(count)
        ]
        printed: list[list[str]] = [[] for _ in started]
        for line in lines:
            for process in started:
                assert process.stdin is not None
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
            for process, said in zip(started, printed, strict=True):
                assert process.stdout is not None
                said.append(process.stdout.readline().strip())
        for process in started:
            process.communicate()
        assert [process.returncode for process in started] == [0] * count
        return printed

    return run


@dataclass
class FakeGemini:
    """
    Answers requests in the order scripted; the last answer repeats.

    Attributes:
        script: Answers to come: status, headers, and body (JSON) or raw (text).
        bodies: What was asked, parsed.
        headers: Headers of what was asked.
    """

    script: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def will_say(self, *answers: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """Script successful answers of these values, each as the text of one candidate."""
        self.script += [{"status": status, "headers": headers or {}, "body": candidate(answer)} for answer in answers]

    def will_send(self, *responses: dict[str, Any]) -> None:
        """Script whole responses."""
        self.script += responses

    @property
    def prompts(self) -> list[str]:
        """The texts that were asked."""
        return [body["contents"][0]["parts"][0]["text"] for body in self.bodies]

    def answer(self, request: Request) -> Response:
        """Serve one request."""
        self.bodies.append(json.loads(request.get_data()))
        self.headers.append(dict(request.headers))
        planned = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        text = planned["raw"] if "raw" in planned else json.dumps(planned["body"])
        return Response(text, planned["status"], {"Content-Type": "application/json", **planned["headers"]})


def candidate(answer: object) -> dict[str, Any]:
    """A successful answer as the Gemini API sends it."""
    return {
        "candidates": [
            {
                "content": {"parts": [{"text": json.dumps(answer)}], "role": "model"},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 1100, "candidatesTokenCount": 70, "totalTokenCount": 1170},
        "modelVersion": "gemini-flash-lite-latest",
    }


@pytest.fixture
def gemini(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> FakeGemini:
    fake = FakeGemini()
    name = MODEL.partition(":")[2]
    httpserver.expect_request(f"/v1beta/models/{name}:generateContent", method="POST").respond_with_handler(fake.answer)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    return fake


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """One real Dovecot for the session."""
    if not mailserver.program():
        if os.environ.get("CI") == "true":
            pytest.fail("Dovecot is missing; install dovecot-imapd")
        pytest.skip("Dovecot is missing (Debian: dovecot-imapd)")
    # Not under tmp_path: the mailbox's user must be able to walk there, and socket paths must be short.
    with tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        process, server = mailserver.start(Path(name))
        try:
            yield server
        finally:
            mailserver.stop(process)


@pytest.fixture(scope="session")
def prefect_api() -> Iterator[str]:
    """One Prefect server for the session, which the flows of this process use; gives the address of its API."""
    from prefect import settings  # noqa: PLC0415 - most tests do without Prefect
    from prefect.testing.utilities import prefect_test_harness  # noqa: PLC0415 - likewise

    # Each of these writes to the same small database while flows do, and they wait for each other by seconds.
    idle = {
        settings.PREFECT_LOGGING_TO_API_ENABLED: False,
        settings.PREFECT_SERVER_SERVICES_EVENT_PERSISTER_ENABLED: False,
        settings.PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER_ENABLED: False,
        settings.PREFECT_SERVER_SERVICES_TRIGGERS_ENABLED: False,
        settings.PREFECT_SERVER_SERVICES_SCHEDULER_ENABLED: False,
        settings.PREFECT_SERVER_SERVICES_LATE_RUNS_ENABLED: False,
        settings.PREFECT_SERVER_ANALYTICS_ENABLED: False,
    }
    with settings.temporary_settings(idle), prefect_test_harness(server_startup_timeout=PREFECT_TIMEOUT_S):
        yield str(settings.PREFECT_API_URL.value())


@pytest.fixture(scope="session")
def prefect_database(prefect_api: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the database of that server, which is at the newest of Prefect's many migrations."""
    from prefect import settings  # noqa: PLC0415 - most tests do without Prefect

    assert prefect_api
    _, _, path = str(settings.PREFECT_SERVER_DATABASE_CONNECTION_URL.value()).partition("///")
    copy = tmp_path_factory.mktemp("prefect") / "prefect.db"
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    return copy


@pytest.fixture
def migrated_database(prefect_database: Path, workspace: Workspace) -> None:
    """Give the workspace a database as an earlier command leaves it: a new one takes ten seconds to migrate."""
    folders.make_private_dir(workspace.prefect_home)
    shutil.copyfile(prefect_database, workspace.prefect_home / "prefect.db")


@pytest.fixture
def settle(workspace: Workspace) -> Callable[[str], None]:
    """Write daybook.toml, and allow all it asks for."""

    def write(text: str) -> None:
        workspace.settings.write_text(text)
        acting = acting_parts(tomllib.loads(text))
        trust.grant(workspace, settings=fingerprint(acting), ledger=True)

    return write


@pytest.fixture
def mail_password() -> str:
    """The one password of all users of the Dovecot."""
    return mailserver.PASSWORD
