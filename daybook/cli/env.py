"""`daybook env`: settings for Prefect's own command line, to be read by a shell."""

from __future__ import annotations

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

    for name, value in settings_for_cli(open_workspace(options.workspace)).items():
        print(f"export {name}={shlex.quote(value)}")
    return 0
