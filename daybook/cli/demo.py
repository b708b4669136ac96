"""`daybook demo`: a throw-away workspace, one heartbeat, one review, and what they changed."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import clock, demo, files, settings, status, trust
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
        progress(f"A workspace from the example stands in {workspace.root}.")
        with session(workspace, settings.load(workspace).settings, progress=progress) as run_flow:
            progress("Running one heartbeat: news, inbox …")
            beat: RunRecord = run_flow("heartbeat", {})
            progress("Running one review …")
            review: RunRecord = run_flow("review", {})
    found = status.look(workspace, clock.now_utc(), ui=None)
    if options.json:
        records = {"heartbeat": beat.model_dump(mode="json"), "review": review.model_dump(mode="json")}
        print(json.dumps({**records, "status": found.model_dump(mode="json")}))
    else:
        _tell(workspace, beat, review)
        print(f"\nStatus\n{status.told(found)}")
    if not options.keep:
        shutil.rmtree(workspace.root)
        shutil.rmtree(workspace.private)
        trust.revoke(workspace)
    return 0 if {beat.outcome, review.outcome} <= {"done"} else 1


def _tell(workspace: Workspace, beat: RunRecord, review: RunRecord) -> None:
    print("\nMEMORY.md")
    for line in (*beat.diff, *review.diff):
        print(f"  {line}")
    print("\nWhy (each new entry, and the note line it rests on)")
    for one in (*beat.operations, *review.operations):
        if one.verdict == "applied" and one.op in {"add", "revise"}:
            print(f"  {one.text}\n    <- {', '.join(one.sources)} -> {one.file}, {one.section}")
    print("\nNew note lines")
    for line in (*beat.note_lines, *review.note_lines):
        print(f"  {line}")
    proposed = [one for one in review.operations if one.verdict == "proposed"]
    if proposed:
        print("\nProposals that wait for you (memory/_pending.md)")
        for one in proposed:
            print(f"  {one.op}: {one.text} ({one.code})")
    state = files.read_bytes(workspace.heartbeat_state).decode()
    print(f"\nmemory/heartbeat-state.json\n{state.rstrip()}")
