"""
A circuit breaker per model, in private state, so that no flow, process or later run calls one too soon.

A model that failed is left alone for a while that grows with every failure in a row. Then one call, the probe,
finds out whether it is back: whoever makes it moves the end of the wait on first, so that others keep waiting,
also if the probe is killed. The file is `models.json`; losing it costs a call a model, no more.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name
from daybook.errors import UnreadableFileError
from daybook.models.choice import provider_of
from daybook.models.outcomes import ABOUT_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.models.outcomes import Trouble
    from daybook.workspace import Workspace

FILE = "models.json"
LOCK_FILE = "models.lock"
BACKOFF = tuple(timedelta(minutes=minutes) for minutes in (5, 10, 20, 40, 60))
# An answer that cannot be used may be the fault of what was asked, so the first ones cost nothing. What is too long is
# asked about in halves, and in halves of these.
CONTENT_TRIES = 2
LENGTH_TRIES = 5
CONTENT_BACKOFF = tuple(timedelta(hours=hours) for hours in (0.5, 1, 2, 4, 6))
MENDED_BY_HAND = frozenset({"bad-key", "retired-model", "unreachable"})
BAD_KEY_WAIT = timedelta(hours=1)
RETIRED_WAIT = timedelta(hours=6)
# Where a provider's day begins, for what it grants by the day; elsewhere in UTC.
DAY_ZONES = {"google": "America/Los_Angeles"}
CLOCK_SLACK = timedelta(minutes=5)


class Health(BaseModel):
    """
    How a model has been doing.

    Attributes:
        failures: In a row.
        outcome: Of the last failure.
        sentence: The same for people; holds no secret.
        at: When this was written, or the last call made.
        until: It is not called sooner.
        down_since: Since when it has been left alone; None while it is well.
        was_down_since: When the last such time began that is over.
        back_at: When that ended.
        key: Fingerprint of key and address, where another one may mend it.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    failures: int = Field(default=0, ge=0)
    outcome: str = ""
    sentence: str = ""
    at: AwareDatetime | None = None
    until: AwareDatetime | None = None
    down_since: AwareDatetime | None = None
    was_down_since: AwareDatetime | None = None
    back_at: AwareDatetime | None = None
    key: str = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")
    version: int = 1
    models: dict[str, Health] = Field(default_factory=dict)


@dataclass(frozen=True)
class Turn:
    """
    The right to make one call.

    Attributes:
        failures: How many there were in a row when it was given.
        until: What others wait for while the call is made; None where nobody waits.
        probe: Whether it is the one call that finds out whether a model is back.
    """

    failures: int = 0
    until: datetime | None = None
    probe: bool = False


def read(workspace: Workspace) -> dict[str, Health]:
    """Give every model's health by its name; a damaged file counts as none until `mend` has set it aside."""
    try:
        return _File.model_validate_json(files.read_if_exists(_path(workspace)) or b"{}").models
    except ValidationError:
        return {}


def mend(workspace: Workspace, at: datetime) -> list[str]:
    """Set a damaged file aside; a sentence that reports it, none where nothing is wrong."""
    path = _path(workspace)
    with files.locked(workspace.private / LOCK_FILE):
        try:
            _File.model_validate_json(files.read_if_exists(path) or b"{}")
        except ValidationError:
            return [folders.set_aside(path, slot_name(at))]
    return []


def waiting(health: Health | None, at: datetime, key: str) -> datetime | None:
    """
    Say until when a model is left alone; None if it may be called.

    Args:
        health: The model's.
        at: The present instant.
        key: Fingerprint of its present key and address: other ones than failed are tried at once.
    """
    if health is None or health.until is None or at >= health.until:
        return None
    # The clock was set back; what it said before says nothing about now.
    if health.at is not None and at < health.at - CLOCK_SLACK:
        return None
    if health.key and health.key != key:
        return None
    return health.until


def take_turn(workspace: Workspace, model: str, at: datetime, key: str) -> Turn | None:
    """Take the right to call a model now; None when it is left alone, or another process has just taken the probe."""
    with _changing(workspace) as models:
        health = models.get(model, Health())
        if waiting(health, at, key) is not None:
            return None
        # Written also for a model that is well: a disk that takes no wait must not let a request out.
        changes: dict[str, object] = {"at": at}
        if health.until is not None:
            changes |= {"until": at + _step(BACKOFF, health.failures), "key": key if health.key else ""}
        models[model] = health = health.model_copy(update=changes)
        return Turn(health.failures, health.until, probe=health.down_since is not None)


