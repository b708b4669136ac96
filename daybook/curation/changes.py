"""
See what others did to memory since Daybook last looked: edits, moves, deletions, stale saves, accidents.

Looking decides nothing by likeness that could lose a word: what is in doubt stays, is told, and can be restored.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from daybook.curation import returning, sheets
from daybook.curation.entries import LONGTERM, statement_hash
from daybook.curation.stale import is_earlier, unstale
from daybook.ledger import versions
from daybook.ledger.record import ID_CHARS, Seen
from daybook.memory import longterm

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace

WIPE_FROM = 8


@dataclass(frozen=True)
class Stale:
    """
    A file that somebody saved from an old copy.

    Attributes:
        present: Its bytes now.
        wanted: What it should hold: our operations since then applied again, a person's new words kept.
        left: Lineages of entries that it should hold and that could not be put back.
        quiet: It only loses what stands in MEMORY.md again: no old copy, and no news.
    """

    file: str
    present: bytes | None
    wanted: bytes
    left: frozenset[str] = frozenset()
    quiet: bool = False


@dataclass(frozen=True)
class Changes:
    """
    What others did.

    Attributes:
        seen: For the ledger.
        stale: Files to bring up to date again.
        held: Sentence per file that nothing may be written to until the operator says what happened.
        present: Bytes of every file of memory that could be read; None where there is none.
        documents: What stands in those that are not empty.
        forbidden: File, line and statement of each entry that `forget` took out and that stands there again.
    """

    seen: tuple[Seen, ...] = ()
    stale: tuple[Stale, ...] = ()
    held: Mapping[str, str] = field(default_factory=dict)
    present: Mapping[str, bytes | None] = field(default_factory=dict)
    documents: Mapping[str, longterm.Document] = field(default_factory=dict)
    forbidden: tuple[tuple[str, int, str], ...] = ()


def compare(
    workspace: Workspace,
    state: State,
    run: str,
    at: str,
    *,
    rolled_back: bool = False,
    spared: frozenset[str] = frozenset(),
) -> Changes:
    """
    Compare the files with what the ledger says should stand in them; writes nothing.

    Args:
        workspace: Whose memory.
        state: The ledger's, with no intent open.
        run: For the records.
        at: Stamp for the records.
        rolled_back: Whether the folder's ledger lacked records: git or a backup took the folder back.
        spared: Lineages of entries that are gone by nobody's wish: they could not be put back.
    """
    histories = versions.histories(workspace)
    read = sheets.read_sheets(workspace, state, histories)
    present, held, laid_out = read.present, read.held, read.sheets
    record = _Recorder(run, at, state.adopted)
    # What an older state of the folder does not have yet was not renamed.
    absent = {} if rolled_back else read.absent
    for entry, file, section in sheets.moved(laid_out, absent):
        record.add("moved", entry, file=file, section=section)
    renamed = {name: sheet for name, sheet in absent.items() if len(sheet.gone) < len(sheet.owned)}
    for name in renamed:
        del held[name]
    for entry, file, section in sheets.returned(state, laid_out):
        record.add("returned", entry, file=file, section=section)
    stale = []
    for sheet in (*laid_out.values(), *renamed.values()):
        match _judge(workspace, state, sheet, record, rolled_back=rolled_back, spared=spared):
            case Stale() as one:
                stale.append(one)
            case str(sentence):
                held[sheet.name] = sentence
            case None:
                pass
    if rolled_back:
        stale += _taken_away(workspace, state, read, histories)
    if LONGTERM in laid_out and not any(one.file == LONGTERM for one in stale):
        stale += _back_in_memory(state, laid_out, {one.file for one in stale})
    documents = {sheet.name: sheet.document for sheet in laid_out.values()}
    forbidden = tuple(_forbidden(laid_out, state)) if state.forgotten else ()
    return Changes(tuple(record.seen), tuple(stale), held, present, documents, forbidden)


def _taken_away(
    workspace: Workspace, state: State, read: sheets.Read, histories: Mapping[str, list[versions.Version]]
) -> list[Stale]:
    """Files that an older state of the folder does not have yet: their last version comes back."""
    back = []
    for name in [name for name in read.held if name in read.present and not (read.present[name] or b"").strip()]:
        owned, history = state.of(name), histories.get(name, [])
        kept = versions.content(workspace, history[-1]) if history else None
        if not (kept or owned):
            continue
        whole = returning.without_forgotten(kept or returning.beginning(name), state.forgotten, owned)
        put = returning.bring_back(workspace, name, whole, owned.values(), history)
        back.append(Stale(name, read.present[name], put.data, frozenset(entry.lineage for entry in put.left)))
        del read.held[name]
    return back


def _back_in_memory(state: State, laid_out: Mapping[str, sheets.Sheet], stale: AbstractSet[str]) -> Iterator[Stale]:
    """
    Take from a topic what somebody put back into MEMORY.md since we moved it there; it stands there alone, then.

    Whether by hand or by an old copy of the file: a person's line is not ours to take, and ours must not stand twice.
    """
    demoted = {one.old for one in state.operations.values() if one.op == "demote"}
    back = {entry.text for entry in laid_out[LONGTERM].fresh if entry.text in demoted}
    for sheet in laid_out.values() if back else ():
        if sheet.name == LONGTERM or sheet.name in stale:
            continue
        edits: list[longterm.Edit] = [
            longterm.Remove(entry)
            for entry in sheet.document.entries
            if entry.text in back and entry.text in sheet.owned and not (entry.pinned or entry.mine)
        ]
        if edits:
            yield Stale(sheet.name, sheet.data, longterm.apply(sheet.document, edits), quiet=True)


def _forbidden(laid_out: Mapping[str, sheets.Sheet], state: State) -> Iterator[tuple[str, int, str]]:
    """Entries that state what `forget` took out; those the operator has agreed to since are ours."""
    for sheet in laid_out.values():
        for entry in sheet.document.entries:
            if entry.text not in sheet.owned and statement_hash(entry.text) in state.forgotten:
                yield sheet.name, entry.start + 1, statement_hash(entry.text)


def _judge(
    workspace: Workspace,
    state: State,
    sheet: sheets.Sheet,
    record: _Recorder,
    *,
    rolled_back: bool,
    spared: frozenset[str],
) -> Stale | str | None:
    """Tell apart what became of a file: an old copy, an accident (as a sentence), or edits and deletions."""
    pairs = sheets.pair_edits(sheet, state.replaced)
    lost = len(sheet.gone) + sum(is_earlier(state, entry, new) for entry, new in pairs)
    many = lost > sheets.few(len(sheet.owned))
    if lost and (many or rolled_back):
        put = unstale(workspace, state, sheet, pairs, rolled_back=rolled_back)
        if put is not None and put.data != sheet.data:
            return Stale(sheet.name, sheet.data, put.data, frozenset(entry.lineage for entry in put.left))
    if len(sheet.owned) >= WIPE_FROM and 2 * len(sheet.gone) > len(sheet.owned):
        return _wiped(workspace, sheet.name, len(sheet.gone), len(sheet.owned))
    if sheet.name == LONGTERM and (gone := _rewritten(sheet)):
        return _wiped(workspace, sheet.name, gone, len(sheet.before.entries) if sheet.before else gone)
    for entry, new in pairs:
        record.add("edited", entry, file=sheet.name, section=new.section, text=new.text)
    for entry in sheet.gone:
        by_accident = many or rolled_back or entry.lineage in spared
        record.add("vanished" if by_accident else "deleted", entry, file=sheet.name, section=entry.section)
    if state.mode == "all":
        _adopt(state, sheet, {new.start for _, new in pairs}, record)
    return None


def _rewritten(sheet: sheets.Sheet) -> int:
    """
    Count the entries, whoever wrote them, that a rewrite of the whole file took away; 0 if it was none.

    Words that stand in the file still were only put in order.
    """
    before = sheet.before.entries if sheet.before else ()
    here = {entry.text for entry in sheet.document.entries} if before else set()
    gone = [entry.text for entry in before if entry.text not in here]
    if len(before) < WIPE_FROM or 2 * len(gone) <= len(before):
        return 0
    words = Counter(word for text in gone for word in text.casefold().split())
    stands = Counter(sheet.data.decode("utf-8", "replace").casefold().split())
    return 0 if 2 * (words & stands).total() > words.total() else len(gone)


def _adopt(state: State, sheet: sheets.Sheet, edited: set[int], record: _Recorder) -> None:
    """Make every entry ours but a person's own, and what was forgotten."""
    for new in sheet.document.entries:
        if new.text in sheet.owned or new.start in edited or new.pinned or new.mine:
            continue
        if not state.forgotten or statement_hash(new.text) not in state.forgotten:
            record.adopt(sheet.name, new)


