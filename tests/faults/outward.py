"""
Beats that bring mail, news and what commands printed: into the note, to the operator, and only then moving on.

What the flows do with it is what is played; the looks themselves are made up here, as the sources make them of what
was not seen yet.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from daybook import notify
from daybook.errors import DaybookError
from daybook.guard import register
from daybook.memory import journal as noted
from daybook.memory.notes import note_files
from daybook.models.trying import Pace
from daybook.notify import Notice, told
from daybook.schedule import record
from daybook.schedule.occasion import Occasion
from daybook.settings import Loaded, Settings
from daybook.sources import cursors, reporting
from daybook.sources.command import CommandResult
from daybook.sources.cursors import MailCursor
from daybook.sources.feeds import News
from daybook.sources.items import Item
from daybook.sources.mail import MailLook
from daybook.sources.messages import Message
from daybook.sources.tracking import Progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from daybook.sources.finding import Finding
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
BEAT = timedelta(minutes=30)
BOX, FEED = "me@example.org/INBOX", "example.org/feed"
BOSS = "boss@example.org"
# By the name of the scenario. Briefs are told at the first beat after these.
QUIET_HOURS = {"sources": None, "sources-quiet": "14:00-15:10", "sources-brief": "13:00-14:20"}
HELD, OPEN_PLAIN, OPEN_URGENT, FRESH = (
    Notice("plain:held", "the nightly backup of the cellar took long"),
    Notice("plain:open", "the printer of the hall may have been told of"),
    Notice("urgent:open", "the water meter of the yard runs backwards", urgent=True),
    Notice("plain:fresh", "the model of the reviews is back"),
)


def _message(number: int, address: str, subject: str, snippet: str) -> Message:
    return Message(
        id=f"{number:024x}",
        mailbox=BOX,
        uid=number,
        message_id=f"<{number}@example.org>",
        name="",
        address=address,
        subject=subject,
        date=NOW - BEAT,
        direct=True,
        attachments=False,
        automatic=False,
        bulk=False,
        high_priority=False,
        snippet=snippet,
        body=snippet,
    )


MAILS = (
    _message(1, BOSS, "The contract of the mill ends tomorrow", "Sign it today, says the miller of the valley."),
    _message(2, BOSS, "The roof of the barn leaks since dawn", "Bring tarpaulins and the longest ladder you have."),
    _message(3, "ana@example.org", "Can you bring the seed potatoes?", "Could you tell me when you come by?"),
)
NEWS = tuple(
    Item(
        f"{n:024x}",
        f"Heat pumps of kind {n} win the fair",
        f"https://example.org/{n}",
        f"In words {n}.",
        NOW,
        FEED,
        1.0,
    )
    for n in range(11, 14)
)
COMMANDS = {"weather": "Rain until noon, then a stiff wind", "backup": "All nine volumes of the shelf are safe"}
URGENT = ("The contract of the mill", "The roof of the barn", OPEN_URGENT.text)
PLAIN = (HELD.text, FRESH.text)
SEEN = tuple(text for one in MAILS for text in (one.subject, one.snippet)) + tuple(one.title for one in NEWS)
ITEMS = (*(one.subject for one in MAILS), *(one.title for one in NEWS))


@dataclass
class Facts:
    """
    What three beats came to.

    Attributes:
        notes: Every line of the notes.
        seen: What counts as seen, of the mailbox and of the feed.
        cursor: How far the mailbox was read.
        unknown: Outside lines that the register does not know without their tags.
        states: The last step of each notice.
        open: Lines that are neither surely written nor surely not.
        errors: What the beats after the fault complained about.
    """

    notes: list[str]
    seen: list[list[str]]
    cursor: list[int]
    unknown: list[str]
    states: dict[str, str]
    open: list[str]
    errors: list[str]


def settings(name: str, port: int) -> Settings:
    """Give the settings of a scenario."""
    quiet = {"quiet_hours": QUIET_HOURS[name]} if QUIET_HOURS[name] else {}
    urls = [f"json://127.0.0.1:{port}/"]
    return Settings.model_validate({"timezone": "UTC", "notify": {"urls": urls, "per_hour": 60}, **quiet})


def prepare(workspace: Workspace, chosen: Settings) -> None:
    """Let one notice wait, and leave two open as a kill does."""
    before = NOW - 5 * BEAT
    asyncio.run(notify.send(workspace, chosen.notify, [HELD], before, quiet=True))
    told.write(workspace, told.read(workspace), [OPEN_PLAIN, OPEN_URGENT], "begin", before, "open")


def plain_tasks(flows: ModuleType) -> dict[str, Callable[..., Any]]:
    """Give the tasks of the end of the flows, by their names there, as the plain functions that they are around."""

    async def show_nothing(*_: object) -> None:
        """There is no server to show it."""

    names = ("register_outside", "append_note", "notify_operator", "commit_sources", "tell_brief")
    return {name: getattr(flows, name).fn for name in names} | {"show_table": show_nothing}


def beat(workspace: Workspace, chosen: Settings, turn: int) -> list[str]:
    """
    Do what a heartbeat does with what its looks found, each part alone in its failure.

    Args:
        workspace: Whose.
        chosen: Its settings.
        turn: Which beat; only the first one runs the commands.

    Returns:
        Sentences about what failed.
    """
    flows = importlib.import_module("flows.reporting")
    now = NOW + turn * BEAT
    entry = record.begin(workspace, "heartbeat", now, trigger="schedule", now=now, run_id=f"beat-{turn}")
    run = Occasion(workspace, Loaded(chosen), now, now, entry)

    async def whole() -> list[str]:
        errors = []
        try:
            await flows.report(run, await _findings(run, commands=turn == 0))
        except DaybookError as error:
            errors.append(str(error))
        await flows.alone(run, "brief", flows.brief(run))
        return [*errors, *run.record.problems]

    return asyncio.run(whole())


async def _findings(run: Occasion, *, commands: bool) -> list[Finding]:
    workspace, chosen = run.workspace, run.settings
    pace = Pace.from_now()
    seen = cursors.seen(workspace, "mailbox", BOX).items
    cursor = MailCursor(uidvalidity=7, last_uid=len(MAILS), looked=run.now)
    progress = Progress("mailbox", BOX, BOX, seen=tuple(one.id for one in MAILS), cursor=cursor)
    new = tuple(one for one in MAILS if one.id not in seen)
    mail = MailLook(BOX, new, (BOSS,), first_contact=False, more=0, progress=progress)
    known = cursors.seen(workspace, "feed", FEED).items
    progress = Progress("feed", FEED, FEED, ("etag", None), seen=tuple(one.id for one in NEWS))
    news = News(FEED, tuple(one for one in NEWS if one.id not in known), progress)
    found = [
        await reporting.of_mail(workspace, chosen, [mail], run.today, run.now, pace),
        await reporting.of_news(workspace, chosen, [news], run.today, run.now, pace),
    ]
    if commands:
        for name, line in COMMANDS.items():
            found.append(reporting.of_command(CommandResult(name, (line,), line, 0, timed_out=False), name, run.slot))
    return [replace(found[0], notices=(*found[0].notices, FRESH)), *found[1:]]


def look(workspace: Workspace, errors: list[str]) -> Facts:
    """Look at everything; writes nothing."""
    outside = register.read(workspace)
    lines = [line for note in note_files(workspace) for line in note.path.read_text().splitlines() if line.strip()]
    tagged = [line.partition("] ")[2] for line in lines if " - [" in line]
    cursor = cursors.mail_cursor(workspace, BOX)
    rows = noted.written(workspace, "")
    return Facts(
        notes=lines,
        seen=[
            sorted(cursors.seen(workspace, "mailbox", BOX).items),
            sorted(cursors.seen(workspace, "feed", FEED).items),
        ],
        cursor=[cursor.uidvalidity, cursor.last_uid] if cursor else [],
        unknown=[text for text in (*tagged, *SEEN) if not register.is_outside(text, outside)],
        states={key: one.step for key, one in told.read(workspace).notices.items()},
        open=sorted(noted.known(workspace, "").keys() - rows),
        errors=errors,
    )


def standing(workspace: Workspace) -> dict[str, Any]:
    """Give what is published of the sources, without its times."""
    published = json.loads(workspace.source_tracking.read_bytes())
    kept = ("etag", "failures", "name")
    return {
        key: {name: value for name, value in one.items() if name in kept}
        for kind in ("feeds", "mailboxes")
        for key, one in published[kind].items()
    }
