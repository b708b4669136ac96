"""Judge what all mailboxes have: urgent, needs an answer, information, noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prefect import task
from prefect.cache_policies import NO_CACHE

from daybook.sources.reporting import of_mail

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from daybook.models.trying import Pace
    from daybook.settings import Settings
    from daybook.sources.fetching import Waiting
    from daybook.sources.finding import Finding
    from daybook.sources.mail import MailLook
    from daybook.sources.tracking import Failure
    from daybook.workspace import Workspace


@task(cache_policy=NO_CACHE, persist_result=False)
async def triage_mail(
    workspace: Workspace,
    settings: Settings,
    looks: Sequence[MailLook | Waiting | Failure],
    today: date,
    now: datetime,
    pace: Pace,
) -> Finding:
    """Triage by rules, VIPs first, then by a model where one is configured and answers."""
    return await of_mail(workspace, settings, looks, today, now, pace)
