"""Look at one mailbox, read-only; tried again where that may help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import Task, exponential_backoff

from daybook.errors import SourceError
from daybook.sources import mail

if TYPE_CHECKING:
    from datetime import datetime

    from prefect.client.schemas.objects import State, TaskRun

    from daybook.settings import Mailbox
    from daybook.sources.fetching import Waiting
    from daybook.sources.mail import MailLook
    from daybook.workspace import Workspace

RETRIES = 2


async def may_help(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a failed look may be tried again at once: a refused password never is, nor what failed last time too."""
    error = await state.aresult(raise_on_failure=False)
    return isinstance(error, SourceError) and error.transient


@task(
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(backoff_factor=2),
    retry_jitter_factor=1,
    retry_condition_fn=may_help,
)
async def check_mail(workspace: Workspace, mailbox: Mailbox, now: datetime, *, by_hand: bool) -> MailLook | Waiting:
    """
    Read what came since the last look; unread mail stays unread.

    Raises:
        SourceError: It could not be read; the sentence holds no password.
    """
    return await mail.check(workspace, mailbox, now, by_hand=by_hand)
