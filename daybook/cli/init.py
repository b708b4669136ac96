"""`daybook init`: make a workspace, or adopt a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.adoption import adopt, curate
from daybook.cli.terminal import confirmed
from daybook.clock import now_utc
from daybook.finding import DEFAULT_WORKSPACE, workspace_above

if TYPE_CHECKING:
    from argparse import Namespace

    from daybook.adoption import Mode

QUESTION = (
    "MEMORY.md or the topics hold entries already; if they are yours, Daybook only adds beside them.\n"
    "Did an agent write them, so that it may revise, move and archive every one, with undo?"
)
MODES = {
    "all": "Daybook may curate every entry: `undo` takes a run back, `init --curate ours` ends it.",
    "ours": "Daybook curates its own entries alone.",
}


def run(options: Namespace) -> int:
    """Run the command."""
    path = Path(options.path or options.workspace or workspace_above(str(Path.cwd())) or DEFAULT_WORKSPACE)
    adopted = adopt(path, now_utc(), options.curate)
    workspace, mode = adopted.workspace, adopted.curate
    asks = adopted.undecided and not options.json and sys.stdin.isatty() and sys.stdout.isatty()
    if asks:
        mode = _asked()
        curate(workspace, mode, now_utc())
    if options.json:
        print(
            json.dumps(
                {
                    "workspace": str(workspace.root),
                    "id": workspace.id,
                    "made": adopted.made,
                    "waits_for_trust": adopted.waits,
                    "curate": mode,
                }
            )
        )
        return 0
    print(f"{workspace.root} is a workspace.")
    if adopted.made:
        print(f"Made: {', '.join(adopted.made)}. What was there is unchanged.")
    if adopted.waits:
        print(f"Waits for `daybook trust`: {', '.join(adopted.waits)}.")
    if adopted.undecided or options.curate:
        hint = f" Agent-written? Say `daybook init {workspace.root} --curate all`."
        print(MODES[mode] + ("" if asks or options.curate else hint))
    if not workspace.longterm.exists():
        print("This was a workspace before: `daybook restore` brings MEMORY.md back, `restore --keep` starts it anew.")
    if adopted.made:
        print(f"Next: `daybook --workspace {workspace.root} up`, or `daybook note TEXT` from inside it.")
    return 0


def _asked() -> Mode:
    return "all" if confirmed(QUESTION, yes=False) else "ours"
