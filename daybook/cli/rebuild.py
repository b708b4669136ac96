"""`daybook rebuild [--check]`: compare memory with the ledger, and bring back what should stand."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook.clock import now_utc
from daybook.upkeep.committing import commit
from daybook.upkeep.rebuild import Difference, check, rebuild
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence


def run(options: Namespace) -> int:
    """Run the command."""
    workspace = open_workspace(options.workspace)
    if options.check:
        missing = check(workspace)
        _show(missing, "equal to the ledger" if not missing else "missing", options)
        return 1 if missing else 0
    now = now_utc()
    done = rebuild(workspace, new_run_id(), now)
    commit(workspace, "rebuild", now)
    if done.posted is None:
        _show(done.entries, "brought back from the ledger", options)
    elif options.json:
        print(json.dumps({"entries": [], "posted": done.posted.summary}))
    else:
        print(f"There is no ledger, so the daily notes were read again: {done.posted.summary}.")
    return 0


def _show(entries: Sequence[Difference], what: str, options: Namespace) -> None:
    if options.json:
        rows = [asdict(one) if options.main else {"file": one.file, "section": one.section} for one in entries]
        print(json.dumps({"entries": rows, "state": what}, ensure_ascii=False))
        return
    print(f"Memory: {len(entries)} entries {what}." if entries else "Memory holds what the ledger says.")
    for one in entries:
        print(f"  {one.file}, under {one.section}" + (f": {one.text}" if options.main else ""))
