"""
The brief: one message after quiet hours instead of single notices, of what came and what waits.

Which runs a brief tells is written to `briefs.jsonl` in private state, a row `{"at", "key", "runs"}` before it is sent:
a run that goes on while a brief is told belongs to the next one, and so do the runs of a brief that no address took.
"""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from daybook import files, notify
from daybook.clock import local, stamp
from daybook.memory import pending, proposals
from daybook.models import spend
from daybook.notify import Brief
from daybook.notify.digest import MESSAGE_CHARS
from daybook.schedule import quiet, record
from daybook.sources import items, triage
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from daybook.models.spend import Outlook
    from daybook.notify import Notice, Outcome, Urgent
    from daybook.schedule.record import RunRecord
    from daybook.settings import Settings
    from daybook.workspace import Workspace

LINE_CHARS = 320
MOST_LINES = 6
LOOK_BACK = timedelta(days=1)
LONGEST_LOOK_BACK = timedelta(days=7)
MOMENT = timedelta(microseconds=1)
FILE = "briefs.jsonl"
NEWS = f" - {items.TAG} "
TO_ANSWER = f" - {triage.TAG} {triage.WORDING['needs-answer']} "
SIGNS = {"add": "+", "revise": "~", "retire": "-"}
URGENT = ("urgent notice", "urgent notices")
T = TypeVar("T")


@dataclass(frozen=True)
class Section:
    """
    One kind of thing to tell.

    Attributes:
        title: Stands above its lines.
        words: Singular and plural of what is counted, for the first line of the brief.
        count: How many things there are.
        lines: One a thing, harmless; of the first six things.
    """

    title: str
    words: tuple[str, str]
    count: int
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
        over = [*_over(workspace, since, now)]
        # The first morning of a workspace has no night behind it.
        if not waiting and all(datetime.fromisoformat(one.slot) >= _end(settings, now) for one in over):
            return Brief("", frozenset())
        runs = [*(one for one in over if one.id != run.id), run]
        urgent = notify.urgent_between(workspace, since, now)
        sections = _sections(workspace, runs, waiting, urgent, now)
        quotes = settings.notify.brief == "texts"
        whole = text(sections, _costs(workspace, settings, now), quotes=quotes, told=urgent.told)
        _remember(workspace, key, runs, now)
        # An urgent one that is only counted, or was cut, goes out by itself.
        lines = set(whole.splitlines())
        said = {one for one in _left(waiting, urgent)[:MOST_LINES] if _urgent(one) in lines}
        return Brief(whole, frozenset(one.key for one in waiting if not one.urgent or one.text in said))

    return await notify.send_brief(workspace, settings.notify, key, compose, now)


def text(sections: Iterable[Section], costs: str, *, quotes: bool, told: int = 0) -> str:
    """
    Write a brief.

    Args:
        sections: In order; those without lines are left out.
        costs: Our own words on what models cost.
        quotes: Whether the lines are told, or only how many there are.
        told: How many urgent notices were told since the last brief; they are only counted.

    Returns:
        At most 1,900 characters; empty where no section has a line.
    """
    full = [section for section in sections if section.lines]
    if not full:
        return ""
    counts = [counted(one.count, *one.words) for one in full]
    counts += [f"{counted(told, *URGENT)} told in between"] if told else []
    first = f"{', '.join(counts)}."
    first = first[0].upper() + first[1:]
    if not quotes:
        return f"{first}\n{costs}"
    for most in range(MOST_LINES, 0, -1):
        whole = "\n".join([first, *(line for one in full for line in _told(one, most)), "", costs])
        if len(whole) <= MESSAGE_CHARS:
            return whole
    return f"{whole[: MESSAGE_CHARS - 1]}…"


def _told(section: Section, most: int) -> list[str]:
    more = section.count - most
    return ["", section.title, *section.lines[:most], *([f"… and {more} more"] if more > 0 else [])]


def _since(workspace: Workspace, settings: Settings, now: datetime) -> datetime:
    """When the last brief was told; else a day before the end of quiet hours, or before the first that failed."""
    last = notify.last_told(workspace, quiet.BRIEF)
    # One of a time to come was told before the clock was set back.
    if last is None or last > now:
        end = _end(settings, now)
        last = min(end, notify.first_refused(workspace, quiet.BRIEF) or end) - LOOK_BACK
    return max(last, now - LONGEST_LOOK_BACK)


def _end(settings: Settings, now: datetime) -> datetime:
    return quiet.ended(settings, now) or now


def _over(workspace: Workspace, since: datetime, now: datetime) -> Iterator[RunRecord]:
    """Runs that are over and that no earlier brief told, also those that went on while it was."""
    settled = notify.settled(workspace, quiet.BRIEF)
    told = {run for row in _rows(workspace) if str(row["key"]) in settled for run in map(str, row["runs"])}
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
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict) and isinstance(row.get("runs"), list) and "key" in row:
                yield row


def _sections(
    workspace: Workspace, records: Sequence[RunRecord], waiting: Sequence[Notice], urgent: Urgent, now: datetime
) -> list[Section]:
    learned = [one for each in records for one in each.operations if one.verdict == "applied" and one.op in SIGNS]
    lines = [line for each in records for line in each.note_lines]
    signals = [line.partition(NEWS)[2] for line in lines if NEWS in line]
    to_answer = [line.partition(TO_ANSWER)[2] for line in lines if TO_ANSWER in line]
    open_now = [one.proposal for one in proposals.read(workspace).open(now)]
    other = [one.text for one in waiting if not one.urgent]
    failed = Counter(f"{one.flow}: {one.summary}" for one in records if one.outcome == "failed")
    return [
        _section("Urgent", URGENT, _left(waiting, urgent), _urgent),
        _section("To answer", ("mail to answer", "mails to answer"), to_answer, lambda one: f"> {_line(one)}"),
        _section(
            "Learned",
            ("change of memory", "changes of memory"),
            learned,
            lambda one: f"{SIGNS[one.op]} {_line(one.text or one.entry)}",
        ),
        _section(
            "Waiting for you (tick in memory/_pending.md, or `daybook pending`)",
            ("proposal", "proposals"),
            open_now,
            lambda one: f"? {pending.VERB[one.op]}: {_line(one.text or one.old)}",
        ),
        _section("News", ("signal", "signals"), signals, lambda one: f"* {_line(one)}"),
        _section("Also", ("other notice", "other notices"), other, lambda one: f"- {_line(one)}"),
        _section(
            "Failed (see `daybook status`)",
            ("thing that failed", "things that failed"),
            [*failed.items()],
            lambda one: f"- {_line(one[0])}{f' ({one[1]} times)' if one[1] > 1 else ''}",
        ),
    ]


def _section(title: str, words: tuple[str, str], things: Sequence[T], line: Callable[[T], str]) -> Section:
    return Section(title, words, len(things), tuple(map(line, things[:MOST_LINES])))


def _left(waiting: Sequence[Notice], urgent: Urgent) -> list[str]:
    """Texts of what is urgent and was not told."""
    return [*dict.fromkeys([*(one.text for one in waiting if one.urgent), *urgent.given_up])]


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
