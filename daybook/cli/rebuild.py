"""`daybook rebuild [--check]`: compare memory with the ledger, and bring back what should stand."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook import git
from daybook.cli.terminal import complain, under
from daybook.clock import now_utc
from daybook.upkeep.committing import commit
from daybook.upkeep.rebuild import Difference, check, rebuild
from daybook.wording import entries
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence


def run(options: Namespace) -> int:
    """Run the command."""
    workspace = open_workspace(options.workspace)
    if options.check:
        found = check(workspace)
        _show(found, _differ(found), options)
        return 1 if found else 0
    now = now_utc()
    name = new_run_id()
    done = rebuild(workspace, name, now)
    complain(git.problems(commit(workspace, name, f"rebuild {now:%Y-%m-%d}", now)))
    complain(done.problems)
    if done.posted is None:
        _show(done.entries, f"{entries(len(done.entries))} brought back from the ledger", options)
    elif options.json:
        print(json.dumps({"entries": [], "posted": done.posted.summary}))
    else:
        print(f"There is no ledger, so the daily notes were read again: {done.posted.summary}.")
    return 1 if done.problems else 0


def _differ(found: Sequence[Difference]) -> str:
    counts = Counter(one.what for one in found)
    return ", ".join(f"{entries(count)} {what}" for what, count in counts.items()) or "equal to the ledger"


def _show(found: Sequence[Difference], what: str, options: Namespace) -> None:
    """Show what differs or came back; words and headings only to the operator's own session."""
    if options.json:
        shown = {"file", "section", "text", "what", "line"} if options.main else {"file", "what", "line"}
        rows = [{name: value for name, value in asdict(one).items() if name in shown} for one in found]
        print(json.dumps({"entries": rows, "state": what}, ensure_ascii=False))
        return
    print(f"Memory: {what}." if found else "Memory holds what the ledger says.")
    for one in found:
        place = one.file if one.line is None else f"{one.file}:{one.line}"
        print(f"  {place} ({one.what})" + (f"{under(one.section)}: {one.text}" if options.main else ""))
