"""
Write a plan of changes: intents in the ledger, the files, then done in the ledger.

What moves is written at its new place before it leaves the old one, so a kill in between loses nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.clock import stamp
from daybook.curation.entries import LONGTERM
from daybook.curation.standing import Page, archive_note
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Done, Intent, OperationKind, Source, operation_id
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Literal

    from daybook.curation.observing import Observed
    from daybook.workspace import Workspace

ARCHIVE = "memory/archive.md"
ARCHIVE_TITLE = "Archive"


@dataclass(frozen=True)
class Author:
    """
    Who proposed the operations, for the ledger.

    Attributes:
        run: Id of the run.
        channel: The pipeline they came through.
        model: Who proposed them.
        prompt: Hash of the prompt's template, if a model was asked.
        accepted: The operator agreed to each of them.
    """

    run: str
    channel: Literal["review", "flush", "pending", "hand"]
    model: str
    prompt: str | None = None
    accepted: bool = False


@dataclass
class Plan:
    """
    What is to be written.

    Attributes:
        workspace: Whose memory.
        observed: Ledger and files as they were found.
        author: For the ledger.
        now: For the ledger.
        gains: Edits that add or change, per file; they are written first.
        losses: Edits that take out what leaves, per file; they are written last.
        intents: For the ledger.
    """

    workspace: Workspace
    observed: Observed
    author: Author
    now: datetime
    gains: dict[str, list[longterm.Edit]] = field(default_factory=lambda: defaultdict(list))
    losses: dict[str, list[longterm.Remove]] = field(default_factory=lambda: defaultdict(list))
    intents: list[Intent] = field(default_factory=list)
    _ids: set[str] = field(default_factory=set)
    _added: set[str] = field(default_factory=set)
    _pages: dict[str, Page] = field(default_factory=dict)
    _data: dict[str, bytes | None] = field(default_factory=dict)
    _documents: dict[str, longterm.Document] = field(default_factory=dict)
    _sections: dict[tuple[str, str], longterm.Section | None] = field(default_factory=dict)

    @cached_property
    def _at(self) -> str:
        return stamp(self.now)

    def data(self, file: str) -> bytes | None:
        """Bytes of a file as it was found; None if there is none."""
        if file not in self._data:
            present = self.observed.changes.present
            path = self.workspace.root / file
            self._data[file] = present[file] if file in present else files.read_if_exists(path)
        return self._data[file]

    def document(self, file: str) -> longterm.Document:
        """A file as it was found."""
        if file not in self._documents:
            known = self.observed.changes.documents.get(file)
            self._documents[file] = known or longterm.parse(self.data(file) or b"")
        return self._documents[file]

    def section(self, file: str, title: str) -> longterm.Section | None:
        """The section of a file that an Add under this title goes to, if it is there."""
        if (file, title) not in self._sections:
            self._sections[file, title] = longterm.find_section(self.document(file), title)
        return self._sections[file, title]

    def heading(self, file: str, title: str) -> str:
        """The heading that an Add under this title will stand under."""
        found = self.section(file, title)
        return found.title if found else title

    def find(self, file: str, text: str) -> longterm.Entry | None:
        """The entry with this text: of several rather one that is nobody's own, and stands where ours is known to."""
        if file not in self._pages:
            self._pages[file] = Page(self.document(file))
        owned = self.observed.state.of(file).get(text)
        return self._pages[file].find(text, owned.section if owned else "")

    def take(self, intent: Intent) -> None:
        """Plan to record an intent."""
        self.intents.append(intent)
        self._ids.add(intent.id)
        if intent.op == "add":
            self._added.add(intent.text)

    def adds(self, text: str) -> bool:
        """Whether this plan adds these words already."""
        return text in self._added

    def holds(self, intent: Intent) -> bool:
        """Whether this plan means to do the same already."""
        return intent.id in self._ids

    def touches(self, file: str, text: str) -> bool:
        """Whether an earlier part of this plan changes that entry."""
        edits = (*self.gains.get(file, ()), *self.losses.get(file, ()))
        return any(one.entry.text == text for one in edits if isinstance(one, longterm.Revise | longterm.Remove))

    def add(self, file: str, section: str, text: str) -> None:
        """Plan an Add, which will stand under `heading`."""
        level = 1 if self.data(file) is None else 2
        self.gains[file].append(longterm.Add(section, text, new_heading_level=level))

    def revise(self, file: str, entry: longterm.Entry, text: str) -> None:
        """Plan a Revise."""
        self.gains[file].append(longterm.Revise(entry, text))

    def leave(self, file: str, entry: longterm.Entry) -> None:
        """Plan that an entry is taken out of its file."""
        self.losses[file].append(longterm.Remove(entry))

    def archive(self, entry: longterm.Entry, operation: Intent) -> None:
        """Plan that an entry leaves its file for the archive."""
        self.move(operation.file, entry, ARCHIVE, ARCHIVE_TITLE, note=archive_note(operation))

    def move(self, file: str, entry: longterm.Entry, to: str, section: str, note: str = "") -> None:
        """
        Plan that an entry leaves its file for another, with every line it has.

        Args:
            file: Where it stands.
            entry: Which.
            to: The file it goes to.
            section: It will stand under `heading` of this title there, which is made when missing.
            note: A line put below it, for the archive.
        """
        raw = raw_of(self.document(file), entry)
        if note:
            indent = b" " * len(entry.prefix.strip(b"\xef\xbb\xbf"))
            raw = raw.rstrip(b"\r\n") + b"\n" + indent + b"- " + note.encode() + b"\n"
        level = 1 if self.data(to) is None else 2
        self.gains[to].append(longterm.Insert(raw, section, new_heading_level=level))
        self.leave(file, entry)

    def intend(
        self,
        op: OperationKind,
        file: str,
        *,
        entry: str = "",
        old: longterm.Entry | None = None,
        text: str = "",
        section: str = "",
        to: str = "",
        sources: Sequence[Source] = (),
        reason: str = "",
        loses: bool = False,
    ) -> Intent:
        """Make an intent of this plan's author, without planning it yet."""
        before = old.text if old else ""
        rests_on = tuple(source.hash for source in sources)
        # What is done for room rests on no line, and may be done again by another run.
        rests_on += (self.author.run,) if op == "demote" else ()
        # What is not true any more may be true again some day, and then it is another entry.
        rests_on += (entry,) if op not in {"add", "confirm"} else ()
        # What a review did, and a person took out again, is another operation when the operator agrees to it.
        rests_on += ("accepted",) if self.author.accepted else ()
        return Intent(
            id=operation_id(op, file, before, text or to, rests_on),
            at=self._at,
            run=self.author.run,
            op=op,
            entry=entry,
            file=file,
            to=to,
            section=section,
            text=text,
            old=before,
            old_raw=raw_of(self.document(file), old).decode("latin-1") if old and op != "confirm" else "",
            sources=tuple(sources),
            loses=loses,
            model=self.author.model,
            prompt=self.author.prompt,
            channel=self.author.channel,
            accepted=self.author.accepted,
            reason=reason,
        )


