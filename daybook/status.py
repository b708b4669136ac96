"""What there is to know about a workspace at a glance, as one value; reading it changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from daybook import clock, files, settings, trust
from daybook.curation import observing
from daybook.errors import DaybookError
from daybook.guard.cleaning import clean
from daybook.ledger import append as ledger
from daybook.memory import inbox, longterm, pending, synced
from daybook.models import choice, cooldown, keys, spend
from daybook.schedule import alarms, claim, planning, record
from daybook.schedule.published import CheckState
from daybook.sources import tracking
from daybook.sources.fetching import feed_key
from daybook.sources.mail import mailbox_key
from daybook.wording import counted
from daybook.workspace import machine_id

if TYPE_CHECKING:
    from datetime import tzinfo

    from daybook.settings import Settings
    from daybook.workspace import Workspace

LOOK_BACK = timedelta(days=1)
UNTRUSTED = "Not trusted"
WHY = {
    "not-configured": "- (not configured)",
    "disabled": "- (disabled)",
    "own-deployment": "at its own time",
    "by-hand-only": "- (by hand only)",
    "not-yet": "when there is something to do",
}


class Caps(BaseModel):
    """MEMORY.md against its caps; None where it is missing."""

    lines: int | None = None
    max_lines: int = longterm.MAX_LINES
    words: int | None = None
    max_words: int = longterm.MAX_WORDS


class Status(BaseModel):
    """
    A workspace at a glance.

    Attributes:
        beats: Outcomes of the heartbeats of the last day, oldest first.
        interrupted: Checks with a run that was killed in the last day.
        problems: Sentences that say what is wrong and what to do.
    """

    workspace: str
    id: str
    at_home: bool
    up: bool
    ui: str | None = None
    checks: dict[str, CheckState] = Field(default_factory=dict)
    beats: list[str] = Field(default_factory=list)
    interrupted: list[str] = Field(default_factory=list)
    memory: Caps = Field(default_factory=Caps)
    inbox_lines: int | None = 0
    pending: int = 0
    tokens_today: int = 0
    tokens_per_day: int = 0
    usd_today: float = 0.0
    usd_per_day: float = 0.0
    usd_month: float = 0.0
    usd_forecast: float = Field(default=0.0, description="of this month, if it goes on as in the last seven days")
    unpriced_calls_month: int = 0
    reviewers: list[str] = Field(default_factory=list, description="who reads the next review, in order")
    models: dict[str, str] = Field(default_factory=dict, description="models that are left alone, and why")
    problems: list[str] = Field(default_factory=list)


def look(workspace: Workspace, now: datetime, *, ui: str | None) -> Status:
    """
    Look at everything once.

    Args:
        workspace: Which.
        now: The present instant.
        ui: Address of the running UI; None when nothing is up.

    Raises:
        SettingsError: daybook.toml cannot be understood.
    """
    loaded = settings.load(workspace)
    checks = planning.states(workspace, loaded.settings, now)
    records = list(record.read_since(workspace, now - LOOK_BACK))
    models = _models(workspace, loaded.settings, now)
    interrupted = [name for name in ("heartbeat", *checks) if claim.interrupted_slots(workspace, name, now - LOOK_BACK)]
    return Status(
        workspace=str(workspace.root),
        id=workspace.id,
        at_home=workspace.home == machine_id(),
        up=ui is not None,
        ui=ui,
        checks=checks,
        beats=[one.outcome for one in records if one.flow == "heartbeat"],
        interrupted=interrupted,
        memory=_caps(workspace),
        inbox_lines=_inbox_lines(workspace),
        pending=len(pending.open_ids(workspace, now)),
        tokens_today=models.spent.today.tokens,
        usd_today=models.spent.today.usd,
        usd_month=models.spent.month.usd,
        usd_forecast=models.spent.forecast_usd,
        unpriced_calls_month=models.spent.month.unpriced_calls,
        reviewers=models.reviewers,
        models=models.left_alone,
        tokens_per_day=loaded.settings.budget.tokens_per_day,
        usd_per_day=loaded.settings.budget.usd_per_day,
        problems=[*_problems(workspace, loaded, records, now), *models.problems],
    )


def told(status: Status, zone: tzinfo) -> str:
    """Write a status for a terminal, with times in the workspace's zone."""
    memory = status.memory
    where = f"up, UI at {status.ui}" if status.up else "not up; start it with `daybook up`"
    filled = "missing" if memory.lines is None else f"{memory.lines}/{memory.max_lines} lines, {memory.words} words"
    lines = [f"{status.workspace}: {where}", f"MEMORY.md  {filled}"]
    staged = "? inbox lines" if status.inbox_lines is None else counted(status.inbox_lines, "inbox line")
    lines.append(f"waiting    {staged}, {counted(status.pending, 'proposal')}")
    lines.append(f"reviews    by {', then '.join(status.reviewers) or '?'}")
    spent = (
        f"{status.tokens_today} of {status.tokens_per_day} tokens, {status.usd_today:.4f} of {status.usd_per_day:g} USD"
    )
    lines.append(f"today      {spent}")
    unpriced = f", {counted(status.unpriced_calls_month, 'call')} without a known price" * bool(
        status.unpriced_calls_month
    )
    lines.append(f"month      {status.usd_month:.4f} USD so far, about {status.usd_forecast:.4f} at its end{unpriced}")
    lines.append(f"beats      {len(status.beats)} in the last day")
    for name, check in status.checks.items():
        due = _local(check.next, zone) if check.next else WHY.get(check.why, check.why or "-")
        lines.append(f"  {name:10} last {_local(check.last, zone):16}  next {due}")
    lines += [f"! {sentence}" for sentence in status.models.values()]
    lines += [f"! {name} was interrupted." for name in status.interrupted]
    lines += [f"! {problem}" for problem in status.problems]
    return "\n".join(lines)


