"""Run one command of the operator's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.sources import command
from daybook.sources.reporting import of_command

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import CheckSettings
    from daybook.sources.finding import Finding
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def run_command(workspace: Workspace, name: str, check: CheckSettings, slot: datetime) -> Finding:
    """
    Run it without a shell, keys or a terminal, and end it when its time is over.

    Raises:
        SourceError: It cannot be started.
    """
    return of_command(await command.run(workspace, name, check), name, slot)
