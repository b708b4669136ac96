"""Replay the ledger: which entries Daybook owns and where they stand, and what must not come back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, assert_never

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.ledger.record import Forgotten, Intent, Record, Seen, Source


class Owned(NamedTuple):
    """
    An entry that the ledger holds.

    A tuple, because every look at memory makes one of each entry.

    Attributes:
        lineage: Id of the operation that began it; stays through edits, moves and revisions.
        file: Where it stands, inside the workspace.
        section: Its heading.
        text: Its words.
        sources: The note lines it rests on, oldest operation first.
        dates: ISO dates of trusted note lines that say so; of an adopted one the day of its adoption.
        edited: A person changed its words.
        accepted: The operator agreed to it.
        adopted: It was there before Daybook.
    """

    lineage: str
    file: str
    section: str
    text: str
    sources: tuple[Source, ...] = ()
    dates: frozenset[str] = frozenset()
    edited: bool = False
    accepted: bool = False
    adopted: bool = False


@dataclass
class State:
    """
    What the ledger comes to.

    Attributes:
        entries: Owned entries that should stand, by lineage.
        vanished: Owned entries that went missing with too many others at once, by lineage.
        missed: Run that saw each of them missing, by lineage.
        adopted: Every lineage that an adoption began, also of those that are gone.
        operations: Every operation carried out, by id, in the order of completion.
        undone: Ids of operations taken back.
        statements: Hashes of statements that a person took out.
        forgotten: Those of them that `forget` took out, so that they must not stand anywhere again.
        lines: Hashes of the note lines they rested on.
        mode: Whose entries may be curated; None while nobody has said.
    """

    entries: dict[str, Owned] = field(default_factory=dict)
    vanished: dict[str, Owned] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)
    adopted: set[str] = field(default_factory=set)
    operations: dict[str, Intent] = field(default_factory=dict)
    undone: set[str] = field(default_factory=set)
    statements: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    lines: set[str] = field(default_factory=set)
    mode: Literal["all", "ours"] | None = None

    @cached_property
    def by_text(self) -> dict[str, dict[str, Owned]]:
        """Entries per file, by their text; look only when the state is whole."""
        found: dict[str, dict[str, Owned]] = {}
        for entry in self.entries.values():
            if self.curates(entry):
                found.setdefault(entry.file, {})[entry.text] = entry
        return found

    @cached_property
    def replaced(self) -> set[tuple[str, str]]:
        """Lineage and words of entries before operations of ours; look when the state is whole."""
        return {(one.entry, one.old) for one in self.operations.values()}

    def curates(self, entry: Owned) -> bool:
        """Whether an entry is still Daybook's to curate: an adopted one only while every entry is."""
        return not entry.adopted or self.mode == "all"

    def of(self, file: str) -> dict[str, Owned]:
        """Entries of one file, by their text."""
        return self.by_text.get(file, {})

    def owns(self, file: str, text: str) -> bool:
        """Whether the entry with this text in this file is ours."""
        return text in self.of(file)


def replay(records: Iterable[Record]) -> State:
    """Carry out every done operation in the order of its completion, and what people did in between."""
    state = State()
    waiting: dict[str, Intent] = {}
    earlier: dict[str, tuple[str, Owned | None]] = {}
    for record in records:
        # By kind: to ask for a model's class costs several times as much.
        if record.kind == "seen":
            _see(state, record)
        elif record.kind == "intent":
            waiting[record.id] = record
        elif record.kind == "done":
            for intent in [waiting.pop(one) for one in record.ids if one in waiting]:
                _carry_out(state, intent, earlier)
        elif record.kind == "void":
            for one in record.ids:
                waiting.pop(one, None)
        elif record.kind == "forgotten":
            _forget(state, record)
        elif record.kind == "curate":
            state.mode = record.mode
        else:
            assert_never(record)
    return state


