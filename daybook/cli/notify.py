"""`daybook notify test`: send a test message to each address, and fetch the ping address."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from daybook import settings
from daybook.cli import terminal
from daybook.errors import SettingsError
from daybook.notify.delivering import deliver
from daybook.notify.pinging import ping
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace

TEXT = "This is a test of Daybook's notices."


def run(options: Namespace) -> int:
    """
    Run the command.

    A person alone may: what it sends is not counted among the messages of the hour.

    Raises:
        UsageError: Standard input or output is no terminal.
        SettingsError: There is no address, or it is not trusted.
    """
    terminal.require()
    workspace = open_workspace(options.workspace)
    loaded = settings.load(workspace)
    chosen = loaded.settings.notify
    if "notify" in loaded.inert:
        raise SettingsError(f"[notify] of {workspace.settings} is not trusted; look at it with `daybook trust`.")
    if not chosen.urls and chosen.ping_url is None:
        raise SettingsError(f"{workspace.settings} names no address under [notify]; add urls, such as ntfy://topic.")
    failed = list(deliver(chosen.urls, TEXT, urgent=False))
    failed += filter(None, [asyncio.run(ping(chosen, loaded.settings.network))])
    asked = len(chosen.urls) + (chosen.ping_url is not None)
    if options.json:
        print(json.dumps({"addresses": asked, "failed": failed, "ok": not failed}, ensure_ascii=False))
    else:
        print("\n".join([*failed, f"{asked - len(failed)} of {asked} addresses took it."]))
    return 1 if failed else 0
