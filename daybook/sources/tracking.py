"""
memory/source-tracking.json: what is published of each feed and mailbox, for agents and people.

A view that anyone may scribble on: it is read leniently, its times are bounded, and losing it costs a
refetch, no more. What was told already is kept in private state (`cursors`). Both are moved on only by
`commit`, after the note was written: then a crash in between neither loses nor doubles an item.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, assert_never

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name
from daybook.errors import ChangedFileError, SourceError
from daybook.sources import cursors, lenient, standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from daybook.sources.cursors import Kind
    from daybook.workspace import Workspace

FIRST_BACKOFF = timedelta(minutes=5)
MAX_BACKOFF = timedelta(hours=6)
MAX_WAIT = timedelta(days=7)
REPLACE_TRIES = 5


class SourceState(BaseModel):
    """
    What is known of a source; unknown keys are kept.

    Attributes:
        name: What the operator calls it.
        failures: Failed looks since the last good one.
        next_allowed: It is left alone until then.
        last_ok: When it was last looked at with success.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    name: lenient.Name = None
    failures: lenient.Count = 0
    next_allowed: lenient.Time = None
    last_ok: lenient.Time = None


class FeedState(SourceState):
    """
    What is known of a feed.

    Attributes:
        etag: Validator the server gave with what we have seen.
        last_modified: Likewise.
        gone: Since when it is gone for good; for people to read, since private state decides.
        retry_after: Until when its server asked to be left alone, which counts also where a person asks.
    """

    etag: lenient.Text = None
    last_modified: lenient.Text = None
    gone: lenient.Time = None
    retry_after: lenient.Time = None


