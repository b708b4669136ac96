"""`daybook restore [--keep]`: bring back what an accident took out of memory, or agree with it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook import git
from daybook.cli.terminal import complain, confirmed
from daybook.clock import now_utc
from daybook.curation.observing import peek
from daybook.errors import NothingToDoError
from daybook.upkeep.committing import commit
from daybook.upkeep.restore import missing, restore
from daybook.wording import entries
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at.
        NothingToDoError: Nothing is missing.
    """
    workspace, now = open_workspace(options.workspace), now_utc()
    gone = missing(peek(workspace, now))
    if not gone:
        raise NothingToDoError("Nothing of memory is missing; to take back what a run did use `daybook undo`.")
    where = ", ".join(f"{name} ({entries(len(lost))})" for name, lost in gone.items())
    question = f"Agree that what is gone stays gone, from {where}?" if options.keep else f"Bring back {where}?"
    if not confirmed(question, yes=options.yes):
        print("Nothing was changed.")
        return 1
    name = new_run_id()
    done = restore(workspace, name, now, keep=options.keep)
    message = f"restore {now:%Y-%m-%d}" + (": what is gone stays gone" if options.keep else "")
    complain(git.problems(commit(workspace, name, message, now)))
    complain(done.problems)
    if options.json:
        print(json.dumps(asdict(done), ensure_ascii=False))
        return 1 if done.problems else 0
    one = done.entries == 1
    kept = "stays gone and will not come back" if one else "stay gone and will not come back"
    what = kept if options.keep else "is back" if one else "are back"
    print(f"{', '.join(done.files)}: {entries(done.entries)} {what}.")
    for name in done.set_aside:
        print(f"  what stood there before is kept in {name}")
    return 1 if done.problems else 0
