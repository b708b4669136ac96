"""`daybook status`: checks, memory, inbox, pending and problems at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook import clock, status, tomlfile
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Run the command."""
    from deployments.client import running  # noqa: PLC0415 - start-up time

    workspace = open_workspace(options.workspace)
    server = running(workspace)
    found = status.look(workspace, clock.now_utc(), ui=server.ui_url if server else None)
    print(found.model_dump_json() if options.json else status.told(found, tomlfile.zone(workspace)))
    return 0
