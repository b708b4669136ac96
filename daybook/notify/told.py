"""
What was told, and what waits: `told.jsonl` in private state, append-only, a row a step.

A row is `{"at", "key", "state", "urgent"}`, with `text` while the notice may have to be told from here, and
`message`, the key of the first notice of the message it went out with. States: `held` (it waits), `begin` (it is
being sent), `told`, `failed` (no address took it), `dropped` (given up).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from daybook import files
from daybook.clock import stamp
from daybook.guard.secrets import encodable
from daybook.notify.notices import REPEAT_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.notify.notices import Notice
    from daybook.workspace import Workspace

JOURNAL = "told.jsonl"
LOCK_FILE = "told.lock"
HOUR = timedelta(hours=1)
FIRST_RETRY = timedelta(minutes=15)
LAST_RETRY = timedelta(hours=6)
# After this it is no news any more.
NEWS_FOR = timedelta(days=3)
# A clock that was set wrongly for less than this lets nothing be given up.
OLD_FOR = LAST_RETRY
Step = Literal["held", "begin", "told", "failed", "dropped"]
STEPS: frozenset[str] = frozenset({"held", "begin", "told", "failed", "dropped"})


@dataclass
class NoticeState:
    """
    How far one notice came.

    Attributes:
        step: Its last one.
        since: When its first step was, by the clock that was behind the others.
        at: When its last step was.
        urgent: Whether it is.
        text: What it says; empty where it is not needed any more.
        failures: How often no address took it.
    """

    step: Step
    since: datetime
    at: datetime
    urgent: bool
    text: str = ""
    failures: int = 0

    @property
    def waits(self) -> bool:
        """
        Whether it is still to be told.

        One that was being sent when its run was killed may have arrived: only an urgent one is told again.
        """
        return self.step in {"held", "failed"} or (self.step == "begin" and self.urgent)

    @property
    def may_have_arrived(self) -> bool:
        """Whether a run was killed while it sent this, or no address said that it took it."""
        return self.step == "begin" or self.failures > 0

    def rests(self, now: datetime) -> bool:
        """
        Whether no address took it so lately that it is left alone: each failure doubles the wait.

        What was tried at a time to come was tried before the clock was set back, and nobody knows when.
        """
        if self.step != "failed" or self.at > now:
            return False
        wait: timedelta = min(FIRST_RETRY * 2 ** min(self.failures - 1, 10), LAST_RETRY)
        return now - self.at < wait

    def waited_an_hour(self, now: datetime) -> bool:
        """Whether it came an hour ago; so it did where the clock was set back further than that."""
        return abs(now - self.since) >= HOUR

    def is_old(self, now: datetime) -> bool:
        """Whether it waits for so long that it is no news any more, by the clock as it stands."""
        return now - self.since > NEWS_FOR

    def is_past(self, now: datetime) -> bool:
        """Whether it is given up: it was old at its last step already, and that was hours ago by the same clock."""
        return self.is_old(self.at) and now - self.at >= OLD_FOR

    def turns_old(self, now: datetime) -> bool:
        """Whether it waits untried, is old, and no step of it says so yet; an urgent one is tried all the same."""
        said = self.is_old(self.at) and self.at <= now
        return self.step == "held" and not self.urgent and self.is_old(now) and not said


@dataclass
class Told:
    """
    All of it.

    Attributes:
        notices: By key, in the order in which they came.
        messages: When messages went out, or may have.
    """

    notices: dict[str, NoticeState] = field(default_factory=dict)
    messages: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def sent_lately(self, now: datetime) -> int:
        """Count the messages of the last hour; those of the next one too, after the clock was set back a little."""
        return sum(abs(now - at) < HOUR for at in self.messages.values())

    def take(self, row: dict[str, Any]) -> None:
        """Take one step in."""
        key, step, at = encodable(str(row["key"])), row["state"], _time(row["at"])
        urgent, text = bool(row.get("urgent")), encodable(str(row.get("text", "")))
        known = self.notices.get(key)
        if known is None:
            known = self.notices[key] = NoticeState(step, since=at, at=at, urgent=urgent, text=text)
        known.step, known.at, known.urgent = step, at, urgent or known.urgent
        known.since = min(known.since, at)
        known.text = text or known.text
        known.failures += step == "failed"
        message = (str(row["at"]), str(row.get("message", "")))
        if step == "begin":
            self.messages[message] = at
        elif step == "failed":
            # No address took it, so that nobody heard of it.
            self.messages.pop(message, None)


def read(workspace: Workspace, about: str = "") -> Told:
    """
    Read all steps; a row torn by a crash belongs to a notice that was not confirmed.

    Args:
        workspace: Whose.
        about: Only rows that hold this, which is a part of a key: the rest need not be understood.
    """
    told = Told()
    part = json.dumps(about, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    for line in (files.read_if_exists(workspace.private / JOURNAL) or b"").splitlines():
        row = _row(line) if part in line else None
        if row is not None:
            told.take(row)
    return told


def is_settled(workspace: Workspace, key: str) -> bool:
    """Whether a notice was told, or given up, so that nothing more comes of it."""
    return key in settled(workspace, key)


def settled(workspace: Workspace, beginning: str) -> frozenset[str]:
    """Give the keys that begin so and of whose notices nothing more comes; a kill may have left one of them unsure."""
    notices = read(workspace, beginning).notices.items()
    return frozenset(key for key, one in notices if key.startswith(beginning) and not one.waits)


def last_told(workspace: Workspace, beginning: str) -> datetime | None:
    """When a notice whose key begins so was told last; None where none was."""
    notices = read(workspace, beginning).notices.items()
    return max((one.at for key, one in notices if key.startswith(beginning) and one.step == "told"), default=None)


def first_refused(workspace: Workspace, beginning: str) -> datetime | None:
    """When the first notice whose key begins so, and which no address took, was made; None where there is none."""
    notices = read(workspace, beginning).notices.items()
    return min((one.since for key, one in notices if key.startswith(beginning) and one.step == "failed"), default=None)


@dataclass(frozen=True)
class Urgent:
    """
    What became of the urgent notices of a time.

    Attributes:
        told: How many were told.
        given_up: Texts of those that were given up without being told, as far as is known.
    """

    told: int = 0
    given_up: tuple[str, ...] = ()


def urgent_between(workspace: Workspace, after: datetime, until: datetime) -> Urgent:
    """Say what became of urgent notices whose last step was after an instant and not after another."""
    over = [one for one in read(workspace).notices.values() if one.urgent and after < one.at <= until]
    given_up = tuple(f"{REPEAT_MARK} {one.text}" for one in over if one.step == "dropped" and one.text)
    return Urgent(sum(one.step == "told" for one in over), given_up)


def write(
    workspace: Workspace, told: Told, notices: Sequence[Notice], step: Step, now: datetime, message: str = ""
) -> None:
    """Write a step of each notice, in one append, and take it in."""
    if not notices:
        return
    rows = []
    for notice in notices:
        row: dict[str, Any] = {"at": stamp(now), "key": notice.key, "state": step, "urgent": notice.urgent}
        if notice.text and (step == "held" or (step == "begin" and notice.urgent)):
            row["text"] = notice.text
        if step == "failed" and not notice.urgent and notice.text:
            row["text"] = notice.text
        if message and step in {"begin", "failed"}:
            row["message"] = message
        rows.append(row)
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    files.append(workspace.private / JOURNAL, lines.encode("utf-8", "replace"), mode=files.PRIVATE_FILE_MODE)
    for row in rows:
        told.take(row)


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or not row.keys() >= {"key", "at"}:
        return None
    return row if isinstance(row.get("state"), str) and row["state"] in STEPS else None


def _time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
