"""
Notices to the operator, through Apprise.

An urgent notice is told at least once: it is journalled before and after, and one that was begun and
never confirmed is sent again, marked as a repeat. Every other notice is told at most once: it is
journalled first. The journal is `told.jsonl` in private state, append-only, a row a step:
`{"at", "key", "state": "begin"|"told", "urgent", "text"}` (`text` with an urgent begin only).
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, assert_never

from daybook import files
from daybook.clock import stamp
from daybook.errors import DaybookError
from daybook.guard.outside import flatten
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.settings import Notify
    from daybook.workspace import Workspace

JOURNAL = "told.jsonl"
LOCK_FILE = "told.lock"
TITLE = "Daybook"
TEXT_CHARS = 500
REPEAT_FOR = timedelta(hours=24)
REPEAT_MARK = "(repeat)"
# Apprise and the libraries below it write whole addresses, with their passwords and topics.
LOGGERS_WITH_ADDRESSES = ("apprise", "urllib3", "requests")
SILENT = logging.CRITICAL + 1


@dataclass(frozen=True)
class Notice:
    """
    Something to tell the operator.

    Attributes:
        key: The same for the same news, so that it is told once.
        text: May hold text from outside.
        urgent: Whether it may break quiet hours, and must arrive even if that means twice.
    """

    key: str
    text: str
    urgent: bool = False


@dataclass(frozen=True)
class Sent:
    """
    At least one address took the notice.

    Attributes:
        key: The notice's.
        repeated: Whether it may have been told before.
        failed: One sentence for each address that did not take it.
    """

    key: str
    repeated: bool = False
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class AlreadyTold:
    """The notice was told before; nothing was sent."""

    key: str


@dataclass(frozen=True)
class NotConfigured:
    """There is no address to tell it to."""

    key: str


@dataclass(frozen=True)
class Quiet:
    """It is not urgent and these are quiet hours; it may be sent later."""

    key: str


@dataclass(frozen=True)
class Failed:
    """No address took the notice; an urgent one is tried again at the next send."""

    key: str
    reason: str


Outcome = Sent | AlreadyTold | NotConfigured | Quiet | Failed


@dataclass(frozen=True)
class _Journal:
    told: frozenset[str]
    begun: dict[str, tuple[datetime, str]]


async def send(
    workspace: Workspace,
    settings: Notify,
    notices: Iterable[Notice],
    now: datetime,
    *,
    quiet: bool,
) -> list[Outcome]:
    """
    Send notices, and again the urgent ones of the last day that were begun and never confirmed.

    Never raises for a notice that cannot be sent: that is an outcome.

    Args:
        workspace: Whose journal.
        settings: Where to.
        notices: What; their text is flattened and redacted here.
        now: Aware.
        quiet: Whether these are quiet hours.

    Returns:
        An outcome for each notice, in order, then one for each repeat.
    """
    return await asyncio.to_thread(_send_all, workspace, settings, tuple(notices), now, quiet=quiet)


def sentence(outcome: Outcome) -> str:
    """Tell an outcome for the run record."""
    match outcome:
        case Sent(key=key, repeated=repeated, failed=failed):
            return " ".join([f"{key} was told{' again' if repeated else ''}.", *failed])
        case AlreadyTold(key=key):
            return f"{key} was told before."
        case NotConfigured(key=key):
            return f"{key} was not told: no address is configured under [notify]."
        case Quiet(key=key):
            return f"{key} waits for the end of quiet hours."
        case Failed(key=key, reason=reason):
            return f"{key} was not told: {reason}"
        case _:
            assert_never(outcome)


def harmless(text: str) -> str:
    """Make a notice's text one line that mentions nobody, opens nothing and holds no secret."""
    flat = flatten(redact(text), limit=TEXT_CHARS * 2)
    line = flatten(redact(flat), limit=TEXT_CHARS)
    # Chat services read these as a person, a group or a channel.
    return line.replace("<@", "‹@").replace("<#", "‹#")


