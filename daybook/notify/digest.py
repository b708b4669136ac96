"""Share notices out over the messages that the rate leaves, and write several of them as one text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.notify.notices import Notice

# In one message of several.
MAX_LINES = 20
# Chat services take 2,000 characters.
MESSAGE_CHARS = 1_900
# For the first line, the last, and what stands before each.
EDGES_CHARS = 60
BULLET_CHARS = 3


def messages(ordered: Sequence[Notice], room: int) -> list[list[Notice]]:
    """
    Share notices out: each in a message of its own as far as there is room, the last takes all the rest.

    The last one tells of some of the rest by their number alone, but never of an urgent one: that waits instead.

    Args:
        ordered: Urgent ones first.
        room: How many messages may go out.
    """
    if room <= 0:
        return []
    if len(ordered) <= room:
        return [[notice] for notice in ordered]
    urgent = sum(notice.urgent for notice in ordered)
    size = 1 if urgent < room + MAX_LINES else MAX_LINES
    last = size * (room - 1)
    shared = [list(ordered[start : start + size]) for start in range(0, last, size)]
    rest = ordered[last : last + MAX_LINES], ordered[last + MAX_LINES :]
    return [one for one in (*shared, [*rest[0], *(notice for notice in rest[1] if not notice.urgent)]) if one]


def text_of(notices: Sequence[Notice]) -> str:
    """Write one message about notices whose texts are harmless already; each is one line of it."""
    if len(notices) == 1:
        return notices[0].text
    shown = notices[:MAX_LINES]
    each = (MESSAGE_CHARS - EDGES_CHARS) // len(shown) - BULLET_CHARS
    more = [f"… and {len(notices) - MAX_LINES} more"] if len(notices) > MAX_LINES else []
    return "\n".join([f"{len(notices)} notices:", *(f"- {_cut(one.text, each)}" for one in shown), *more])


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
