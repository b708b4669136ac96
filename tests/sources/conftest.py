"""Real servers for the sources: Dovecot, and mail servers that misbehave; and a workspace."""

from __future__ import annotations

import contextlib
import grp
import imaplib
import os
import pwd
import shutil
import signal
import socket
import socketserver
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybook.settings import Mailbox
from daybook.workspace import Workspace, make_id, open_workspace

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Iterator

DATA = Path(__file__).parents[2] / ".." / "shared" / "data"
NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
PASSWORD = "secret-of-the-mailbox"
MAIL_UID_NAME = "nobody"
START_TIMEOUT_S = 20.0
CONFIGURATION = """
base_dir={folder}/run
state_dir={folder}/run
log_path={folder}/dovecot.log
protocols=imap
listen=127.0.0.1
ssl=no
disable_plaintext_auth=no
auth_mechanisms=plain login
auth_failure_delay=0
default_internal_user={internal}
default_login_user={login}
{group}
first_valid_uid=0
mail_location=maildir:{folder}/mail/%u
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={uid} gid={gid} home={folder}/mail/%u
}}
service imap-login {{
  {chroot}
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  {chroot}
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  unix_listener stats-writer {{
    mode = 0666
  }}
}}
"""


@dataclass(frozen=True)
class Dovecot:
    """A running server; every user name exists and has the one password."""

    port: int

    def client(self, user: str) -> imaplib.IMAP4:
        """Log in with full rights, as the operator's own mail program does."""
        client = imaplib.IMAP4("127.0.0.1", self.port, timeout=10)
        client.login(user, PASSWORD)
        return client

    def append(self, user: str, message: bytes, *, at: datetime = NOW, folder: str = "INBOX") -> None:
        """Deliver a message, unread."""
        with self.client(user) as client:
            status, answer = client.append(folder, "", imaplib.Time2Internaldate(at), message)
            assert status == "OK", answer

    def unseen(self, user: str, folder: str = "INBOX") -> int:
        """Count the unread messages."""
        with self.client(user) as client:
            client.select(folder, readonly=True)
            return len(client.search(None, "UNSEEN")[1][0].split())

    def mailbox(self, user: str, **changes: object) -> Mailbox:
        """Settings for a user's mailbox, with the password in the variable MAIL_PASSWORD."""
        settings = {"host": "127.0.0.1", "port": self.port, "user": user, "security": "plain"}
        return Mailbox.model_validate(settings | {"password_env": "MAIL_PASSWORD"} | changes)


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_dovecot(folder: Path) -> tuple[subprocess.Popen[bytes], Dovecot]:
    """Start Dovecot on a free port with all its files in *folder*, and wait until it answers."""
    root = os.geteuid() == 0
    owner = pwd.getpwnam(MAIL_UID_NAME) if root else pwd.getpwuid(os.geteuid())
    own_group = f"default_internal_group={grp.getgrgid(owner.pw_gid).gr_name}"
    mail = folder / "mail"
    mail.mkdir()
    os.chown(mail, owner.pw_uid, owner.pw_gid)
    port = free_port()
    text = CONFIGURATION.format(
        folder=folder,
        port=port,
        password=PASSWORD,
        uid=owner.pw_uid,
        gid=owner.pw_gid,
        internal="dovecot" if root else owner.pw_name,
        login="dovenull" if root else owner.pw_name,
        group="" if root else own_group,
        chroot="" if root else "chroot =",
    )
    file = folder / "dovecot.conf"
    file.write_text(text)
    process = subprocess.Popen([_dovecot_program(), "-F", "-c", str(file)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, imaplib.IMAP4.error), imaplib.IMAP4("127.0.0.1", port, timeout=1):
            return process, Dovecot(port)
        time.sleep(0.05)
    stop_dovecot(process)
    log = folder / "dovecot.log"
    pytest.fail(f"Dovecot did not start: {log.read_text() if log.exists() else 'no log'}")


def stop_dovecot(process: subprocess.Popen[bytes]) -> None:
    """End a Dovecot that was started here, and wait for it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _dovecot_program() -> str:
    return shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or ""


@pytest.fixture(scope="session")
def dovecot() -> Iterator[Dovecot]:
    """One real Dovecot for the session."""
    if not _dovecot_program():
        if os.environ.get("CI") == "true":
            pytest.fail("Dovecot is missing; install dovecot-imapd")
        pytest.skip("Dovecot is missing (Debian: dovecot-imapd)")
    # Not under tmp_path: the mailbox's user must be able to walk there, and socket paths must be short.
    with tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        process, server = start_dovecot(Path(name))
        try:
            yield server
        finally:
            stop_dovecot(process)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An empty workspace of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)
    root = tmp_path / "workspace"
    (root / "memory").mkdir(parents=True)
    make_id(root)
    return open_workspace(str(root))


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
        with connection.makefile("rb") as lines:
            for line in lines:
                server.heard.append(line)
                tag, _, command = line.strip().partition(b" ")
                verb = command.split(b" ")[0].upper()
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
