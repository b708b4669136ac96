"""`daybook pending`: the proposals that wait for the operator; accept or refuse one at once."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook import clock
from daybook.cli.terminal import complain, confirmed
from daybook.clock import stamp
from daybook.errors import UsageError
from daybook.memory import pending, proposals
from daybook.workspace import new_run_id, open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.memory.proposals import Kept
    from daybook.workspace import Workspace

MIN_ID_CHARS = 4


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: No proposal that waits has this id, more than one has, or there is no terminal to ask at.
        WorkspaceError: Another machine is the workspace's home.
    """
    workspace, now = open_workspace(options.workspace), clock.now_utc()
    waiting = proposals.read(workspace).open(now)
    if options.action is None:
        print(_as_json(waiting, main=options.main) if options.json else _told(waiting, main=options.main))
        return 0
    workspace.require_home()
    kept = _named(waiting, options.id or "")
    if not options.json:
        print("\n".join(_lines(kept, main=options.main)))
        if not options.main:
            print("  its text is shown with `--main`")
    if not confirmed(f"{options.action.capitalize()} it?", yes=options.yes):
        print("Nothing was done.")
        return 1
    return _decide(workspace, kept, options, now)


def _decide(workspace: Workspace, kept: Kept, options: Namespace, now: datetime) -> int:
    from daybook import git  # noqa: PLC0415 - start-up time
    from daybook.review import ticks  # noqa: PLC0415 - start-up time
    from daybook.upkeep.committing import commit  # noqa: PLC0415 - start-up time

    name = new_run_id()
    acted = ticks.decide(workspace, kept.proposal.id, options.action, name, now)
    if any(one.verdict == "applied" for one in acted.results):
        complain(git.problems(commit(workspace, name, f"accept {now:%Y-%m-%d}: proposal {kept.proposal.id}", now)))
    done = [one for one in acted.results if one.verdict in {"applied", "refused"}]
    if options.json:
        # Without `--main`, text of memory is left out, as in every command.
        hidden = None if options.main else {"text", "entry", "section"}
        results = [one.model_dump(mode="json", exclude=hidden) for one in acted.results]
        print(json.dumps({"results": results, "problems": acted.problems}, ensure_ascii=False))
    else:
        said = [f"Accepted: it stands in {one.file}." if one.verdict == "applied" else "Refused." for one in done]
        print("\n".join((*said, *acted.problems)) or "It does not wait any more.")
    return 0 if done else 1


def _named(waiting: Sequence[Kept], name: str) -> Kept:
    """Find the proposal that an id, or the beginning of one, names."""
    wanted = name.removeprefix("^").casefold()
    if len(wanted) < MIN_ID_CHARS:
        raise UsageError(f"Name the proposal by at least {MIN_ID_CHARS} signs of its id; `daybook pending` lists them.")
    found = [one for one in waiting if one.proposal.id.startswith(wanted)]
    if len(found) != 1:
        how_many = "No proposal that waits has" if not found else f"{len(found)} proposals have"
        raise UsageError(f"{how_many} an id that begins with {wanted!r}; `daybook pending` lists them.")
    return found[0]


def _told(waiting: Sequence[Kept], *, main: bool) -> str:
    if not waiting:
        return "No proposal waits."
    lines = [line for kept in waiting for line in _lines(kept, main=main)]
    lines.append("Accept with `daybook pending accept ID`, refuse with `daybook pending refuse ID`.")
    return "\n".join(lines)


def _lines(kept: Kept, *, main: bool) -> list[str]:
    """Tell one proposal; its text only to the operator's own session."""
    one = kept.proposal
    when = f"since {kept.at:%Y-%m-%d}, lapses {kept.lapses:%Y-%m-%d}"
    lines = [f"{one.id}  {pending.VERB[one.op].lower():6}  {when}: {pending.WHY.get(one.code, one.code)}"]
    if main:
        lines += [f"  {one.section or one.file}: {one.text or one.old}"]
        lines += [f"  {'instead of' if one.op == 'revise' else 'beside'}: {one.old}"] if one.text and one.old else []
        lines += [f'  from {line.file}:{line.line} ({line.origin}): "{line.text}"' for line in one.sources]
    if kept.why:
        lines.append(f"  not done: {kept.why}")
    return lines


def _as_json(waiting: Sequence[Kept], *, main: bool) -> str:
    rows = []
    for kept in waiting:
        one = kept.proposal
        row: dict[str, object] = {
            "id": one.id,
            "op": one.op,
            "code": one.code,
            "why": pending.WHY.get(one.code, one.code),
            "not_done": kept.why,
            "since": stamp(kept.at),
            "lapses": stamp(kept.lapses),
        }
        if main:
            sources = [line.model_dump(mode="json", exclude={"hash"}) for line in one.sources]
            row |= {"file": one.file, "section": one.section, "text": one.text, "old": one.old, "sources": sources}
        rows.append(row)
    return json.dumps({"proposals": rows}, ensure_ascii=False)
