"""`daybook init`: make a workspace, or adopt a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.adoption import adopt
from daybook.clock import now_utc
from daybook.finding import DEFAULT_WORKSPACE

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Run the command."""
    adopted = adopt(Path(options.path or options.workspace or DEFAULT_WORKSPACE), now_utc())
    workspace = adopted.workspace
    if options.json:
        print(
            json.dumps(
                {
                    "workspace": str(workspace.root),
                    "id": workspace.id,
                    "made": adopted.made,
                    "waits_for_trust": adopted.waits,
                }
            )
        )
        return 0
    print(f"{workspace.root} is a workspace.")
    if adopted.made:
        print(f"Made: {', '.join(adopted.made)}. What was there is unchanged.")
    if adopted.waits:
        print(f"Waits for `daybook trust`: {', '.join(adopted.waits)}.")
    if adopted.made:
        print(f"Next: `daybook --workspace {workspace.root} up`, or `daybook note TEXT` from inside it.")
    return 0