class Tracking(BaseModel):
    """
    The whole file.

    Attributes:
        version: Of the format.
        feeds: By host, path and a short hash of the address, since addresses may carry tokens.
        mailboxes: By `user@host/folder`.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    version: Annotated[int, BeforeValidator(lambda value: value if type(value) is int else 1)] = 1
    feeds: Annotated[dict[str, FeedState], BeforeValidator(lenient.states)] = Field(default_factory=dict)
    mailboxes: Annotated[dict[str, SourceState], BeforeValidator(lenient.states)] = Field(default_factory=dict)


@dataclass(frozen=True)
class Progress:
    """
    A look that succeeded, to be committed after its note was written.

    Attributes:
        kind: What sort of source.
        key: Its key in the file.
        name: What the operator calls it.
        validators: Of a feed: ETag and Last-Modified of what was seen; None leaves the old ones.
        seen: Ids of everything that was seen.
        cursor: Of a mailbox: how far it was read.
        standing: Of a feed: where it has moved to; None leaves what is known.
    """

    kind: Kind
    key: str
    name: str
    validators: tuple[str | None, str | None] | None = None
    seen: tuple[str, ...] = ()
    cursor: cursors.MailCursor | None = None
    standing: standing.Standing | None = None


@dataclass(frozen=True)
class Failure:
    """
    A look that failed, to be committed too, so that the source is left alone for a while.

    Attributes:
        kind: What sort of source.
        key: Its key in the file.
        name: What the operator calls it.
        reason: One sentence without secrets.
        retry_after_s: Seconds it asked us to wait, if it did.
        standing: Of a feed: that it is gone for good; None leaves what is known.
    """

    kind: Kind
    key: str
    name: str
    reason: str
    retry_after_s: float | None = None
    standing: standing.Standing | None = None


def failure(kind: Kind, key: str, name: str, error: SourceError) -> Failure:
    """Turn the error of a look into a value."""
    return Failure(kind, key, name, str(error), error.retry_after_s)


def load(workspace: Workspace, now: datetime) -> Tracking:
    """
    Read what is published; what cannot be understood counts as unknown.

    Times that cannot be count as unknown (a wait of more than a week, or without a failure) or as now (a success in the
    future): one beat with a wrong clock silences no source.
    """
    data = files.read_if_exists(workspace.source_tracking)
    tracking = _parse(data) if data is not None else None
    return _clamped(tracking or Tracking(), now)


def commit(workspace: Workspace, looks: Iterable[Progress | Failure], now: datetime) -> tuple[str, ...]:
    """
    Move on what is known of each source. Call it after the note was written, never before.

    What was seen goes first, the validators after it: a crash in between costs a refetch.

    Returns:
        Sentences for the run record, such as that a damaged file was set aside.
    """
    looks = tuple(looks)
    with files.locked(workspace.private / standing.LOCK_FILE):
        reports = cursors.commit(workspace, [(look.kind, look.key, look.seen) for look in _good(looks)], now)
        moved = {look.key: look.cursor for look in _good(looks) if look.cursor is not None}
        reports += cursors.commit_mail(workspace, moved, now)
        reports += standing.commit(
            workspace, {one.key: (one.name, one.standing) for one in looks if one.standing is not None}, now
        )
        return reports + _publish(workspace, lambda known: _all_moved(known, looks, now), now)


def clear(workspace: Workspace, key: str, now: datetime) -> None:
    """Count a feed as one that did not fail: it was asked by hand and answers, or was added or taken out."""

    def cleared(known: Tracking) -> Tracking:
        state = known.feeds.get(key)
        if state is None:
            return known
        new = state.model_copy(update={"failures": 0, "next_allowed": None, "retry_after": None, "gone": None})
        return known.model_copy(update={"feeds": {**known.feeds, key: new}})

    state = load(workspace, now).feeds.get(key)
    if state is not None and (state.failures or state.gone):
        with files.locked(workspace.private / standing.LOCK_FILE):
            _publish(workspace, cleared, now)


def backoff(failures: int, retry_after_s: float | None) -> timedelta:
    """How long a source is left alone after so many failures in a row, or as long as it asked, up to a week."""
    own: timedelta = min(FIRST_BACKOFF * 2 ** min(failures, 10), MAX_BACKOFF)
    return min(max(own, timedelta(seconds=retry_after_s or 0)), MAX_WAIT)


def _good(looks: tuple[Progress | Failure, ...]) -> list[Progress]:
    return [look for look in looks if isinstance(look, Progress)]


def _parse(data: bytes) -> Tracking | None:
    try:
        return Tracking.model_validate(json.loads(data.decode("utf-8-sig")))
    except (ValueError, RecursionError, ValidationError):
        return None


def _clamped(tracking: Tracking, now: datetime) -> Tracking:
    now = now.astimezone(UTC)
    feeds = {
        key: state.model_copy(
            update={**_clamps(state, now), "retry_after": _possible(state.retry_after, state.failures, now)}
        )
        for key, state in tracking.feeds.items()
    }
    boxes = {key: state.model_copy(update=_clamps(state, now)) for key, state in tracking.mailboxes.items()}
    return tracking.model_copy(update={"feeds": feeds, "mailboxes": boxes})


def _clamps(state: SourceState, now: datetime) -> dict[str, datetime | None]:
    return {
        "next_allowed": _possible(state.next_allowed, state.failures, now),
        "last_ok": min(state.last_ok, now) if state.last_ok else None,
    }


def _possible(until: datetime | None, failures: int, now: datetime) -> datetime | None:
    return until if until and failures and until <= now + MAX_WAIT else None


def _publish(workspace: Workspace, change: Callable[[Tracking], Tracking], now: datetime) -> tuple[str, ...]:
    reports: tuple[str, ...] = ()
    path = workspace.source_tracking
    for last in range(REPLACE_TRIES, 0, -1):
        data = files.read_if_exists(path)
        if data is not None and _parse(data) is None:
            reports += (folders.set_aside(path, slot_name(now)),)
            data = None
        tracking = change(_clamped((data is not None and _parse(data)) or Tracking(), now))
        text = json.dumps(tracking.model_dump(mode="json", exclude_none=True), indent=2, ensure_ascii=False)
        try:
            files.replace(path, f"{text}\n".encode("utf-8", "replace"), expected=data)
        except ChangedFileError:
            if last == 1:
                raise
        else:
            break
    return reports


def _all_moved(tracking: Tracking, looks: tuple[Progress | Failure, ...], now: datetime) -> Tracking:
    for look in looks:
        tracking = _moved(tracking, look, now)
    return tracking


def _moved(tracking: Tracking, look: Progress | Failure, now: datetime) -> Tracking:
    known = tracking.feeds if look.kind == "feed" else tracking.mailboxes
    old = known.get(look.key) or (FeedState() if look.kind == "feed" else SourceState())
    match look:
        case Progress():
            update: dict[str, object] = {"failures": 0, "next_allowed": None, "last_ok": now}
            update |= {"gone": None, "retry_after": None} if look.kind == "feed" else {}
            if look.validators is not None:
                update |= dict(zip(("etag", "last_modified"), look.validators, strict=True))
        case Failure(standing=standing.Standing(gone_at=datetime() as since)):
            update = {"failures": 0, "next_allowed": None, "retry_after": None, "gone": since}
        case Failure():
            failures = min(old.failures + 1, lenient.MAX_COUNT)
            update = {"failures": failures, "next_allowed": now + backoff(failures, look.retry_after_s)}
            if look.kind == "feed":
                wait_s = look.retry_after_s
                update["retry_after"] = now + min(timedelta(seconds=wait_s), MAX_WAIT) if wait_s else None
        case _:
            assert_never(look)
    new = old.model_copy(update={"name": look.name, **update})
    part = "feeds" if look.kind == "feed" else "mailboxes"
    return tracking.model_copy(update={part: dict(sorted({**known, look.key: new}.items()))})
