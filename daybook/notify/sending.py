"""
Send notices, each as often as it may be: an urgent one at least once, every other at most once.

An urgent one that was begun and never confirmed is sent again, marked as a repeat. One that no address said it took
is tried again, each time later. What quiet hours or the rate hold back waits in `told.jsonl` and goes out at a later
send, several in one message where the rate leaves no room for each.

The last message of an hour is an urgent one's: what is not urgent goes along with it, or waits for a later hour or the
brief. Where an hour has but one message, what waited for an hour may have it, if nothing went out in that hour.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError, NoticeError
from daybook.guard.secrets import encodable
from daybook.notify import told
from daybook.notify.delivering import deliver
from daybook.notify.digest import messages, text_of
from daybook.notify.notices import (
    REPEAT_MARK,
    AlreadyTold,
    Failed,
    GivenUp,
    Later,
    NotConfigured,
    Notice,
    Outcome,
    Quiet,
    Sent,
    harmless,
)
from daybook.notify.told import LOCK_FILE, Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from daybook.settings import Notify
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Brief:
    """
    One message instead of the notices that wait.

    Attributes:
        text: The whole of it, harmless already; empty where there is nothing to say.
        told: Keys of the notices that it tells; the others wait on.
    """

    text: str
    told: frozenset[str] = frozenset()


@dataclass(frozen=True)
class _Post:
    """Where notices of one send go to."""

    workspace: Workspace
    settings: Notify
    told: Told
    now: datetime


async def send(
    workspace: Workspace,
    settings: Notify,
    notices: Iterable[Notice],
    now: datetime,
    *,
    quiet: bool,
) -> list[Outcome]:
    """
    Send notices, and those that wait.

    A notice that cannot be sent is an outcome, not an error.

    Args:
        workspace: Whose journal.
        settings: Where to, and how many messages an hour.
        notices: What; their text is flattened and redacted here.
        now: Aware.
        quiet: Whether only urgent ones may go out now.

    Returns:
        An outcome for each notice, in order, then one for each that waited and was tried, or given up.

    Raises:
        NoticeError: An urgent one could neither be told nor kept: whoever has it must bring it again.
    """
    return await asyncio.to_thread(_send, workspace, settings, tuple(notices), now, quiet=quiet)


async def send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], Brief], now: datetime
) -> Outcome | None:
    """
    Send one message instead of the notices that wait; it is told at most once, and made anew where nobody took it.

    It may be the last message of an hour, since it tells of urgent ones too.

    Args:
        workspace: Whose journal.
        settings: Where to, and how many messages an hour.
        key: The same for the same occasion.
        compose: Makes it of the notices that wait; those that may have been told before are marked.
        now: Aware.

    Returns:
        What became of it; None where there was nothing to say.
    """
    return await asyncio.to_thread(_send_brief, workspace, settings, key, compose, now)


def may_send_first(workspace: Workspace, settings: Notify, key: str, now: datetime) -> bool:
    """Whether a brief would go out now, and was never tried before."""
    post = _Post(workspace, settings, told.read(workspace), now)
    return key not in post.told.notices and _room(post) > 0


def _send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], Brief], now: datetime
) -> Outcome | None:
    own = Notice(key, "")
    with files.locked(workspace.private / LOCK_FILE):
        post = _Post(workspace, settings, told.read(workspace), now)
        known = post.told.notices.get(key)
        if known is not None and not known.waits:
            return AlreadyTold(key)
        if (known is not None and known.rests(now)) or _room(post) <= 0:
            return Later(key)
        waiting = _waiting(post.told, set())
        brief = compose([_marked(post.told, one) for one in waiting])
        if not brief.text:
            told.write(workspace, post.told, [own], "dropped", now)
            return None
        outcome = _deliver(post, [own, *(one for one in waiting if one.key in brief.told)], brief.text)
    return Failed(key, outcome) if isinstance(outcome, str) else Sent(key, failed=outcome)


def _send(
    workspace: Workspace, settings: Notify, notices: tuple[Notice, ...], now: datetime, *, quiet: bool
) -> list[Outcome]:
    if not settings.urls:
        return [NotConfigured(notice.key) for notice in notices]
    notices = tuple(replace(one, key=encodable(one.key)) for one in notices)
    given: dict[str, Notice] = {}
    for one in notices:
        given.setdefault(one.key, replace(one, text=harmless(one.text)))
    waiting: list[Notice] = []
    kept: set[str] = set()
    try:
        with files.locked(workspace.private / LOCK_FILE):
            post = _Post(workspace, settings, told.read(workspace), now)
            waiting = _waiting(post.told, given.keys())
            found = _send_all(post, [*given.values(), *waiting], quiet=quiet)
            kept = set(post.told.notices)
    except DaybookError as error:
        found = {key: Failed(key, str(error)) for key in given}
    for key, notice in given.items():
        outcome = found[key]
        if notice.urgent and isinstance(outcome, Failed) and key not in kept:
            raise NoticeError(f"{key} is urgent, and could neither be told nor kept: {outcome.reason}")
    tried = [found[one.key] for one in waiting if not isinstance(found[one.key], Quiet | Later)]
    return [*_in_order(notices, found), *tried]


def _in_order(given: Sequence[Notice], found: dict[str, Outcome]) -> list[Outcome]:
    """Give an outcome for each notice; one that stands there twice was told before."""
    met: set[str] = set()
    outcomes: list[Outcome] = []
    for notice in given:
        outcomes.append(AlreadyTold(notice.key) if notice.key in met else found[notice.key])
        met.add(notice.key)
    return outcomes


def _waiting(known: Told, given: Iterable[str]) -> list[Notice]:
    """List what waits, and is not among the new ones."""
    new = set(given)
    return [
        Notice(key, one.text, one.urgent)
        for key, one in known.notices.items()
        if one.waits and one.text and key not in new
    ]


def _send_all(post: _Post, every: Sequence[Notice], *, quiet: bool) -> dict[str, Outcome]:
    """Send what may go out now as far as the rate allows, urgent ones first; keep what waits, let go what is old."""
    found: dict[str, Outcome] = {}
    ready = []
    for notice in every:
        outcome = _before_sending(post, notice, quiet=quiet)
        if outcome is None:
            ready.append(notice)
        else:
            found[notice.key] = outcome
    past = [one.key for one in ready if (known := post.told.notices.get(one.key)) and known.is_past(post.now)]
    for message in messages(sorted(ready, key=lambda notice: not notice.urgent), _shared(post, ready)):
        found |= _send_one(post, message)
    # An urgent one had a last try.
    found |= {key: GivenUp(key) for key in past if isinstance(found.get(key), Failed)}
    found |= {notice.key: Later(notice.key) for notice in ready if notice.key not in found}
    dropped = [one for one in every if isinstance(found[one.key], GivenUp)]
    held = [one for one in every if isinstance(found[one.key], Quiet | Later) and _is_to_be_held(post, one)]
    try:
        told.write(post.workspace, post.told, dropped, "dropped", post.now)
        told.write(post.workspace, post.told, held, "held", post.now)
    except DaybookError as error:
        # What was sent stays sent, whatever becomes of the rest.
        found |= {one.key: Failed(one.key, str(error)) for one in held}
    return found


def _before_sending(post: _Post, notice: Notice, *, quiet: bool) -> Outcome | None:
    """Say why a notice is not sent now; None where it is."""
    known = post.told.notices.get(notice.key)
    if known is not None and not known.waits:
        return AlreadyTold(notice.key)
    if known is not None and known.is_past(post.now) and not notice.urgent:
        return GivenUp(notice.key)
    if quiet and not notice.urgent:
        return Quiet(notice.key)
    if known is not None and known.rests(post.now):
        return Later(notice.key)
    return None


def _is_to_be_held(post: _Post, notice: Notice) -> bool:
    known = post.told.notices.get(notice.key)
    return known is None or known.turns_old(post.now)


def _room(post: _Post) -> int:
    return post.settings.per_hour - post.told.sent_lately(post.now)


def _shared(post: _Post, ready: Sequence[Notice]) -> int:
    """How many messages these may have: all that are left to urgent ones, all but one to others."""
    room, urgent = _room(post), sum(notice.urgent for notice in ready)
    if post.settings.per_hour == 1 and any(_waited_an_hour(post, one) for one in ready):
        return room
    return max(room - 1, min(room, urgent))


def _waited_an_hour(post: _Post, notice: Notice) -> bool:
    known = post.told.notices.get(notice.key)
    return known is not None and known.waited_an_hour(post.now)


def _send_one(post: _Post, notices: Sequence[Notice]) -> dict[str, Outcome]:
    """Send one message about one or several notices."""
    repeated = {notice.key for notice in notices if _may_have_arrived(post.told, notice)}
    outcome = _deliver(post, notices, text_of([_marked(post.told, notice) for notice in notices]))
    if isinstance(outcome, str):
        return {notice.key: Failed(notice.key, outcome) for notice in notices}
    return {notice.key: Sent(notice.key, repeated=notice.key in repeated, failed=outcome) for notice in notices}


def _deliver(post: _Post, notices: Sequence[Notice], text: str) -> tuple[str, ...] | str:
    """
    Send one text that tells of these notices.

    Returns:
        A sentence for each address that did not take it; one sentence alone where none did.
    """
    message, urgent = notices[0].key, any(notice.urgent for notice in notices)
    try:
        told.write(post.workspace, post.told, notices, "begin", post.now, message)
    except DaybookError as error:
        return str(error)
    reasons = deliver(post.settings.urls, text, urgent=urgent)
    taken = len(reasons) < len(post.settings.urls)
    try:
        told.write(post.workspace, post.told, notices, "told" if taken else "failed", post.now, message)
    except DaybookError as error:
        reasons = (*reasons, str(error))
    return reasons if taken else reasons[0]


def _may_have_arrived(known: Told, notice: Notice) -> bool:
    state = known.notices.get(notice.key)
    return state is not None and state.may_have_arrived


def _marked(known: Told, notice: Notice) -> Notice:
    return replace(notice, text=f"{REPEAT_MARK} {notice.text}") if _may_have_arrived(known, notice) else notice
