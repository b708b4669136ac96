"""`daybook undo [RUN]`: take a run's operations back."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from daybook import git
from daybook.cli.terminal import complain, confirmed
from daybook.clock import now_utc
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.upkeep.committing import commit
from daybook.upkeep.undo import Undone, run_to_undo, undo
from daybook.wording import counted
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at.
        NothingToDoError: There is no such run.
    """
    workspace = open_workspace(options.workspace)
    state = replay(ledger.read(workspace).records)
    target = run_to_undo(state, options.run)
    count = sum(one.run == target and one.op != "undo" for one in state.operations.values())
    what = counted(count, "operation", "operations")
    if not confirmed(f"Take back what run {target} did to memory ({what})?", yes=options.yes):
        print("Nothing was undone.")
        return 1
    now = now_utc()
    name = new_run_id()
    done = undo(workspace, target, name, now)
    complain(git.problems(commit(workspace, name, f"undo {now:%Y-%m-%d}: run {target}", now)))
    if not options.main:
        done = replace(done, prevented=tuple(replace(one, text="") for one in done.prevented))
    print(json.dumps(asdict(done), ensure_ascii=False) if options.json else told(done))
    return 1 if done.prevented else 0


def told(done: Undone) -> str:
    """Tell what came back, and what could not."""
    lines = [f"Run {done.run} is undone." if not done.prevented else f"Run {done.run} is undone in part."]
    lines += [f"  {name}: its bytes are what they were before" for name in done.files]
    lines += [f"  {name}: changed since, so each operation was taken back for itself" for name in done.changed]
    for one in done.prevented:
        name = repr(one.text) if one.text else f"The entry of operation {one.operation}"
        lines.append(f"  ! {name} {one.why}.")
    return "\n".join(lines)
