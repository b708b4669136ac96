"""What the operator is told of models: one alert when one goes down, one notice when it is back, one of the budget."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.clock import slot_date, stamp
from daybook.models import cooldown
from daybook.notify import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, tzinfo

    from daybook.schedule.record import ModelCall
    from daybook.workspace import Workspace

# Older than this it is no news, also where what was told is no longer known.
NEWS_FOR = timedelta(days=7)
HOUR_S = 3600


def of_models(workspace: Workspace, calls: Sequence[ModelCall], zone: tzinfo, now: datetime) -> list[Notice]:
    """
    Give what there is to tell; each has the same key in every run and process, so that it is told once.

    Args:
        workspace: Whose models.
        calls: What this run asked.
        zone: The workspace's, whose midnight begins a new budget.
        now: The present instant.
    """
    return [*_health(workspace, now), *_budget(calls, zone, now)]


def _health(workspace: Workspace, now: datetime) -> Iterator[Notice]:
    for model, health in sorted(cooldown.read(workspace).items()):
        if health.down_since is not None:
            again = f" It is asked again at {stamp(health.until)}." if health.until else ""
            yield Notice(f"model-down:{model}:{stamp(health.down_since)}", f"{health.sentence}{again}")
        elif health.was_down_since and health.back_at and now - health.back_at < NEWS_FOR:
            hours = (health.back_at - health.was_down_since).total_seconds() / HOUR_S
            yield Notice(
                f"model-back:{model}:{stamp(health.was_down_since)}", f"{model} answers again, after {hours:.1f} h."
            )


def _budget(calls: Sequence[ModelCall], zone: tzinfo, now: datetime) -> Iterator[Notice]:
    reached = next((call.sentence for call in calls if call.outcome == "over-budget"), "")
    if reached:
        yield Notice(f"budget:{slot_date(now, zone)}", reached)
