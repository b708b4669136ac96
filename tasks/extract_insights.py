"""Ask for operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import extract

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from daybook.curation.entries import Memory
    from daybook.models.trying import Pace
    from daybook.review.calls import Call
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def extract_insights(
    workspace: Workspace,
    settings: Settings,
    calls: Sequence[Call],
    memory: Memory,
    today: date,
    now: datetime,
    *,
    pace: Pace,
    readers: extract.Readers | None = None,
) -> extract.Extraction:
    """
    Ask a model, or read by rules where none is configured.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    return await extract.extract(workspace, settings, calls, memory, today, now, readers=readers, pace=pace)
