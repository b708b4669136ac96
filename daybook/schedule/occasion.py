"""
One run of one flow: the one function every entry point goes through.

It takes the slot's claim, keeps the run record, and settles what a killed run left behind.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from daybook import clock, settings
from daybook.errors import DaybookError
from daybook.guard.secrets import redact, remember
from daybook.models import keys
from daybook.models.trying import Pace
from daybook.network import hiding
from daybook.schedule import claim, planning, record
from daybook.schedule.claim import Claim, Finished, Running
from daybook.schedule.record import CheckResult, OperationResult, Outcome, RunRecord, Trigger
from daybook.settings import CheckSettings
from daybook.workspace import new_run_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date, datetime

    from daybook.memory import journal
    from daybook.models.choice import Purpose
    from daybook.prompts import Rendered
    from daybook.schedule.due import Missed
    from daybook.schedule.planning import Plan
    from daybook.schedule.record import Try
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@dataclass
class Occasion:
    """
    A run in progress; flows and tasks carry it through.

    Attributes:
        workspace: Whose run.
        loaded: Effective settings, and what of daybook.toml is inert.
        slot: The instant the run is for.
        now: The instant it began.
        record: What it has come to so far.
        claims: Claims it holds, by check; the flow's own under the flow's check.
        pace: How it waits for models, and how long ago it began.
    """

    workspace: Workspace
    loaded: settings.Loaded
    slot: datetime
    now: datetime
    record: RunRecord
    claims: dict[str, Claim] = field(default_factory=dict)
    pace: Pace = field(default_factory=Pace.from_now)

    @property
    def settings(self) -> Settings:
        """Effective settings."""
        return self.loaded.settings

    @property
    def moment(self) -> datetime:
        """The slot in the workspace's zone: the time that stands in note lines."""
        return clock.local(self.slot, self.settings.zone)

    @property
    def today(self) -> date:
        """The slot's date in the workspace's zone."""
        return self.moment.date()

    @property
    def by_hand(self) -> bool:
        """Whether a person asked for just this."""
        return self.record.trigger == "hand" and self.record.flow != "heartbeat"

    @property
    def dry_run(self) -> bool:
        """Whether nothing may be written."""
        return self.record.dry_run

    def take(self, check: str, slot: datetime) -> Claim | Running | Finished:
        """Take a check's slot; a claim taken is held until the run ends. A dry run uses none up."""
        taken = claim.take(self.workspace, check, slot, self.now)
        if isinstance(taken, Claim):
            self.claims[check] = taken
        return taken

    def first(self, check: str, effect: str) -> bool:
        """Record an effect that has no key of its own before it is made; False if a killed owner of the slot did."""
        return self.claims[check].first(effect, self.now)

    def settle(self, result: CheckResult) -> None:
        """Record what a check came to, and that its slot is over unless it failed or waits."""
        held = self.claims.get(result.check)
        if held is not None:
            result = result.model_copy(update={"slot": record.slot_text(held.slot), "catch_up": held.slot != self.slot})
            self._close(held, result.outcome)
        self.record.checks.append(result)

    def end(self, check: str) -> None:
        """Close the run and the claim of its own check."""
        if self.record.outcome == "running":
            self.record.outcome = "dry-run" if self.dry_run else "done"
        self.record.ended = clock.stamp(clock.now_utc())
        settled = {result.check for result in self.record.checks}
        for name, held in self.claims.items():
            if name not in settled:
                self._close(held, self.record.outcome if name == check else "failed")
        record.write(self.workspace, self.record)

    def fail(self, sentence: str) -> None:
        """Close a run that was ended by an error; what it did not settle may be taken again."""
        self.record.outcome = "failed"
        self.record.summary = sentence
        self.record.problems.append(sentence)
        self.record.ended = clock.stamp(clock.now_utc())
        settled = {result.check for result in self.record.checks}
        for check, held in self.claims.items():
            if check not in settled:
                held.failed("failed", self.now)
        record.write(self.workspace, self.record)

    def sum_up(self) -> None:
        """Say what the run came to, from what its checks came to."""
        outcomes = {result.outcome for result in self.record.checks}
        self.record.outcome = next((one for one in record.ORDER if one in outcomes), "nothing-to-do")
        summaries = [result.summary for result in self.record.checks if result.summary]
        self.record.summary = " ".join(summaries) or "Nothing was due."

    def add_counts(self, counts: Mapping[str, int]) -> None:
        """Add to the record's counts."""
        for name, count in counts.items():
            self.record.counts[name] = self.record.counts.get(name, 0) + count

    def add_counsel(self, purpose: Purpose, tries: Iterable[Try], used: Iterable[Rendered]) -> None:
        """Record what models were asked, and by which prompts."""
        self.record.models += (record.model_call(one, purpose) for one in tries)
        self.record.prompts += (record.prompt_use(one) for one in used)

    def add_lines(self, written: journal.Written) -> None:
        """Record note lines that were written, and what kept others from it."""
        self.record.note_lines += [
            f"{self.workspace.relative(self.workspace.daily_note(entry.day))}: {entry.text}"
            for entry in written.entries
        ]
        self.add_problems(written.problems)

    def add_operations(self, operations: Iterable[OperationResult], diff: Iterable[str] = ()) -> None:
        """Record operations and what they changed in MEMORY.md."""
        self.record.operations += operations
        self.record.diff += diff

    def say_due(self, plan: Plan) -> None:
        """Record what a beat would do."""
        self.record.checks += [
            CheckResult(
                check=due.check, slot=record.slot_text(due.slot), outcome="dry-run", summary=f"{due.check} is due."
            )
            for due in plan.due
        ]
        self.sum_up()

    def let_go(self, missed: Missed) -> None:
        """Record a slot that its check's policy lets go, once."""
        if isinstance(self.take(missed.check, missed.slot), Claim):
            self.settle(
                CheckResult(
                    check=missed.check,
                    slot=record.slot_text(missed.slot),
                    outcome="missed",
                    summary=f"{missed.check} of {record.slot_text(missed.slot)} was missed and is not made up for.",
                )
            )

    def stop(self, check: str, why: Literal["disabled", "missed"]) -> None:
        """Close a scheduled run that does not happen."""
        slot = record.slot_text(self.slot)
        sentence = f"{check} is disabled." if why == "disabled" else f"{check} of {slot} was missed; it is let go."
        self.record.outcome = "not-due" if why == "disabled" else "missed"
        self.record.summary = sentence
        self.settle(CheckResult(check=check, slot=slot, outcome=self.record.outcome, summary=sentence))
        self.end(check)

    def release(self) -> None:
        """Let all claims go."""
        for held in self.claims.values():
            held.release()

    def _close(self, held: Claim, outcome: Outcome) -> None:
        command = self.settings.checks.get(held.check, CheckSettings()).command
        if self.dry_run or outcome == "waiting" or (outcome == "failed" and command is None):
            held.failed(outcome, self.now)
        else:
            held.done(outcome, self.now)

    def add_problems(self, sentences: Iterable[str]) -> None:
        """Note problems for the operator, redacted."""
        self.record.problems += map(redact, sentences)


