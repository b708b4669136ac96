"""
Check that memory holds what the ledger says, and bring back what it does not.

Without a ledger the daily notes are all there is: then their marked lines are read again, as a review without a model
would.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Literal

from daybook import files
from daybook.curation.entries import LONGTERM
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.curation.returning import ANEW
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import longterm, topics
from daybook.review import extractive, posting, window
from daybook.review.merge import Author
from daybook.review.verify import verify
from daybook.upkeep import restore

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from datetime import datetime

    from daybook.ledger.replay import State
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace


What = Literal["missing", "elsewhere", "doubled", "extra", "open"]


@dataclass(frozen=True)
class Difference:
    """
    What the ledger says, and the files do not.

    Attributes:
        file: Inside the workspace.
        section: The heading the ledger says.
        text: The entry's words.
        what: `missing`; `elsewhere`, under another heading; `doubled`, there once more; `extra`, in another file, too;
            `open`, an operation that a kill cut short: the next run settles it.
        line: Where it stands, from 1; None where it does not.
    """

    file: str
    section: str
    text: str
    what: What = "missing"
    line: int | None = None


@dataclass(frozen=True)
class Rebuilt:
    """
    What came back.

    Attributes:
        entries: Entries brought back from the ledger.
        posted: What reading the notes again came to; None where there is a ledger.
        problems: Sentence per entry that could not be put back.
    """

    entries: tuple[Difference, ...] = ()
    posted: Posted | None = None
    problems: tuple[str, ...] = ()


def check(workspace: Workspace) -> list[Difference]:
    """
    Compare the owned entries with the replay of the ledger; writes nothing.

    Raises:
        UnreadableFileError: A file of memory cannot be read.
    """
    records = ledger.read(workspace).records
    state = replay(records)
    names = [LONGTERM, *map(workspace.relative, topics.topic_files(workspace)), *state.by_text]
    documents = {
        name: longterm.parse(files.read_if_exists(workspace.root / name) or b"") for name in dict.fromkeys(names)
    }
    everywhere = {text for entries in state.by_text.values() for text in entries}
    found = [one for name, document in documents.items() for one in _differences(name, document, state, everywhere)]
    waiting = [Difference(one.file, one.section, one.text or one.old, "open") for one in ledger.open_intents(records)]
    return found + waiting


def rebuild(workspace: Workspace, run: str, now: datetime) -> Rebuilt:
    """
    Bring back every entry that the ledger says should stand; without a ledger read all daily notes again.

    What a person deleted is gone by their wish, also if nobody has looked since. Takes the workspace lock.
    """
    with workspace.lock():
        observed = observe(workspace, run, now)
        state = observed.state
        if state.operations or state.adopted:
            gone = restore.missing(observed)
            done, left = restore.bring_back(workspace, gone, observed, run, now)
            back = [one for entries in gone.values() for one in entries if one not in left]
            return Rebuilt(tuple(Difference(one.file, one.section, one.text) for one in back), problems=done.problems)
        if not (files.read_if_exists(workspace.longterm) or b"").strip():
            files.replace(workspace.longterm, ANEW, expected=files.read_if_exists(workspace.longterm))
    return Rebuilt(posted=_from_notes(workspace, run, now))


def _differences(
    file: str, document: longterm.Document, state: State, everywhere: AbstractSet[str]
) -> list[Difference]:
    owned = state.of(file)
    places: dict[str, list[longterm.Entry]] = {}
    found: list[Difference] = []
    for entry in document.entries:
        if entry.text in owned:
            places.setdefault(entry.text, []).append(entry)
        elif entry.text in everywhere:
            found.append(Difference(file, entry.section, entry.text, "extra", entry.start + 1))
    for text, one in owned.items():
        stands = places.get(text, [])
        if not stands:
            found.append(Difference(file, one.section, text))
        elif all(entry.section != one.section for entry in stands):
            found.append(Difference(file, one.section, text, "elsewhere", stands[0].start + 1))
        found += [Difference(file, one.section, text, "doubled", entry.start + 1) for entry in stands[1:]]
    return found


def _from_notes(workspace: Workspace, run: str, now: datetime) -> Posted:
    seen = window.build(workspace, now.date(), "extractive", since=date.min)
    lines = seen.of("trusted")
    verdicts = verify(extractive.propose(lines), lines, read_memory(workspace, now), adds=len(lines))
    return posting.post(workspace, verdicts, Author(run=run, channel="hand", model=extractive.MODEL), now)
