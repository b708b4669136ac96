"""Move the inbox into the note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import flush

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.memory import journal
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def flush_inbox(workspace: Workspace, moment: datetime, now: datetime) -> journal.Written:
    """
    Claim the inbox by rename and write each of its lines into the note, once.

    Returns:
        The lines that stand in the note through this call, and problems met.
    """
    return flush.to_note(workspace, moment, now)
