"""
The brief: one message after quiet hours instead of single notices, of what came and what waits.

Which runs a brief told is written to `briefs.jsonl` in private state, a row `{"at", "key", "runs"}` before it is sent:
a run that goes on while a brief is told belongs to the next one.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from daybook import files, notify
from daybook.clock import local, stamp
from daybook.memory import pending, proposals
from daybook.models import spend
from daybook.notify import Brief
from daybook.schedule import quiet, record
from daybook.sources import items, triage
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from daybook.models.spend import Outlook
    from daybook.notify import Notice, Outcome
    from daybook.schedule.record import RunRecord
    from daybook.settings import Settings
    from daybook.workspace import Workspace

# Chat services take 2,000 characters.
BRIEF_CHARS = 1_900
LINE_CHARS = 320
MOST_LINES = 6
LOOK_BACK = timedelta(days=1)
LONGEST_LOOK_BACK = timedelta(days=7)
MOMENT = timedelta(microseconds=1)
# Runs that began with a beat.
LATELY = timedelta(minutes=10)
FILE = "briefs.jsonl"
NEWS = f" - {items.TAG} "
TO_ANSWER = f" - {triage.TAG} {triage.WORDING['needs-answer']} "
SIGNS = {"add": "+", "revise": "~", "retire": "-"}


@dataclass(frozen=True)
class Section:
    """
    One kind of thing to tell.

    Attributes:
        title: Stands above its lines.
        words: Singular and plural of what is counted, for the first line of the brief.
        lines: One a thing, harmless.
    """

    title: str
    words: tuple[str, str]
    lines: tuple[str, ...]


async def tell(workspace: Workspace, settings: Settings, run: RunRecord, now: datetime) -> Outcome | None:
    """
    Send the brief if it is due: at the first beat after quiet hours.

    Args:
        workspace: Whose.
        settings: Where to, and what it may quote.
        run: What the beat that tells it came to so far.
        now: The present instant.

    Returns:
        What became of it; None where none is due, or there is nothing to say.
    """
    key = quiet.brief_due(workspace, settings, now)
    if not key:
        return None
    since = _since(workspace, settings, now)

    def compose(waiting: Sequence[Notice]) -> Brief:
        over = [*_over(workspace, key, since, now)]
        # The first morning of a workspace has no night behind it.
        if not waiting and all(datetime.fromisoformat(one.slot) >= _end(settings, now) for one in over):
            return Brief("", frozenset())
        runs = [*(one for one in over if one.id != run.id), run]
        sections = _sections(workspace, runs, waiting, since, now)
        whole = text(sections, _costs(workspace, settings, now), quotes=settings.notify.brief == "texts")
        _remember(workspace, key, runs, now)
        # An urgent one that is only counted, or was cut, goes out by itself.
        said = set(whole.splitlines())
        return Brief(whole, frozenset(one.key for one in waiting if not one.urgent or _urgent(one.text) in said))

    return await notify.send_brief(workspace, settings.notify, key, compose, now)


def unfinished(workspace: Workspace, run: RunRecord, now: datetime) -> bool:
    """Whether a scan or review that began with this beat is still at work, so that the brief may wait for it."""
    recent = record.read_since(workspace, now - LATELY)
    return any(one.outcome == "running" and one.id != run.id and one.flow != run.flow for one in recent)


def text(sections: Iterable[Section], costs: str, *, quotes: bool) -> str:
    """
    Write a brief.

    Args:
        sections: In order; those without lines are left out.
        costs: Our own words on what models cost.
        quotes: Whether the lines are told, or only how many there are.

    Returns:
        At most 1,900 characters; empty where no section has a line.
    """
    told = [section for section in sections if section.lines]
    if not told:
        return ""
    first = f"{', '.join(counted(len(one.lines), *one.words) for one in told)}."
    first = first[0].upper() + first[1:]
    if not quotes:
        return f"{first}\n{costs}"
    for most in range(MOST_LINES, 0, -1):
        whole = "\n".join([first, *(line for one in told for line in _told(one, most)), "", costs])
        if len(whole) <= BRIEF_CHARS:
            return whole
    return f"{whole[: BRIEF_CHARS - 1]}…"


def _told(section: Section, most: int) -> list[str]:
    more = len(section.lines) - most
    return ["", section.title, *section.lines[:most], *([f"… and {more} more"] if more > 0 else [])]


def _since(workspace: Workspace, settings: Settings, now: datetime) -> datetime:
    """When the last brief was told; a day before the end of quiet hours where that is not known."""
    last = notify.last_told(workspace, quiet.BRIEF)
    # One of a time to come was told before the clock was set back.
    return max(last, now - LONGEST_LOOK_BACK) if last and last <= now else _end(settings, now) - LOOK_BACK


def _end(settings: Settings, now: datetime) -> datetime:
    return quiet.ended(settings, now) or now


def _over(workspace: Workspace, key: str, since: datetime, now: datetime) -> Iterator[RunRecord]:
    """Runs that are over and that no earlier brief told, also those that went on while it was."""
    told = {run for row in _rows(workspace) if row["key"] != key for run in row["runs"]}
    for one in record.read_since(workspace, since - LOOK_BACK):
        early = datetime.fromisoformat(one.slot) <= now
        if early and one.id not in told and not one.dry_run and one.outcome != "running":
            yield one


def _remember(workspace: Workspace, key: str, runs: Iterable[RunRecord], now: datetime) -> None:
    row = {"at": stamp(now), "key": key, "runs": [one.id for one in runs]}
    files.append(workspace.private / FILE, f"{json.dumps(row)}\n".encode(), mode=files.PRIVATE_FILE_MODE)


def _rows(workspace: Workspace) -> Iterator[dict[str, Any]]:
    for line in (files.read_if_exists(workspace.private / FILE) or b"").splitlines():
        # A row torn by a kill is of a brief that was not sent.
        with suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict) and isinstance(row.get("runs"), list) and "key" in row:
                yield row


def _sections(
    workspace: Workspace, records: Sequence[RunRecord], waiting: Sequence[Notice], since: datetime, now: datetime
) -> list[Section]:
    urgent = [*(one.text for one in waiting if one.urgent), *notify.urgent_between(workspace, since, now)]
    learned = [
        f"{SIGNS[one.op]} {_line(one.text or one.entry)}"
        for each in records
        for one in each.operations
        if one.verdict == "applied" and one.op in SIGNS
    ]
    lines = [line for each in records for line in each.note_lines]
    signals = [line.partition(NEWS)[2] for line in lines if NEWS in line]
    to_answer = [line.partition(TO_ANSWER)[2] for line in lines if TO_ANSWER in line]
    open_now = [one.proposal for one in proposals.read(workspace).open(now)]
    failed = Counter(f"{one.flow}: {one.summary}" for one in records if one.outcome == "failed")
    return [
        Section("Urgent", ("urgent notice", "urgent notices"), tuple(map(_urgent, dict.fromkeys(urgent)))),
        Section("To answer", ("mail to answer", "mails to answer"), tuple(f"> {_line(one)}" for one in to_answer)),
        Section("Learned", ("change of memory", "changes of memory"), tuple(learned)),
        Section(
            "Waiting for you (tick in memory/_pending.md, or `daybook pending`)",
            ("proposal", "proposals"),
            tuple(f"? {pending.VERB[one.op]}: {_line(one.text or one.old)}" for one in open_now),
        ),
        Section("News", ("signal", "signals"), tuple(f"* {_line(one)}" for one in signals)),
        Section(
            "Also",
            ("other notice", "other notices"),
            tuple(f"- {_line(one.text)}" for one in waiting if not one.urgent),
        ),
        Section(
            "Failed (see `daybook status`)",
            ("thing that failed", "things that failed"),
            tuple(f"- {_line(one)}{f' ({times} times)' if times > 1 else ''}" for one, times in failed.items()),
        ),
    ]


def _urgent(said: str) -> str:
    return f"! {_line(said)}"


def _line(said: str) -> str:
    return notify.harmless(said, limit=LINE_CHARS)


def _costs(workspace: Workspace, settings: Settings, now: datetime) -> str:
    midnight = local(now, settings.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    day, month = spend.look(workspace, settings.zone, midnight - MOMENT), spend.look(workspace, settings.zone, now)
    return _priced(day, month)


def _priced(day: Outlook, month: Outlook) -> str:
    if not month.month.tokens and not day.today.tokens:
        return "Models: nothing spent this month."
    return (
        f"Models: {day.today.usd:.4f} USD and {day.today.tokens} tokens yesterday, {month.month.usd:.4f} USD this "
        f"month, about {month.forecast_usd:.4f} at its end."
    )
