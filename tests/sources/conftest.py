"""A workspace, a message, mail servers that misbehave, and a certificate."""

from __future__ import annotations

import contextlib
import shutil
import socketserver
import subprocess
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from daybook.sources.messages import Message
from daybook.workspace import Workspace, make_id, open_workspace

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mail_password: str) -> Workspace:
    """An empty workspace of its own, and the mailboxes' password in the environment."""
    monkeypatch.setenv("MAIL_PASSWORD", mail_password)
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    make_id(root)
    return open_workspace(str(root))


@pytest.fixture
def message() -> Message:
    """A message to the operator that no rule is sure of and that asks nothing."""
    return Message(
        id="1",
        mailbox="me@e.org/INBOX",
        uid=1,
        message_id="<1@e.org>",
        name="Ana",
        address="ana@example.org",
        subject="Minutes",
        date=datetime(2026, 2, 7, 8, 0, tzinfo=UTC),
        direct=True,
        attachments=False,
        automatic=False,
        bulk=False,
        high_priority=False,
        snippet="Here they are.",
    )


class _Script(socketserver.StreamRequestHandler):
    """A mail server that says what it is told to, and remembers what it heard."""

    def handle(self) -> None:
        server = self.server
        assert isinstance(server, ScriptedServer)
        self.request.settimeout(10)
        with contextlib.suppress(OSError):
            if server.context is None:
                self._talk(server, self.request)
            else:
                with server.context.wrap_socket(self.request, server_side=True) as secured:
                    self._talk(server, secured)

    def _talk(self, server: ScriptedServer, connection: socket.socket) -> None:
        connection.sendall(server.greeting + b"\r\n")
        tag, more = b"", 0
        with connection.makefile("rb") as lines:
            for line in lines:
                server.heard.append(line)
                word, _, command = line.strip().partition(b" ")
                verb = command.split(b" ")[0].upper()
                if verb:
                    tag, more = word, 0
                else:
                    # What goes on with the command before: its first line more is answered by "+1".
                    more += 1
                    verb = b"+%d" % more
                answer = server.answers.get(verb, b"%(tag)s BAD what?")
                connection.sendall(answer.replace(b"%(tag)s", tag) + b"\r\n")


class ScriptedServer(socketserver.ThreadingTCPServer):
    """A TCP server on loopback with a greeting, answers by command, and what it heard."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, greeting: bytes, answers: dict[bytes, bytes], context: ssl.SSLContext | None) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), _Script)
        self.greeting, self.answers, self.context = greeting, answers, context
        self.heard: list[bytes] = []

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self.server_address[1])


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Start scripted servers, which end with the test."""
    running: list[tuple[ScriptedServer, threading.Thread]] = []

    def start(greeting: bytes, answers: dict[bytes, bytes], context: ssl.SSLContext | None = None) -> ScriptedServer:
        server = ScriptedServer(greeting, answers, context)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a self-signed certificate for 127.0.0.1, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is missing")
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    key = path.with_name("key.pem")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, *names, "-keyout", str(key), "-out", str(path)], check=True, capture_output=True)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    return path
