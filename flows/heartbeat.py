"""Look whether anything is due, and do it: an idle beat costs no token, no network and no line in a note."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from prefect import flow
from prefect.client.schemas.objects import State

from daybook.errors import DaybookError
from daybook.schedule.claim import Claim
from daybook.schedule.occasion import Occasion, Stopped
from daybook.schedule.record import CheckResult, RunRecord
from daybook.sources.finding import Finding, failed
from flows.email_check import look_at_mail
from flows.inbox_flush import flush
from flows.news_scan import look_at_news
from flows.reporting import alone, apply_pending, ping, report, settle, watch
from flows.review import review_memory
from flows.starting import finished, run_name, started
from tasks.plan_checks import plan_checks
from tasks.run_command import run_command

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from daybook.schedule.due import Due
    from daybook.schedule.planning import Plan


@flow(name="heartbeat", flow_run_name=run_name, persist_result=False)
async def heartbeat(dry_run: bool = False, check: str = "") -> State[RunRecord]:
    """
    Look whether anything is due, and do it.

    Args:
        dry_run: Say what is due, but do and write nothing.
        check: Do this check alone, due or not; empty: whatever is due.
    """
    async with started("heartbeat", "heartbeat", dry_run=dry_run) as run:
        if isinstance(run, Stopped):
            return finished(run.record)
        plan = await plan_checks(run.workspace, run.settings, run.slot, run.now)
        plan = plan.only(check, run.slot) if check else plan
        if dry_run:
            run.say_due(plan)
            return finished(run.record)
        for missed in plan.missed:
            run.let_go(missed)
        sources = [due for due in plan.sources if isinstance(run.take(due.check, due.slot), Claim)]
        findings = await asyncio.gather(*(_look(run, due) for due in sources))
        await _alone(run, "note", report(run, findings))
        await _memory(run, plan)
        await settle(run)
        await alone(run, "ping", ping(run))
    return finished(run.record)


async def _memory(run: Occasion, plan: Plan) -> None:
    """See what others did to memory, carry ticks out, flush and review, each alone in its failure."""
    inbox, review = plan.one("inbox"), plan.one("review")
    await _alone(run, "memory", watch(run))
    await _alone(run, "pending", apply_pending(run))
    if inbox is not None and isinstance(run.take("inbox", inbox.slot), Claim):
        await _alone(run, "inbox", flush(run))
    if review is not None and isinstance(run.take("review", review.slot), Claim):
        await _alone(run, "review", review_memory(run))


async def _look(run: Occasion, due: Due) -> Finding:
    try:
        match due.check:
            case "news":
                return await look_at_news(run)
            case "mail":
                return await look_at_mail(run)
            case name if not run.first(name, "command"):
                return failed(name, f"{name} was interrupted while its command ran; it is not run twice for one slot.")
            case name:
                return await run_command(run.workspace, name, run.settings.checks[name], run.slot)
    except DaybookError as error:
        return failed(due.check, str(error))
    except Exception as error:  # noqa: BLE001 - one failing check never stops another
        return failed(due.check, f"{due.check} failed: {type(error).__name__}; its run's log in the UI says more.")


async def _alone(run: Occasion, check: str, work: Awaitable[None]) -> None:
    if sentence := await alone(run, check, work):
        run.settle(CheckResult(check=check, slot=run.record.slot, outcome="failed", summary=sentence))
