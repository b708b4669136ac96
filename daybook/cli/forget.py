"""`daybook forget TEXT`: take an entry out for good, and its words out of ledger, versions and records."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook import git
from daybook.cli.terminal import complain, confirmed
from daybook.clock import now_utc
from daybook.upkeep.committing import commit
from daybook.upkeep.forget import find, forget
from daybook.wording import counted
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at.
        NothingToDoError: No entry is meant, or several.
    """
    workspace, now = open_workspace(options.workspace), now_utc()
    match = find(workspace, " ".join(options.text))
    # It is the operator's own terminal, and they must see what goes for good.
    where = f"in {', '.join(match.files)}" if match.files else "which the ledger alone holds still"
    if not confirmed(f"Forget for good, {where}: {match.text!r}?", yes=options.yes):
        print("Nothing was forgotten.")
        return 1
    name = new_run_id()
    gone = forget(workspace, match, name, now)
    complain(git.problems(commit(workspace, name, f"forget {now:%Y-%m-%d}: 1 entry", now)))
    if options.json:
        print(json.dumps(asdict(gone), ensure_ascii=False))
        return 0
    records = counted(gone.records, "ledger record", "ledger records")
    old = counted(gone.versions, "earlier version", "earlier versions")
    print(f"Forgotten in {', '.join(gone.files) or 'the ledger'}; its words are out of {records}, and {old} went.")
    for place in gone.left:
        print(f"  {place} still holds these words; edit it if they must go there too (git's history keeps them)")
    return 0
