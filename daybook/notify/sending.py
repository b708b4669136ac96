"""
Send notices, each as often as it may be: an urgent one at least once, every other at most once.

An urgent one that was begun and never confirmed is sent again, marked as a repeat. One that no address said it took
is tried again, each time later. What quiet hours or the rate hold back waits in the journal and goes out at a later
send, several in one message where the rate leaves no room for each.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError, UnreadableFileError
from daybook.notify import journal as journals
from daybook.notify.delivering import deliver
from daybook.notify.digest import REPEAT_MARK, messages, text_of
from daybook.notify.journal import LOCK_FILE, Journal
from daybook.notify.notices import (
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
    journal: Journal
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
        UnreadableFileError: An urgent one could neither be told nor kept: whoever has it must bring it again.
    """
    return await asyncio.to_thread(_send, workspace, settings, tuple(notices), now, quiet=quiet)


async def send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], Brief], now: datetime
) -> Outcome | None:
    """
    Send one message instead of the notices that wait; it is told at most once, and made anew where nobody took it.

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


def _send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], Brief], now: datetime
) -> Outcome | None:
    own = Notice(key, "")
    with files.locked(workspace.private / LOCK_FILE):
        post = _Post(workspace, settings, journals.read(workspace), now)
        story = post.journal.stories.get(key)
        if story is not None and not story.waits:
            return AlreadyTold(key)
        if (story is not None and story.rests(now)) or _room(post) <= 0:
            return Later(key)
        waiting = _waiting(post.journal, set())
        brief = compose([_marked(post.journal, one) for one in waiting])
        if not brief.text:
            journals.write(workspace, post.journal, [own], "dropped", now)
            return None
        outcome = _deliver(post, [own, *(one for one in waiting if one.key in brief.told)], brief.text)
    return Failed(key, outcome) if isinstance(outcome, str) else Sent(key, failed=outcome)


def _send(
    workspace: Workspace, settings: Notify, notices: tuple[Notice, ...], now: datetime, *, quiet: bool
) -> list[Outcome]:
    if not settings.urls:
        return [NotConfigured(notice.key) for notice in notices]
    given: dict[str, Notice] = {}
    for one in notices:
        given.setdefault(one.key, replace(one, text=harmless(one.text)))
    waiting: list[Notice] = []
    kept: set[str] = set()
    try:
        with files.locked(workspace.private / LOCK_FILE):
            post = _Post(workspace, settings, journals.read(workspace), now)
            waiting = _waiting(post.journal, given.keys())
            found = _send_all(post, [*given.values(), *waiting], quiet=quiet)
            kept = set(post.journal.stories)
    except DaybookError as error:
        found = {key: Failed(key, str(error)) for key in given}
    for key, notice in given.items():
        outcome = found[key]
        if notice.urgent and isinstance(outcome, Failed) and key not in kept:
            raise UnreadableFileError(f"{key} is urgent, and could neither be told nor kept: {outcome.reason}")
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


def _waiting(journal: Journal, given: Iterable[str]) -> list[Notice]:
    """List what waits in the journal, and is not among the new ones."""
    new = set(given)
    return [
        Notice(key, story.text, story.urgent)
        for key, story in journal.stories.items()
        if story.waits and story.text and key not in new
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
    old = [one.key for one in ready if (story := post.journal.stories.get(one.key)) and story.is_old(post.now)]
    for message in messages(sorted(ready, key=lambda notice: not notice.urgent), _room(post)):
        found |= _send_one(post, message)
    # An urgent one that is old had a last try.
    found |= {key: GivenUp(key) for key in old if isinstance(found.get(key), Failed)}
    found |= {notice.key: Later(notice.key) for notice in ready if notice.key not in found}
    dropped = [one for one in every if isinstance(found[one.key], GivenUp)]
    held = [one for one in every if isinstance(found[one.key], Quiet | Later) and one.key not in post.journal.stories]
    try:
        journals.write(post.workspace, post.journal, dropped, "dropped", post.now)
        journals.write(post.workspace, post.journal, held, "held", post.now)
    except DaybookError as error:
        # What was sent stays sent, whatever becomes of the rest.
        found |= {one.key: Failed(one.key, str(error)) for one in held}
    return found


def _before_sending(post: _Post, notice: Notice, *, quiet: bool) -> Outcome | None:
    """Say why a notice is not sent now; None where it is."""
    story = post.journal.stories.get(notice.key)
    if story is not None and not story.waits:
        return AlreadyTold(notice.key)
    if story is not None and story.is_old(post.now) and not notice.urgent:
        return GivenUp(notice.key)
    if quiet and not notice.urgent:
        return Quiet(notice.key)
    if story is not None and story.rests(post.now):
        return Later(notice.key)
    return None


def _room(post: _Post) -> int:
    return post.settings.per_hour - post.journal.sent_lately(post.now)


def _send_one(post: _Post, notices: Sequence[Notice]) -> dict[str, Outcome]:
    """Send one message about one or several notices."""
    repeated = {notice.key for notice in notices if _may_have_arrived(post.journal, notice)}
    outcome = _deliver(post, notices, text_of([_marked(post.journal, notice) for notice in notices]))
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
        journals.write(post.workspace, post.journal, notices, "begin", post.now, message)
    except DaybookError as error:
        return str(error)
    reasons = deliver(post.settings.urls, text, urgent=urgent)
    taken = len(reasons) < len(post.settings.urls)
    try:
        journals.write(post.workspace, post.journal, notices, "told" if taken else "failed", post.now, message)
    except DaybookError as error:
        reasons = (*reasons, str(error))
    return reasons if taken else reasons[0]


def _may_have_arrived(journal: Journal, notice: Notice) -> bool:
    """Whether a run was killed while it sent this, or no address said that it took it."""
    story = journal.stories.get(notice.key)
    return story is not None and story.state in {"begin", "failed"}


def _marked(journal: Journal, notice: Notice) -> Notice:
    return replace(notice, text=f"{REPEAT_MARK} {notice.text}") if _may_have_arrived(journal, notice) else notice
