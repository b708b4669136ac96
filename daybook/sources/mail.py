"""
Mail: look at each mailbox by itself, read-only, and take what came since the last look.

The flow writes the lines that `triage.report` makes and then calls `tracking.commit` with the progress.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.sources import cursors, imap, imap_client, mended, passwords, tracking
from daybook.sources.fetching import Waiting
from daybook.sources.messages import Message, read_message, unreadable
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from imap_tools.mailbox import BaseMailBox

    from daybook.settings import Mailbox
    from daybook.sources.imap import Raw
    from daybook.workspace import Workspace

FIRST_CONTACT = timedelta(hours=24)
MAX_MESSAGES = 200
# So many looks wait for a message that the server lists and does not give.
MAX_TRIES = 3
# Beyond the client's own deadline: for what stands under none, as looking up a name or a host of many dead addresses.
GRACE_S = 60.0
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
        remarks: Sentences on messages that could not be read; the look itself did not fail.
    """

    name: str
    messages: tuple[Message, ...]
    vips: tuple[str, ...]
    first_contact: bool
    more: int
    progress: tracking.Progress
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class MailWaiting(Waiting):
    """
    A mailbox that is left alone for now.

    Attributes:
        failed: That it failed, how often and why, as the beginning of a sentence.
    """

    failed: str


@dataclass(frozen=True)
class _Asked:
    mailbox: Mailbox
    password: str = field(repr=False)
    before: cursors.MailCursor | None
    seen: cursors.Seen
    now: datetime

    @property
    def key(self) -> str:
        return mailbox_key(self.mailbox)


@dataclass(frozen=True)
class _Found:
    raws: tuple[Raw, ...]
    unread: tuple[int, ...]
    cursor: cursors.MailCursor
    since: datetime | None
    first_contact: bool
    more: int


def mailbox_key(mailbox: Mailbox) -> str:
    """Name a mailbox in our files: `user@host/folder`."""
    return clean(f"{mailbox.user}@{mailbox.host}/{mailbox.folder}", limit=200)


