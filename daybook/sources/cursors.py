"""
What was seen of each source, in private state, where git and sync tools cannot roll it back.

`seen-news.jsonl` and `seen-mail.jsonl` are append-only, a row a look: `{"at", "source", "items": [hash, …]}`.
`mail.json` holds per mailbox how far it was read: `{"version": 1, "mailboxes": {key: {"uidvalidity",
"last_uid", "looked", "restarted_from"}}}`. Written by `tracking.commit` only.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from daybook import files, folders
from daybook.clock import slot_name, stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from daybook.workspace import Workspace

ID_CHARS = 24
Kind = Literal["feed", "mailbox"]
KINDS: tuple[Kind, ...] = ("feed", "mailbox")
SEEN_FILES: Mapping[Kind, str] = {"feed": "seen-news.jsonl", "mailbox": "seen-mail.jsonl"}
MAIL_FILE = "mail.json"


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


def item_id(source: str, text: str) -> str:
    """Id of an item of a source, the same at every look."""
    return hashlib.sha256(f"{source}\n{text}".encode("utf-8", "replace")).hexdigest()[:ID_CHARS]


def seen(workspace: Workspace, kind: Kind, source: str) -> Seen:
    """
    Read what was seen of a source.

    A row torn by a crash stands for items whose note is keyed by their id: they are looked at again,
    and not noted twice.
    """
    data = files.read_if_exists(workspace.private / SEEN_FILES[kind]) or b""
    rows = [row for line in data.splitlines() if (row := _row(line)) is not None and row["source"] == source]
    return Seen(known=bool(rows), items=frozenset(str(item) for row in rows for item in row["items"]))


def mail_cursor(workspace: Workspace, mailbox: str) -> MailCursor | None:
    """How far a mailbox was read; None at first contact, or when that is lost or damaged."""
    data = files.read_if_exists(workspace.private / MAIL_FILE)
    return None if data is None else (_mail_file(data) or _MailFile()).mailboxes.get(mailbox)


def commit(workspace: Workspace, looks: Iterable[tuple[Kind, str, tuple[str, ...]]], now: datetime) -> tuple[str, ...]:
    """
    Remember what was seen, each item once.

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
        if torn := sum(_row(line) is None for line in (files.read_if_exists(path) or b"").splitlines()):
            reports += (f"{path.name} in private state holds {torn} damaged line(s), which are left out.",)
        rows = b"".join(_new_row(workspace, kind, source, ids, now) for source, ids in mine.items())
        files.append(path, rows, mode=files.PRIVATE_FILE_MODE)
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


def _new_row(workspace: Workspace, kind: Kind, source: str, ids: tuple[str, ...], now: datetime) -> bytes:
    before = seen(workspace, kind, source)
    new = [item for item in dict.fromkeys(ids) if item not in before.items]
    if before.known and not new:
        return b""
    return json.dumps({"at": stamp(now), "source": source, "items": new}).encode() + b"\n"
