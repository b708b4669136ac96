"""A news item, as the rest of the code sees it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.guard.cleaning import clean
from daybook.guard.outside import MAX_CHARS

if TYPE_CHECKING:
    from datetime import datetime

TAG = "[news]"
# Of the keys by which the journal knows an item's line.
KEY_PREFIX = "news:"
MIN_TITLE_CHARS = 40
# At the end of a title it would be taken for the link of an item that has none.
AS_LINK = re.compile(r"\((?=https?://[^\s()]*\)$)", re.IGNORECASE)


@dataclass(frozen=True)
class Item:
    """
    One item of a feed. All text is flat, without markup and secrets.

    Attributes:
        id: The same at every look, different from that of every other item of every feed.
        title: Never empty.
        link: An http(s) address fit for a Markdown line, or empty.
        summary: May be empty.
        published: Aware, not after the look; None when the feed does not say.
        feed: The feed's name.
        weight: The feed's weight.
        seen: All that its fields say, markup and what it hides among it: what the guard is to know.
    """

    id: str
    title: str
    link: str
    summary: str
    published: datetime | None
    feed: str
    weight: float
    seen: str = ""

    @property
    def note(self) -> str:
        """The line for the daily note: tagged as outside, at most 300 characters, its link whole."""
        if not self.link:
            return f"{TAG} {AS_LINK.sub('( ', self.title)}"
        room = MAX_CHARS - len(f"{TAG}  ({self.link})")
        return f"{TAG} {clean(self.title, limit=max(room, MIN_TITLE_CHARS))} ({self.link})"
