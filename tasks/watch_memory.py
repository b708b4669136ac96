"""Look what others did to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.curation import observing

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.notify import Notice
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def watch_memory(workspace: Workspace, run: str, now: datetime) -> tuple[Notice, ...]:
    """
    Bring ledger and files together, and record edits and deletions.

    Returns:
        What the operator should know of.

    Raises:
        ChangedFileError: A file is being edited without pause; the next beat looks again.
    """
    with workspace.lock():
        return observing.observe(workspace, run, now).alerts
