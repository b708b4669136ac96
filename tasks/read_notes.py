"""Build the window of a review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import reviewing

if TYPE_CHECKING:
    from datetime import date, datetime

    from daybook.review.extract import Readers
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def read_notes(
    workspace: Workspace,
    settings: Settings,
    today: date,
    since: date | None,
    now: datetime,
    readers: Readers | None = None,
) -> reviewing.Look:
    """
    Read the last five notes and every older line that no review has read.

    Raises:
        UnreadableFileError: MEMORY.md or a topic cannot be read.
    """
    return reviewing.look(workspace, settings, today, now, since=since, readers=readers)
