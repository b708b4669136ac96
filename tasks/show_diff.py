"""Show what a review changed as Markdown in the UI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.artifacts import acreate_markdown_artifact
from prefect.cache_policies import NO_CACHE

from daybook.review.showing import diff_markdown

if TYPE_CHECKING:
    from daybook.schedule.record import RunRecord


@task(cache_policy=NO_CACHE, persist_result=False)
async def show_diff(record: RunRecord) -> None:
    """Make a Markdown artifact of the diff and of every operation's fate."""
    key = f"memory-{record.workspace[:8]}"
    await acreate_markdown_artifact(markdown=diff_markdown(record), key=key, description=record.summary)