def _forget(state: State, forgotten: Forgotten) -> None:
    state.entries.pop(forgotten.entry, None)
    state.vanished.pop(forgotten.entry, None)
    state.statements.add(forgotten.statement)
    state.lines.update(forgotten.lines)
    if forgotten.by == "forget":
        state.forgotten.add(forgotten.statement)


def _carry_out(state: State, intent: Intent, earlier: dict[str, tuple[str, Owned | None]]) -> None:
    state.operations[intent.id] = intent
    if intent.op == "undo":
        lineage, before = earlier.get(intent.undoes, (intent.entry, None))
        _put(state, lineage, before)
        state.undone.add(intent.undoes)
        return
    # What the operator agreed to after an undo is carried out again.
    state.undone.discard(intent.id)
    lineage = intent.entry or _lineage(state, intent)
    present = state.entries.get(lineage)
    earlier[intent.id] = lineage, present
    _put(state, lineage, _after(intent, present, lineage))


def _put(state: State, lineage: str, entry: Owned | None) -> None:
    if entry is None:
        state.entries.pop(lineage, None)
    else:
        state.entries[lineage] = entry
        state.vanished.pop(lineage, None)


def _after(intent: Intent, present: Owned | None, lineage: str) -> Owned | None:
    dates = frozenset(source.date for source in intent.sources if source.origin == "trusted")
    match intent.op:
        case "add":
            return Owned(
                lineage, intent.file, intent.section, intent.text, intent.sources, dates, accepted=intent.accepted
            )
        case "revise":
            before = present or Owned(lineage, intent.file, intent.section, intent.old)
            return before._replace(
                text=intent.text,
                sources=before.sources + intent.sources,
                dates=before.dates | dates,
                accepted=before.accepted or intent.accepted,
            )
        case "retire" | "undo":
            return None
        case "confirm":
            return present and _confirmed(present, intent)
        case "demote" | "promote":
            return present and present._replace(
                file=intent.to,
                section=intent.section or present.section,
                accepted=present.accepted or intent.accepted,
            )
        case _:
            assert_never(intent.op)


def _confirmed(present: Owned, intent: Intent) -> Owned:
    """A line that is cited again says nothing new."""
    known = {source.hash for source in present.sources}
    new = tuple(source for source in intent.sources if source.hash not in known)
    return present._replace(
        sources=present.sources + new,
        dates=present.dates | {source.date for source in new if source.origin == "trusted"},
        accepted=present.accepted or intent.accepted,
    )


def _lineage(state: State, intent: Intent) -> str:
    """Find the entry an operation speaks of: by its words for one that was not owned when it was proposed."""
    if intent.op == "add":
        return intent.id
    alike = (
        entry.lineage for entry in state.entries.values() if entry.file == intent.file and entry.text == intent.old
    )
    return next(alike, intent.id)


@lru_cache
def _day_of(at: str) -> frozenset[str]:
    """The day of an adoption, which all entries that were adopted then share."""
    return frozenset({at[:10]})


def _see(state: State, seen: Seen) -> None:
    if seen.what == "adopted":
        state.adopted.add(seen.entry)
        dates = _day_of(seen.at)
        state.entries[seen.entry] = Owned(seen.entry, seen.file, seen.section, seen.text, dates=dates, adopted=True)
        return
    entry = state.entries.get(seen.entry) or state.vanished.get(seen.entry)
    match seen.what:
        case "deleted":
            state.entries.pop(seen.entry, None)
            state.vanished.pop(seen.entry, None)
            state.statements.add(seen.statement)
            state.lines.update(seen.lines)
        case "edited" | "moved" | "returned" if entry is not None:
            _put(
                state,
                seen.entry,
                entry._replace(
                    file=seen.file,
                    section=seen.section,
                    text=seen.text,
                    edited=entry.edited or seen.what == "edited",
                ),
            )
        case "vanished" if entry is not None:
            state.entries.pop(seen.entry, None)
            state.vanished[seen.entry] = entry
            state.missed[seen.entry] = seen.run
        case "edited" | "moved" | "returned" | "vanished":
            pass
        case _:
            assert_never(seen.what)
