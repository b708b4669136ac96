"""
Mail: look at each mailbox by itself, read-only, and take what came since the last look.

The flow writes the lines that `triage.report` makes and then calls `tracking.commit` with the progress.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.sources import cursors, imap, passwords, tracking
from daybook.sources.fetching import Waiting
from daybook.sources.messages import Message, read_message

if TYPE_CHECKING:
    from datetime import datetime

    from imap_tools.mailbox import BaseMailBox

    from daybook.settings import Mailbox
    from daybook.sources.imap import Raw
    from daybook.workspace import Workspace

FIRST_CONTACT = timedelta(hours=24)
MAX_MESSAGES = 200
# Clocks differ, mail travels, and a server's day is not ours: what is read again is known by its id.
SLACK = timedelta(days=2)


@dataclass(frozen=True)
class MailLook:
    """
    What came to a mailbox.

    Attributes:
        name: The mailbox's key, `user@host/folder`.
        messages: What is new, in order of arrival.
        vips: Addresses whose mail is urgent, as the operator named them.
        first_contact: Whether it was looked at for the first time: the last 24 hours only.
        more: How many messages are left for the next look.
        progress: To be committed after the note.
    """

    name: str
    messages: tuple[Message, ...]
    vips: tuple[str, ...]
    first_contact: bool
    more: int
    progress: tracking.Progress


@dataclass(frozen=True)
class _Found:
    raws: tuple[Raw, ...]
    cursor: cursors.MailCursor
    since: datetime | None
    first_contact: bool
    more: int


def mailbox_key(mailbox: Mailbox) -> str:
    """Name a mailbox in our files: `user@host/folder`."""
    return clean(f"{mailbox.user}@{mailbox.host}/{mailbox.folder}", limit=200)


async def check(workspace: Workspace, mailbox: Mailbox, now: datetime, *, by_hand: bool = False) -> MailLook | Waiting:
    """
    Read what came since the last look; every message stays as it was, unread ones unread.

    Args:
        workspace: Whose.
        mailbox: Read-only.
        now: Aware.
        by_hand: Whether a person asks, who may have mended something: then no wait of ours counts.

    Raises:
        SourceError: It could not be read; holds no password. Trying again at once may help at its first failure
            in a row only: after that, the waits between looks are the tries.
    """
    key = mailbox_key(mailbox)
    state = tracking.load(workspace, now).mailboxes.get(key)
    if not by_hand and state is not None and state.next_allowed is not None and state.next_allowed > now:
        return Waiting(key, state.next_allowed)
    password = await passwords.resolve(mailbox, workspace.private)
    before = cursors.mail_cursor(workspace, key)
    found = await asyncio.to_thread(_look, mailbox, password, before, now)
    if isinstance(found, SourceError):
        raise SourceError(str(found), transient=found.transient and not (state is not None and state.failures))
    seen = cursors.seen(workspace, "mailbox", key)
    messages = tuple(read_message(raw, key, mailbox.user, now, (password,)) for raw in found.raws)
    new = {
        message.id: message
        for message in messages
        if message.id not in seen.items and not _is_from_before(message, found)
    }
    progress = tracking.Progress(
        "mailbox", key, key, seen=tuple(message.id for message in messages), cursor=found.cursor
    )
    return MailLook(key, tuple(new.values()), mailbox.vip, found.first_contact, found.more, progress)


def failed(mailbox: Mailbox, error: SourceError) -> tracking.Failure:
    """Turn the error of a look into a value for `triage.report`."""
    return tracking.failure("mailbox", mailbox_key(mailbox), mailbox_key(mailbox), error)


def _look(mailbox: Mailbox, password: str, before: cursors.MailCursor | None, now: datetime) -> _Found | SourceError:
    try:
        with imap.opened(mailbox, password) as box:
            validity = imap.uid_validity(box)
            if before is not None and before.uidvalidity == validity:
                cursor = before.model_copy(update={"looked": now})
                return _read(box, imap.uids_after(box, before.last_uid), cursor)
            since = _start(before, now)
            # Asked before the search: what comes in between is then found again next time, not passed over.
            last = imap.last_uid(box)
            cursor = cursors.MailCursor(uidvalidity=validity, last_uid=last, looked=now, restarted_from=since)
            found = _read(box, imap.uids_since(box, since), cursor)
            return replace(found, first_contact=before is None)
    except SourceError as error:
        # A new one, which nothing hangs on that could hold the password.
        return SourceError(str(error), transient=error.transient)
    except Exception as error:  # noqa: BLE001 - what hangs on it may hold the password, and would reach a log
        sentence = (
            f"The mailbox {mailbox_key(mailbox)} cannot be read ({type(error).__name__}); it is tried again later."
        )
        return SourceError(sentence, transient=False)


def _start(before: cursors.MailCursor | None, now: datetime) -> datetime:
    if before is None:
        return now - FIRST_CONTACT
    return before.restarted_from or before.looked - SLACK


def _read(box: BaseMailBox, uids: list[int], cursor: cursors.MailCursor) -> _Found:
    # Messages from before are left out: by the server's clock, and by their own when a move reset that.
    since = cursor.restarted_from
    if since is not None:
        uids = imap.came_since(box, uids, since)
    chosen, later = uids[:MAX_MESSAGES], uids[MAX_MESSAGES:]
    raws = tuple(imap.read(box, chosen))
    reached = chosen[-1] if later else max([cursor.last_uid, *chosen])
    moved = {"last_uid": reached, "restarted_from": since if later else None}
    return _Found(raws, cursor.model_copy(update=moved), since=since, first_contact=False, more=len(later))


def _is_from_before(message: Message, found: _Found) -> bool:
    if found.since is None or found.first_contact or message.date is None:
        return False
    return message.date < found.since
