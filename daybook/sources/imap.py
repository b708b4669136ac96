"""
A connection to a mailbox that only reads.

Nothing is sent before the other side has proved who it is: certificates are verified, STARTTLS must
succeed, a server that says we are logged in already is left, and plain text goes to this machine only.
Everything here blocks; `mail` runs it in a thread.
"""

from __future__ import annotations

import imaplib
import ipaddress
import re
import socket
import ssl
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, assert_never

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.sources.login import log_in, secrets

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from imap_tools.mailbox import BaseMailBox

    from daybook.settings import Mailbox

TIMEOUT_S = 30.0
TOTAL_TIMEOUT_S = 180.0
BODY_BYTES = 65_536
CHUNK_MESSAGES = 10
CHUNK_DATES = 500
DATES = "(UID INTERNALDATE)"
PARTS = f"(UID INTERNALDATE BODY.PEEK[]<0.{BODY_BYTES}>)"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
UID = re.compile(rb"\bUID (\d+)")
INTERNALDATE = re.compile(rb'INTERNALDATE "([^"]{1,40})"')


@dataclass(frozen=True)
class Raw:
    """
    A message as the server gave it.

    Attributes:
        uid: Its number in the folder.
        arrived: When the server got it; None if it does not say.
        data: At most its first 64 KB.
    """

    uid: int
    arrived: datetime | None
    data: bytes


@contextmanager
def opened(mailbox: Mailbox, password: str) -> Iterator[BaseMailBox]:
    """
    Open a mailbox's folder for reading only.

    Raises:
        SourceError: It cannot be; no chained exception and no sentence holds the password.
    """
    error = None
    box = None
    try:
        box = _connected(mailbox)
        # A server that gives a byte now and then would never run into the timeout of one read.
        timer = threading.Timer(TOTAL_TIMEOUT_S, _cut, [box])
        timer.daemon = True
        timer.start()
        try:
            _secure(box, mailbox)
            log_in(box, mailbox, password)
            box.folder.set(mailbox.folder, readonly=True)
            yield box
        finally:
            timer.cancel()
    except SourceError as refusal:
        error = refusal
    except _failures() as failure:
        error = _explained(mailbox, failure, password)
    finally:
        if box is not None:
            with suppress(*_failures()):
                box.logout()
            with suppress(*_failures()):
                box.client.shutdown()
    if error is not None:
        raise SourceError(str(error), transient=error.transient)


def uid_validity(box: BaseMailBox) -> int:
    """Numbering of the open folder; 0 when the server does not say."""
    return _number(box, "UIDVALIDITY") or 0


def uids_after(box: BaseMailBox, last: int) -> list[int]:
    """List the messages after *last*; a server answers `8:*` with 7 when there is no 8."""
    return sorted(uid for uid in map(int, box.uids(f"UID {last + 1}:*", charset=None)) if uid > last)


def uids_since(box: BaseMailBox, since: datetime) -> list[int]:
    """List the messages that arrived on *since*'s day or later, as the server sees days."""
    day = f"{since.day}-{MONTHS[since.month - 1]}-{since.year}"  # strftime would use the user's language
    return sorted(map(int, box.uids(f"SINCE {day}", charset=None)))


def last_uid(box: BaseMailBox) -> int:
    """Highest number given out in the open folder so far."""
    following = _number(box, "UIDNEXT")
    return following - 1 if following else max(map(int, box.uids("ALL", charset=None)), default=0)


def came_since(box: BaseMailBox, uids: Sequence[int], since: datetime) -> list[int]:
    """Keep the messages that arrived at *since* or later, or at nobody knows when; no text of theirs is fetched."""
    arrived = {raw.uid: raw.arrived for raw in _fetched(box, uids, DATES, CHUNK_DATES)}
    return [uid for uid in uids if (when := arrived.get(uid)) is None or when >= since]


def read(box: BaseMailBox, uids: Sequence[int]) -> list[Raw]:
    """Fetch the first 64 KB of each message, marking none as read."""
    return sorted((raw for raw in _fetched(box, uids, PARTS, CHUNK_MESSAGES) if raw.data), key=lambda raw: raw.uid)


