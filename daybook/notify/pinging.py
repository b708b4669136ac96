"""A dead man's switch elsewhere: fetched after each good heartbeat, it raises the alarm when that stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.network.getting import get

if TYPE_CHECKING:
    from daybook.settings import Network, Notify

NAME = "notify.ping_url"
ANSWER_BYTES = 10_000
TIMEOUT_S = 15.0
FIRST_BAD = 300


async def ping(notify: Notify, network: Network) -> str:
    """
    Fetch the ping address, if there is one.

    Returns:
        What went wrong, as a sentence without the address; empty when nothing did.
    """
    if notify.ping_url is None:
        return ""
    try:
        answer = await get(notify.ping_url, NAME, network.allow_hosts, max_bytes=ANSWER_BYTES, timeout_s=TIMEOUT_S)
    except SourceError as error:
        return str(error)
    return f"{NAME} answered {answer.status}; check the address." if answer.status >= FIRST_BAD else ""
