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
from typing import TYPE_CHECKING, Annotated, Any, assert_never

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from daybook import files, folders
from daybook.clock import slot_name, stamp
from daybook.errors import ChangedFileError, SourceError
from daybook.guard.cleaning import clean
from daybook.sources import cursors, standing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.sources.cursors import Kind
    from daybook.workspace import Workspace

FIRST_BACKOFF = timedelta(minutes=5)
MAX_BACKOFF = timedelta(hours=6)
MAX_WAIT = timedelta(days=7)
MAX_FAILURES = 1_000
MAX_TEXT_CHARS = 1_024
NAME_CHARS = 200
REPLACE_TRIES = 5


def _lenient_time(value: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        # A time without a zone is anybody's guess, and one at the end of time has no UTC.
        return time.astimezone(UTC) if isinstance(time, datetime) and time.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None


def _lenient_text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= MAX_TEXT_CHARS else None


def _lenient_name(value: object) -> str | None:
    # Whoever prints it prints to a terminal.
    return clean(value, limit=NAME_CHARS) or None if isinstance(value, str) else None


def _lenient_count(value: object) -> int:
    counted = isinstance(value, int) and not isinstance(value, bool)
    return min(max(int(str(value)), 0), MAX_FAILURES) if counted else 0


def _lenient_states(value: object) -> dict[str, Any]:
    return {str(k): v for k, v in value.items() if isinstance(v, dict)} if isinstance(value, dict) else {}


Time = Annotated[
    datetime | None,
    BeforeValidator(_lenient_time),
    PlainSerializer(lambda time: time and stamp(time), return_type=str | None),
]
Text = Annotated[str | None, BeforeValidator(_lenient_text)]
Name = Annotated[str | None, BeforeValidator(_lenient_name)]
Count = Annotated[int, BeforeValidator(_lenient_count)]


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
    name: Name = None
    failures: Count = 0
    next_allowed: Time = None
    last_ok: Time = None


class FeedState(SourceState):
    """
    What is known of a feed.

    Attributes:
        etag: Validator the server gave with what we have seen.
        last_modified: Likewise.
        gone: Since when it is gone for good; for people to read, since private state decides.
    """

    etag: Text = None
    last_modified: Text = None
    gone: Time = None


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
    feeds: Annotated[dict[str, FeedState], BeforeValidator(_lenient_states)] = Field(default_factory=dict)
    mailboxes: Annotated[dict[str, SourceState], BeforeValidator(_lenient_states)] = Field(default_factory=dict)


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
        return reports + _publish(workspace, looks, now)


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
    feeds = {key: state.model_copy(update=_clamps(state, now)) for key, state in tracking.feeds.items()}
    boxes = {key: state.model_copy(update=_clamps(state, now)) for key, state in tracking.mailboxes.items()}
    return tracking.model_copy(update={"feeds": feeds, "mailboxes": boxes})


def _clamps(state: SourceState, now: datetime) -> dict[str, datetime | None]:
    until = state.next_allowed
    return {
        "next_allowed": until if until and state.failures and until <= now + MAX_WAIT else None,
        "last_ok": min(state.last_ok, now) if state.last_ok else None,
    }


def _publish(workspace: Workspace, looks: tuple[Progress | Failure, ...], now: datetime) -> tuple[str, ...]:
    reports: tuple[str, ...] = ()
    path = workspace.source_tracking
    for last in range(REPLACE_TRIES, 0, -1):
        data = files.read_if_exists(path)
        if data is not None and _parse(data) is None:
            reports += (folders.set_aside(path, slot_name(now)),)
            data = None
        tracking = _clamped((data is not None and _parse(data)) or Tracking(), now)
        for look in looks:
            tracking = _moved(tracking, look, now)
        text = json.dumps(tracking.model_dump(mode="json", exclude_none=True), indent=2, ensure_ascii=False)
        try:
            files.replace(path, f"{text}\n".encode("utf-8", "replace"), expected=data)
        except ChangedFileError:
            if last == 1:
                raise
        else:
            break
    return reports


def _moved(tracking: Tracking, look: Progress | Failure, now: datetime) -> Tracking:
    known = tracking.feeds if look.kind == "feed" else tracking.mailboxes
    old = known.get(look.key) or (FeedState() if look.kind == "feed" else SourceState())
    match look:
        case Progress():
            update: dict[str, object] = {"failures": 0, "next_allowed": None, "last_ok": now}
            update |= {"gone": None} if look.kind == "feed" else {}
            if look.validators is not None:
                update |= dict(zip(("etag", "last_modified"), look.validators, strict=True))
        case Failure(standing=standing.Standing(gone_at=datetime() as since)):
            update = {"failures": 0, "next_allowed": None, "gone": since}
        case Failure():
            failures = min(old.failures + 1, MAX_FAILURES)
            update = {"failures": failures, "next_allowed": now + backoff(failures, look.retry_after_s)}
        case _:
            assert_never(look)
    new = old.model_copy(update={"name": look.name, **update})
    part = "feeds" if look.kind == "feed" else "mailboxes"
    return tracking.model_copy(update={part: dict(sorted({**known, look.key: new}.items()))})
