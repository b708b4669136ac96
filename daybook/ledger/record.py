"""
The ledger's lines: what each operation meant to do, and whether it was done.

The format on disk is one JSON object a line that ends with a checksum over what stands before it. A line of a kind
that is not known (from a newer Daybook) is kept and passed over.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

OperationKind = Literal["add", "revise", "retire", "confirm", "demote", "promote", "undo"]
ID_CHARS = 16


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class Source(_Line):
    """
    A note line an operation rests on.

    Attributes:
        file: Path inside the workspace.
        line: Line number when it was read, from 1.
        date: ISO date of the note.
        hash: Hash of the line's mark (see `daybook.review.marks`).
        text: The line's text, redacted.
        origin: The channel's origin.
    """

    file: str
    line: int
    date: str
    hash: str
    text: str
    origin: Literal["trusted", "outside"] = "trusted"


class Intent(_Line):
    """
    What is about to be done to one entry.

    Attributes:
        id: The same operation from the same sources has the same id, so it cannot be done twice.
        run: Id of the run.
        op: What is done. `retire` moves to the archive, `demote` to a topic, `promote` from a topic to MEMORY.md;
            `undo` takes an earlier operation back.
        entry: The lineage it belongs to: the id of the operation that began the entry; empty for `add`, whose own
            id it is.
        file: File of the entry before (for `add`, after), inside the workspace.
        to: File of the entry afterwards, where that is another one; empty otherwise.
        section: The entry's heading.
        text: The entry's text afterwards; empty for `confirm` and `undo`.
        old: The entry's text before; empty for `add`.
        old_raw: The entry's bytes before, each as the character of its number; empty for `add` and `confirm`.
        sources: The note lines it rests on.
        model: Who proposed it: a model string, `extractive` or `inbox`.
        prompt: Hash of the prompt's template, if a model proposed it.
        channel: The pipeline it came through.
        accepted: The operator agreed to it: the entry is never retired by itself.
        loses: It takes something away, and counts for the quota of seven days; for `demote`, that equal words stood at
            its new place already.
        reason: Why an entry leaves its place.
        undoes: Id of the operation that an `undo` takes back.
        together: How many intents of an `undo` were written at once: where fewer stand, nothing was done yet.
        before: SHA-256 of `file` before; None when it is not written.
        after: SHA-256 of `file` after.
        purged: Its texts were taken out by `forget`.
    """

    v: Literal[1] = 1
    kind: Literal["intent"] = "intent"
    id: str
    at: str
    run: str
    op: OperationKind
    entry: str = ""
    file: str
    to: str = ""
    section: str = ""
    text: str = ""
    old: str = ""
    old_raw: str = ""
    sources: tuple[Source, ...] = ()
    model: str = ""
    prompt: str | None = None
    channel: Literal["review", "flush", "pending", "hand"] = "review"
    accepted: bool = False
    loses: bool = False
    reason: str = ""
    undoes: str = ""
    together: int = 0
    before: str | None = None
    after: str | None = None
    purged: bool = False


class Done(_Line):
    """The operations with these ids stand in the files."""

    v: Literal[1] = 1
    kind: Literal["done"] = "done"
    ids: tuple[str, ...]
    at: str


class Void(_Line):
    """The operations with these ids were never carried out."""

    v: Literal[1] = 1
    kind: Literal["void"] = "void"
    ids: tuple[str, ...]
    at: str
    why: str


class Seen(_Line):
    """
    What somebody else did to an owned entry.

    Attributes:
        what: `edited` (its new text is the baseline), `moved` (to another file), `deleted` (which is remembered),
            `vanished` (with too many others to be a deletion), `returned`, `adopted` (an entry that was there before).
        entry: Its lineage; a new one for `adopted`.
        file: File it is, or was, in.
        section: Its heading.
        text: Its text; for `edited` the new one.
        statement: Hash of what a `deleted` entry states.
        lines: Hashes of the note lines a `deleted` entry rested on.
    """

    v: Literal[1] = 1
    kind: Literal["seen"] = "seen"
    what: Literal["edited", "moved", "deleted", "vanished", "returned", "adopted"]
    at: str
    run: str
    entry: str
    file: str
    section: str = ""
    text: str = ""
    statement: str = ""
    lines: tuple[str, ...] = ()
    purged: bool = False


class Forgotten(_Line):
    """
    What must not come back: only hashes are left of it.

    Attributes:
        entry: The lineage it was, if it was an owned entry.
        statement: Hash of what it stated.
        lines: Hashes of the note lines it rested on.
        by: A person's `forget`, or the `undo` of an operation.
    """

    v: Literal[1] = 1
    kind: Literal["forgotten"] = "forgotten"
    at: str
    run: str
    entry: str = ""
    statement: str
    lines: tuple[str, ...] = ()
    by: Literal["forget", "undo"]


class Curate(_Line):
    """Whose entries may be curated from here on: every one of an agent-written folder, or only ours."""

    v: Literal[1] = 1
    kind: Literal["curate"] = "curate"
    at: str
    mode: Literal["all", "ours"]


Record = Intent | Done | Void | Seen | Forgotten | Curate
RECORD: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="kind")])
SUM = b', "sum": "'
END = b'"}\n'


def operation_id(op: OperationKind, file: str, old: str, text: str, source_hashes: tuple[str, ...]) -> str:
    """Name an operation by what it does and what it rests on."""
    parts = json.dumps([op, file, old, text, sorted(source_hashes)], ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()[:ID_CHARS]


def encode(record: Record) -> bytes:
    """Write a record as one line; its checksum, which comes last, is over all that stands before it."""
    body = record.model_dump_json(exclude_defaults=True)
    whole = f'{{"v": {record.v}, "kind": "{record.kind}", {body[1:-1]}'.encode()
    return whole + SUM + _checksum(whole) + END


def decode(row: bytes) -> Record | Literal["torn", "unknown"]:
    """Read one line: a record, or that it is torn (cut, changed) or of a kind not known (from a newer Daybook)."""
    whole, mark, rest = row.removesuffix(b"\n").rpartition(SUM)
    if not mark or rest != _checksum(whole) + END[:-1]:
        return "torn"
    try:
        # Past the adapter, which would look at its options once a row.
        record: Record = RECORD.validator.validate_json(whole + b"}")
    except ValidationError:
        return "unknown"
    return record


def _checksum(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:ID_CHARS].encode()
