"""What must hold after any fault: nothing lost, nothing doubled, nothing torn, and the ledger agrees with the files."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from points import TYPED

from daybook import files
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import inbox, journal, longterm, pending, topics
from daybook.memory.notes import note_files
from daybook.upkeep import rebuild

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from daybook.workspace import Workspace

WRONG = ("lost", "doubled", "torn")
KEPT = ".kept-"
ARCHIVE = "memory/archive.md"
# Daybook's own headings of a note; one that is there without a line under it loses nothing.
HEADING = re.compile(r"memory/\S+: b'#{1,2} (?:\d{4}-\d{2}-\d{2}|Morning|Afternoon|Evening|Night|Lessons)'")
SET_ASIDE = re.compile(r"\.kept-\d{8}T\d{6}Z")
CLAIMED = re.compile(r"\.inbox-claimed-.*")


@dataclass
class Facts:
    """
    What a workspace comes to.

    Attributes:
        lines: Every line of the notes, as `file: line`, with how often it stands.
        entries: Every entry of MEMORY.md, the topics and the archive, as `file # section: text`, likewise.
        owned: What the ledger holds, with dates and number of sources, likewise.
        proposals: What waits for the operator, likewise.
        inbox: Lines that no flush has posted: in the inbox, or in a claimed one without being done.
        bytes: What stands in MEMORY.md, the topics and the archive.
        differs: What the ledger says should stand, and does not.
        names: Every file of the folder.
        typed: Whether what a person typed stands in any of them.
    """

    lines: dict[str, int] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    owned: dict[str, int] = field(default_factory=dict)
    proposals: dict[str, int] = field(default_factory=dict)
    inbox: list[str] = field(default_factory=list)
    bytes: dict[str, str] = field(default_factory=dict)
    differs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    typed: bool = False

    @property
    def counted(self) -> dict[str, Mapping[str, int]]:
        """All that is counted, by its kind."""
        return {"note": self.lines, "entry": self.entries, "owned": self.owned, "proposal": self.proposals}

    def to_json(self) -> str:
        """Write for another process."""
        return json.dumps(asdict(self))


def facts(workspace: Workspace, now: datetime) -> Facts:
    """Look at everything; writes nothing."""
    found = Facts()
    for note in note_files(workspace):
        name = workspace.relative(note.path)
        _count(found.lines, (f"{name}: {line!r}" for line in note.path.read_bytes().split(b"\n") if line.strip()))
    for path in memory_files(workspace):
        name, data = workspace.relative(path), path.read_bytes()
        found.bytes[name] = data.decode("latin-1")
        rows = longterm.parse(data).entries
        _count(found.entries, (f"{name} # {entry.section}: {entry.text}" for entry in rows))
    state = replay(ledger.read(workspace).records)
    _count(
        found.owned,
        (
            f"{one.file} # {one.section}: {one.text} {sorted(one.dates)} {len(one.sources)}"
            for one in state.entries.values()
        ),
    )
    _count(found.proposals, pending.open_ids(workspace, now))
    done = journal.written(workspace, "")
    found.inbox = inbox.waiting_lines(workspace) + [
        line.text
        for path in inbox.claimed_files(workspace)
        for line in inbox.read_claimed(path, now)
        if line.key not in done
    ]
    found.differs = [f"{one.file}: {one.text}" for one in rebuild.check(workspace)]
    every = [path for path in workspace.root.rglob("*") if path.is_file()]
    found.names = sorted(map(workspace.relative, every))
    found.typed = any(TYPED in path.read_bytes() for path in every)
    return found


def memory_files(workspace: Workspace) -> list:
    """Files that hold entries."""
    every = (workspace.longterm, *topics.topic_files(workspace), workspace.archive)
    return [path for path in every if files.read_if_exists(path) is not None]


def compare(wanted: Facts, found: Facts, optional: Iterable[str]) -> Iterator[tuple[str, str]]:
    """
    Say what is lost, doubled or torn against what an undisturbed run comes to.

    Args:
        wanted: What the undisturbed run came to.
        found: What the disturbed one came to, after it was started again.
        optional: What may stand or not: the line of a command that nobody repeats.
    """
    free = tuple(optional)
    for kind, have in found.counted.items():
        want = wanted.counted[kind]
        for name in {*want, *have}:
            count, expected = have.get(name, 0), want.get(name, 0)
            may_be = any(word in name for word in free) and count <= max(expected, 1)
            if count != expected and not may_be and not HEADING.fullmatch(name):
                more = "doubled" if expected else "torn"
                yield "lost" if count < expected else more, f"{kind} {name} ({count} of {expected})"
    yield from (("lost", f"inbox {line} waits still") for line in found.inbox)
    yield from (("lost", f"ledger {line} should stand") for line in found.differs)
    known = {"memory/_inbox.md", *map(_undated, wanted.names)}
    strange = (name for name in sorted(set(map(_undated, found.names)) - known))
    yield from (("torn", f"file {one} was left behind") for one in strange if not any(word in one for word in free))


def _undated(name: str) -> str:
    return CLAIMED.sub(".inbox-claimed", SET_ASIDE.sub(KEPT, name))


def placeless(found: Facts) -> Facts:
    """Leave out where entries stand, and what was kept beside: a person's line takes room, and others make it."""

    def by_text(names: Mapping[str, int]) -> dict[str, int]:
        texts: dict[str, int] = {}
        for name, number in names.items():
            text = name.partition(" # ")[2].partition(": ")[2].partition(" [")[0]
            texts[text] = texts.get(text, 0) + number
        return texts

    names = [name for name in found.names if KEPT not in name and "/topics/" not in name and name != ARCHIVE]
    return replace(found, entries=by_text(found.entries), owned=by_text(found.owned), names=names)


def _count(into: dict[str, int], names: Iterable[str]) -> None:
    for name, number in Counter(names).items():
        into[name] = into.get(name, 0) + number
