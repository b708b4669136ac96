"""
A connection to a mailbox that only reads.

Nothing is sent before the other side has proved who it is: certificates are verified, STARTTLS must
succeed, a server that says we are logged in already is left, and plain text goes to this machine only
(`imap_client`). No sentence holds a server's words, but for plain names of folders where the one that is asked for is
missing. Everything here blocks; `mail` runs it in a thread.
"""

from __future__ import annotations

import imaplib
import re
import ssl
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.sources.imap_client import connected, failures, secure
from daybook.sources.login import log_in, owner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from imap_tools.mailbox import BaseMailBox

    from daybook.settings import Mailbox
    from daybook.sources.imap_client import Client

BODY_BYTES = 65_536
CHUNK_MESSAGES = 10
CHUNK_DATES = 500
MAX_FOLDERS = 5
NAME_CHARS = 80
TLS_PORT = 993
# Names that can say nothing else.
FOLDER_NAME = re.compile(r"[\w&+-]{1,24}(?:[./][\w&+-]{1,24}){0,2}")
# What OpenSSL says of an answer that is no TLS, from one version to the next.
NO_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "UNKNOWN_PROTOCOL", "PACKET_LENGTH_TOO_LONG"})
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
    client = None
    try:
        client = connected(mailbox)
        box = _box(client)
        secure(client, mailbox)
        log_in(box, mailbox, password)
        _open_folder(box, mailbox)
        yield box
        client.leave()
    except SourceError as refusal:
        error = refusal
    except failures() as failure:
        error = _explained(mailbox, failure)
    finally:
        if client is not None:
            # Without a word of goodbye after a failure, which the other side could draw out.
            with suppress(OSError):
                client.shutdown()
    if error is not None:
        raise SourceError(str(error), transient=error.transient)


def uid_validity(box: BaseMailBox) -> int:
    """Numbering of the open folder; 0 when the server does not say."""
    return _number(box, "UIDVALIDITY") or 0


def has_given_out(box: BaseMailBox, uid: int) -> bool:
    """Whether the open folder can have given out that number, by its own word for the next; True if it has none."""
    return uid < (_number(box, "UIDNEXT") or uid + 1)


def uids_after(box: BaseMailBox, last: int) -> list[int]:
    """List the messages after *last*; a server answers `8:*` with 7 when there is no 8."""
    return [uid for uid in _uids(box, f"UID {last + 1}:*") if uid > last]


def uids_since(box: BaseMailBox, since: datetime) -> list[int]:
    """List the messages that arrived on *since*'s day or later, as the server sees days."""
    # strftime would use the user's language.
    return _uids(box, f"SINCE {since.day}-{MONTHS[since.month - 1]}-{since.year}")


def last_uid(box: BaseMailBox) -> int:
    """Highest number of a message in the open folder: a server's word for the next one may be any number."""
    return max(_uids(box, "UID *"), default=0)


def came_since(box: BaseMailBox, uids: Sequence[int], since: datetime) -> list[int]:
    """Keep the messages that arrived at *since* or later, or at nobody knows when; no text of theirs is fetched."""
    arrived = {raw.uid: raw.arrived for raw in _fetched(box, uids, DATES, CHUNK_DATES)}
    return [uid for uid in uids if (when := arrived.get(uid)) is None or when >= since]


def read(box: BaseMailBox, uids: Sequence[int]) -> list[Raw]:
    """Fetch the first 64 KB of each message, marking none as read; one whose text is not given is left out."""
    return sorted((raw for raw in _fetched(box, uids, PARTS, CHUNK_MESSAGES) if raw.data), key=lambda raw: raw.uid)


def _fetched(box: BaseMailBox, uids: Sequence[int], parts: str, at_once: int) -> Iterator[Raw]:
    wanted = set(uids)
    for at in range(0, len(uids), at_once):
        chunk = ",".join(map(str, uids[at : at + at_once]))
        status, answer = box.client.uid("fetch", chunk, parts)
        if status != "OK":
            raise imaplib.IMAP4.error("FETCH was refused")
        yield from (raw for raw in _raws(answer) if raw.uid in wanted)


def _box(client: Client) -> BaseMailBox:
    from imap_tools.mailbox import BaseMailBox  # noqa: PLC0415 - an idle beat never needs it

    class Box(BaseMailBox):
        def _get_mailbox_client(self) -> imaplib.IMAP4:
            return client

    return Box()


def _open_folder(box: BaseMailBox, mailbox: Mailbox) -> None:
    try:
        box.folder.set(mailbox.folder, readonly=True)
    except (imaplib.IMAP4.abort, OSError):
        raise
    except failures():
        # Asked out here, so that what fails now does not hang on what the server said.
        pass
    else:
        return
    names = _folders(box)
    if not names or mailbox.folder in names or mailbox.folder.upper() == "INBOX":
        raise imaplib.IMAP4.error("EXAMINE was refused")
    fit = [f"'{name}'" for name in names if FOLDER_NAME.fullmatch(name)][:MAX_FOLDERS]
    more = f" and {len(names) - len(fit)} more" if len(names) > len(fit) else ""
    there = f"; there {'is' if len(names) == 1 else 'are'} {', '.join(fit)}{more}" if fit else ""
    raise SourceError(
        f"The mailbox of {owner(mailbox)} has no folder '{clean(mailbox.folder, limit=NAME_CHARS)}'{there}; "
        "change its folder in daybook.toml.",
        transient=False,
    )


def _folders(box: BaseMailBox) -> list[str]:
    """Name the folders there are; none where the server does not say."""
    with suppress(*failures()):
        return [one.name for one in box.folder.list()]
    return []


def _explained(mailbox: Mailbox, failure: Exception) -> SourceError:
    name = f"{mailbox.host}:{mailbox.port}"
    if isinstance(failure, ssl.SSLCertVerificationError):
        why = clean(failure.verify_message, limit=120)
        sentence = f"The certificate of {name} is not valid ({why}), so nothing was sent; check host and port."
        return SourceError(sentence, transient=False)
    if isinstance(failure, ssl.SSLError) and failure.reason in NO_TLS and mailbox.security == "tls":
        sentence = f'{name} does not speak TLS there; use its TLS port ({TLS_PORT}), or security = "starttls".'
        return SourceError(sentence, transient=False)
    if isinstance(failure, TimeoutError):
        return SourceError(f"{name} did not answer in time; it is tried again later.", transient=True)
    sentence = f"The mailbox of {mailbox.user} at {name} cannot be read ({_why(failure)}); check host, port and folder."
    return SourceError(sentence, transient=True)


def _why(failure: Exception) -> str:
    # Never what the failure says: that is mostly what the server said.
    match failure:
        case imaplib.IMAP4.abort():
            return "the server broke off, or said what no mail server says"
        case imaplib.IMAP4.error():
            return "the server refused what it was asked"
        case OSError(strerror=str() as reason):
            return clean(reason, limit=120)
        case _:
            return type(failure).__name__


def _uids(box: BaseMailBox, criteria: str) -> list[int]:
    return sorted(set(map(int, box.uids(criteria, charset=None))))


def _number(box: BaseMailBox, code: str) -> int | None:
    _, values = box.client.response(code)
    last = values[-1] if values else None
    return int(last) if isinstance(last, bytes) and last.isdigit() else None


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
