"""
Proposals as private state keeps them: what was proposed, what became of it, and what was refused for good.

The register is a file of JSON lines that is only appended to. Nothing inside the workspace can roll it back, so that
neither an old copy of `_pending.md` nor an edited one can say what a tick stands for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from daybook import files
from daybook.clock import stamp
from daybook.ledger.record import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from daybook.memory.forgotten import Words
    from daybook.workspace import Workspace

LAPSES_AFTER = timedelta(days=21)
Fate = Literal["accepted", "refused", "lapsed"]


@dataclass(frozen=True)
class Proposal:
    """
    One change that waits.

    Attributes:
        id: 16 hex digits: the hash of operation, target, text and sources (`ledger.record.operation_id`).
        op: `add`, `revise` or `retire`.
        file: File of the entry; for an Add, MEMORY.md.
        section: Its heading.
        text: The entry's new text; empty for `retire`.
        old: The entry as it is, redacted; for an Add, the one it may supersede.
        code: Why it is not done at once.
        sources: The note lines it rests on, as the ledger would keep them.
        run: Id of the run that proposed it.
        model: Who proposed it.
        prompt: Hash of the prompt's template, if a model proposed it.
        statement: Hash of what the text states, so that a refusal holds for other words too; empty without a text.
    """

    id: str
    op: str
    file: str
    section: str
    text: str
    old: str
    code: str
    sources: tuple[Source, ...]
    run: str
    model: str
    prompt: str | None
    statement: str = ""

    @property
    def lines(self) -> frozenset[str]:
        """Hashes of its note lines."""
        return frozenset(source.hash for source in self.sources)


@dataclass(frozen=True)
class Kept:
    """
    A proposal and what became of it.

    Attributes:
        at: When it was made.
        item: Its lines in `_pending.md`, without line ends; empty where an older Daybook did not keep them.
        why: Why a tick could not be carried out; empty if none was tried.
        acting: When carrying it out began, if it is not known how that ended.
        fate: What it came to; None while it waits.
    """

    proposal: Proposal
    at: datetime
    item: tuple[str, ...] = ()
    why: str = ""
    acting: datetime | None = None
    fate: Fate | None = None

    @property
    def lapses(self) -> datetime:
        """When it lapses if it is left alone."""
        return self.at + LAPSES_AFTER

    def is_open(self, now: datetime) -> bool:
        """Whether it waits for the operator."""
        return self.fate is None and now < self.lapses

    def forbids(self, other: Proposal) -> bool:
        """
        Whether its refusal is one of this other proposal, too.

        It is if that has the same text, or would do the same to the same entry from no other note lines than these.
        """
        mine = self.proposal
        same_text = other.text != "" and (mine.text == other.text or mine.statement == other.statement != "")
        same_entry = mine.op == other.op and (mine.op == "add" or mine.old == other.old)
        return self.fate == "refused" and (
            same_text or (same_entry and bool(other.lines) and other.lines <= mine.lines)
        )


@dataclass(frozen=True)
class Register:
    """
    All proposals ever made, by id, and keys of the problems that the operator was told.

    Attributes:
        kept: In the order they were made.
        said: A problem is told once.
    """

    kept: dict[str, Kept] = field(default_factory=dict)
    said: frozenset[str] = frozenset()

    def open(self, now: datetime) -> list[Kept]:
        """Proposals that wait."""
        return [one for one in self.kept.values() if one.is_open(now)]


def path(workspace: Workspace) -> Path:
    """Where the register lies."""
    return workspace.private / "proposals.jsonl"


def read(workspace: Workspace) -> Register:
    """Read the register; a row torn by a kill stands for nothing, since what it tells was not begun yet."""
    kept: dict[str, Kept] = {}
    said: set[str] = set()
    for line in (files.read_if_exists(path(workspace)) or b"").splitlines():
        try:
            row = json.loads(line)
            if row["kind"] == "said":
                said.add(str(row["key"]))
            elif row["kind"] == "proposal":
                kept.setdefault(row["id"], _kept(row))
            elif row["id"] in kept:
                kept[row["id"]] = _after(kept[row["id"]], row)
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    return Register(kept, frozenset(said))


def register(workspace: Workspace, made: Iterable[Kept]) -> None:
    """Keep proposals, before they are shown."""
    _append(workspace, [_row(one) for one in made])


def begin(workspace: Workspace, proposal_id: str, run: str, now: datetime) -> None:
    """Keep that a proposal is about to be carried out; from here on the ledger knows whether it was."""
    _append(workspace, [{"kind": "acting", "id": proposal_id, "at": stamp(now), "run": run}])


def hold(workspace: Workspace, proposal_id: str, why: str, now: datetime) -> None:
    """Keep why a proposal could not be carried out; it waits on."""
    _append(workspace, [{"kind": "held", "id": proposal_id, "at": stamp(now), "why": why}])


def settle(workspace: Workspace, proposal_ids: Iterable[str], fate: Fate, run: str, now: datetime) -> None:
    """Keep what proposals came to."""
    after = {"kind": "settled", "at": stamp(now), "run": run, "fate": fate}
    _append(workspace, [{**after, "id": one} for one in proposal_ids])


def say(workspace: Workspace, keys: Iterable[str]) -> None:
    """Keep that problems with these keys were told."""
    _append(workspace, [{"kind": "said", "key": key} for key in keys])


def holds(one: Kept, words: Words) -> bool:
    """Whether a proposal, or a note line that it rests on, says or quotes what was forgotten."""
    proposal = one.proposal
    return any(map(words.quoted_in, (proposal.text, proposal.old, *(source.text for source in proposal.sources))))


def purge(workspace: Workspace, words: Words) -> None:
    """Take words that were forgotten out of every row that holds them; its hashes stay, and so does a refusal."""
    said = {name for name, one in read(workspace).kept.items() if holds(one, words)}
    if said:
        present = files.read_if_exists(path(workspace)) or b""
        after = b"".join(_purged(line, said) for line in present.splitlines(keepends=True))
        files.replace(path(workspace), after, expected=present, mode=files.PRIVATE_FILE_MODE)


def prune(workspace: Workspace, before: datetime) -> int:
    """Let go proposals made before then that were accepted or lapsed; what was refused stays so. How many went."""
    every = read(workspace).kept
    gone = {name for name, one in every.items() if one.fate in {"accepted", "lapsed"} and one.at < before}
    if gone:
        present = files.read_if_exists(path(workspace)) or b""
        after = b"".join(line for line in present.splitlines(keepends=True) if _id(line) not in gone)
        files.replace(path(workspace), after, expected=present, mode=files.PRIVATE_FILE_MODE)
    return len(gone)


def _id(line: bytes) -> str | None:
    try:
        row = json.loads(line)
    except ValueError:
        return None
    return row.get("id") if isinstance(row, dict) else None


def _purged(line: bytes, said: set[str]) -> bytes:
    try:
        row = json.loads(line)
        if row["kind"] != "proposal" or row["id"] not in said:
            return line
        sources = [source | {"text": ""} for source in row["sources"]]
    except (ValueError, KeyError, TypeError):
        # What was torn may hold the words, and stands for nothing.
        return b""
    return f"{json.dumps(row | {'text': '', 'old': '', 'item': [], 'sources': sources})}\n".encode()


def _kept(row: dict[str, Any]) -> Kept:
    fields = {name: row.get(name, "") for name in Proposal.__dataclass_fields__ if name != "sources"}
    sources = tuple(Source.model_validate(source) for source in row["sources"])
    proposal = Proposal(**fields, sources=sources)
    return Kept(proposal, datetime.fromisoformat(row["at"]), tuple(row.get("item", ())))


def _after(kept: Kept, row: dict[str, Any]) -> Kept:
    match row["kind"]:
        case "acting":
            return replace(kept, acting=datetime.fromisoformat(row["at"]))
        case "held":
            return replace(kept, acting=None, why=str(row["why"]))
        case "settled":
            return replace(kept, acting=None, fate=row["fate"])
        case _:
            return kept


def _row(one: Kept) -> dict[str, object]:
    sources = [source.model_dump(mode="json") for source in one.proposal.sources]
    item = list(one.item)
    return {"kind": "proposal", "at": stamp(one.at), **vars(one.proposal), "sources": sources, "item": item}


def _append(workspace: Workspace, rows: Sequence[dict[str, object]]) -> None:
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if data:
        files.append(path(workspace), data.encode("utf-8", "replace"), mode=files.PRIVATE_FILE_MODE)
