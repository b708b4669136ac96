"""Decide what becomes of each proposed operation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.review import reviewing

if TYPE_CHECKING:
    from datetime import date

    from daybook.review.extract import Extraction


@task(cache_policy=NO_CACHE, persist_result=False)
async def verify_insights(look: reviewing.Look, extracted: Extraction, today: date) -> list[reviewing.Judged]:
    """Judge by code alone: a model proposes, code decides."""
    return reviewing.judge(look, extracted, today)
