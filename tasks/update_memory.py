"""Apply, propose, and mark what is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import reviewing

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.review.posting import Posted
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def update_memory(
    workspace: Workspace,
    look: reviewing.Look,
    judged: list[reviewing.Judged],
    run: str,
    now: datetime,
    *,
    waiting: bool,
) -> Posted:
    """
    Merge into MEMORY.md under the workspace lock.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; nothing was written.
    """
    return reviewing.carry_out(workspace, look, judged, waiting=waiting, run=run, now=now)
