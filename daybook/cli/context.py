"""`daybook context`: what a session should load."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook import clock, tomlfile
from daybook.errors import SettingsError
from daybook.memory import shown
from daybook.memory.context import build
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from datetime import tzinfo

    from daybook.workspace import Workspace

# Without one of these a session lacks what is never cut; an odd note is only told.
FIXED = frozenset({"SOUL.md", "USER.md", "MEMORY.md"})


def run(options: Namespace) -> int:
    """Run the command."""
    workspace = open_workspace(options.workspace)
    today = clock.slot_date(clock.now_utc(), _zone(workspace))
    if options.main:
        # What a session of today notes back word for word is an echo, and confirms nothing.
        shown.remember(workspace, today)
    context = build(workspace, today, main=options.main, budget=options.budget)
    print(json.dumps(asdict(context), ensure_ascii=False) if options.json else context.render(), end="")
    if options.json:
        print()
    for part in context.parts:
        if part.problem:
            print(f"daybook: {part.problem}", file=sys.stderr)
    return 1 if any(part.problem and part.name in FIXED for part in context.parts) else 0


def _zone(workspace: Workspace) -> tzinfo:
    """Give the workspace's zone; a mistake in daybook.toml must not keep a session from its memory."""
    try:
        return tomlfile.zone(workspace)
    except SettingsError as error:
        print(f"daybook: {error}", file=sys.stderr)
        return clock.zone(None)
