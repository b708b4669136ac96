"""
Check that memory holds what the ledger says, and bring back what it does not.

Without a ledger the daily notes are all there is: then their marked lines are read again, as a review without a model
would.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.curation.entries import LONGTERM
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.replay import replay
from daybook.memory import longterm
from daybook.review import extractive, posting, window
from daybook.review.merge import Author
from daybook.review.verify import verify
from daybook.upkeep.restore import ANEW

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.ledger.replay import State
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Difference:
    """An entry that the ledger says should stand, and does not."""

    file: str
    section: str
    text: str


@dataclass(frozen=True)
class Rebuilt:
    """
    What came back.

    Attributes:
        entries: Entries brought back from the ledger.
        posted: What reading the notes again came to; None where there is a ledger.
    """

    entries: tuple[Difference, ...] = ()
    posted: Posted | None = None


def check(workspace: Workspace) -> list[Difference]:
    """
    Compare the owned entries with the replay of the ledger; writes nothing.

    Raises:
        UnreadableFileError: A file of memory cannot be read.
    """
    return _differences(workspace, replay(ledger.read(workspace).records))


def rebuild(workspace: Workspace, run: str, now: datetime) -> Rebuilt:
    """
    Bring back every entry that the ledger holds; without a ledger read all daily notes again.

    What a person deleted since the last run comes back too: it is what this command is for. Takes the workspace lock.
    """
    with workspace.lock():
        ledger.heal(workspace)
        state = replay(ledger.read(workspace).records)
        if state.operations:
            missing = _differences(workspace, state)
            _bring_back(workspace, missing, run, now)
            observe(workspace, run, now)
            return Rebuilt(tuple(missing))
        if not (files.read_if_exists(workspace.longterm) or b"").strip():
            files.replace(workspace.longterm, ANEW, expected=files.read_if_exists(workspace.longterm))
    return Rebuilt(posted=_from_notes(workspace, run, now))


def _differences(workspace: Workspace, state: State) -> list[Difference]:
    found = []
    for file, owned in state.by_text.items():
        document = longterm.parse(files.read_if_exists(workspace.root / file) or b"")
        texts = {entry.text for entry in document.entries}
        found += [Difference(file, one.section, one.text) for text, one in owned.items() if text not in texts]
    return found


def _bring_back(workspace: Workspace, missing: list[Difference], run: str, now: datetime) -> None:
    by_file: dict[str, list[Difference]] = defaultdict(list)
    for one in missing:
        by_file[one.file].append(one)
    for file, entries in by_file.items():
        path = workspace.root / file
        present = files.read_if_exists(path)
        base = present if (present or b"").strip() or file != LONGTERM else ANEW
        level = 2 if base else 1
        adds = [longterm.Add(one.section, one.text, level) for one in entries]
        wanted = longterm.apply(longterm.parse(base or b""), adds)
        folders.make_dir(path.parent)
        files.replace(path, wanted, expected=present)
        versions.remember(workspace, file, wanted, run, now, by="written")


def _from_notes(workspace: Workspace, run: str, now: datetime) -> Posted:
    seen = window.build(workspace, now.date(), "extractive", since=date.min)
    lines = seen.of("trusted")
    verdicts = verify(extractive.propose(lines), lines, read_memory(workspace, now), adds=len(lines))
    return posting.post(workspace, verdicts, Author(run=run, channel="hand", model=extractive.MODEL), now)
