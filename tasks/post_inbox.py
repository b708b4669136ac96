"""Offer flushed lines to memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import flush

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.review.posting import Posted
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def post_inbox(workspace: Workspace, run: str, now: datetime) -> tuple[Posted, ...]:
    """
    Verify and merge: marked lines to MEMORY.md, the rest to a topic.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; the lines wait in the note.
    """
    return flush.to_memory(workspace, run, now)
