"""Review the last notes into MEMORY.md: a model proposes, code decides."""

from __future__ import annotations

from datetime import date

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.review.comparing import compare as compare_reviews
from daybook.review.comparing import readers_for
from daybook.review.reviewing import preview
from daybook.schedule import planning
from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import CheckResult, Outcome, RunRecord
from daybook.wording import counted
from flows.reporting import apply_pending, settle, watch
from flows.starting import finished, run_name, started
from tasks.extract_insights import extract_insights
from tasks.read_notes import read_notes
from tasks.second_opinion import second_opinion
from tasks.show_diff import show_diff
from tasks.update_memory import update_memory
from tasks.verify_insights import verify_insights


@flow(name="review", flow_run_name=run_name, persist_result=False)
async def review(dry_run: bool = False, since: date | None = None, compare: str = "") -> State[RunRecord]:
    """
    Review the last notes into MEMORY.md: a model proposes, code decides.

    Args:
        dry_run: Show what would become of each operation, but write nothing.
        since: Read every note from this date on, also what is long past.
        compare: Another model, or the whole path of another prompt: show what it would do, but write nothing.
    """
    async with started("review", "review", dry_run=dry_run or bool(compare)) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        if compare:
            await review_otherwise(run, compare, since=since)
            return finished(run.record)
        await watch(run)
        await apply_pending(run)
        await review_memory(run, since=since)
        await settle(run)
    return finished(run.record)


async def review_memory(run: Occasion, *, since: date | None = None) -> None:
    """Look, ask, decide; on schedule only when it is due, and never twice about the same lines."""
    if not run.by_hand and not planning.review_due(run.workspace, run.settings, run.slot):
        run.settle(_result(run, "not-due", "The last review is less than three dates ago."))
        return
    look = await read_notes(run.workspace, run.settings, run.today, since, run.now)
    run.add_problems(look.problems)
    calls = look.calls if run.by_hand else look.fresh
    if not calls and not look.over:
        run.settle(_result(run, "nothing-to-do", "Nothing new to review."))
        return
    extracted = await extract_insights(
        run.workspace, run.settings, calls, look.memory, run.today, run.now, pace=run.pace
    )
    run.record.models += extracted.models
    run.record.prompts += extracted.used
    run.add_problems(extracted.problems)
    judged = await verify_insights(look, extracted, run.today)
    decided = await second_opinion(run.workspace, run.settings, look, judged, run.now, run.pace)
    run.record.models += decided.models
    run.record.prompts += decided.used
    if run.dry_run:
        run.add_operations(preview(decided.judged))
        found = extracted.waiting or f"{counted(len(run.record.operations), 'operation')}."
        run.settle(_result(run, "dry-run", f"{found} Nothing was written."))
        return
    waits = bool(extracted.waiting)
    posted = await update_memory(run.workspace, look, decided.judged, run.record.id, run.now, waiting=waits)
    run.add_operations(posted.results, posted.diff)
    run.add_problems(posted.problems)
    run.add_problems([extracted.waiting] if extracted.waiting else [])
    summary = f"Reviewed {counted(sum(len(call.lines) for call in calls), 'note line')}: {posted.summary}."
    run.settle(_result(run, "waiting" if extracted.waiting else "done", extracted.waiting or summary))
    run.record.summary = extracted.waiting or summary
    await show_diff(run.record)


async def review_otherwise(run: Occasion, named: str, *, since: date | None = None) -> None:
    """Let another reader review the last window, and lay what it would do beside what the last review did."""
    readers = readers_for(run.settings, named)
    look = await read_notes(run.workspace, run.settings, run.today, since, run.now, readers)
    run.add_problems(look.problems)
    extracted = await extract_insights(
        run.workspace, run.settings, look.calls, look.memory, run.today, run.now, pace=run.pace, readers=readers
    )
    run.record.models += extracted.models
    run.record.prompts += extracted.used
    judged = await verify_insights(look, extracted, run.today)
    run.add_problems([*extracted.problems, *([extracted.waiting] if extracted.waiting else [])])
    comparison = compare_reviews(run.workspace, preview(judged), named, run.settings.zone, run.now)
    run.add_operations(comparison.operations)
    run.settle(_result(run, "waiting" if extracted.waiting else "dry-run", comparison.summary))
    run.sum_up()
    await show_diff(run.record)


def _result(run: Occasion, outcome: Outcome, summary: str) -> CheckResult:
    return CheckResult(check="review", slot=run.record.slot, outcome=outcome, summary=summary)
