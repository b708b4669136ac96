"""Look at one feed; tried again where that may help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import Task, exponential_backoff

from daybook.errors import SourceError
from daybook.network.getting import HostError
from daybook.sources import feeds
from daybook.sources.asking import LaterError

if TYPE_CHECKING:
    from datetime import datetime

    from prefect.client.schemas.objects import State, TaskRun

    from daybook.settings import Feed, Network
    from daybook.sources.feed_memory import Known
    from daybook.sources.feeds import FeedLook
    from daybook.workspace import Workspace

RETRIES = 2
LONGEST_WAIT_S = 30.0


async def may_help(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """
    Whether a failed look may be tried again at once: not what is wrong for good, nor what asks for a wait.

    Nor what its host keeps silent on: a time-out costs its whole time again at every try.
    """
    error = await state.aresult(raise_on_failure=False)
    if not isinstance(error, SourceError) or isinstance(error, HostError | LaterError):
        return False
    return error.transient and (error.retry_after_s or 0) <= LONGEST_WAIT_S


@task(
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=exponential_backoff(backoff_factor=2),
    retry_jitter_factor=1,
    retry_condition_fn=may_help,
)
async def fetch_news(
    workspace: Workspace,
    feed: Feed,
    network: Network,
    now: datetime,
    *,
    known: Known | None = None,
    by_hand: bool = False,
) -> FeedLook:
    """
    Fetch a feed and keep what was not seen before.

    Raises:
        SourceError: It could not be had; the sentence holds no secret.
    """
    return await feeds.look(workspace, feed, network, now, known=known, by_hand=by_hand)
