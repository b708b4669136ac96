"""
See what others did to memory since Daybook last looked: edits, moves, deletions, stale saves, accidents.

Looking decides nothing by likeness that could lose a word: what is in doubt stays, is told, and can be restored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook.curation import sheets
from daybook.curation.entries import statement_hash
from daybook.curation.stale import is_earlier, unstale
from daybook.ledger import versions
from daybook.ledger.record import ID_CHARS, Seen
from daybook.notify import Notice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.ledger.replay import Owned, State
    from daybook.memory import longterm
    from daybook.workspace import Workspace

FEW = 3
A_PART = 10
WIPE_FROM = 8


@dataclass(frozen=True)
class Stale:
    """
    A file that somebody saved from an old copy.

    Attributes:
        present: Its bytes now.
        wanted: What it should hold: our operations since then applied again, a person's new words kept.
    """

    file: str
    present: bytes | None
    wanted: bytes


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
    """

    seen: tuple[Seen, ...] = ()
    stale: tuple[Stale, ...] = ()
    held: Mapping[str, str] = field(default_factory=dict)
    present: Mapping[str, bytes | None] = field(default_factory=dict)
    documents: Mapping[str, longterm.Document] = field(default_factory=dict)

    @property
    def vanished(self) -> tuple[Seen, ...]:
        """Entries that went missing with too many others at once to be deletions."""
        return tuple(one for one in self.seen if one.what == "vanished")


def compare(workspace: Workspace, state: State, run: str, at: str, *, rolled_back: bool = False) -> Changes:
    """
    Compare the files with what the ledger says should stand in them; writes nothing.

    Args:
        workspace: Whose memory.
        state: The ledger's, with no intent open.
        run: For the records.
        at: Stamp for the records.
        rolled_back: Whether the folder's ledger lacked records: git or a backup took the folder back.
    """
    present, held, laid_out = sheets.read_sheets(workspace, state)
    record = _Recorder(run, at)
    for entry, file, section in sheets.moved(laid_out):
        record.add("moved", entry, file=file, section=section)
    for entry, file, section in sheets.returned(state, laid_out):
        record.add("returned", entry, file=file, section=section)
    stale = []
    for sheet in laid_out.values():
        match _judge(workspace, state, sheet, record, rolled_back=rolled_back):
            case Stale() as one:
                stale.append(one)
            case str(sentence):
                held[sheet.name] = sentence
            case None:
                pass
    if rolled_back:
        stale += _taken_away(workspace, present, held)
    documents = {sheet.name: sheet.document for sheet in laid_out.values()}
    return Changes(tuple(record.seen), tuple(stale), held, present, documents)


def _taken_away(workspace: Workspace, present: Mapping[str, bytes | None], held: dict[str, str]) -> list[Stale]:
    """Files that an older state of the folder does not have yet: their last version comes back."""
    back = []
    for name in [name for name in held if name in present and not (present[name] or b"").strip()]:
        latest = versions.latest(workspace, name)
        wanted = versions.content(workspace, latest) if latest else None
        if wanted:
            back.append(Stale(name, present[name], wanted))
            del held[name]
    return back


def _judge(
    workspace: Workspace, state: State, sheet: sheets.Sheet, record: _Recorder, *, rolled_back: bool
) -> Stale | str | None:
    """Tell apart what became of a file: an old copy, an accident (as a sentence), or edits and deletions."""
    pairs = sheets.pair_edits(sheet)
    lost = len(sheet.gone) + sum(is_earlier(state, entry, new) for entry, new in pairs)
    many = lost > max(FEW, len(sheet.owned) // A_PART)
    if lost and (many or rolled_back):
        wanted = unstale(workspace, state, sheet, pairs, rolled_back=rolled_back)
        if wanted is not None:
            return Stale(sheet.name, sheet.data, wanted)
    if len(sheet.owned) >= WIPE_FROM and 2 * len(sheet.gone) > len(sheet.owned):
        return _wiped(workspace, sheet.name, len(sheet.gone), len(sheet.owned))
    for entry, new in pairs:
        record.add("edited", entry, file=sheet.name, section=new.section, text=new.text)
    for entry in sheet.gone:
        record.add("vanished" if many else "deleted", entry, file=sheet.name, section=entry.section)
    if state.mode == "all":
        edited = {new.start for _, new in pairs}
        for new in sheet.document.entries:
            if new.text not in sheet.owned and new.start not in edited and not (new.pinned or new.mine):
                record.adopt(sheet.name, new)
    return None


class _Recorder:
    """Writes what was seen as records for the ledger."""

    def __init__(self, run: str, at: str) -> None:
        self._run, self._at = run, at
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
        name = versions.sha_of(f"adopted\0{file}\0{entry.text}\0{self._at}".encode())[:ID_CHARS]
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


def alerts(workspace: Workspace, changes: Changes, run: str) -> list[Notice]:
    """Say what the operator should know of, each accident once."""
    held = [
        Notice(f"memory:{name}:{_last_good(workspace, name)}", sentence, urgent=True)
        for name, sentence in changes.held.items()
    ]
    stale = [
        Notice(f"stale:{one.file}:{run}", f"{one.file} was saved from an old copy; what came since stands in it again.")
        for one in changes.stale
    ]
    if not changes.vanished:
        return held + stale
    names = ", ".join(sorted({one.file for one in changes.vanished}))
    sentence = (
        f"{len(changes.vanished)} entries of {names} are gone at once; none counts as forgotten. Bring them back with "
        "`daybook restore`, or agree with `daybook restore --keep`."
    )
    return [*held, *stale, Notice(f"vanished:{names}:{run}", sentence, urgent=True)]


def _last_good(workspace: Workspace, name: str) -> str:
    latest = versions.latest(workspace, name)
    return f"{latest.sha[:ID_CHARS]}" if latest else "never"
