"""`daybook forget TEXT`: take an entry out for good, and its words out of ledger and index."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook.cli.terminal import confirmed
from daybook.clock import now_utc
from daybook.upkeep.committing import commit
from daybook.upkeep.forget import find, forget
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
    if not confirmed(f"Forget for good, in {', '.join(match.files)}: {match.text!r}?", yes=options.yes):
        print("Nothing was forgotten.")
        return 1
    gone = forget(workspace, match, new_run_id(), now)
    commit(workspace, "forget an entry", now)
    if options.json:
        print(json.dumps(asdict(gone)))
        return 0
    print(f"Forgotten in {', '.join(gone.files)}; its words are out of {gone.records} ledger records.")
    for place in gone.left:
        print(f"  {place} still holds these words; edit it if they must go there too (git's history keeps them)")
    return 0
