"""The roll-up of a day: what its runs came to, and what models cost, in one line of its note."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

from daybook.clock import local, part_of_day
from daybook.memory import journal
from daybook.models import spend
from daybook.schedule import record
from daybook.schedule.record import ACTED
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

    from daybook.models.spend import Outlook
    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

MAX_MISSED_DAYS = 14
PREFIX = "day:"
MOMENT = timedelta(microseconds=1)


def entries(workspace: Workspace, slot: datetime, zone: tzinfo, *, final: bool) -> list[journal.Entry]:
    """
    Form the line of the slot's day, and of each missed day that has none, oldest first.

    Args:
        workspace: Whose runs.
        slot: The instant it is for.
        zone: The workspace's.
        final: False: the day goes on, and its own line is still to come.
    """
    today = local(slot, zone).date()
    days = _days(workspace, today)
    formed = [_entry(workspace, day, slot, zone) for day in days]
    if final or today not in days:
        return formed
    interim = f"{PREFIX}{today}T{local(slot, zone):%H:%M:%S}"
    return [*formed[:-1], replace(formed[-1], key=interim)]


def _days(workspace: Workspace, today: date) -> list[date]:
    """Dates without a roll-up, oldest first: today, and missed ones since the last, up to fourteen."""
    keys = [key.removeprefix(PREFIX) for key in journal.written(workspace, PREFIX)]
    rolled = [date.fromisoformat(key) for key in keys if "T" not in key]
    earlier = [day for day in rolled if day < today]
    if today in rolled:
        return []
    if not earlier:
        return [today]
    first = max(max(earlier) + timedelta(days=1), today - timedelta(days=MAX_MISSED_DAYS))
    return [first + timedelta(days=number) for number in range((today - first).days + 1)]


def _entry(workspace: Workspace, day: date, slot: datetime, zone: tzinfo) -> journal.Entry:
    """Form a day's roll-up line; a day that is over gets it at its end."""
    moment = local(slot, zone)
    at = moment.time() if moment.date() == day else time(23, 59)
    begin = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
    end = datetime.combine(day + timedelta(days=1), time(), tzinfo=zone).astimezone(UTC)
    records = [one for one in record.read_since(workspace, begin) if datetime.fromisoformat(one.slot) < end]
    heading = part_of_day(datetime.combine(day, at))
    spent = spend.look(workspace, zone, min(slot, end - MOMENT))
    return journal.Entry(f"{PREFIX}{day}", day, heading, f"- {at:%H:%M} - Day: {_summary(records, spent)}", own=True)


def _summary(records: Sequence[RunRecord], spent: Outlook) -> str:
    done = [one for one in records if one.outcome in ACTED and not one.dry_run]
    beats = sum(one.flow == "heartbeat" for one in done)
    counts: Counter[str] = Counter()
    for one in done:
        counts.update(one.counts)
    applied = Counter(op.op for one in done for op in one.operations if op.verdict == "applied")
    proposed = sum(op.verdict == "proposed" for one in done for op in one.operations)
    calls = [call for one in records for call in one.models]
    parts = [counted(beats, "beat") if beats else "no beat"]
    parts += [counted(counts[name], *words) for name, words in WORDS.items() if counts[name]]
    if applied:
        parts.append(f"memory +{applied['add']} ~{applied['revise']} -{applied['retire']}")
    parts += [counted(proposed, "proposal")] if proposed else []
    failures = sum(one.outcome == "failed" for one in records)
    parts += [f"{counted(failures, 'run')} failed"] if failures else []
    parts.append(f"{spent.today.tokens} tokens")
    if spent.month.usd:
        month = f"{spent.month.usd:.4f} this month, about {spent.forecast_usd:.4f} at its end"
        parts.append(f"{spent.today.usd:.4f} USD ({month})")
    parts += ["the budget was reached"] if any(call.outcome == "over-budget" for call in calls) else []
    return ", ".join(parts) + "."


WORDS = {
    "signals": ("news signal",),
    "mails": ("mail",),
    "urgent": ("urgent", "urgent"),
    "flushed": ("inbox line",),
}
