"""`daybook compact [--dry-run]`: bring MEMORY.md under its caps."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from daybook import git
from daybook.cli.terminal import complain, confirmed
from daybook.clock import now_utc
from daybook.memory import longterm
from daybook.upkeep.committing import commit
from daybook.upkeep.compact import Compaction, compact
from daybook.wording import counted, entries
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at.
    """
    workspace, now = open_workspace(options.workspace), now_utc()
    plan = compact(workspace, new_run_id(), now, dry_run=True)
    if options.dry_run or not plan.moves:
        _show(plan, options, "would leave")
        return 0 if plan.fits else 1
    if not options.json:
        print(_told(plan, "would leave", main=options.main))
    if not confirmed("Do that?", yes=options.yes):
        print("Nothing was moved.")
        return 1
    name = new_run_id()
    done = compact(workspace, name, now, dry_run=False)
    complain(
        git.problems(commit(workspace, name, f"compact {now:%Y-%m-%d}: {entries(len(done.moves))} to topics", now))
    )
    _show(done, options, "left")
    return 0 if done.fits else 1


def _show(plan: Compaction, options: Namespace, verb: str) -> None:
    if options.json:
        shown = plan if options.main else replace(plan, moves=tuple(("", to) for _, to in plan.moves))
        print(json.dumps({**asdict(shown), "fits": plan.fits}, ensure_ascii=False))
    else:
        print(_told(plan, verb, main=options.main))


def _told(plan: Compaction, verb: str, *, main: bool) -> str:
    caps = f"{longterm.MAX_LINES} lines and {longterm.MAX_WORDS} words"
    lines = [f"MEMORY.md: {_size(plan.lines, plan.words)}; it may have {caps}."]
    lines += [f"  {verb} for {to}" + (f": {text}" if main else "") for text, to in plan.moves]
    if plan.fits and not plan.moves:
        lines.append("It fits; there is nothing to move.")
    if plan.moves:
        lines.append(f"Afterwards: {_size(plan.lines_after, plan.words_after)}.")
    if not plan.fits:
        one = plan.theirs == 1
        lines.append(
            f"{entries(plan.theirs)} {'is' if one else 'are'} yours and {'stays' if one else 'stay'}; shorten "
            f"{'it' if one else 'them'}, or let Daybook curate every entry with `daybook init --curate all`."
        )
    return "\n".join(lines)


def _size(lines: int, words: int) -> str:
    return f"{counted(lines, 'line', 'lines')}, {counted(words, 'word', 'words')}"