class _Recorder:
    """Writes what was seen as records for the ledger."""

    def __init__(self, run: str, at: str, adopted: set[str]) -> None:
        self._run, self._at = run, at
        self._before = adopted
        self._adopted: set[str] = set()
        self.seen: list[Seen] = []

    def add(self, what: str, entry: Owned, *, file: str, section: str, text: str | None = None) -> None:
        deleted = what == "deleted"
        self.seen.append(
            Seen.model_validate(
                {
                    "what": what,
                    "at": self._at,
                    "run": self._run,
                    "entry": entry.lineage,
                    "file": file,
                    "section": section,
                    "text": entry.text if text is None else text,
                    "statement": statement_hash(entry.text) if deleted else "",
                    "lines": tuple(source.hash for source in entry.sources) if deleted else (),
                }
            )
        )

    def adopt(self, file: str, entry: longterm.Entry) -> None:
        # Whoever looks first gives the same name; what is adopted again after a deletion is another entry.
        names = (versions.sha_of(f"adopted\0{file}\0{entry.text}\0{number}".encode())[:ID_CHARS] for number in count(1))
        name = next(name for name in names if name not in self._before)
        if name not in self._adopted:
            self._adopted.add(name)
            self.seen.append(
                Seen(
                    what="adopted",
                    at=self._at,
                    run=self._run,
                    entry=name,
                    file=file,
                    section=entry.section,
                    text=entry.text,
                )
            )


def _wiped(workspace: Workspace, name: str, gone: int, owned: int) -> str:
    return (
        f"{gone} of {owned} entries of {workspace.root / name} are gone at once, so nothing was written and nothing "
        "forgotten; bring them back with `daybook restore`, or agree with `daybook restore --keep`."
    )
