"""From a message's bytes to what is told of it, whatever state they are in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.errors import MessageError
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING, TypeVar

from daybook.guard.cleaning import clean
from daybook.guard.outside import everything, flatten
from daybook.guard.secrets import redact
from daybook.sources.bodies import every_text_of, header_of, text_of_mail
from daybook.sources.cursors import item_id
from daybook.sources.replies import own_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from email.message import Message as Parsed

    from imap_tools.message import MailMessage

    from daybook.sources.imap import Raw

T = TypeVar("T")
# What the library and the standard library raise over messages that nobody foresaw.
UNFORESEEN = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, MessageError)
HEADER_CHARS = 2_000
LONG_HEADER_CHARS = 8_000
BODY_CHARS = 4_000
SNIPPET_CHARS = 1_000
NAME_CHARS = 60
ADDRESS_CHARS = 100
SUBJECT_CHARS = 160
FIRST_YEAR = 1970
NOBODY = re.compile(r"(?:no|do-?not)[-_.]?reply|mailer-daemon@|postmaster@", re.IGNORECASE)
ADDRESS = re.compile(r"[^\s<>@,;:\"()]+@[^\s<>@,;:\"()]+")


@dataclass(frozen=True)
class Message:
    """
    One message. All text is flat and without secrets.

    Attributes:
        id: The same however the mailbox numbers it.
        mailbox: Key of the mailbox.
        uid: Its number there.
        message_id: Its Message-ID, or empty.
        name: Sender's name as the message claims it, or empty.
        address: Sender's address as the message claims it, or empty.
        subject: May be empty.
        date: When it says it was sent; None if it does not, or says the impossible.
        direct: Whether the mailbox's user stands in To.
        attachments: Whether something is attached, as far as the first 64 KB show.
        automatic: Whether a program sent it (Auto-Submitted, a report, an address that takes no answer).
        bulk: Whether it went to many (a list, an advertisement), or was marked as spam.
        high_priority: Whether its sender marked it so.
        snippet: The beginning of its body.
        body: Its text without quotes and signature, at most 4,000 characters; empty where there is none.
        seen: All that it says, also where we read no further (quotes, a long subject, the HTML beside the text): what
            the guard is to know.
    """

    id: str
    mailbox: str
    uid: int
    message_id: str
    name: str
    address: str
    subject: str
    date: datetime | None
    direct: bool
    attachments: bool
    automatic: bool
    bulk: bool
    high_priority: bool
    snippet: str
    body: str = ""
    seen: str = ""


def read_message(raw: Raw, mailbox: str, user: str, now: datetime, secrets: Iterable[str] = ()) -> Message:
    """
    Make out what a message says.

    Args:
        raw: As the server gave it.
        mailbox: Key of the mailbox.
        user: The mailbox's user, to tell whether the message is addressed to them.
        now: Dates after it are clamped to it.
        secrets: Secrets known by value.
    """
    from imap_tools.message import MailMessage  # noqa: PLC0415 - an idle beat never needs it

    known = tuple(secrets)
    try:
        mail = MailMessage([(b"", raw.data)])
    except (RecursionError, *UNFORESEEN):
        mail = MailMessage([(b"", b"")])
        mail.obj = BytesHeaderParser().parsebytes(raw.data)
    parts = (_try(lambda: header_of(mail.obj, "subject"), ""), _try(lambda: every_text_of(mail.obj), ""))
    seen = "\n".join(everything(redact(part, known)) for part in parts)
    _shorten(mail.obj)
    message_id = _header(mail, "message-id").strip()
    name, address = _sender(mail)
    subject = clean(_try(lambda: mail.subject, ""), limit=SUBJECT_CHARS, secrets=known)
    date = _date(mail, now)
    body = clean(_body(mail), limit=BODY_CHARS, secrets=known)
    return Message(
        id=item_id(mailbox, _identity(mail, raw)),
        mailbox=mailbox,
        uid=raw.uid,
        message_id=clean(message_id, limit=HEADER_CHARS),
        name=clean(name, limit=NAME_CHARS, secrets=known),
        address=clean(address, limit=ADDRESS_CHARS),
        subject=subject,
        date=date,
        direct=_is_direct(mail, user),
        attachments=_try(lambda: _has_attachments(mail.obj), default=False),
        automatic=_is_automatic(mail),
        bulk=_is_bulk(mail),
        high_priority=_is_high_priority(mail),
        snippet=flatten(body, limit=SNIPPET_CHARS),
        body=body,
        seen=seen,
    )


def unreadable(raw: Raw, mailbox: str) -> Message:
    """Make an empty message of one that cannot be made out; its id is that of its bytes."""
    return Message(
        id=item_id(mailbox, raw.data.decode("latin-1")),
        mailbox=mailbox,
        uid=raw.uid,
        message_id="",
        name="",
        address="",
        subject="",
        date=None,
        direct=False,
        attachments=False,
        automatic=False,
        bulk=False,
        high_priority=False,
        snippet="",
    )


def _try(read: Callable[[], T], default: T) -> T:
    try:
        return read()
    except (RecursionError, *UNFORESEEN):
        return default


def _shorten(parsed: Parsed) -> None:
    # Some of the encodings that a header may name take ever longer over a long one.
    for name in ("subject", "from", "to"):
        value = _try(lambda name=name: str(parsed.get(name) or ""), "")  # type: ignore[misc]
        if len(value) > LONG_HEADER_CHARS:
            parsed.replace_header(name, value[:LONG_HEADER_CHARS])


def _identity(mail: MailMessage, raw: Raw) -> str:
    # Raw headers: what our cleaning makes of them may change. Not the Message-ID alone: some mailers repeat it.
    parts = [" ".join(_header(mail, name).split()) for name in ("message-id", "from", "subject")]
    if not parts[0]:
        parts += [" ".join(_header(mail, "date").split()), str(len(raw.data))]
    return "\n".join(parts)


def _header(mail: MailMessage, name: str) -> str:
    return _try(lambda: str(mail.obj.get(name) or ""), "")[:HEADER_CHARS]


def _sender(mail: MailMessage) -> tuple[str, str]:
    found = _try(lambda: mail.from_values, None)
    name, address = (found.name, found.email) if found else ("", "")
    if not ADDRESS.fullmatch(address):
        bare = ADDRESS.search(_header(mail, "from"))
        address = bare[0] if bare else ""
    return name, address


def _date(mail: MailMessage, now: datetime) -> datetime | None:
    date = _try(lambda: mail.date, None)
    # The library's word for "no date" is the year 1900.
    if date is None or date.year < FIRST_YEAR:
        return None
    aware = date if date.tzinfo else date.replace(tzinfo=UTC)
    return _try(lambda: min(aware.astimezone(UTC), now.astimezone(UTC)), None)


def _is_direct(mail: MailMessage, user: str) -> bool:
    found: list[str] = _try(lambda: [each.email.casefold() for each in mail.to_values], [])
    # Some servers log in by the part before the @.
    names = found if "@" in user else [address.partition("@")[0] for address in found]
    return user.casefold() in names


def _has_attachments(parsed: Parsed) -> bool:
    return any(part.get_content_disposition() == "attachment" or part.get_filename() for part in parsed.walk())


def _is_automatic(mail: MailMessage) -> bool:
    submitted = _header(mail, "auto-submitted").strip().lower()
    report = _try(lambda: mail.obj.get_content_type() == "multipart/report", default=False)
    return report or submitted not in {"", "no"} or NOBODY.match(_sender(mail)[1]) is not None


def _is_bulk(mail: MailMessage) -> bool:
    if any(_header(mail, name) for name in ("list-unsubscribe", "list-id", "feedback-id")):
        return True
    spam = _header(mail, "x-spam-flag").strip().lower() == "yes"
    return spam or _header(mail, "precedence").strip().lower() in {"bulk", "list", "junk"}


def _is_high_priority(mail: MailMessage) -> bool:
    if _header(mail, "x-priority").strip()[:1] == "1":
        return True
    return "high" in _header(mail, "importance").lower() or "urgent" in _header(mail, "priority").lower().split()


def _body(mail: MailMessage) -> str:
    return _try(lambda: own_words(text_of_mail(mail.obj), mail.subject), "")
