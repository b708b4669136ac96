"""`daybook env`: settings for Prefect's own command line, to be read by a shell."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace


def run(options: Namespace) -> int:
    """
    Run the command: `eval "$(daybook env)"`.

    Raises:
        ServerError: Nothing is up.
    """
    from deployments.client import settings_for_cli  # noqa: PLC0415 - start-up time

    found = settings_for_cli(open_workspace(options.workspace))
    # A key or profile of another Prefect in this shell must not be sent to ours.
    for name in sorted(name for name in os.environ if name.startswith("PREFECT_") and name not in found):
        print(f"unset {name}")
    for name, value in found.items():
        print(f"export {name}={shlex.quote(value)}")
    return 0
