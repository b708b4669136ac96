"""
Requests a minute, counted per provider for all processes of this user on this machine.

The file holds when the requests of the last minute were made. An entry ends by itself, so a kill leaks nothing:
at worst it costs one request of one minute.
"""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.finding import state_home

if TYPE_CHECKING:
    from datetime import datetime

FOLDER = "limits"
WINDOW = timedelta(minutes=1)
AHEAD_S = 3_600.0
PLAIN_NAME = re.compile(r"[a-z0-9_-]{1,40}")


def reserve(provider: str, limit: int, at: datetime) -> float:
    """
    Take one request of this minute.

    Args:
        provider: Such as `google`.
        limit: How many requests a minute may hold; at least one.
        at: The present instant.

    Returns:
        0 when it was taken; else the seconds until there is one to take.

    Raises:
        UnreadableFileError: The file cannot be read or written.
    """
    folder = Path(state_home()) / FOLDER
    folders.make_private_dir(folder)
    name = provider if PLAIN_NAME.fullmatch(provider) else "other"
    path, now_s = folder / f"{name}.json", at.timestamp()
    with files.locked(folder / f"{name}.lock"):
        data = files.read_if_exists(path)
        # Others may have looked at their clock a moment later; what lies hours ahead is a clock that was wrong.
        kept = sorted(one for one in _times(data) if -AHEAD_S < now_s - one < WINDOW.total_seconds())
        recent = [one for one in kept if one < now_s + WINDOW.total_seconds()]
        if len(recent) >= limit:
            return recent[-limit] + WINDOW.total_seconds() - now_s
        text = json.dumps([*kept, now_s])
        files.replace(path, f"{text}\n".encode(), expected=data, mode=files.PRIVATE_FILE_MODE)
    return 0.0


def _times(data: bytes | None) -> list[float]:
    try:
        found = json.loads(data or b"[]")
    except ValueError:
        return []
    return [float(one) for one in found if isinstance(one, int | float)] if isinstance(found, list) else []