@dataclass(frozen=True)
class Stopped:
    """The run need not or must not happen; the record says why."""

    record: RunRecord


@contextmanager
def occasion(
    workspace: Workspace,
    flow: str,
    check: str,
    *,
    slot: datetime,
    trigger: Trigger,
    now: datetime,
    dry_run: bool,
    overtaken: bool = False,
) -> Iterator[Occasion | Stopped]:
    """
    Run a flow once for a slot.

    Args:
        workspace: Whose run; this machine must be its home.
        flow: Name of the flow.
        check: Name of the check whose slot it takes.
        slot: The instant it is for; by hand a slot of its own.
        trigger: What started it.
        now: The present instant, aware.
        dry_run: Nothing is written but the record, and no slot is used up.
        overtaken: A later run of the same deployment is due, too.

    Yields:
        The occasion; or that the slot is over or taken.

    Raises:
        WorkspaceError: Another machine is its home.
        SettingsError: daybook.toml cannot be understood.
    """
    run = _begun(workspace, flow, slot, trigger, now, dry_run=dry_run)
    entry = run.record
    try:
        taken = run.take(check, slot)
        if not isinstance(taken, Claim):
            yield Stopped(_stopped(entry, taken, now))
            return
        entry.interrupted_before = taken.interrupted
        with workspace.lock():
            run.add_problems(workspace.sweep(now))
        record.write(workspace, entry)
        stands = planning.standing(run.settings, check, slot, now, interrupted=taken.interrupted, overtaken=overtaken)
        if trigger == "schedule" and stands != "run":
            run.stop(check, stands)
            yield Stopped(entry)
            return
        yield run
        run.end(check)
    except DaybookError as error:
        run.fail(redact(str(error)))
        raise
    except Exception as error:
        run.fail(f"{type(error).__name__} in {flow}: {redact(str(error))}")
        raise
    finally:
        run.release()


def _begun(
    workspace: Workspace, flow: str, slot: datetime, trigger: Trigger, now: datetime, *, dry_run: bool
) -> Occasion:
    workspace.require_home()
    loaded = settings.load(workspace)
    entry = record.begin(workspace, flow, slot, trigger=trigger, now=now, run_id=new_run_id())
    entry.dry_run = dry_run
    remember(hiding.of_settings(loaded.settings))
    entry.problems += keys.remember_all()
    if loaded.inert:
        entry.problems.append(
            f"Not trusted and left out of daybook.toml: {', '.join(loaded.inert)}; look at it with `daybook trust`."
        )
    return Occasion(workspace, loaded, slot, now, entry)


def _stopped(entry: RunRecord, taken: Running | Finished, now: datetime) -> RunRecord:
    outcome: Outcome = "running-elsewhere" if isinstance(taken, Running) else "already-done"
    entry.outcome = outcome
    entry.ended = clock.stamp(now)
    entry.summary = (
        f"{taken.check} is running already."
        if isinstance(taken, Running)
        else f"{taken.check} was done for this slot: {taken.outcome}."
    )
    return entry
