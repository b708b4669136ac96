"""`daybook heartbeat|news|mail|flush|review|day`: run one flow here and now."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from daybook import settings
from daybook.cli.terminal import progress
from daybook.errors import UsageError
from daybook.review.comparing import TEMPLATE_SUFFIX, readers_for
from daybook.settings.schema import nearest
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace

    from daybook.schedule.record import OperationResult, RunRecord
    from daybook.settings import Settings

FLOW_OF = {
    "heartbeat": "heartbeat",
    "news": "news-scan",
    "mail": "email-check",
    "flush": "inbox-flush",
    "review": "review",
    "day": "daily-note",
}

SIDES = {"": "", "both": "  = as the last review", "here": "  + only here", "before": "  - only the last review"}


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        DaybookError: The run failed; its sentence is the error's.
    """
    from deployments.client import run_flow  # noqa: PLC0415 - start-up time

    workspace = open_workspace(options.workspace)
    workspace.require_home()
    loaded = settings.load(workspace)
    parameters: dict[str, object] = {"dry_run": options.dry_run}
    if options.command == "review":
        parameters["since"] = options.since
        parameters["compare"] = _compared(loaded.settings, options.compare)
    if options.command == "heartbeat":
        parameters["check"] = _known_check(loaded.settings, options.check)
    record: RunRecord = run_flow(workspace, loaded.settings, FLOW_OF[options.command], parameters, progress=progress)
    if not options.main:
        record = without_memory(record)
    print(json.dumps(record.model_dump(mode="json"), ensure_ascii=False) if options.json else told(record))
    return 1 if record.outcome in {"failed", "waiting"} else 0


def _known_check(chosen: Settings, named: str) -> str:
    """Refuse the name of a check that there is not."""
    known = [name for name, check in chosen.checks.items() if check.command]
    if named and named not in known:
        which = nearest(named, known) if known else "; a check of yours has a command under [checks.NAME]"
        raise UsageError(f"{named!r} is no check of yours{which}.")
    return named


def _compared(chosen: Settings, named: str) -> str:
    """Check what to compare with, and make a template's path whole: the flow runs elsewhere."""
    if not named:
        return ""
    whole = os.path.abspath(named) if named.endswith(TEMPLATE_SUFFIX) else named  # noqa: PTH100 - asks no file system
    readers_for(chosen, whole)
    return whole


def without_memory(record: RunRecord) -> RunRecord:
    """Leave text of MEMORY.md, topics and proposals out; the record under `.daybook/runs/` has all of it."""
    operations = [one.model_copy(update={"text": "", "entry": "", "section": ""}) for one in record.operations]
    return record.model_copy(update={"operations": operations, "diff": []})


def told(record: RunRecord) -> str:
    """Tell a run in a few lines: what it came to, what it wrote, what changed, what is wrong."""
    lines = [record.summary or record.outcome]
    lines += [f"  {line}" for line in record.note_lines]
    lines += [f"  {line}" for line in record.diff]
    shown = [one for one in record.operations if record.dry_run or one.verdict != "applied"]
    lines += [
        f"  {'would be ' if record.dry_run and one.compared != 'before' else ''}{_operation(one)}" for one in shown
    ]
    lines += [f"  ! {problem}" for problem in record.problems if problem != record.summary]
    return "\n".join(lines)


def _operation(one: OperationResult) -> str:
    code = f" ({one.code})" if one.code else ""
    side = SIDES[one.compared]
    text = one.text or one.entry
    said = f" {text!r}" if text else ""
    return f"{one.verdict}: {one.op}{said}{code} <- {', '.join(one.sources)}{side}"
