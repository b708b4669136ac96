"""
What was seen of each source, in private state, where git and sync tools cannot roll it back.

`seen-news.jsonl` and `seen-mail.jsonl` get a row a look: `{"at", "source", "items": [hash, …]}`. What a feed still
holds is stamped anew every month, so that a row long before the source's newest one says nothing that matters: it is
let go. A feed that does not change keeps all its rows, however old.
`mail.json` holds per mailbox how far it was read: `{"version": 1, "mailboxes": {key: {"uidvalidity",
"last_uid", "looked", "restarted_from"}}}`. Written by `tracking.commit` only.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from daybook.workspace import Workspace

ID_CHARS = 24
Kind = Literal["feed", "mailbox"]
KINDS: tuple[Kind, ...] = ("feed", "mailbox")
SEEN_FILES: Mapping[Kind, str] = {"feed": "seen-news.jsonl", "mailbox": "seen-mail.jsonl"}
MAIL_FILE = "mail.json"
STAMPED_ANEW_AFTER = timedelta(days=30)
# Before the newest row of the same source. A mail may be moved back into its folder long after.
KEPT: Mapping[Kind, timedelta] = {"feed": timedelta(days=90), "mailbox": timedelta(days=400)}
LONG_AGO = datetime.min.replace(tzinfo=UTC)


class MailCursor(BaseModel):
    """
    How far a mailbox was read.

    Attributes:
        uidvalidity: The numbering that `last_uid` belongs to.
        last_uid: Every message up to this one was looked at.
        looked: When.
        restarted_from: Set while a mailbox is caught up with at first contact, or after it was numbered
            anew: what is older was there before.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    uidvalidity: int = Field(ge=0)
    last_uid: int = Field(ge=0)
    looked: AwareDatetime
    restarted_from: AwareDatetime | None = None


class _MailFile(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)
    version: int = 1
    mailboxes: dict[str, MailCursor] = Field(default_factory=dict)


@dataclass(frozen=True)
class Seen:
    """
    What was seen of one source.

    Attributes:
        known: Whether it was ever looked at; False at first contact, or when private state was lost.
        items: Ids of what was seen.
    """

    known: bool
    items: frozenset[str]


NEVER_SEEN = Seen(known=False, items=frozenset())


def item_id(source: str, text: str) -> str:
    """Id of an item of a source, the same at every look."""
    return hashlib.sha256(f"{source}\n{text}".encode("utf-8", "replace")).hexdigest()[:ID_CHARS]


def seen(workspace: Workspace, kind: Kind, source: str) -> Seen:
    """Read what was seen of one source; of many, `read` reads it once."""
    return read(workspace, kind).get(source, NEVER_SEEN)


def read(workspace: Workspace, kind: Kind) -> dict[str, Seen]:
    """
    Read what was seen, by source.

    A row torn by a crash stands for items whose note is keyed by their id: they are looked at again,
    and not noted twice.
    """
    data = files.read_if_exists(workspace.private / SEEN_FILES[kind]) or b""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in data.splitlines():
        if (row := _row(line)) is not None:
            found[row["source"]].update(map(str, row["items"]))
    return {source: Seen(known=True, items=frozenset(items)) for source, items in found.items()}


def mail_cursor(workspace: Workspace, mailbox: str) -> MailCursor | None:
    """How far a mailbox was read; None at first contact, or when that is lost or damaged."""
    data = files.read_if_exists(workspace.private / MAIL_FILE)
    return None if data is None else (_mail_file(data) or _MailFile()).mailboxes.get(mailbox)


def commit(workspace: Workspace, looks: Iterable[tuple[Kind, str, tuple[str, ...]]], now: datetime) -> tuple[str, ...]:
    """
    Remember what was seen, and let go the rows that no longer matter.

    Returns:
        Sentences for the run record: torn rows.
    """
    reports: tuple[str, ...] = ()
    looks = tuple(looks)
    for kind in KINDS:
        mine = {source: ids for found, source, ids in looks if found == kind}
        if not mine:
            continue
        path = workspace.private / SEEN_FILES[kind]
        data = files.read_if_exists(path)
        held = [(line, row) for line in (data or b"").splitlines() if (row := _row(line)) is not None]
        if torn := len((data or b"").splitlines()) - len(held):
            reports += (f"{path.name} in private state holds {torn} damaged line(s), which are left out.",)
        stamps = _stamps([row for _, row in held], mine, now)
        new = b"".join(_new_row(source, ids, stamps.get(source), now) for source, ids in mine.items())
        # Only of what was read just now is it known what it still holds.
        first = {source: _newest(stamps.get(source)) - KEPT[kind] for source, ids in mine.items() if ids}
        kept = [line for line, row in held if row["source"] not in first or _at(row) >= first[row["source"]]]
        if len(kept) < len(held):
            whole = b"".join(line + b"\n" for line in kept) + new
            files.replace(path, whole, expected=data, mode=files.PRIVATE_FILE_MODE)
        else:
            files.append(path, new, mode=files.PRIVATE_FILE_MODE)
    return reports


def commit_mail(workspace: Workspace, moved: Mapping[str, MailCursor], now: datetime) -> tuple[str, ...]:
    """
    Remember how far mailboxes were read.

    Returns:
        Sentences for the run record: a damaged file that was set aside.
    """
    if not moved:
        return ()
    path = workspace.private / MAIL_FILE
    data = files.read_if_exists(path)
    known = _MailFile() if data is None else _mail_file(data)
    reports: tuple[str, ...] = ()
    if known is None:
        reports, known, data = (folders.set_aside(path, slot_name(now)),), _MailFile(), None
    new = known.model_copy(update={"mailboxes": dict(sorted({**known.mailboxes, **moved}.items()))})
    text = new.model_dump_json(indent=1, exclude_none=True)
    files.replace(path, f"{text}\n".encode(), expected=data, mode=files.PRIVATE_FILE_MODE)
    return reports


def _mail_file(data: bytes) -> _MailFile | None:
    try:
        return _MailFile.model_validate_json(data)
    except ValidationError:
        return None


def _row(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    whole = isinstance(row, dict) and isinstance(row.get("source"), str) and isinstance(row.get("items"), list)
    return row if whole else None


def _at(row: Mapping[str, Any]) -> datetime:
    """When a row was written; one that does not say it is as old as can be."""
    try:
        at = datetime.fromisoformat(str(row.get("at")))
    except ValueError:
        return LONG_AGO
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _stamps(rows: Iterable[Mapping[str, Any]], sources: Iterable[str], now: datetime) -> dict[str, dict[str, datetime]]:
    """When each item of these sources was last written; what a wrong clock wrote in the future, now."""
    wanted = frozenset(sources)
    found: dict[str, dict[str, datetime]] = {}
    for row in rows:
        if row["source"] in wanted:
            stamps, at = found.setdefault(row["source"], {}), min(_at(row), now)
            stamps.update((item, max(at, stamps.get(item, at))) for item in map(str, row["items"]))
    return found


def _newest(stamps: Mapping[str, datetime] | None) -> datetime:
    """Give the time of the newest row; without one, a time so old that an age can still be taken from it."""
    return max([*(stamps or {}).values(), LONG_AGO + max(KEPT.values())])


def _new_row(source: str, ids: tuple[str, ...], before: Mapping[str, datetime] | None, now: datetime) -> bytes:
    stamps = before or {}
    due = [item for item in dict.fromkeys(ids) if now - stamps.get(item, LONG_AGO) > STAMPED_ANEW_AFTER]
    if before is not None and not due:
        return b""
    return json.dumps({"at": stamp(now), "source": source, "items": due}).encode() + b"\n"
