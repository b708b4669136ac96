"""
Logging in to a mailbox: by password, or by an access token of OAuth 2 (`auth = "xoauth2"`).

A token is never tried as a password, and goes only to a server that says it takes tokens. No sentence, exception or
chained exception holds what was sent, nor its encoded form, which a server may echo.
"""

from __future__ import annotations

import imaplib
import re
from typing import TYPE_CHECKING, assert_never

from daybook.errors import SourceError

if TYPE_CHECKING:
    from imap_tools.mailbox import BaseMailBox

    from daybook.settings import Mailbox

TRY_LATER = re.compile(r"\[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG)\]", re.IGNORECASE)
MECHANISM = "XOAUTH2"
# What a token may be made of (RFC 6750); a space or a control character would end it on the way.
TOKEN = re.compile(r"[\x21-\x7e]+")


def log_in(box: BaseMailBox, mailbox: Mailbox, password: str) -> None:
    """
    Prove who we are, over a connection that is safe already.

    Args:
        box: Connected, nothing sent yet.
        mailbox: Whose, and how.
        password: The password, or the access token.

    Raises:
        SourceError: The server refused; the sentence names the setting to look at.
        imaplib.IMAP4.abort: The connection broke.
    """
    if any(ord(char) < ord(" ") for char in mailbox.user):
        raise SourceError("mailboxes.user holds a control character; write it anew.", transient=False)
    refused = None
    try:
        match mailbox.auth:
            case "password":
                _by_password(box, mailbox, password)
            case "xoauth2":
                _by_token(box, mailbox, password)
            case _:
                assert_never(mailbox.auth)
    except imaplib.IMAP4.abort:
        raise
    except _refusals() as error:
        refused = str(error)
    if refused is None:
        return
    if TRY_LATER.search(refused):
        raise SourceError(f"{mailbox.host} cannot log anyone in now; it is tried again later.", transient=True)
    raise SourceError(_sentence(mailbox), transient=False)


def owner(mailbox: Mailbox) -> str:
    """Name whose mailbox it is, so that those of one user name at two servers are told apart."""
    return mailbox.user if "@" in mailbox.user else f"{mailbox.user}@{mailbox.host}"


def word(mailbox: Mailbox) -> str:
    """Name what a mailbox is opened with."""
    return "access token" if mailbox.auth == "xoauth2" else "password"


def password_setting(mailbox: Mailbox) -> str:
    """Name the setting that the password or token comes from."""
    if mailbox.password_env is not None:
        return f"password_env ({mailbox.password_env})"
    return "password_file" if mailbox.password_file is not None else "password_command"


def _by_password(box: BaseMailBox, mailbox: Mailbox, password: str) -> None:
    if (mailbox.user + password).isascii():
        box.login(mailbox.user, password, initial_folder=None)
    else:
        box.login_utf8(mailbox.user, password, initial_folder=None)


def _by_token(box: BaseMailBox, mailbox: Mailbox, token: str) -> None:
    if TOKEN.fullmatch(token) is None:
        raise SourceError(
            f"The access token of {owner(mailbox)} holds a space or another character that no token has; "
            f"let {password_setting(mailbox)} give out the token alone.",
            transient=False,
        )
    if f"AUTH={MECHANISM}" not in box.client.capabilities:
        raise SourceError(
            f'{mailbox.host} takes no access tokens ({MECHANISM}); set auth = "password" for {mailbox.user}.',
            transient=False,
        )
    # A server that refuses first sends a challenge, which is to be answered with nothing: never the token again.
    answers = iter([_words(mailbox, token).encode()])
    box.client.authenticate(MECHANISM, lambda _challenge: next(answers, b""))


def _words(mailbox: Mailbox, token: str) -> str:
    return f"user={mailbox.user}\1auth=Bearer {token}\1\1"


def _sentence(mailbox: Mailbox) -> str:
    setting = password_setting(mailbox)
    if mailbox.auth == "xoauth2":
        return (
            f"{mailbox.host} refused the access token of {mailbox.user}, which may have expired; "
            f"see that {setting} gives out a new one."
        )
    return f"{mailbox.host} refused the password of {mailbox.user}; check {setting} in daybook.toml."


def _refusals() -> tuple[type[Exception], ...]:
    from imap_tools.errors import MailboxLoginError  # noqa: PLC0415 - an idle beat never needs it

    return (MailboxLoginError, imaplib.IMAP4.error)
