"""Ask one feed where it is now: where it has moved to for good, else at the address that the operator gave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.network.addresses import without_user
from daybook.network.getting import HostError
from daybook.sources.fetching import GoneForGood, NotModified, Waiting, fetch
from daybook.sources.parsing import parse

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.settings import Feed, Network
    from daybook.sources.feed_memory import Known
    from daybook.sources.parsing import Parsed
    from daybook.sources.standing import Standing
    from daybook.sources.tracking import FeedState

# A moved feed that fails so often in a row is asked at its own address again.
MOVED_FAILURES = 3


class LaterError(SourceError):
    """A feed that failed at its last look too, or at two addresses: no other try at once."""


@dataclass(frozen=True)
class Had:
    """
    A feed's document, parsed.

    Attributes:
        parsed: What it holds.
        validators: ETag and Last-Modified for the next time.
    """

    parsed: Parsed
    validators: tuple[str | None, str | None]


Found = Had | NotModified | GoneForGood | Waiting


def address(feed: Feed, state: FeedState, known: Standing) -> str:
    """Where a feed is asked first: where it has moved to, unless it failed there again and again."""
    return known.moved_to if known.moved_to and state.failures < MOVED_FAILURES else feed.url


async def ask(feed: Feed, state: FeedState, known: Known, network: Network, now: datetime) -> tuple[Found, str | None]:
    """
    Ask a feed where it has moved to; where that fails for good, or again and again, at its own address.

    Args:
        feed: Which.
        state: Validators, failures in a row, and when it may be asked.
        known: Where it has moved to, and its items that are not wanted again.
        network: Private hosts that are allowed.
        now: The present instant.

    Returns:
        What it answered, and where it is to be asked the next time if that is not its own address.

    Raises:
        SourceError: It could not be had; a `LaterError` where the last look failed too.
    """
    again = state.failures > 0
    at, seen = address(feed, state, known.standing), known.seen.items
    if at != feed.url:
        try:
            found, moved_to = await _asked(feed, state, network, now, at=at, seen=seen)
        except SourceError as error:
            if error.transient:
                raise _patient(error) if again else error from None
        else:
            if not isinstance(found, GoneForGood):
                return found, moved_to
        # Another address: nothing of it is known, and two were asked, which is enough for this time.
        state, again = state.model_copy(update={"etag": None, "last_modified": None}), True
    try:
        return await _asked(feed, state, network, now, at=None, seen=seen)
    except SourceError as error:
        raise _patient(error) if again else error from None


async def _asked(
    feed: Feed, state: FeedState, network: Network, now: datetime, *, at: str | None, seen: frozenset[str]
) -> tuple[Found, str | None]:
    answer = await fetch(feed, state, network, now, at=at)
    if isinstance(answer, Waiting | GoneForGood):
        return answer, at
    moved_to = answer.moved_to or at
    own = without_user(feed.url)
    if moved_to == own or (moved_to and own.startswith("https:") and not moved_to.startswith("https:")):
        moved_to = None  # that it was asked in the open once is no reason to do so from now on
    if isinstance(answer, NotModified):
        return answer, moved_to
    return Had(await parse(answer, feed, now, seen=seen), (answer.etag, answer.last_modified)), moved_to


def _patient(error: SourceError) -> SourceError:
    if isinstance(error, HostError):
        return error
    return LaterError(str(error), transient=error.transient, retry_after_s=error.retry_after_s)
