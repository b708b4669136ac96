"""Write the roll-up of the day, and of missed days."""

from __future__ import annotations

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.schedule.occasion import Stopped
from daybook.schedule.record import CheckResult, RunRecord
from flows.reporting import settle
from flows.starting import finished, run_name, started
from tasks.append_note import append_note
from tasks.roll_up_day import roll_up_day
from tasks.tidy_up import tidy_up


@flow(name="daily-note", flow_run_name=run_name, persist_result=False)
async def daily_note(dry_run: bool = False) -> State[RunRecord]:
    """
    Write the roll-up of the day, and of missed days.

    Args:
        dry_run: Form the lines, but write nothing.
    """
    async with started("daily-note", "day", dry_run=dry_run) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        entries = await roll_up_day(run.workspace, run.settings, run.slot, final=not run.by_hand)
        summary = " ".join(f"{entry.day}: {entry.text.removeprefix('- ')}" for entry in entries)
        if run.dry_run:
            run.settle(CheckResult(check="day", slot=run.record.slot, outcome="dry-run", summary=summary))
        else:
            run.add_lines(await append_note(run.workspace, entries, (), run.now))
            await tidy_up(run.workspace, run.now)
            outcome = "done" if entries else "nothing-to-do"
            summary = summary or "The day has its roll-up already."
            run.settle(CheckResult(check="day", slot=run.record.slot, outcome=outcome, summary=summary))
        await settle(run)
    return finished(run.record)
