"""A real Dovecot with all its files in one folder, for tests and benches."""

from __future__ import annotations

import contextlib
import grp
import imaplib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from daybook.settings import Mailbox

if TYPE_CHECKING:
    from pathlib import Path

PASSWORD = "secret-of-the-mailbox"  # noqa: S105 - of a server that lives as long as one test
ARRIVES = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
OWNER = "nobody"
TIMEOUT_S = 20.0
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

    def append(self, user: str, message: bytes, *, at: datetime = ARRIVES, folder: str = "INBOX") -> None:
        """Deliver a message, unread."""
        with self.client(user) as client:
            status, answer = client.append(folder, "", imaplib.Time2Internaldate(at), message)
            if status != "OK":
                raise RuntimeError(f"a message was not taken: {answer!r}")

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


def start(folder: Path) -> tuple[subprocess.Popen[bytes], Dovecot]:
    """Start Dovecot on a free port with all its files in *folder*, and wait until it answers."""
    root = os.geteuid() == 0
    owner = pwd.getpwnam(OWNER) if root else pwd.getpwuid(os.geteuid())
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
    process = subprocess.Popen([program(), "-F", "-c", str(file)], stderr=subprocess.DEVNULL)
    end = time.monotonic() + TIMEOUT_S
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError, imaplib.IMAP4.error), imaplib.IMAP4("127.0.0.1", port, timeout=1):
            return process, Dovecot(port)
        time.sleep(0.05)
    stop(process)
    log = folder / "dovecot.log"
    raise RuntimeError(f"Dovecot did not start: {log.read_text() if log.exists() else 'no log'}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a Dovecot that was started here, and wait for it."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def program() -> str:
    """Path of Dovecot; empty where it is missing."""
    return shutil.which("dovecot", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin") or ""
