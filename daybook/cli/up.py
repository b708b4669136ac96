"""`daybook up`: server, schedules and UI in the foreground."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from daybook import settings
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Run the command until it is ended."""
    from deployments import supervisor  # noqa: PLC0415 - start-up time

    workspace = open_workspace(options.workspace)
    loaded = settings.load(workspace)
    if loaded.inert:
        _say(f"Not trusted and left out of daybook.toml: {', '.join(loaded.inert)}; see `daybook trust`.")
    supervisor.run(workspace, loaded.settings, announce=_say, caller=dict(os.environ))
    return 0


def _say(sentence: str) -> None:
    print(sentence, flush=True)
