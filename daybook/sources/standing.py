"""
Where each feed has moved to, and which are gone for good: `feeds.json` in private state.

Not in memory/source-tracking.json, on which anyone may scribble: an address written there would be fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name
from daybook.network.addresses import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from daybook.workspace import Workspace

FILE = "feeds.json"
LOCK_FILE = "source-tracking.lock"


class Standing(BaseModel):
    """
    What is known for good of one feed.

    Attributes:
        moved_to: Address that it is asked at, without a user part; None: the configured one.
        gone_at: When its server said that it is gone (410); it is not asked again by itself.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    moved_to: str | None = Field(default=None, pattern=r"^https?://")
    gone_at: AwareDatetime | None = None


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    version: int = 1
    feeds: dict[str, Standing] = Field(default_factory=dict)


NOTHING = Standing()


def load(workspace: Workspace) -> dict[str, Standing]:
    """Read what is known, by the feed's key; a damaged file counts as nothing known, which costs a redirect."""
    data = files.read_if_exists(workspace.private / FILE)
    return ((_parse(data) if data is not None else None) or _File()).feeds


def commit(workspace: Workspace, news: Mapping[str, tuple[str, Standing]], now: datetime) -> tuple[str, ...]:
    """
    Remember what has changed.

    Args:
        workspace: Whose feeds.
        news: By the feed's key its name and what is known of it now.
        now: Names a damaged file that is set aside.

    Returns:
        Sentences for the run record: each move once, and a damaged file.
    """
    if not news:
        return ()
    path = workspace.private / FILE
    data = files.read_if_exists(path)
    known = _File() if data is None else _parse(data)
    reports: tuple[str, ...] = ()
    if known is None:
        reports, known, data = (folders.set_aside(path, slot_name(now)),), _File(), None
    before = known.feeds
    after = {key: one for key, one in (before | {key: one for key, (_, one) in news.items()}).items() if one != NOTHING}
    if after != before or reports:
        text = known.model_copy(update={"feeds": dict(sorted(after.items()))}).model_dump_json(
            indent=1, exclude_none=True
        )
        files.replace(path, f"{text}\n".encode(), expected=data, mode=files.PRIVATE_FILE_MODE)
    return reports + tuple(
        f"{name} has moved for good to {shown(one.moved_to)}, and is asked there from now on; "
        "change its address in daybook.toml when you like."
        for key, (name, one) in news.items()
        if one.moved_to and one.moved_to != before.get(key, NOTHING).moved_to
    )


def forget(workspace: Workspace, key: str, now: datetime) -> None:
    """Count a feed as neither moved nor gone: it was asked by hand, added or taken out."""
    if key in load(workspace):
        with files.locked(workspace.private / LOCK_FILE):
            commit(workspace, {key: ("", NOTHING)}, now)


def gone_sentence(name: str, since: datetime) -> str:
    """Say that a feed is gone for good, and what can be done about it."""
    return (
        f"{name} is gone for good (410, {since:%Y-%m-%d}) and is not asked any more; take it out with "
        "`daybook feeds remove`, or ask it again with `daybook feeds test`."
    )


def _parse(data: bytes) -> _File | None:
    try:
        return _File.model_validate_json(data)
    except ValidationError:
        return None
