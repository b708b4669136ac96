"""The end that all looks at sources share: one batch to the note, notices, then the cursors; state and record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import git, notify
from daybook.curation import observing
from daybook.errors import DaybookError
from daybook.review import ticks
from daybook.schedule import alarms, patience, quiet, record
from daybook.schedule.record import CheckResult
from daybook.sources import finding as findings_of
from tasks.append_note import append_note
from tasks.apply_ticks import apply_ticks
from tasks.commit_memory import commit_memory
from tasks.commit_sources import commit_sources
from tasks.notify_operator import notify_operator
from tasks.ping_monitor import ping_monitor
from tasks.publish_state import publish_state
from tasks.register_outside import register_outside
from tasks.show_table import show_table
from tasks.tell_brief import tell_brief
from tasks.watch_memory import watch_memory

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from daybook.schedule.occasion import Occasion
    from daybook.sources.finding import Finding


async def report(run: Occasion, findings: Sequence[Finding]) -> None:
    """Write, tell, and only then move on: a crash in between neither loses nor doubles anything."""
    for finding in findings:
        run.add_counts(finding.counts)
        run.add_problems(finding.problems)
        if finding.counsel is not None:
            run.add_counsel(finding.counsel.purpose, finding.counsel.tries, finding.counsel.used)
    if not run.dry_run:
        await _write_and_tell(run, findings)
    for finding in findings:
        if finding.items and not run.dry_run:
            await show_table(finding, run.workspace.id)
        run.settle(
            CheckResult(
                check=finding.check,
                slot=run.record.slot,
                outcome="dry-run" if run.dry_run else finding.outcome,
                summary=finding.summary,
                problems=list(finding.problems),
            )
        )


async def _write_and_tell(run: Occasion, findings: Sequence[Finding]) -> None:
    seen = [text for finding in findings for text in finding.seen]
    if seen:
        await register_outside(run.workspace, seen, run.now)
    entries = findings_of.note_entries(findings, run.slot, run.moment)
    if entries:
        run.add_lines(await append_note(run.workspace, entries, findings_of.outside_texts(findings), run.now))
    # Without a new notice too: an urgent one that a kill left unconfirmed is told again.
    if run.settings.notify.urls or any(finding.notices for finding in findings):
        notices = [notice for finding in findings for notice in finding.notices]
        outcomes = await notify_operator(run.workspace, run.settings, notices, run.now)
        run.record.notices += [notify.sentence(outcome) for outcome in outcomes]
        run.add_problems(filter(None, [notify.unheard(notices, outcomes)]))
    if findings:
        run.add_problems(await commit_sources(run.workspace, findings, run.now))


async def watch(run: Occasion) -> None:
    """Look what others did to memory, if a file of it has changed; an accident is told once."""
    if run.dry_run or observing.idle(run.workspace):
        return
    alerts = await watch_memory(run.workspace, run.record.id, run.now)
    run.add_problems([alert.text for alert in alerts])
    if alerts:
        outcomes = await notify_operator(run.workspace, run.settings, alerts, run.now)
        run.record.notices += [notify.sentence(outcome) for outcome in outcomes]


async def apply_pending(run: Occasion) -> None:
    """Carry out what the operator ticked, if anything can have been."""
    if run.dry_run or ticks.idle(run.workspace, run.now):
        return
    acted = await apply_ticks(run.workspace, run.record.id, run.now)
    run.add_operations(acted.results)
    run.add_problems(acted.problems)
    if acted.summary:
        run.settle(CheckResult(check="pending", slot=run.record.slot, outcome="done", summary=acted.summary))


async def tell_of_models(run: Occasion) -> None:
    """Tell, once each, that a model went down, that it is back, and that the budget is used up."""
    if run.dry_run or not run.settings.notify.urls:
        return
    notices = alarms.of_models(run.workspace, run.settings, run.record.models, run.now)
    if notices:
        outcomes = await notify_operator(run.workspace, run.settings, notices, run.now)
        run.record.notices += [notify.sentence(one) for one in outcomes if not isinstance(one, notify.AlreadyTold)]


async def brief(run: Occasion) -> None:
    """Tell what was held back, in one message: at the first beat after quiet hours."""
    if run.record.flow != "heartbeat" or not quiet.brief_due(run.workspace, run.settings, run.now):
        return
    await patience.wait(run.workspace, run.settings, run.record, run.now, run.pace.sleep)
    outcome = await tell_brief(run.workspace, run.settings, run.record, run.now)
    run.record.notices += [notify.sentence(outcome)] if outcome is not None else []


async def ping(run: Occasion) -> None:
    """Let a dead man's switch know that the heart beats."""
    if run.settings.notify.ping_url and record.is_good(run.record):
        run.add_problems(filter(None, [await ping_monitor(run.settings)]))


async def settle(run: Occasion) -> None:
    """
    Sum the run up, commit what it changed in memory, publish the state of the checks, and tell the brief.

    The work is done by then: whatever fails here is a problem of the run, and ends nothing.
    """
    run.sum_up()
    await alone(run, "models", tell_of_models(run))
    if not run.dry_run:
        await alone(run, "commit", _commit(run))
        await alone(run, "state", _publish(run))
    await alone(run, "brief", brief(run))


async def alone(run: Occasion, part: str, work: Awaitable[None]) -> str:
    """Do one part of a run, whose failure does not stop the others; a sentence where it failed."""
    try:
        await work
    except Exception as error:  # noqa: BLE001 - one failing part never stops another
        sentence = str(error) if isinstance(error, DaybookError) else f"{part} failed: {type(error).__name__}."
        run.add_problems([sentence])
        return sentence
    return ""


async def _commit(run: Occasion) -> None:
    if message := _message(run):
        notes = sorted({line.partition(": ")[0] for line in run.record.note_lines})
        outcome = await commit_memory(run.workspace, run.record.id, message, run.now, notes)
        run.add_problems(git.problems(outcome))


async def _publish(run: Occasion) -> None:
    run.add_problems(await publish_state(run.workspace, run.settings, run.now))


def _message(run: Occasion) -> str:
    """Say what changed in memory; empty when nothing did, since a beat alone is no reason for a commit."""
    applied = [one.op for one in run.record.operations if one.verdict == "applied" and one.op != "confirm"]
    if not applied and run.record.flow != "daily-note":
        return ""
    return git.message(run.record.flow, run.today, *(applied.count(kind) for kind in ("add", "revise", "retire")))
