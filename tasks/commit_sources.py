"""Move on what is known of each source, after the note was written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.sources import tracking

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from daybook.sources.finding import Finding
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def commit_sources(workspace: Workspace, findings: Sequence[Finding], now: datetime) -> list[str]:
    """
    Commit cursors and validators.

    Returns:
        Problems met, as sentences.
    """
    progress = [one for finding in findings for one in finding.progress]
    return list(tracking.commit(workspace, progress, now)) if progress else []
