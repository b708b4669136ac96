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
State = Literal["held", "begin", "told", "failed", "dropped"]
STATES: frozenset[str] = frozenset({"held", "begin", "told", "failed", "dropped"})


@dataclass
class Story:
    """
    What the journal says of one notice.

    Attributes:
        state: Its last step.
        since: When it first stood here, by the clock that was behind the others.
        at: When its last step was.
        urgent: Whether it is.
        text: What it says; empty where it is not needed any more.
        failures: How often no address took it.
    """

    state: State
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
        return self.state in {"held", "failed"} or (self.state == "begin" and self.urgent)

    def rests(self, now: datetime) -> bool:
        """
        Whether no address took it so lately that it is left alone: each failure doubles the wait.

        What was tried at a time to come was tried before the clock was set back, and nobody knows when.
        """
        if self.state != "failed" or self.at > now:
            return False
        wait: timedelta = min(FIRST_RETRY * 2 ** min(self.failures - 1, 10), LAST_RETRY)
        return now - self.at < wait

    def is_old(self, now: datetime) -> bool:
        """Whether it waited too long to be news."""
        return now - self.since > NEWS_FOR


@dataclass
class Journal:
    """
    All of it.

    Attributes:
        stories: By key, in the order in which they came.
        messages: When messages went out, or may have.
    """

    stories: dict[str, Story] = field(default_factory=dict)
    messages: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def sent_lately(self, now: datetime) -> int:
        """Count the messages of the last hour; those of the next one too, after the clock was set back a little."""
        return sum(abs(now - at) < HOUR for at in self.messages.values())

    def take(self, row: dict[str, Any]) -> None:
        """Take one step in."""
        key, state, at = str(row["key"]), row["state"], _time(row["at"])
        urgent, text = bool(row.get("urgent")), str(row.get("text", ""))
        known = self.stories.get(key)
        if known is None:
            known = self.stories[key] = Story(state, since=at, at=at, urgent=urgent, text=text)
        known.state, known.at, known.urgent = state, at, urgent or known.urgent
        known.since = min(known.since, at)
        known.text = text or known.text
        known.failures += state == "failed"
        message = (str(row["at"]), str(row.get("message", "")))
        if state == "begin":
            self.messages[message] = at
        elif state == "failed":
            # No address took it, so that nobody heard of it.
            self.messages.pop(message, None)


def read(workspace: Workspace, about: str = "") -> Journal:
    """
    Read all steps; a row torn by a crash belongs to a notice that was not confirmed.

    Args:
        workspace: Whose.
        about: Only rows that hold this, which is a part of a key: the rest need not be understood.
    """
    journal = Journal()
    part = json.dumps(about, ensure_ascii=False)[1:-1].encode("utf-8", "replace")
    for line in (files.read_if_exists(workspace.private / JOURNAL) or b"").splitlines():
        row = _row(line) if part in line else None
        if row is not None:
            journal.take(row)
    return journal


def is_settled(workspace: Workspace, key: str) -> bool:
    """Whether a notice was told, or given up, so that nothing more comes of it."""
    story = read(workspace, key).stories.get(key)
    return story is not None and not story.waits


def last_told(workspace: Workspace, beginning: str) -> datetime | None:
    """When a notice whose key begins so was told last; None where none was."""
    stories = read(workspace, beginning).stories.items()
    return max((one.at for key, one in stories if key.startswith(beginning) and one.state == "told"), default=None)


def urgent_between(workspace: Workspace, since: datetime, until: datetime) -> list[str]:
    """List what was urgent in a time and does not wait any more, oldest first."""
    stories = read(workspace).stories.values()
    over = (story for story in stories if story.urgent and story.text and not story.waits)
    return [story.text for story in over if since <= story.since <= until]


def write(
    workspace: Workspace, journal: Journal, notices: Sequence[Notice], state: State, now: datetime, message: str = ""
) -> None:
    """Write a step of each notice, in one append, and take it in."""
    if not notices:
        return
    rows = []
    for notice in notices:
        row: dict[str, Any] = {"at": stamp(now), "key": notice.key, "state": state, "urgent": notice.urgent}
        if notice.text and (state == "held" or (state == "begin" and notice.urgent)):
            row["text"] = notice.text
        if state == "failed" and not notice.urgent and notice.text:
            row["text"] = notice.text
        if message and state in {"begin", "failed"}:
            row["message"] = message
        rows.append(row)
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    files.append(workspace.private / JOURNAL, lines.encode("utf-8", "replace"), mode=files.PRIVATE_FILE_MODE)
    for row in rows:
        journal.take(row)


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.get("state") in STATES and row.keys() >= {"key", "at"} else None


def _time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
