"""`daybook doctor`: what is wrong with a workspace on this machine, and what to do; changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook import clock
from daybook.doctor import telling
from daybook.doctor.examining import examine
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """Run the command."""
    workspace = open_workspace(options.workspace)

    def find_ui() -> str | None:
        from deployments.client import running  # noqa: PLC0415 - start-up time

        server = running(workspace)
        return server.ui_url if server else None

    report = examine(workspace, clock.now_utc(), find_ui)
    print(json.dumps(telling.plain(report), ensure_ascii=False) if options.json else telling.told(report))
    return 0 if report.ok else 1
