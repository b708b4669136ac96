"""
Apply verified operations: hold the lock, read again, change only our own lines, replace atomically.

On disk: the intent in the ledger, the file, then done in the ledger. A start after a crash settles what was
left open, by the file's hash, then by the entry itself.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.clock import stamp
from daybook.errors import ChangedFileError, UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Intent, Source, Void, operation_id
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from daybook.review.verify import Verdict
    from daybook.review.window import Evidence
    from daybook.workspace import Workspace

TRIES = 5


@dataclass(frozen=True)
class Author:
    """Who proposed the operations, for the ledger."""

    run: str
    channel: Literal["review", "flush", "pending"]
    model: str
    prompt: str | None = None


@dataclass(frozen=True)
class Applied:
    """
    One verdict after the merge.

    Attributes:
        verdict: As it was, or changed to `later` or `refuse` by what the file turned out to be.
        file: Where it was applied, inside the workspace; empty if it was not.
    """

    verdict: Verdict
    file: str = ""


def apply(
    workspace: Workspace, verdicts: Sequence[Verdict], author: Author, now: datetime, *, topic: str | None = None
) -> list[Applied]:
    """
    Apply the verdicts that may be applied; the caller holds the workspace lock.

    Args:
        workspace: Whose memory.
        verdicts: In order; all but those to `apply` pass through.
        author: For the ledger.
        now: For the ledger.
        topic: Title of the topic that Adds go to; None for MEMORY.md, and what does not fit its caps goes
            to its section's topic.

    Raises:
        UnreadableFileError: MEMORY.md is missing, empty or cannot be read: nothing is written.
        ChangedFileError: It is edited faster than we can write.
    """
    settle(workspace, now)
    if not files.read_if_exists(workspace.longterm):
        raise UnreadableFileError(
            f"{workspace.longterm} is missing or empty, so nothing was written; put it back, or write a heading into "
            "it to start anew."
        )
    ours: set[str] = set()
    placed: dict[int, Path] = {}
    for _ in range(TRIES):
        plan = _plan(workspace, verdicts, author, now, topic=topic, ours=ours, placed=placed)
        ours |= {intent.id for intent in plan.intents}
        try:
            _write(workspace, plan, now)
        except ChangedFileError:
            settle(workspace, now)
        else:
            return plan.results
    raise ChangedFileError("MEMORY.md is being edited without pause; the review will try again at its next slot.")


def settle(workspace: Workspace, now: datetime) -> None:
    """Finish or void the intents that a killed run left open; the caller holds the workspace lock."""
    settled: list[Done | Void] = []
    for intent in ledger.open_intents(ledger.read(workspace).records):
        data = files.read_if_exists(workspace.root / intent.file)
        if _stands(intent, data):
            settled.append(Done(id=intent.id, at=stamp(now)))
        else:
            settled.append(Void(id=intent.id, at=stamp(now), why="the file does not hold it"))
    ledger.append(workspace, settled)


def _stands(intent: Intent, data: bytes | None) -> bool:
    if intent.op == "confirm":
        return True
    if intent.after is not None and _sha(data) == intent.after:
        return True
    if data is None or _sha(data) == intent.before:
        return False
    texts = {entry.text for entry in longterm.parse(data).entries}
    return intent.old not in texts if intent.op == "retire" else intent.text in texts


@dataclass
class _Plan:
    """What one try will write: per file what was read and the edits, and the intents."""

    read: dict[Path, bytes | None] = field(default_factory=dict)
    documents: dict[Path, longterm.Document] = field(default_factory=dict)
    edits: dict[Path, list[longterm.Edit]] = field(default_factory=lambda: defaultdict(list))
    intents: list[Intent] = field(default_factory=list)
    results: list[Applied] = field(default_factory=list)

    def document(self, path: Path) -> longterm.Document:
        """The file as it was when this try first looked."""
        if path not in self.documents:
            self.read[path] = files.read_if_exists(path)
            self.documents[path] = longterm.parse(self.read[path] or b"")
        return self.documents[path]


def _plan(
    workspace: Workspace,
    verdicts: Sequence[Verdict],
    author: Author,
    now: datetime,
    *,
    topic: str | None,
    ours: set[str],
    placed: dict[int, Path],
) -> _Plan:
    plan = _Plan()
    done = {record.id for record in ledger.read(workspace).records if isinstance(record, Done)}
    room = _Room(plan.document(workspace.longterm))
    for index, verdict in enumerate(verdicts):
        if verdict.fate != "apply":
            plan.results.append(Applied(verdict))
            continue
        # An earlier try of this call may have written it already, and so used up the room it now finds taken.
        path = placed.get(index) or _target(workspace, verdict, topic, room)
        intent = _intent(verdict, workspace.relative(path), author, now, plan.document(path))
        if intent.id in done:
            plan.results.append(_again(verdict, intent, ours))
            continue
        edit = _edit(verdict, plan.document(path), is_new=plan.read[path] is None, topic=topic)
        if edit == "conflict" or _is_second(edit, plan.edits.get(path, ())):
            plan.results.append(Applied(replace(verdict, fate="refuse", code="conflict")))
            continue
        if edit is not None:
            plan.edits[path].append(edit)
        if isinstance(edit, longterm.Add) and path == workspace.longterm:
            room.take(edit.section, edit.text)
        placed[index] = path
        plan.intents.append(intent)
        plan.results.append(Applied(verdict, intent.file))
    return plan


def _is_second(edit: longterm.Edit | None, edits: Sequence[longterm.Edit]) -> bool:
    """Whether an earlier edit of this plan changes the same entry."""
    if edit is None or isinstance(edit, longterm.Add):
        return False
    return any(not isinstance(one, longterm.Add) and one.entry.start == edit.entry.start for one in edits)


def _again(verdict: Verdict, intent: Intent, ours: set[str]) -> Applied:
    """Report an operation that stands already: through an earlier try of this call, or through another run."""
    if intent.id in ours:
        return Applied(verdict, intent.file)
    return Applied(replace(verdict, fate="refuse", code="done-before"))


def _write(workspace: Workspace, plan: _Plan, now: datetime) -> None:
    after = {path: longterm.apply(plan.documents[path], edits) for path, edits in plan.edits.items()}
    hashes = {workspace.relative(path): (_sha(plan.read[path]), _sha(data)) for path, data in after.items()}
    intents = []
    for intent in plan.intents:
        old, new = hashes.get(intent.file, (None, None))
        intents.append(intent.model_copy(update={"before": old, "after": new}))
    ledger.append(workspace, intents)
    for path, data in after.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace(path, data, expected=plan.read[path])
    ledger.append(workspace, [Done(id=intent.id, at=stamp(now)) for intent in intents])


class _Room:
    """How much MEMORY.md still takes before it is at a cap."""

    def __init__(self, document: longterm.Document) -> None:
        self.lines = longterm.MAX_LINES - longterm.count_lines(document)
        self.words = longterm.MAX_WORDS - longterm.count_words(document)
        self.sections = {section.title for section in document.sections}

    def fits(self, section: str, text: str) -> bool:
        """Whether there is room for an entry, and for its heading if that is new."""
        lines, words = self._needs(section, text)
        return lines <= self.lines and words <= self.words

    def take(self, section: str, text: str) -> None:
        """Use that room up."""
        lines, words = self._needs(section, text)
        self.sections.add(section)
        self.lines -= lines
        self.words -= words

    def _needs(self, section: str, text: str) -> tuple[int, int]:
        heading = section not in self.sections
        return 1 + heading, len(text.split()) + 1 + (len(section.split()) + 1) * heading


def _target(workspace: Workspace, verdict: Verdict, topic: str | None, room: _Room) -> Path:
    if verdict.entry is not None:
        return workspace.root / verdict.entry.file
    if topic is not None:
        return workspace.topic(topics.slug(topic))
    if room.fits(verdict.operation.section, verdict.operation.text):
        return workspace.longterm
    return workspace.topic(topics.slug(verdict.operation.section))


def _edit(
    verdict: Verdict, document: longterm.Document, *, is_new: bool, topic: str | None
) -> longterm.Edit | Literal["conflict"] | None:
    operation = verdict.operation
    if operation.kind == "confirm":
        return None
    if operation.kind == "add":
        # A person may have written it, or closed the section, since the review read the file.
        section = longterm.find_section(document, topic or operation.section)
        stands = any(entry.text == operation.text for entry in document.entries)
        if stands or (section is not None and section.mine):
            return "conflict"
        return longterm.Add(topic or operation.section, operation.text, new_heading_level=1 if is_new else 2)
    wanted = verdict.entry.text if verdict.entry else ""
    entry = next((entry for entry in document.entries if entry.text == wanted), None)
    if entry is None or entry.pinned or entry.mine:
        return "conflict"
    return longterm.Revise(entry, operation.text) if operation.kind == "revise" else longterm.Remove(entry)


def _intent(verdict: Verdict, file: str, author: Author, now: datetime, document: longterm.Document) -> Intent:
    operation = verdict.operation
    old = verdict.entry.text if verdict.entry else ""
    text = "" if operation.kind in {"retire", "confirm"} else operation.text
    sources = tuple(map(source, verdict.sources))
    return Intent(
        id=operation_id(operation.kind, file, old, text, tuple(source.hash for source in sources)),
        at=stamp(now),
        run=author.run,
        op=operation.kind,
        file=file,
        section=operation.section or (verdict.entry.section if verdict.entry else ""),
        text=text,
        old=old,
        old_raw=_raw(document, old) if operation.kind in {"revise", "retire"} else "",
        sources=sources,
        model=author.model,
        prompt=author.prompt,
        channel=author.channel,
    )


def source(line: Evidence) -> Source:
    """Write a note line as the ledger keeps it."""
    return Source(
        file=line.file,
        line=line.line,
        date=line.day.isoformat(),
        hash=line.marks[0],
        text=line.text,
        origin=line.origin,
    )


def _raw(document: longterm.Document, text: str) -> str:
    entry = next((entry for entry in document.entries if entry.text == text), None)
    return b"".join(document.lines[entry.start : entry.end]).decode("latin-1") if entry else ""


def _sha(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()
