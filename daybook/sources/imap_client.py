"""
A client of a mail server that is bounded in time and size, from the greeting on, and safe before anything is sent.

A server that gives a byte now and then, lines without end, or gigabytes at once, holds a look up no longer than
its time, and costs no more than its memory.
"""

from __future__ import annotations

import imaplib
import ipaddress
import ssl
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, assert_never

from daybook.errors import SourceError

if TYPE_CHECKING:
    import socket

    from daybook.settings import Mailbox

TIMEOUT_S = 30.0
TOTAL_TIMEOUT_S = 180.0
LOGOUT_TIMEOUT_S = 5.0
# A little more than the largest piece that we ask for, 64 KB.
LITERAL_BYTES = 70_000
# Twice what a look reads of 200 mails of 64 KB, and a line for each of more mails than a day brings.
LOOK_BYTES = 32 * 1024 * 1024
LOOK_LINES = 200_000
PIECE_BYTES = 65_536


def connected(mailbox: Mailbox) -> Client:
    """Connect to a mailbox's server, and over TLS where it is to be so from the first byte on."""
    match mailbox.security:
        case "tls":
            return _TlsClient(mailbox.host, mailbox.port, ssl_context=ssl.create_default_context())
        case "starttls" | "plain":
            return Client(mailbox.host, mailbox.port)
        case _:
            assert_never(mailbox.security)


def secure(client: Client, mailbox: Mailbox) -> None:
    """
    See to it that what is sent from now on is read by nobody else.

    Raises:
        SourceError: It would be.
    """
    if client.state != "NONAUTH":
        raise SourceError(
            f"{mailbox.host} says that we are logged in already, which an honest mail server does not; "
            "check its address.",
            transient=False,
        )
    if mailbox.security == "starttls":
        _start_tls(client, mailbox)
    peer = str(client.sock.getpeername()[0]).partition("%")[0]
    if mailbox.security == "plain" and not ipaddress.ip_address(peer).is_loopback:
        raise SourceError(
            f'{mailbox.host} is not this machine, so its mailbox needs security = "tls" or "starttls".',
            transient=False,
        )


def failures() -> tuple[type[Exception], ...]:
    """Name what the libraries raise when a server does not do what it was asked."""
    from imap_tools.errors import ImapToolsError  # noqa: PLC0415 - an idle beat never needs it

    # ValueError: what imaplib makes of lines it cannot understand, and of text it cannot encode.
    return (imaplib.IMAP4.error, ImapToolsError, OSError, ValueError)


class Client(imaplib.IMAP4):
    """A client that reads no longer, and no more, than a look may, however slowly or much the other side sends."""

    def __init__(self, host: str, port: int, **options: Any) -> None:
        """Connect; all that follows stands under one deadline."""
        self._end_s = time.monotonic() + TOTAL_TIMEOUT_S
        self._bytes_left, self._lines_left = LOOK_BYTES, LOOK_LINES
        self._heard = bytearray()
        self._heard_from: socket.socket | None = None
        super().__init__(host, port, timeout=TIMEOUT_S, **options)

    def read(self, size: int) -> bytes:
        """Read what was announced, if that is no more than we ask for."""
        if size > LITERAL_BYTES:
            raise self._too_much()
        while len(self._heard) < size and self._hear():
            pass
        return self._taken(size)

    def readline(self) -> bytes:
        """Read a line, or what there is of it where the other side hangs up."""
        if self._heard_from is not self.sock:
            # What was said before TLS began may be anybody's.
            self._heard.clear()
            self._heard_from = self.sock
        self._lines_left -= 1
        if self._lines_left < 0:
            raise self._too_much()
        searched = 0
        while (end := self._heard.find(b"\n", searched)) < 0:
            searched = len(self._heard)
            if not self._hear():
                return self._taken(searched)
        return self._taken(end + 1)

    def leave(self) -> None:
        """Say goodbye, and wait but shortly for the answer: nothing hangs on it."""
        self._end_s = min(self._end_s, time.monotonic() + LOGOUT_TIMEOUT_S)
        with suppress(SourceError, *failures()):
            self.logout()

    def _hear(self) -> bool:
        left = self._end_s - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(min(left, TIMEOUT_S))
        piece = self.sock.recv(PIECE_BYTES)
        self._bytes_left -= len(piece)
        if self._bytes_left < 0:
            raise self._too_much()
        self._heard += piece
        return bool(piece)

    def _taken(self, size: int) -> bytes:
        data = bytes(self._heard[:size])
        del self._heard[:size]
        return data

    def _too_much(self) -> SourceError:
        sentence = f"The mail server {self.host} sends more than it was asked for, so it was left; check host and port."
        return SourceError(sentence, transient=False)


class _TlsClient(Client, imaplib.IMAP4_SSL):
    """The same over TLS from the first byte on."""


def _start_tls(client: Client, mailbox: Mailbox) -> None:
    starts = "STARTTLS" in client.capabilities
    try:
        if starts:
            client.starttls(ssl.create_default_context())
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error:
        starts = False
    if not starts:
        raise SourceError(
            f"{mailbox.host}:{mailbox.port} offers no STARTTLS, so nothing was sent; "
            'use security = "tls" with port 993.',
            transient=False,
        )