def _fetched(box: BaseMailBox, uids: Sequence[int], parts: str, at_once: int) -> Iterator[Raw]:
    wanted = set(uids)
    for at in range(0, len(uids), at_once):
        chunk = ",".join(map(str, uids[at : at + at_once]))
        status, answer = box.client.uid("fetch", chunk, parts)
        if status != "OK":
            raise imaplib.IMAP4.error("FETCH was refused")
        yield from (raw for raw in _raws(answer) if raw.uid in wanted)


def _failures() -> tuple[type[Exception], ...]:
    from imap_tools.errors import ImapToolsError  # noqa: PLC0415 - an idle beat never needs it

    # ValueError: what imaplib makes of lines it cannot understand, and of text it cannot encode.
    return (imaplib.IMAP4.error, ImapToolsError, OSError, ValueError)


def _connected(mailbox: Mailbox) -> BaseMailBox:
    from imap_tools.mailbox import MailBox, MailBoxUnencrypted  # noqa: PLC0415 - likewise

    host, port = mailbox.host, mailbox.port
    box: BaseMailBox
    match mailbox.security:
        case "tls":
            box = MailBox(host, port, timeout=TIMEOUT_S, ssl_context=ssl.create_default_context())
        case "starttls" | "plain":
            box = MailBoxUnencrypted(host, port, timeout=TIMEOUT_S)
        case _:
            assert_never(mailbox.security)
    return box


def _secure(box: BaseMailBox, mailbox: Mailbox) -> None:
    if box.client.state != "NONAUTH":
        raise SourceError(
            f"{mailbox.host} says that we are logged in already, which an honest mail server does not; "
            "check its address.",
            transient=False,
        )
    if mailbox.security == "starttls":
        box.client.starttls(ssl.create_default_context())
    peer = str(box.client.sock.getpeername()[0]).partition("%")[0]
    if mailbox.security == "plain" and not ipaddress.ip_address(peer).is_loopback:
        raise SourceError(
            f'{mailbox.host} is not this machine, so its mailbox needs security = "tls" or "starttls".',
            transient=False,
        )


def _explained(mailbox: Mailbox, failure: Exception, password: str) -> SourceError:
    name = f"{mailbox.host}:{mailbox.port}"
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = clean(failure.verify_message, limit=120)
        sentence = f"The certificate of {name} is not valid ({why}), so nothing was sent; check host and port."
        return SourceError(sentence, transient=False)
    if isinstance(failure, TimeoutError):
        return SourceError(f"{name} did not answer in time; it is tried again later.", transient=True)
    if isinstance(failure, OSError) and failure.strerror:
        why = clean(failure.strerror, limit=120)
    else:
        why = clean(str(failure), limit=160, secrets=secrets(mailbox, password))
    lasting = mailbox.security == "starttls" and "STARTTLS" in why.upper()
    sentence = f"The mailbox of {mailbox.user} at {name} cannot be read ({why}); check host, port and folder."
    return SourceError(sentence, transient=not lasting)


def _number(box: BaseMailBox, code: str) -> int | None:
    _, values = box.client.response(code)
    last = values[-1] if values else None
    return int(last) if isinstance(last, bytes) and last.isdigit() else None


def _cut(box: BaseMailBox) -> None:
    with suppress(OSError):
        box.client.sock.shutdown(socket.SHUT_RDWR)


def _raws(answer: Sequence[Any]) -> Iterator[Raw]:
    # A message is a tuple (attributes, literal) and the plain lines up to the next tuple, or one plain line.
    groups: list[tuple[bytes, bytes]] = []
    for part in answer:
        if isinstance(part, tuple):
            groups.append((part[0], part[1][:BODY_BYTES]))
        elif isinstance(part, bytes) and groups and groups[-1][1]:
            groups[-1] = (groups[-1][0] + b" " + part, groups[-1][1])
        elif isinstance(part, bytes):
            groups.append((part, b""))
    for attributes, data in groups:
        if uid := UID.search(attributes):
            yield Raw(int(uid[1]), _arrived(attributes), data)


def _arrived(attributes: bytes) -> datetime | None:
    found = INTERNALDATE.search(attributes)
    if found is None:
        return None
    with suppress(ValueError, OverflowError):
        return datetime.strptime(found[1].decode("ascii").strip(), "%d-%b-%Y %H:%M:%S %z").astimezone(UTC)
    return None