async def check(
    workspace: Workspace, mailbox: Mailbox, now: datetime, *, by_hand: bool = False
) -> MailLook | MailWaiting:
    """
    Read what came since the last look; every message stays as it was, unread ones unread.

    After a failure it is left alone for a while, but not with another password or other settings than failed.

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
    asked_with = mended.given(mailbox)
    until = state.next_allowed if state is not None and not by_hand else None
    if state is not None and until is not None and until > now and not mended.is_mended(workspace, key, asked_with):
        return _waiting(workspace, mailbox, until, state.failures)
    try:
        return await _checked(workspace, mailbox, state, now)
    except SourceError as error:
        mended.remember(workspace, key, asked_with, mended.few_words(mailbox, str(error)))
        raise


def failed(mailbox: Mailbox, error: SourceError) -> tracking.Failure:
    """Turn the error of a look into a value for `triage.report`."""
    return tracking.failure("mailbox", mailbox_key(mailbox), mailbox_key(mailbox), error)


def _waiting(workspace: Workspace, mailbox: Mailbox, until: datetime, failures: int) -> MailWaiting:
    key = mailbox_key(mailbox)
    times = "once" if failures == 1 else f"{failures} times"
    why = mended.why(workspace, key)
    failed = f"The mailbox of {mailbox.user} at {mailbox.host} failed {times}{why and f' ({why})'}"
    return MailWaiting(key, until, clean(failed))


async def _checked(
    workspace: Workspace, mailbox: Mailbox, state: tracking.SourceState | None, now: datetime
) -> MailLook:
    key = mailbox_key(mailbox)
    password = await passwords.resolve(mailbox, workspace.private)
    before, seen = cursors.mail_cursor(workspace, key), cursors.seen(workspace, "mailbox", key)
    asked = _Asked(mailbox, password, before, seen, now)
    found = await _look_in_time(asked)
    if isinstance(found, SourceError):
        raise SourceError(str(found), transient=found.transient and not (state is not None and state.failures))
    messages, remarks = _understood(asked, found)
    new = {
        message.id: message
        for message in messages
        if message.id not in seen.items and not _is_from_before(message, found)
    }
    progress = tracking.Progress(
        "mailbox",
        key,
        key,
        seen=(*(message.id for message in messages), *_new_tries(asked, found)),
        cursor=found.cursor,
    )
    return MailLook(
        key,
        tuple(new.values()),
        mailbox.vip,
        found.first_contact,
        found.more,
        progress,
        (*remarks, *_missed(asked, found)),
    )


async def _look_in_time(asked: _Asked) -> _Found | SourceError:
    looked: Future[_Found | SourceError] = Future()

    def look() -> None:
        try:
            found = _look(asked)
        except Exception as error:  # noqa: BLE001 - nobody else would hear of it
            with suppress(InvalidStateError):
                looked.set_exception(error)
        else:
            with suppress(InvalidStateError):
                looked.set_result(found)

    # Not one of asyncio's own threads: no exit waits for this one, and none of an operator who pressed Ctrl-C.
    threading.Thread(target=look, name="mail", daemon=True).start()
    try:
        async with asyncio.timeout(imap_client.TOTAL_TIMEOUT_S + GRACE_S):
            return await asyncio.wrap_future(looked)
    except TimeoutError:
        return SourceError(f"The mailbox {asked.key} took too long; it is tried again later.", transient=False)


def _look(asked: _Asked) -> _Found | SourceError:
    before = asked.before
    try:
        with imap.opened(asked.mailbox, asked.password) as box:
            validity = imap.uid_validity(box)
            # A number beyond all that were given out was never a message's: nothing would be new for ever.
            if before is not None and before.uidvalidity == validity and imap.has_given_out(box, before.last_uid):
                cursor = before.model_copy(update={"looked": asked.now})
                return _read(box, imap.uids_after(box, before.last_uid), cursor, asked)
            since = _start(before, asked.now)
            # Asked before the search: what comes in between is then found again next time, not passed over.
            last = imap.last_uid(box)
            cursor = cursors.MailCursor(uidvalidity=validity, last_uid=last, looked=asked.now, restarted_from=since)
            found = _read(box, imap.uids_since(box, since), cursor, asked)
            return replace(found, first_contact=before is None)
    except SourceError as error:
        # A new one, which nothing hangs on that could hold the password.
        return SourceError(str(error), transient=error.transient)
    except Exception as error:  # noqa: BLE001 - what hangs on it may hold the password, and would reach a log
        sentence = f"The mailbox {asked.key} cannot be read ({type(error).__name__}); it is tried again later."
        return SourceError(sentence, transient=False)


def _start(before: cursors.MailCursor | None, now: datetime) -> datetime:
    if before is None:
        return now - FIRST_CONTACT
    return before.restarted_from or before.looked - SLACK


def _read(box: BaseMailBox, uids: list[int], cursor: cursors.MailCursor, asked: _Asked) -> _Found:
    # Messages from before are left out: by the server's clock, and by their own when a move reset that.
    since = cursor.restarted_from
    if since is not None:
        uids = imap.came_since(box, uids, since)
    chosen, later = uids[:MAX_MESSAGES], uids[MAX_MESSAGES:]
    raws = tuple(imap.read(box, chosen))
    unread = tuple(sorted(set(chosen) - {raw.uid for raw in raws}))
    held = [uid for uid in unread if _tries(asked, cursor, uid) + 1 < MAX_TRIES]
    reached = chosen[-1] if later else max([cursor.last_uid, *chosen])
    moved = {
        # What comes after a message that is waited for is known by its id when it is read again.
        "last_uid": held[0] - 1 if held else reached,
        "restarted_from": since if later or held else None,
    }
    cursor = cursor.model_copy(update=moved)
    return _Found(raws, unread, cursor, since=since, first_contact=False, more=len(later))


def _understood(asked: _Asked, found: _Found) -> tuple[list[Message], tuple[str, ...]]:
    """Read each message by itself: one that nobody foresaw is told as a problem, and hides no other."""
    messages, broken = [], 0
    for raw in found.raws:
        try:
            message = read_message(raw, asked.key, asked.mailbox.user, asked.now, (asked.password,))
        except Exception:  # noqa: BLE001 - anybody may send anything, and the next look would meet it again
            message = unreadable(raw, asked.key)
            broken += 1
        messages.append(message)
    if not broken:
        return messages, ()
    sentence = f"{counted(broken, 'message')} of {asked.key} could not be understood; open the mailbox by hand."
    return messages, (sentence,)


def _missed(asked: _Asked, found: _Found) -> Iterator[str]:
    """Tell of messages that the server lists and does not give."""
    waiting = sum(_tries(asked, found.cursor, uid) + 1 < MAX_TRIES for uid in found.unread)
    if waiting:
        yield f"{counted(waiting, 'message')} of {asked.key} could not be read; the next look tries again."
    if passed := len(found.unread) - waiting:
        yield f"{counted(passed, 'message')} of {asked.key} could not be read at all; open the mailbox by hand."


def _tries(asked: _Asked, cursor: cursors.MailCursor, uid: int) -> int:
    """How many looks before this one did not get a message."""
    return sum(_try_id(asked, cursor, uid, number) in asked.seen.items for number in range(1, MAX_TRIES + 1))


def _new_tries(asked: _Asked, found: _Found) -> list[str]:
    return [_try_id(asked, found.cursor, uid, _tries(asked, found.cursor, uid) + 1) for uid in found.unread]


def _try_id(asked: _Asked, cursor: cursors.MailCursor, uid: int, number: int) -> str:
    return cursors.item_id(asked.key, f"try {number} of {uid} in {cursor.uidvalidity}")


def _is_from_before(message: Message, found: _Found) -> bool:
    if found.since is None or found.first_contact or message.date is None:
        return False
    return message.date < found.since
