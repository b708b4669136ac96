"""
The ledger's lines: what each operation meant to do, and whether it was done.

The format on disk is one JSON object a line with a checksum over the rest of it. A line of a kind that is
not known (from a newer Daybook) is kept and passed over.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

OperationKind = Literal["add", "revise", "retire", "confirm"]
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
    What is about to be done to one entry of one file.

    Attributes:
        id: The same operation from the same sources has the same id, so it cannot be done twice.
        run: Id of the run.
        op: What is done.
        file: MEMORY.md or a topic, inside the workspace.
        section: The entry's heading.
        text: The entry's text afterwards; empty for `retire`.
        old: The entry's text before; empty for `add`.
        old_raw: The entry's bytes before, each as the character of its number, for `undo`; empty for `add`.
        sources: The note lines it rests on.
        model: Who proposed it: a model string, `extractive` or `inbox`.
        prompt: Hash of the prompt's template, if a model proposed it.
        channel: The pipeline it came through.
        before: SHA-256 of the file before; None when nothing is written (`confirm`).
        after: SHA-256 of the file after.
    """

    v: Literal[1] = 1
    kind: Literal["intent"] = "intent"
    id: str
    at: str
    run: str
    op: OperationKind
    file: str
    section: str = ""
    text: str = ""
    old: str = ""
    old_raw: str = ""
    sources: tuple[Source, ...] = ()
    model: str = ""
    prompt: str | None = None
    channel: Literal["review", "flush", "pending"] = "review"
    before: str | None = None
    after: str | None = None


class Done(_Line):
    """The operation with this id stands in the file."""

    v: Literal[1] = 1
    kind: Literal["done"] = "done"
    id: str
    at: str


class Void(_Line):
    """The operation with this id was never carried out."""

    v: Literal[1] = 1
    kind: Literal["void"] = "void"
    id: str
    at: str
    why: str


Record = Annotated[Intent | Done | Void, Field(discriminator="kind")]
RECORD: TypeAdapter[Intent | Done | Void] = TypeAdapter(Record)


def operation_id(op: OperationKind, file: str, old: str, text: str, source_hashes: tuple[str, ...]) -> str:
    """Name an operation by what it does and what it rests on."""
    parts = json.dumps([op, file, old, text, sorted(source_hashes)], ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()[:ID_CHARS]


def encode(record: Intent | Done | Void) -> bytes:
    """Write a record as one line with its checksum."""
    body = record.model_dump(mode="json", exclude_none=True)
    return json.dumps({**body, "sum": _checksum(body)}, ensure_ascii=False).encode() + b"\n"


def decode(row: bytes) -> Intent | Done | Void | Literal["torn", "unknown"]:
    """Read one line: a record, or that it is torn (no JSON, wrong checksum) or of a kind not known."""
    try:
        body = json.loads(row)
        checksum = body.pop("sum")
        whole = checksum == _checksum(body)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
        return "torn"
    if not whole:
        return "torn"
    try:
        return RECORD.validate_python(body)
    except ValidationError:
        return "unknown"


def _checksum(body: object) -> str:
    canonical = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:ID_CHARS]