def raw_of(document: longterm.Document, entry: longterm.Entry) -> bytes:
    """The bytes of an entry, without a byte order mark."""
    return b"".join(document.lines[entry.start : entry.end]).removeprefix(b"\xef\xbb\xbf")


def demote(plan: Plan, entry: longterm.Entry, reason: str) -> None:
    """Plan that an owned entry of MEMORY.md goes to its section's topic."""
    owned = plan.observed.state.of(LONGTERM)[entry.text]
    to = topics.file_of(plan.workspace, entry.section)
    if to in plan.observed.changes.held:
        # Written to now, it would no longer be missing, and what it held would count as deleted.
        return
    there = plan.find(to, entry.text)
    if there is None:
        wanted = entry.section or topics.NOTES
        section = plan.heading(to, wanted)
        plan.move(LONGTERM, entry, to, wanted)
    else:
        section = there.section
        plan.leave(LONGTERM, entry)
    loses = there is not None
    plan.take(
        plan.intend(
            "demote", LONGTERM, entry=owned.lineage, old=entry, to=to, section=section, reason=reason, loses=loses
        )
    )


def write(plan: Plan) -> None:
    """
    Carry a plan out; the caller holds the workspace lock.

    Raises:
        ChangedFileError: Somebody saved a file meanwhile; what was written by then stands, and is settled by the
            next look.
    """
    workspace, now = plan.workspace, plan.now
    # Places are those of the file as it was found, so that of equal entries the one that is meant leaves.
    gained = {file: longterm.apply(plan.document(file), edits) for file, edits in _gains_first(plan).items()}
    final = {
        file: longterm.apply(plan.document(file), [*plan.gains.get(file, ()), *edits])
        for file, edits in plan.losses.items()
    }
    whole = gained | final
    hashes = {file: (_sha(plan.data(file)), versions.sha_of(data)) for file, data in whole.items()}
    ledger.append(workspace, [_hashed(intent, *hashes.get(intent.file, (None, None))) for intent in plan.intents])
    # Nobody observes the archive, or a file that is gone: what undo goes back to is what stands now.
    versions.remember_each(workspace, {file: plan.data(file) for file in whole}, plan.author.run, now, by="read")
    for file, data in gained.items():
        path = workspace.root / file
        folders.make_dir(path.parent)
        files.replace(path, data, expected=plan.data(file))
    for file, data in final.items():
        files.replace(workspace.root / file, data, expected=gained.get(file, plan.data(file)))
    versions.remember_each(workspace, whole, plan.author.run, now, by="written")
    if plan.intents:
        ledger.append(workspace, [Done(ids=tuple(intent.id for intent in plan.intents), at=stamp(now))])


def _gains_first(plan: Plan) -> dict[str, list[longterm.Edit]]:
    """Gains that are written before any loss: all but those of a file that loses too, and takes in nothing moved."""
    return {
        file: edits
        for file, edits in plan.gains.items()
        if file not in plan.losses or any(isinstance(edit, longterm.Insert) for edit in edits)
    }


def _hashed(intent: Intent, before: str | None, after: str | None) -> Intent:
    return intent if intent.op == "confirm" else intent.model_copy(update={"before": before, "after": after})


def _sha(data: bytes | None) -> str | None:
    return None if data is None else versions.sha_of(data)
