"""What is known of each feed before a scan, read once for them all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from daybook.sources import cursors, standing, tracking
from daybook.sources.fetching import feed_key

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.settings import Feed
    from daybook.workspace import Workspace

NEVER = datetime.min.replace(tzinfo=UTC)


def remembered(workspace: Workspace, feeds: Iterable[Feed], now: datetime) -> list[Known]:
    """Read what is known of each feed: every file once for them all."""
    standings, states = standing.load(workspace), tracking.load(workspace, now).feeds
    seen = cursors.read(workspace, "feed")
    return [
        Known(
            standings.get(key, standing.NOTHING),
            states.get(key, tracking.FeedState()),
            seen.get(key, cursors.NEVER_SEEN),
        )
        for key in (feed_key(feed.url) for feed in feeds)
    ]


@dataclass(frozen=True)
class Known:
    """
    What is known of a feed before a look.

    Attributes:
        standing: Where it has moved to, or that it is gone.
        state: Its failures, waits and validators.
        seen: Its items that were seen.
    """

    standing: standing.Standing
    state: tracking.FeedState
    seen: cursors.Seen

    @property
    def rank(self) -> tuple[int, datetime]:
        """Which feed is asked before another: fewest failures first, then the one that was longest not read."""
        return self.state.failures, self.state.last_ok or NEVER
