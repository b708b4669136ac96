"""The end that all looks at sources share: one batch to the note, notices, then the cursors; state and record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import notify
from daybook.errors import DaybookError
from daybook.schedule.record import CheckResult
from daybook.sources import finding as findings_of
from tasks.append_note import append_note
from tasks.commit_sources import commit_sources
from tasks.notify_operator import notify_operator
from tasks.publish_state import publish_state
from tasks.show_table import show_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.schedule.occasion import Occasion
    from daybook.sources.finding import Finding


async def report(run: Occasion, findings: Sequence[Finding]) -> None:
    """Write, tell, and only then move on: a crash in between neither loses nor doubles anything."""
    for finding in findings:
        run.add_counts(finding.counts)
        run.add_problems(finding.problems)
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
    entries = findings_of.note_entries(findings, run.slot, run.moment)
    if entries:
        run.add_lines(await append_note(run.workspace, entries, findings_of.outside_texts(findings), run.now))
    # Without a new notice too: an urgent one that a kill left unconfirmed is told again.
    if run.settings.notify.urls or any(finding.notices for finding in findings):
        notices = [notice for finding in findings for notice in finding.notices]
        outcomes = await notify_operator(run.workspace, run.settings, notices, run.now)
        run.record.notices += [notify.sentence(outcome) for outcome in outcomes]
    if findings:
        run.add_problems(await commit_sources(run.workspace, findings, run.now))


async def settle(run: Occasion) -> None:
    """Sum the run up, and publish the state of the checks."""
    run.sum_up()
    if not run.dry_run:
        try:
            run.add_problems(await publish_state(run.workspace, run.settings, run.now))
        except DaybookError as error:
            # The state is a view; a run that did its work does not fail for it.
            run.add_problems([str(error)])
