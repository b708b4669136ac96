"""Ask once more where code was unsure, and keep within the quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import reviewing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.models.trying import Pace
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def second_opinion(
    workspace: Workspace,
    settings: Settings,
    look: reviewing.Look,
    judged: Sequence[reviewing.Judged],
    now: datetime,
    pace: Pace,
) -> reviewing.Decision:
    """
    Ask another call about the cited lines alone; without a model nothing is asked.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    return await reviewing.decide(workspace, settings, look, judged, now, pace=pace)
