"""`daybook ui`: open the UI in a browser and print its login."""

from __future__ import annotations

import json
import webbrowser
from typing import TYPE_CHECKING

from daybook.errors import ServerError
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        ServerError: Nothing is up.
    """
    from deployments.client import running  # noqa: PLC0415 - start-up time

    workspace = open_workspace(options.workspace)
    server = running(workspace)
    if server is None:
        raise ServerError(f"Daybook is not up for {workspace.root}; start it with `daybook up` in another terminal.")
    if options.json:
        print(json.dumps({"url": server.ui_url, "login": server.login}))
        return 0
    print(f"UI: {server.ui_url}\nLogin: {server.login or 'none'}")
    webbrowser.open(server.ui_url)
    return 0
