"""Write lines into daily notes, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.guard import register
from daybook.memory import journal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def append_note(
    workspace: Workspace, entries: Sequence[journal.Entry], outside_texts: Sequence[str], now: datetime
) -> journal.Written:
    """
    Register the outside lines, then append all of them as one batch.

    Returns:
        The entries that stand in a note through this call, and problems met.
    """
    register.write(workspace, outside_texts, now)
    with workspace.lock():
        return journal.write(workspace, entries)
