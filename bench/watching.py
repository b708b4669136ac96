"""What bench/survival.py asks after every day: who lost what, what is not true, and what is not accounted for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from lines import MEMORY, PIN, bullets_of, lines_of, memory_files, text_of
from truths import folded

from daybook.curation.observing import observe
from daybook.ledger import append as ledger
from daybook.ledger.record import Forgotten, Intent, Seen
from daybook.ledger.replay import replay
from daybook.memory import proposals
from daybook.upkeep import rebuild

if TYPE_CHECKING:
    from collections.abc import Iterable

    from person import Person
    from truths import Truths

    from daybook.ledger.replay import State
    from daybook.workspace import Workspace

MAX_LINES = 80
MAX_WORDS = 5_000
WEEK = timedelta(days=7)
EXPIRED = "its date has passed"
GONE_BY = {"retire", "revise", "demote", "promote", "undo"}


@dataclass
class Watcher:
    """
    Keeps what was found, by kind, each a sentence.

    Attributes:
        workspace: Whose memory.
        person: Whose lines must stand.
        truths: What is true.
        found: Sentences by kind of fault.
        accepted: Folded texts that the operator agreed to.
        wanted_again: Those of them that the person had taken out before.
        strangers: Folded texts of lines that neither we nor the person wrote: the agent's rewrite.
        undone: Folded texts that `undo` took back.
        undone_lines: Hashes of the note lines they rested on, each with when it was undone.
        taken_back: The folder was taken back to an old state, its archive with it.
        stood: Folded texts of ours that stood in memory once.
        only_in_ledger: Folded texts of retired entries that the archive lacks since it was taken back.
    """

    workspace: Workspace
    person: Person
    truths: Truths
    found: dict[str, list[str]] = field(default_factory=dict)
    accepted: set[str] = field(default_factory=set)
    wanted_again: set[str] = field(default_factory=set)
    strangers: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)
    undone_lines: dict[str, str] = field(default_factory=dict)
    stood: set[str] = field(default_factory=set)
    taken_back: bool = False
    only_in_ledger: set[str] = field(default_factory=set)
    owned: list[tuple[datetime, int]] = field(default_factory=list)
    _told: set[str] = field(default_factory=set)
    _judged: set[str] = field(default_factory=set)

    def fault(self, kind: str, sentence: str, day: int) -> None:
        """Keep a fault; one that lasts is told once."""
        if f"{kind}: {sentence}" not in self._told:
            self._told.add(f"{kind}: {sentence}")
            self.found.setdefault(kind, []).append(f"day {day}: {sentence}")

    def look(self, day: int, now: datetime) -> None:
        """Ask everything that must hold at the end of a day."""
        with self.workspace.lock():
            observed = observe(self.workspace, f"look-{day}", now)
        state = observed.state
        self.owned.append((now, len(state.entries)))
        for line in self.person.lost():
            self.fault("lines_lost", line, day)
        self._untrue(day)
        self._sources(state, day)
        self._vanished(state, day)
        self._forgotten(day)
        self._quota(state, day)
        for one in rebuild.check(self.workspace):
            self.fault("replay_differs", f"{one.file}: {one.text}", day)
        for text, count in Counter(bullets_of(self.workspace.root / MEMORY)).items():
            if count > 1:
                self.fault("doubled", text, day)
        for text in sorted((self.person.deleted - self.wanted_again) & self._ours_standing(state)):
            self.fault("returned", text, day)

    def cap(self, day: int) -> None:
        """Right after a run of ours that wrote: only lines that are not ours may be over a cap."""
        state = replay(ledger.read(self.workspace).records)
        lines = [line for line in lines_of(self.workspace.root / MEMORY) if line.strip()]
        words = sum(len(line.split()) for line in lines)
        if len(lines) <= MAX_LINES and words <= MAX_WORDS:
            return
        ours = {folded(text) for text in state.of(MEMORY)} - self.person.texts
        free = [line for line in lines if text_of(line) in ours and PIN not in line and not self._in_own_section(line)]
        if free:
            self.fault("over_the_cap", f"{len(lines)} lines, {len(free)} of them ours", day)

    def _in_own_section(self, wanted: bytes) -> bool:
        """Whether a line stands under a heading that is marked as the person's own."""
        mine = False
        for line in lines_of(self.workspace.root / MEMORY):
            if line.startswith(b"#"):
                mine = False
            elif line == b"<!-- mine -->":
                mine = True
            elif line == wanted:
                return mine
        return False

    def _untrue(self, day: int) -> None:
        known = self.person.texts | self.accepted | self.strangers
        for path in memory_files(self.workspace.root):
            for text in bullets_of(path):
                if text not in known and self.truths.tells(text) is None:
                    told = self.truths.told.get(text, "nobody said it")
                    self.fault("untrue", f"{path.name}: {text!r} ({told})", day)

    def _sources(self, state: State, day: int) -> None:
        """Ask of each operation that wrote a text whether one of the lines it cites says it."""
        for intent in state.operations.values():
            asked = intent.op in {"add", "revise"} and intent.channel not in {"pending", "hand"}
            if not asked or intent.id in self._judged | state.undone:
                continue
            self._judged.add(intent.id)
            told = self.truths.tells(intent.text)
            if told is None:
                continue  # said to be untrue already
            said = [folded(source.text) for source in intent.sources]
            stated = {number for line in said for number in self.truths.lines.get(line, ())}
            word_for_word = any(folded(intent.text) in line for line in said)
            if not (told & stated or (not told and word_for_word)):
                self.fault("untrue", f"{intent.text!r} does not stand in the lines it cites", day)
            undone = [self.undone_lines[one.hash] for one in intent.sources if one.hash in self.undone_lines]
            if intent.op == "add" and any(intent.at > at for at in undone):
                self.fault("undone_returned", intent.text, day)

    def _vanished(self, state: State, day: int) -> None:
        """Ask of each entry of ours that stood once where it is now."""
        here = {text for path in memory_files(self.workspace.root) for text in bullets_of(path)}
        pending = self.workspace.pending.read_text(encoding="utf-8") if self.workspace.pending.exists() else ""
        accounted = self.person.deleted | self.person.doubtful | self.undone | here
        accounted |= {folded(one.text) for one in state.vanished.values()}
        replaced = {folded(one.old) for one in state.operations.values() if one.op == "revise"}
        edited = {folded(text) for text in _edited_away(ledger.read(self.workspace).records)}
        retired = {folded(one.old) for one in state.operations.values() if one.op == "retire"}
        for text in sorted(self.stood - accounted - replaced - edited):
            if self.taken_back and text in retired:
                self.only_in_ledger.add(text)  # the archive was taken back, too
            elif text not in folded(pending):
                self.fault("vanished", text, day)
        self.stood |= self._ours_standing(state)

    def _forgotten(self, day: int) -> None:
        records = ledger.read(self.workspace).records
        allowed = self.person.deleted | self.person.doubtful
        for one in records:
            if isinstance(one, Seen) and one.what == "deleted" and folded(one.text) not in allowed:
                if folded(one.text) not in self.person.texts:
                    self.fault("forgotten", one.text, day)
            elif isinstance(one, Forgotten) and one.by != "undo":
                self.fault("forgotten", "by nobody's wish", day)

    def _quota(self, state: State, day: int) -> None:
        """Ask whether in any seven days more was retired than three, or a quarter of what was owned."""
        times = sorted(
            datetime.fromisoformat(one.at)
            for one in state.operations.values()
            if one.op in {"retire", "revise"}
            and (one.loses or (one.op == "retire" and one.reason != EXPIRED))
            and not one.accepted
        )
        for at in times:
            week = [one for one in times if at <= one < at + WEEK]
            owned = max((count for when, count in self.owned if at - WEEK <= when < at + WEEK), default=0)
            if len(week) > max(3, (owned + len(week)) // 4):
                self.fault("over_the_quota", f"{len(week)} in seven days of {owned} owned", day)

    def _ours_standing(self, state: State) -> set[str]:
        found = set()
        for path in memory_files(self.workspace.root)[: -1 if self.workspace.archive.exists() else None]:
            name = path.relative_to(self.workspace.root).as_posix()
            ours = {folded(text) for text in state.of(name)}
            found |= ours & set(bullets_of(path))
        return found - self.person.texts


def told_facts(workspace: Workspace, truths: Truths) -> set[int]:
    """Numbers of the facts that MEMORY.md, the topics or the archive tell."""
    texts = [text for path in memory_files(workspace.root) for text in bullets_of(path)]
    return {number for text in texts for number in truths.tells(text) or ()}


def proposed_facts(workspace: Workspace, truths: Truths, now: datetime) -> set[int]:
    """Numbers of the facts that wait for the operator."""
    texts = [kept.proposal.text for kept in proposals.read(workspace).open(now)]
    return {number for text in texts for number in truths.tells(text) or ()}


def bytes_of(workspace: Workspace) -> dict[str, bytes]:
    """Bytes of MEMORY.md, topics and archive."""
    return {path.relative_to(workspace.root).as_posix(): path.read_bytes() for path in memory_files(workspace.root)}


def _edited_away(records: Iterable[object]) -> list[str]:
    """Texts of entries before somebody else changed them."""
    texts: dict[str, str] = {}
    before = []
    for record in records:
        if isinstance(record, Intent) and record.op in {"add", "revise"}:
            texts[record.entry or record.id] = record.text
        elif isinstance(record, Seen) and record.what == "edited":
            before.append(texts.get(record.entry, ""))
            texts[record.entry] = record.text
    return before
