"""What the operator is told of models: one alert when one goes down, one notice when it is back, one of the budget."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from daybook.clock import local, slot_date, stamp
from daybook.models import cooldown, keys
from daybook.models.choice import configured
from daybook.notify import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime, tzinfo

    from daybook.models.cooldown import Health
    from daybook.schedule.record import ModelCall
    from daybook.settings import Settings
    from daybook.workspace import Workspace

# Older than this it is no news, also where what was told is no longer known.
NEWS_FOR = timedelta(days=7)
HOUR_S = 3600


def of_models(workspace: Workspace, settings: Settings, calls: Sequence[ModelCall], now: datetime) -> list[Notice]:
    """
    Give what there is to tell; each has the same key in every run and process, so that it is told once.

    Args:
        workspace: Whose models.
        settings: Which models are asked, and the zone whose midnight begins a new budget.
        calls: What this run asked.
        now: The present instant.
    """
    return [*_health(workspace, settings, now), *_budget(calls, settings.zone, now)]


def left_alone(health: Health, zone: tzinfo, now: datetime) -> str:
    """Say why a model is left alone, until when, and what ends it sooner."""
    if health.until is None or health.until <= now:
        return f"{health.sentence} It is asked again at the next occasion."
    sooner = ", or as soon as its key or address is another one" if health.key else ""
    return f"{health.sentence} It is asked again from {local(health.until, zone):%Y-%m-%d %H:%M} on{sooner}."


def _health(workspace: Workspace, settings: Settings, now: datetime) -> Iterator[Notice]:
    asked = configured(settings.models, keys.environment())
    for model, health in sorted(cooldown.read(workspace).items()):
        # One that nobody asks any more is neither down nor back.
        if model not in asked:
            continue
        if health.down_since is not None:
            key = f"model-down:{model}:{stamp(health.down_since)}"
            yield Notice(key, left_alone(health, settings.zone, now))
        elif health.was_down_since and health.back_at and now - health.back_at < NEWS_FOR:
            hours = (health.back_at - health.was_down_since).total_seconds() / HOUR_S
            yield Notice(
                f"model-back:{model}:{stamp(health.was_down_since)}", f"{model} answers again, after {hours:.1f} h."
            )


def _budget(calls: Sequence[ModelCall], zone: tzinfo, now: datetime) -> Iterator[Notice]:
    reached = next((call.sentence for call in calls if call.outcome == "over-budget"), "")
    if reached:
        yield Notice(f"budget:{slot_date(now, zone)}", reached)