@dataclass
class _Models:
    """What there is to say of models; what cannot be read is a problem, and costs the rest nothing."""

    spent: spend.Outlook = field(default_factory=spend.Outlook)
    reviewers: list[str] = field(default_factory=list)
    left_alone: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def _models(workspace: Workspace, chosen: Settings, now: datetime) -> _Models:
    found = _Models(problems=keys.remember_all())
    try:
        found.spent = spend.look(workspace, chosen.zone, now)
        environ = keys.environment()
        asked = choice.configured(chosen.models, environ)
        found.reviewers = list(choice.choose(chosen.models, "review", environ))
        known = {name: one for name, one in cooldown.read(workspace).items() if name in asked and one.down_since}
    except DaybookError as error:
        found.problems.append(str(error))
        return found
    found.left_alone = {name: alarms.left_alone(one, chosen.zone, now) for name, one in known.items()}
    damaged = found.spent.damaged_rows
    if damaged:
        them = "it is" if damaged == 1 else "they are"
        path = workspace.private / spend.FILE
        found.problems.append(f"{counted(damaged, 'row')} of {path} cannot be read; {them} not counted as spent.")
    return found


def _inbox_lines(workspace: Workspace) -> int | None:
    try:
        return len(inbox.waiting_lines(workspace))
    except DaybookError:
        return None


def _caps(workspace: Workspace) -> Caps:
    try:
        data = files.read_if_exists(workspace.longterm)
    except DaybookError:
        return Caps()
    if data is None:
        return Caps()
    document = longterm.parse(data)
    return Caps(lines=longterm.count_lines(document), words=longterm.count_words(document))


def _problems(
    workspace: Workspace, loaded: settings.Loaded, records: list[record.RunRecord], now: datetime
) -> list[str]:
    problems, chosen, inert = [], loaded.settings, loaded.inert
    if workspace.home != machine_id():
        problems.append("This machine is not the workspace's home, so no checks run here.")
    if inert:
        problems.append(f"{UNTRUSTED} and left out of daybook.toml: {', '.join(inert)}; see `daybook trust`.")
    if not trust.ledger_trusted(workspace):
        problems.append("The ledger in this folder is not trusted and does not count; see `daybook trust`.")
    try:
        inbox.waiting_lines(workspace)
    except DaybookError as error:
        problems.append(str(error))
    problems += ledger.read(workspace).torn
    problems += observing.peek(workspace, now).problems
    problems += synced.left_behind(workspace)
    problems += _sources(workspace, chosen, now)
    told = [problem for problem in _last_problems(records) if not problem.startswith(UNTRUSTED)]
    # What is missing of memory, and the file of keys, were looked at just now; a run before may have said otherwise.
    problems += [one for one in told if "`daybook restore" not in one and not one.startswith(str(keys.path()))]
    return list(dict.fromkeys(problems))


def _sources(workspace: Workspace, chosen: Settings, now: datetime) -> list[str]:
    """Say which of the feeds and mailboxes that are followed now failed last."""
    known = tracking.load(workspace, now)
    followed: list[tracking.SourceState | None] = [known.feeds.get(feed_key(feed.url)) for feed in chosen.feeds]
    followed += [known.mailboxes.get(mailbox_key(mailbox)) for mailbox in chosen.mailboxes]
    found = []
    for source in followed:
        if source is not None and source.failures:
            times = "once" if source.failures == 1 else f"{source.failures} times in a row"
            until = f"; next try {clock.local(source.next_allowed, chosen.zone):%H:%M}" if source.next_allowed else ""
            found.append(f"{clean(source.name or 'A source')} failed {times}{until}.")
    return found


def _last_problems(records: list[record.RunRecord]) -> list[str]:
    """Give what the last run of each check, and of each flow beside its checks, had to say."""
    # What a dry run or a comparison came to says nothing of how things stand.
    real = [one for one in records if not one.dry_run]
    checks = {check.check: check.problems for one in real for check in one.checks}
    flows = {one.flow: one for one in real}
    beside = [
        problem
        for one in flows.values()
        for problem in one.problems
        if all(problem not in check.problems for check in one.checks)
    ]
    return [*(problem for told in checks.values() for problem in told), *beside]


def _local(text: str | None, zone: tzinfo) -> str:
    return f"{clock.local(datetime.fromisoformat(text), zone):%Y-%m-%d %H:%M}" if text else "never"
