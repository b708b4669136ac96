"""`daybook demo`: a throw-away workspace, one heartbeat, one review, and what they changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import clock, demo, files, settings, trust
from daybook.cli.terminal import progress

if TYPE_CHECKING:
    from argparse import Namespace

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: The folder to keep it in is not empty.
    """
    from deployments.client import session  # noqa: PLC0415 - start-up time

    folder = Path(options.keep).expanduser() if options.keep else Path(tempfile.mkdtemp(prefix="daybook-demo-"))
    with demo.feed() as url:
        workspace = demo.write(folder, url, clock.now_utc())
        try:
            progress(f"A workspace from the example stands in {workspace.root}.")
            with session(workspace, settings.load(workspace).settings, progress=progress) as run_flow:
                progress("Running one heartbeat: news, inbox …")
                beat: RunRecord = run_flow("heartbeat", {})
                progress("Running one review …")
                review: RunRecord = run_flow("review", {})
            _show(options, workspace, beat, review)
        finally:
            if not options.keep:
                shutil.rmtree(workspace.root)
                shutil.rmtree(workspace.private)
                trust.revoke(workspace)
    return 0 if {beat.outcome, review.outcome} <= {"done"} else 1


def _show(options: Namespace, workspace: Workspace, beat: RunRecord, review: RunRecord) -> None:
    if options.json:
        print(json.dumps({"heartbeat": beat.model_dump(mode="json"), "review": review.model_dump(mode="json")}))
        return
    _tell(workspace, beat, review)
    if options.keep:
        print(f"\nKept in {workspace.root}; go on with `daybook --workspace {workspace.root} up`.")
    else:
        print("\nRemoved again; keep one with `daybook demo --keep PATH`.")


def _tell(workspace: Workspace, beat: RunRecord, review: RunRecord) -> None:
    print(f"\nHeartbeat: {beat.summary}\nReview: {review.summary}\n\nMEMORY.md")
    for line in (*beat.diff, *review.diff):
        print(f"  {line}")
    print("\nWhy (each new entry, and the note line it rests on)")
    for one in (*beat.operations, *review.operations):
        if one.verdict == "applied" and one.op in {"add", "revise"}:
            print(f"  {one.text}\n    <- {', '.join(one.sources)} -> {one.file}, {one.section}")
    print("\nNew note lines")
    for line in (*beat.note_lines, *review.note_lines):
        print(f"  {line}")
    later = sum(one.verdict == "later" for one in review.operations)
    if later:
        print(f"\n{later} more {'waits' if later == 1 else 'wait'} for the next review: one review adds only a few.")
    proposed = [one for one in review.operations if one.verdict == "proposed"]
    if proposed:
        print("\nProposals that wait for you (memory/_pending.md)")
        for one in proposed:
            print(f"  {one.op}: {one.text} ({one.code})")
    state = files.read_bytes(workspace.heartbeat_state).decode()
    print(f"\nmemory/heartbeat-state.json\n{state.rstrip()}")
