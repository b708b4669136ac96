"""How many feeds are asked at once: few in all, and one at a time of each host."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daybook.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

AT_ONCE = 8
# A host that fails so many feeds in a row is left alone for the rest of the scan: fifty time-outs take an hour.
FAILURES_IN_A_ROW = 3


class Turns:
    """
    The turns of one scan; each scan makes its own.

    Nobody waits for a turn of a host while holding one of all.
    """

    def __init__(self) -> None:
        """Begin with no host known."""
        self._all = asyncio.Semaphore(AT_ONCE)
        self._hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._failures: Counter[str] = Counter()

    @asynccontextmanager
    async def turn(self, url: str, name: str) -> AsyncIterator[None]:
        """
        Wait until this address may be asked.

        Args:
            url: Of the feed.
            name: Of the feed, for the sentence.

        Raises:
            SourceError: Its host failed several feeds in a row just now.
        """
        host = _host(url)
        async with self._hosts[host], self._all:
            if self._failures[host] >= FAILURES_IN_A_ROW:
                raise SourceError(
                    f"{name} was not asked, since other feeds of its host failed just now; it is tried again later.",
                    transient=True,
                )
            try:
                yield
            except SourceError as error:
                # What is wrong for good is wrong with that feed, not with its host.
                self._failures[host] = self._failures[host] + 1 if error.transient else 0
                raise
            else:
                self._failures[host] = 0


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").casefold()
    except ValueError:
        return ""
