"""Plan a beat: ask which checks are due, and publish when each will be next."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, assert_never

from daybook import files
from daybook.clock import slot_date, stamp
from daybook.errors import DaybookError
from daybook.memory import inbox, journal
from daybook.schedule import claim, published
from daybook.schedule.checks import INBOX_LINES, REVIEW_EVERY_DATES, Check, beat_interval, checks_of
from daybook.schedule.due import Beat, Due, Missed, Verdict, Waiting, due_checks
from daybook.schedule.published import CheckState
from daybook.schedule.record import ACTED
from daybook.settings import BUILT_IN_CHECKS, CheckSettings

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import Settings
    from daybook.workspace import Workspace

HINTS = "adopted-state.json"
# A run may begin this much before its slot, and clocks are set.
AHEAD = timedelta(hours=1)
# A command that failed is over, too: it has its next slot, and a note line each beat would drown the rest.
OVER = ACTED | {"missed", "not-due", "already-done", "failed"}


@dataclass(frozen=True)
class Plan:
    """
    What a beat has to do.

    Attributes:
        verdicts: One per check.
        checks: The checks, by name.
    """

    verdicts: tuple[Verdict, ...]
    checks: dict[str, Check]

    @property
    def sources(self) -> tuple[Due, ...]:
        """News, mail and commands that are due; they run side by side."""
        return tuple(v for v in self.due if v.check not in {"inbox", "review", "day"})

    @property
    def due(self) -> tuple[Due, ...]:
        """All checks that are due."""
        return tuple(verdict for verdict in self.verdicts if isinstance(verdict, Due))

    @property
    def missed(self) -> tuple[Missed, ...]:
        """Slots that their policy lets go."""
        return tuple(verdict for verdict in self.verdicts if isinstance(verdict, Missed))

    def only(self, check: str, slot: datetime) -> Plan:
        """Plan this check alone, due or not, as a person asks for."""
        return Plan((Due(check, slot),), self.checks)

    def one(self, check: str) -> Due | None:
        """The verdict of a check, if it is due."""
        return next((due for due in self.due if due.check == check), None)


def plan(workspace: Workspace, settings: Settings, slot: datetime, now: datetime) -> Plan:
    """
    Decide what a beat at *slot* has to do.

    The daily roll-up has a run of its own, which looks back over missed days; a beat leaves it alone.
    """
    checks = {check.name: check for check in checks_of(settings)}
    hints = published.read_hints(files.read_if_exists(workspace.private / HINTS), slot)
    last = {name: last_over(workspace, name, now) or hints.get(name) for name in checks}
    beat = Beat(slot, beat_interval(settings), now)
    asked = [check for name, check in checks.items() if name != "day"]
    verdicts = due_checks(asked, last, beat, settings.zone)
    return Plan(tuple(_adjusted(workspace, settings, verdict, slot) for verdict in verdicts), checks)


def standing(
    settings: Settings, check: str, slot: datetime, now: datetime, *, interrupted: bool, overtaken: bool
) -> Literal["run", "disabled", "missed"]:
    """
    Decide whether a scheduled run should still happen.

    A run whose successor waits already is let go: after an outage the newest makes up for all of them.

    Args:
        settings: Effective settings.
        check: The check whose slot it is for.
        slot: The scheduled instant.
        now: The present instant.
        interrupted: Whether an earlier owner of this slot was killed.
        overtaken: Whether a later run of the same deployment is due, too.
    """
    policy = settings.checks.get(check, CheckSettings())
    if not policy.enabled:
        return "disabled"
    late = now - slot
    if interrupted and policy.catch_up == "skip":
        return "missed"
    if late < beat_interval(settings) / 2:
        return "run"
    past = policy.deadline is not None and late > policy.deadline
    return "missed" if overtaken or past or policy.catch_up == "skip" else "run"


def review_due(workspace: Workspace, settings: Settings, slot: datetime) -> bool:
    """Whether the last review that acted is three or more dates before the slot's, or there was none."""
    last = claim.last_done(workspace, "review", acted=ACTED, until=slot + AHEAD)
    if last is None:
        return True
    zone = settings.zone
    return (slot_date(slot, zone) - slot_date(last.slot, zone)).days >= REVIEW_EVERY_DATES


def last_over(workspace: Workspace, check: str, now: datetime) -> datetime | None:
    """Newest slot of a check that will not run again."""
    last = claim.last_done(workspace, check, acted=OVER, until=now + AHEAD)
    return last.slot if last else None


def publish(workspace: Workspace, settings: Settings, now: datetime) -> list[str]:
    """
    Publish every check's last and next time.

    Returns:
        Problems met, as sentences.
    """
    return published.publish(workspace, states(workspace, settings, now), now)


def states(workspace: Workspace, settings: Settings, now: datetime) -> dict[str, CheckState]:
    """Last and next time of every check, and why it waits."""
    planned = plan(workspace, settings, now, now)
    waits = {verdict.check: verdict for verdict in planned.verdicts}
    found = {}
    for name in (*BUILT_IN_CHECKS, *(name for name in planned.checks if name not in BUILT_IN_CHECKS)):
        last = claim.last_done(workspace, name, acted=ACTED, until=now + AHEAD)
        following, why = _following(waits.get(name), now)
        found[name] = CheckState(
            last=stamp(last.at) if last else None, next=stamp(following) if following else None, why=why
        )
    return found


def _following(verdict: Verdict | None, now: datetime) -> tuple[datetime | None, str]:
    match verdict:
        case None:
            return None, "own-deployment"
        case Due(slot=slot):
            return max(slot, now), "due"
        case Missed(until=until):
            return until, "missed"
        case Waiting(until=until, why=why):
            return until, why
        case _:
            assert_never(verdict)


def _adjusted(workspace: Workspace, settings: Settings, verdict: Verdict, slot: datetime) -> Verdict:
    match verdict.check:
        case "inbox":
            return _inbox(workspace, verdict, slot)
        case "review" if isinstance(verdict, Due) and not review_due(workspace, settings, verdict.slot):
            return Waiting("review", None, "not-yet")
        case "review" if isinstance(verdict, Waiting) and verdict.until is not None:
            return _next_review(workspace, settings, verdict, verdict.until)
        case _:
            return verdict


def _next_review(workspace: Workspace, settings: Settings, verdict: Waiting, slot: datetime) -> Waiting:
    """Slots come daily, and most of them let the review go: the next one that will not."""
    slots = (slot + timedelta(days=days) for days in range(REVIEW_EVERY_DATES + 1))
    return replace(verdict, until=next((one for one in slots if review_due(workspace, settings, one)), slot))


def _inbox(workspace: Workspace, verdict: Verdict, slot: datetime) -> Verdict:
    """The inbox is due by its age, or by its length; an empty one never is."""
    if isinstance(verdict, Waiting) and verdict.why == "disabled":
        return verdict
    try:
        lines = len(inbox.waiting_lines(workspace))
        due = lines >= INBOX_LINES or _left_over(workspace, slot)
    except DaybookError:
        # Its own step says what is wrong, and fails alone.
        due = True
    if due:
        return Due("inbox", slot)
    if isinstance(verdict, Due) and not lines:
        return Waiting("inbox", None, "not-yet")
    return verdict


def _left_over(workspace: Workspace, now: datetime) -> bool:
    """Whether claimed inboxes hold lines that no note has, or a killed flush left some that memory was not offered."""
    known = journal.known(workspace, "inbox:")
    claimed = (line for path in inbox.claimed_files(workspace) for line in inbox.read_claimed(path, now))
    return not all(known.values()) or any(line.key not in known for line in claimed)
