"""How many feeds are asked at once: few in all, and one at a time of each host."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from daybook.errors import SourceError
from daybook.network.getting import HostError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

LOGGER = logging.getLogger(__name__)
AT_ONCE = 8
# Of one host: fifty time-outs would take an hour, and fifty feeds that are each tried three times take long too.
FAILURES_IN_A_ROW = 3
TELL_AFTER_S = 2.0

Turn = Literal["ask", "ask once", "leave"]


class Turns:
    """
    The turns of one scan; each scan makes its own.

    Nobody waits for a turn of a host while holding one of all.
    """

    def __init__(self) -> None:
        """Begin with no host known."""
        self._all = asyncio.Semaphore(AT_ONCE)
        self._hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._failed: Counter[str] = Counter()
        self._silent: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[Turn]:
        """
        Wait until this address may be asked; an error of it goes through here.

        A host that answers is asked for all its feeds, however many of them fail.

        Args:
            url: Where the feed is asked.

        Yields:
            Whether to ask it; without a second try, where other feeds of its host failed in a row; or not to ask it
            in this scan, since its host left them without an answer, or wants to be asked less.
        """
        host = _host(url)
        async with self._hosts[host], self._all:
            if self._silent[host] >= FAILURES_IN_A_ROW:
                yield "leave"
                return
            try:
                yield "ask once" if self._failed[host] >= FAILURES_IN_A_ROW else "ask"
            except SourceError as error:
                # What is wrong for good is wrong with that feed, not with its host.
                self._failed[host] = self._failed[host] + 1 if error.transient else 0
                self._silent[host] = self._silent[host] + 1 if isinstance(error, HostError) else 0
                raise
            else:
                self._failed[host] = self._silent[host] = 0


@contextmanager
def announced(sentence: str, tell: Callable[[str], None] = LOGGER.info) -> Iterator[None]:
    """Tell what is waited for, if that takes more than two seconds."""
    waiting = asyncio.get_running_loop().call_later(TELL_AFTER_S, tell, sentence)
    try:
        yield
    finally:
        waiting.cancel()


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""
