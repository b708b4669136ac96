"""Flush the inbox into the note and memory."""

from __future__ import annotations

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.memory import inbox
from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import CheckResult, RunRecord
from daybook.wording import counted
from flows.reporting import settle, watch
from flows.starting import finished, run_name, started
from tasks.flush_inbox import flush_inbox
from tasks.post_inbox import post_inbox


@flow(name="inbox-flush", flow_run_name=run_name, persist_result=False)
async def inbox_flush(dry_run: bool = False) -> State[RunRecord]:
    """
    Flush the inbox into the note and memory.

    Args:
        dry_run: Only count the lines.
    """
    async with started("inbox-flush", "inbox", dry_run=dry_run) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        await watch(run)
        await flush(run)
        await settle(run)
    return finished(run.record)


async def flush(run: Occasion) -> None:
    """Write every line into the note first; after that nothing can be lost."""
    if run.dry_run:
        lines = len(inbox.waiting_lines(run.workspace))
        run.settle(_result(run, f"{counted(lines, 'inbox line')} would be flushed."))
        return
    written = await flush_inbox(run.workspace, run.moment, run.now)
    run.add_lines(written)
    posted = await post_inbox(run.workspace, run.record.id, run.now)
    for part in posted:
        run.add_operations(part.results, part.diff)
        run.add_problems(part.problems)
    count = len(written.entries)
    run.add_counts({"flushed": count})
    added = sum(part.count("applied", "add") for part in posted)
    summary = f"Flushed {counted(count, 'inbox line')}; {added} went on to MEMORY.md and the topics."
    summary = summary if count or added else "The inbox is empty."
    run.settle(_result(run, summary, empty=not (count or added)))


def _result(run: Occasion, summary: str, *, empty: bool = False) -> CheckResult:
    outcome = "dry-run" if run.dry_run else "nothing-to-do" if empty else "done"
    return CheckResult(check="inbox", slot=run.record.slot, outcome=outcome, summary=summary)
