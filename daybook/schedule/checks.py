"""
The checks of a workspace: the built-in ones and the operator's commands.

Checks with a deployment of their own (news, review) run by its schedule; the heartbeat only catches them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from daybook.errors import SettingsError
from daybook.schedule.manifest import Cron, Interval, cron, plans
from daybook.settings import BUILT_IN_CHECKS, CheckSettings

if TYPE_CHECKING:
    from daybook.settings import Settings

MAIL_EVERY = timedelta(hours=4)
INBOX_EVERY = timedelta(hours=12)
INBOX_LINES = 20
BEAT_EVERY = timedelta(minutes=30)
REVIEW_EVERY_DATES = 3
DEPLOYMENT_OF = {"news": "news-scan", "review": "review", "day": "daily-note"}


@dataclass(frozen=True)
class Check:
    """
    One thing a beat may have to do.

    Attributes:
        name: `news`, `mail`, `inbox`, `review`, `day`, or the operator's name for a command.
        enabled: Whether the schedule may run it.
        configured: Whether there is anything to look at.
        every: Interval on the beats' grid.
        schedule: Schedule of its own deployment, or of a command; counts before *every*.
        catch_up: What a missed slot gets.
        deadline: How late a missed slot may run.
        command: The operator's command.
        timeout: How long the command may take.
    """

    name: str
    enabled: bool = True
    configured: bool = True
    every: timedelta | None = None
    schedule: Cron | Interval | None = None
    catch_up: Literal["once", "skip"] = "once"
    deadline: timedelta | None = None
    command: tuple[str, ...] | None = None
    timeout: timedelta = timedelta(minutes=1)


def checks_of(settings: Settings) -> tuple[Check, ...]:
    """List every check of a workspace, the built-in ones first."""
    schedules = {plan.name: plan.schedule for plan in plans(settings)}
    configured = {"news": bool(settings.feeds), "mail": bool(settings.mailboxes)}
    default_every = {"mail": MAIL_EVERY, "inbox": INBOX_EVERY}
    built_in = [
        _check(
            name,
            settings.checks.get(name, CheckSettings()),
            configured=configured.get(name, True),
            every=default_every.get(name),
            schedule=schedules.get(DEPLOYMENT_OF.get(name, "")),
        )
        for name in BUILT_IN_CHECKS
    ]
    own = [
        _check(name, given, configured=given.command is not None, every=None, schedule=None)
        for name, given in settings.checks.items()
        if name not in BUILT_IN_CHECKS
    ]
    return tuple(built_in + own)


def beat_interval(settings: Settings) -> timedelta:
    """Time from one heartbeat to the next; half an hour where the heartbeat has no interval."""
    for plan in plans(settings):
        if plan.name == "heartbeat" and isinstance(plan.schedule, Interval):
            return plan.schedule.every
    return BEAT_EVERY


def _cron(name: str, line: str) -> Cron:
    try:
        return cron(line)
    except ValueError as error:
        raise SettingsError(
            f'daybook.toml: checks.{name}.cron = "{line}" is no cron line ({error}); write one like "30 9 * * 1-5".'
        ) from None


def _check(
    name: str, given: CheckSettings, *, configured: bool, every: timedelta | None, schedule: Cron | Interval | None
) -> Check:
    if given.cron is not None:
        schedule = _cron(name, given.cron)
    return Check(
        name=name,
        enabled=given.enabled,
        configured=configured,
        every=given.every or every,
        schedule=None if given.every else schedule,
        catch_up=given.catch_up,
        deadline=given.deadline,
        command=given.command,
        timeout=given.timeout,
    )
