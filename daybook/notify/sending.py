"""
Send notices, each as often as it may be: an urgent one at least once, every other at most once.

An urgent one that was begun and never confirmed is sent again, marked as a repeat. One that surely no address took
is tried again, each time later. What quiet hours or the rate hold back waits in the journal and goes out at a later
send, several in one message where the rate leaves no room for each.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError
from daybook.notify import journal as journals
from daybook.notify.delivering import deliver
from daybook.notify.journal import HOUR, LOCK_FILE, Journal
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

    from daybook.notify.journal import Story
    from daybook.settings import Notify
    from daybook.workspace import Workspace

REPEAT_MARK = "(repeat)"
# In one message of several.
MAX_LINES = 20


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

    Never raises for a notice that cannot be sent: that is an outcome.

    Args:
        workspace: Whose journal.
        settings: Where to, and how many messages an hour.
        notices: What; their text is flattened and redacted here.
        now: Aware.
        quiet: Whether only urgent ones may go out now.

    Returns:
        An outcome for each notice, in order, then one for each that waited and was tried, or given up.
    """
    return await asyncio.to_thread(_send, workspace, settings, tuple(notices), now, quiet=quiet)


async def send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], str], now: datetime
) -> Outcome | None:
    """
    Send one message instead of all notices that wait; it is told at most once, and made anew where nobody took it.

    Args:
        workspace: Whose journal.
        settings: Where to, and how many messages an hour.
        key: The same for the same occasion.
        compose: Gives the whole text, harmless already, from the notices that wait; nothing where there is none.
        now: Aware.

    Returns:
        What became of it; None where there was nothing to say.
    """
    return await asyncio.to_thread(_send_brief, workspace, settings, key, compose, now)


def _send_brief(
    workspace: Workspace, settings: Notify, key: str, compose: Callable[[Sequence[Notice]], str], now: datetime
) -> Outcome | None:
    brief = Notice(key, "")
    with files.locked(workspace.private / LOCK_FILE):
        post = _Post(workspace, settings, journals.read(workspace), now)
        story = post.journal.stories.get(key)
        if story is not None and not story.waits:
            return AlreadyTold(key)
        if (story is not None and story.next_try > now) or _room(post) <= 0:
            return Later(key)
        waiting = _waiting(post.journal, set())
        text = compose(waiting)
        if not text:
            journals.write(workspace, post.journal, [brief], "dropped", now)
            return None
        outcome = _deliver(post, [brief, *waiting], text)
    return Failed(key, outcome) if isinstance(outcome, str) else Sent(key, failed=outcome)


def _send(
    workspace: Workspace, settings: Notify, notices: tuple[Notice, ...], now: datetime, *, quiet: bool
) -> list[Outcome]:
    if not settings.urls:
        return [NotConfigured(notice.key) for notice in notices]
    given = [replace(notice, text=harmless(notice.text)) for notice in notices]
    found: dict[str, Outcome] = {}
    try:
        with files.locked(workspace.private / LOCK_FILE):
            post = _Post(workspace, settings, journals.read(workspace), now)
            waiting = _waiting(post.journal, {notice.key for notice in given})
            ready = []
            for notice in (*{one.key: one for one in given}.values(), *waiting):
                outcome = _before_sending(post, notice, quiet=quiet)
                if outcome is None:
                    ready.append(notice)
                else:
                    found[notice.key] = outcome
            found |= _send_all(post, ready)
    except DaybookError as error:
        found |= {notice.key: Failed(notice.key, str(error)) for notice in given if notice.key not in found}
        waiting = []
    tried = [found[one.key] for one in waiting if not isinstance(found[one.key], Quiet | Later | AlreadyTold)]
    return [*_in_order(given, found), *tried]


def _in_order(given: Sequence[Notice], found: dict[str, Outcome]) -> list[Outcome]:
    """Give an outcome for each notice; one that stands there twice was told before."""
    met: set[str] = set()
    outcomes: list[Outcome] = []
    for notice in given:
        outcomes.append(AlreadyTold(notice.key) if notice.key in met else found[notice.key])
        met.add(notice.key)
    return outcomes


def _waiting(journal: Journal, given: set[str]) -> list[Notice]:
    """List what waits in the journal, and is not among the new ones."""
    return [
        Notice(key, story.text, story.urgent)
        for key, story in journal.stories.items()
        if story.waits and story.text and key not in given
    ]


def _before_sending(post: _Post, notice: Notice, *, quiet: bool) -> Outcome | None:
    """Say why a notice is not sent now; None where it is."""
    story = post.journal.stories.get(notice.key)
    if story is not None and not story.waits:
        return AlreadyTold(notice.key)
    if story is not None and story.is_old(post.now):
        journals.write(post.workspace, post.journal, [notice], "dropped", post.now)
        return GivenUp(notice.key)
    if quiet and not notice.urgent:
        _hold(post, notice, story)
        return Quiet(notice.key)
    if story is not None and story.next_try > post.now:
        return Later(notice.key)
    return None


def _hold(post: _Post, notice: Notice, story: Story | None) -> None:
    if story is None:
        journals.write(post.workspace, post.journal, [notice], "held", post.now)


def _send_all(post: _Post, ready: Sequence[Notice]) -> dict[str, Outcome]:
    """Send each in a message of its own as far as the rate allows, urgent ones first; the last takes all the rest."""
    ordered = sorted(ready, key=lambda notice: not notice.urgent)
    room = _room(post)
    if room <= 0:
        for notice in ordered:
            _hold(post, notice, post.journal.stories.get(notice.key))
        return {notice.key: Later(notice.key) for notice in ordered}
    alone = ordered if len(ordered) <= room else ordered[: room - 1]
    messages = [[notice] for notice in alone]
    if rest := ordered[len(alone) :]:
        messages.append(rest)
    found: dict[str, Outcome] = {}
    for message in messages:
        found |= _send_one(post, message)
    return found


def _room(post: _Post) -> int:
    return post.settings.per_hour - post.journal.sent_since(post.now - HOUR)


def _send_one(post: _Post, notices: Sequence[Notice]) -> dict[str, Outcome]:
    """Send one message about one or several notices."""
    repeated = {notice.key for notice in notices if _may_have_arrived(post.journal, notice)}
    outcome = _deliver(post, notices, _text(notices, repeated))
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
        reasons = deliver(post.settings.urls, text, urgent=urgent)
        taken = len(reasons) < len(post.settings.urls)
        journals.write(post.workspace, post.journal, notices, "told" if taken else "failed", post.now, message)
    except DaybookError as error:
        return str(error)
    return reasons if taken else reasons[0]


def _may_have_arrived(journal: Journal, notice: Notice) -> bool:
    """Whether a run was killed while it sent this, or no address said that it took it."""
    story = journal.stories.get(notice.key)
    return story is not None and story.state in {"begin", "failed"}


def _text(notices: Sequence[Notice], repeated: set[str]) -> str:
    lines = [f"{REPEAT_MARK} {one.text}" if one.key in repeated else one.text for one in notices]
    if len(lines) == 1:
        return lines[0]
    shown = [f"- {line}" for line in lines[:MAX_LINES]]
    more = [f"… and {len(lines) - MAX_LINES} more"] if len(lines) > MAX_LINES else []
    return "\n".join([f"{len(lines)} notices:", *shown, *more])
