"""Carry out what the operator ticked in memory/_pending.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import ticks

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def apply_ticks(workspace: Workspace, run: str, now: datetime) -> ticks.Acted:
    """
    Accept, refuse and let lapse, under the workspace lock.

    Raises:
        UnsafeFileError: Something else than a file stands in the place of `_pending.md`.
        UnreadableFileError: It cannot be read or written.
    """
    return ticks.act(workspace, run, now)