def answered(workspace: Workspace, model: str, turn: Turn, at: datetime) -> None:
    """Note that a model answered: it is well, unless it has failed since the call began."""
    with _changing(workspace) as models:
        health = models.get(model, Health())
        well = not health.failures and health.until is None
        if well or health.failures > turn.failures or health.until != turn.until:
            return
        over = {"was_down_since": health.down_since, "back_at": at} if health.down_since else {}
        models[model] = Health.model_validate(
            {"was_down_since": health.was_down_since, "back_at": health.back_at} | over
        )


def failed(
    workspace: Workspace, model: str, trouble: Trouble, sentence: str, turn: Turn, at: datetime, key: str
) -> None:
    """
    Note that a call failed, and leave the model alone accordingly.

    Args:
        workspace: Whose private state.
        model: Which.
        trouble: How it failed.
        sentence: The same for people; holds no secret.
        turn: The right it was called by.
        at: When it failed.
        key: Fingerprint of the key it was called with.
    """
    with _changing(workspace) as models:
        health = models.get(model, Health())
        # Of calls made at the same time, one failure counts.
        failures = max(health.failures, turn.failures + 1)
        until = _until(model, trouble, failures, at, down=turn.probe)
        models[model] = health.model_copy(
            update={
                "at": at,
                "failures": failures,
                "outcome": trouble.outcome,
                "sentence": sentence,
                "until": _latest(until, health, turn),
                "down_since": health.down_since or (at if until else None),
                "key": key if trouble.outcome in MENDED_BY_HAND else "",
            }
        )


def pause(workspace: Workspace, model: str, until: datetime, turn: Turn, at: datetime) -> None:
    """Keep everybody from calling a model that is tried again here in a moment."""
    with _changing(workspace) as models:
        health = models.get(model, Health())
        models[model] = health.model_copy(update={"until": _latest(until, health, turn), "at": at})


def fingerprint(model: str, key: str) -> str:
    """Hash of a key and an address, to see whether they are other ones."""
    return hashlib.sha256(f"{model}\0{key}".encode()).hexdigest()[:16]


def _until(model: str, trouble: Trouble, failures: int, at: datetime, *, down: bool) -> datetime | None:
    ours = _own_wait(model, trouble, failures, at, down=down)
    asked = timedelta(seconds=trouble.retry_after_s or 0)
    return at + max(ours, asked) if ours or asked else None


def _own_wait(model: str, trouble: Trouble, failures: int, at: datetime, *, down: bool) -> timedelta:
    """How long we leave a model alone by ourselves; no time at all where the next call may follow at once."""
    tries = LENGTH_TRIES if trouble.outcome == "too-long" else CONTENT_TRIES
    match trouble.outcome:
        case "daily-quota":
            return _day_end(model, at) - at
        case "bad-key":
            return BAD_KEY_WAIT
        case "retired-model":
            return RETIRED_WAIT
        case outcome if outcome in ABOUT_TEXT and failures > tries:
            return _step(CONTENT_BACKOFF, failures - tries - 1)
        case outcome if outcome in ABOUT_TEXT and not down:
            return timedelta()
        case _:
            return _step(BACKOFF, failures - 1)


def _latest(until: datetime | None, health: Health, turn: Turn) -> datetime | None:
    """The later of a wait and what others wait for; what was set for this turn alone is over."""
    others = health.until if health.until != turn.until else None
    return max((one for one in (until, others) if one is not None), default=None)


def _step(steps: tuple[timedelta, ...], number: int) -> timedelta:
    return steps[min(max(number, 0), len(steps) - 1)]


def _day_end(model: str, at: datetime) -> datetime:
    zone = ZoneInfo(DAY_ZONES[provider]) if (provider := provider_of(model)[0]) in DAY_ZONES else UTC
    tomorrow = at.astimezone(zone).date() + timedelta(days=1)
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day, tzinfo=zone).astimezone(UTC)


@contextmanager
def _changing(workspace: Workspace) -> Iterator[dict[str, Health]]:
    """Hold the file, and write what was changed in it."""
    path = _path(workspace)
    with files.locked(workspace.private / LOCK_FILE):
        data = files.read_if_exists(path)
        try:
            content = _File.model_validate_json(data or b"{}")
        except ValidationError as error:
            raise UnreadableFileError(f"{path} is damaged; run the command again, which sets it aside.") from error
        before = content.model_copy(deep=True)
        yield content.models
        if content != before:
            text = content.model_dump_json(indent=1, exclude_defaults=True)
            files.replace(path, f"{text}\n".encode(), expected=data, mode=files.PRIVATE_FILE_MODE)


def _path(workspace: Workspace) -> Path:
    return workspace.private / FILE