def _send_all(
    workspace: Workspace, settings: Notify, notices: tuple[Notice, ...], now: datetime, *, quiet: bool
) -> list[Outcome]:
    if not settings.urls:
        return [NotConfigured(notice.key) for notice in notices]
    try:
        with files.locked(workspace.private / LOCK_FILE):
            journal = _read_journal(workspace)
            repeats = _unconfirmed(journal, {notice.key for notice in notices}, now)
            return [_send_one(workspace, settings, notice, now, quiet=quiet) for notice in (*notices, *repeats)]
    except DaybookError as error:
        return [Failed(notice.key, str(error)) for notice in notices]


def _unconfirmed(journal: _Journal, given: set[str], now: datetime) -> list[Notice]:
    waiting = (
        (key, text)
        for key, (since, text) in journal.begun.items()
        if key not in journal.told and key not in given and now - since <= REPEAT_FOR
    )
    return [Notice(key, text, urgent=True) for key, text in waiting]


def _send_one(workspace: Workspace, settings: Notify, notice: Notice, now: datetime, *, quiet: bool) -> Outcome:
    # Read anew for each, since one call may hold the same notice twice.
    journal = _read_journal(workspace)
    if notice.key in journal.told:
        return AlreadyTold(notice.key)
    if quiet and not notice.urgent:
        return Quiet(notice.key)
    repeated = notice.urgent and notice.key in journal.begun
    text = harmless(notice.text)
    try:
        _write(workspace, notice, "begin" if notice.urgent else "told", text, now)
        reasons = _deliver(settings.urls, f"{REPEAT_MARK} {text}" if repeated else text, urgent=notice.urgent)
        if len(reasons) == len(settings.urls):
            return Failed(notice.key, reasons[0])
        if notice.urgent:
            _write(workspace, notice, "told", text, now)
    except DaybookError as error:
        return Failed(notice.key, str(error))
    return Sent(notice.key, repeated=repeated, failed=reasons)


def _deliver(urls: Sequence[str], text: str, *, urgent: bool) -> tuple[str, ...]:
    """Hand a text to each address; one sentence, which does not hold the address, for each that failed."""
    import apprise  # noqa: PLC0415 - start-up time: an idle beat never needs it

    for name in LOGGERS_WITH_ADDRESSES:
        logging.getLogger(name).setLevel(SILENT)
    kind = apprise.NotifyType.WARNING if urgent else apprise.NotifyType.INFO
    failed = []
    for number, url in enumerate(urls, 1):
        where = f"notify.urls number {number}"
        try:
            # One at a time, and not by `add`, which makes two addresses of one with a comma in it.
            plugin = apprise.Apprise.instantiate(url, asset=apprise.AppriseAsset(app_id=TITLE, async_mode=False))
            if plugin is None:
                failed.append(f"{where} is no address that Apprise understands; correct it.")
                continue
            service = apprise.Apprise()
            service.add(plugin)
            if not service.notify(body=text, title=TITLE, notify_type=kind, body_format=apprise.NotifyFormat.TEXT):
                failed.append(f"{where} did not take the notice; check the address and the network.")
        except Exception as error:  # noqa: BLE001 - a hundred plugins of others, and a notice must not stop a beat
            failed.append(f"{where} failed ({type(error).__name__}); check the address.")
    return tuple(failed)


def _write(workspace: Workspace, notice: Notice, state: str, text: str, now: datetime) -> None:
    row: dict[str, Any] = {"at": stamp(now), "key": notice.key, "state": state, "urgent": notice.urgent}
    if state == "begin":
        row["text"] = text
    line = json.dumps(row, ensure_ascii=False) + "\n"
    files.append(workspace.private / JOURNAL, line.encode("utf-8", "replace"), mode=files.PRIVATE_FILE_MODE)


def _read_journal(workspace: Workspace) -> _Journal:
    told, begun = set(), {}
    for line in (files.read_if_exists(workspace.private / JOURNAL) or b"").splitlines():
        row = _row(line)
        if row is None:
            continue
        key = str(row["key"])
        if row["state"] == "told":
            told.add(key)
        elif row["state"] == "begin" and key not in begun:
            begun[key] = (_time(row["at"]), str(row.get("text", "")))
    return _Journal(frozenset(told), begun)


def _row(line: bytes) -> dict[str, Any] | None:
    # A row torn by a crash belongs to a notice that was not confirmed: it is sent again.
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.keys() >= {"key", "state", "at"} else None


def _time(value: object) -> datetime:
    try:
        time = datetime.fromisoformat(str(value))
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)
