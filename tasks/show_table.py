"""Show what a source had as a table in the UI."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.artifacts import acreate_table_artifact
from prefect.cache_policies import NO_CACHE

from daybook.guard.outside import inert_markdown

if TYPE_CHECKING:
    from daybook.sources.finding import Finding


@task(cache_policy=NO_CACHE, persist_result=False)
async def show_table(finding: Finding, workspace_id: str) -> None:
    """Make a table artifact; text from outside is inert in it."""
    key = f"{finding.check}-{workspace_id[:8]}".lower().replace("_", "-")
    rows = [{name: inert_markdown(value) for name, value in item.row.items()} for item in finding.items]
    await acreate_table_artifact(table=rows, key=key, description=finding.summary)
