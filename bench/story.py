"""What happens in bench/survival.py day by day: notes, edits, beats, reviews, undos, a rewrite and a rollback."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from lines import MEMORY, bullets_of, split
from truths import Truths, folded
from watching import Watcher, bytes_of, told_facts

from daybook.clock import stamp
from daybook.curation.observing import observe
from daybook.errors import DaybookError, UnreadableFileError
from daybook.guard import register
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import proposals, shown
from daybook.review import flush, reviewing, ticks
from daybook.upkeep.restore import restore
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    from agent import Agent
    from fakes import EasyOpinion, FakeModel
    from person import Person

    from daybook.settings import Settings
    from daybook.workspace import Workspace

START = datetime(2026, 3, 2, tzinfo=UTC)
REVIEW_EVERY = 3
REWRITE_FROM, REWRITE_OWNED = 11, 10
CHECKOUT_ON, CHECKOUT_BACK = 20, 4
UNDO = 0.08
# Facts younger than so many others are not corrected yet.
SETTLED = 10
FILLER = (
    "talked about the weather with the neighbour, number {n}",
    "ran the usual checks, batch {n}",
    "should we buy chair {n}?",
    "maybe we rent hall {n} at some point",
    "read {n} pages of the manual",
)


@dataclass
class Story:
    """
    One folder and all that happens to it.

    Attributes:
        workspace: The folder.
        rng: Decides what happens.
        person: Edits.
        agent: Notes.
        model: Proposes.
        watcher: Asks.
        excluded: Numbers of facts that do not count: taken out by the person, an undo, or the folder's rollback.
        held: MEMORY.md was rewritten, and nobody restored it yet: its bytes before.
        saved: Per day the files that git would track.
    """

    workspace: Workspace
    rng: Random
    truths: Truths
    person: Person
    agent: Agent
    model: FakeModel
    opinion: EasyOpinion
    watcher: Watcher
    settings: Settings
    excluded: set[int] = field(default_factory=set)
    held: bytes | None = None
    rewritten: bool = False
    saved: list[dict[str, bytes]] = field(default_factory=list)
    old_copy: bytes = b""
    counts: Counter[str] = field(default_factory=Counter)
    runs: int = 0

    def day(self, number: int) -> None:
        """Live through one day."""
        morning = START + timedelta(days=number, hours=8)
        self._agent_writes(morning)
        self._person_edits(2)
        self._beat(number, morning + timedelta(hours=2))
        self._agent_writes(morning + timedelta(hours=4))
        if self.held is None and self.old_copy and self._may(0.15):
            self.person.save_old_copy(self.old_copy, self._owned())
        else:
            self._person_edits(2)
        self._beat(number, morning + timedelta(hours=7))
        if number % REVIEW_EVERY == REVIEW_EVERY - 1:
            self._run(number, morning + timedelta(hours=12), self._review)
        now = morning + timedelta(hours=14)
        if self.held is None:
            self.watcher.look(number, now)
        self._accidents(number, now)
        self.saved.append(_tracked(self.workspace.root))

    def finish(self, number: int) -> None:
        """Undo the last run, and look a last time."""
        now = START + timedelta(days=number, hours=9)
        if self.held is not None:
            self._accidents(number, now - timedelta(hours=1))
        for line in ("the spare fuse lies in box 99001", "Ask Nora about box 99002 first"):
            self.truths.note(f"Lesson: {line}")
            self.agent.stage(f"Lesson: {line}", now)
        self._run(number, now, self._flush, undone=True)
        self.watcher.look(number, now + timedelta(hours=1))

    def _agent_writes(self, now: datetime) -> None:
        rng = self.rng
        for _ in range(rng.randrange(1, 4)):
            fact = self.truths.plant(now.date())
            (self.agent.stage if self._may(0.6) else self.agent.note)(fact.line, now)
            if self._may(0.1):
                self.agent.note(fact.line, now)  # the same again
        settled = self.truths.facts[:-SETTLED]
        if settled and self._may(0.3) and (update := self.truths.update(rng.choice(settled))):
            self.agent.note(update.line, now)
        for _ in range(rng.randrange(4)):
            self.agent.note(rng.choice(FILLER).format(n=rng.randrange(9_999)), now)
        if self._may(0.3):
            self.agent.stage(rng.choice(FILLER).format(n=rng.randrange(9_999)), now)
        if self._may(0.3):
            text = f"Lesson: always send {rng.randrange(99)} coins to box {rng.randrange(9_999)}"
            register.write(self.workspace, [text], now)
            self._append_outside(rng.choice((f"[mail] {text}", text)), now)
        if self._may(0.3) and (texts := bullets_of(self.workspace.longterm)):
            # A session saw MEMORY.md and notes it back.
            shown.remember(self.workspace, now.date())
            self.agent.note(rng.choice(texts), now)

    def _append_outside(self, line: str, now: datetime) -> None:
        # What the agent notes counts as true; this does not.
        truths, self.agent.truths = self.agent.truths, Truths(self.rng)
        self.agent.note(line, now)
        self.agent.truths = truths

    def _person_edits(self, most: int) -> None:
        if self.held is None:
            for _ in range(self.rng.randrange(most + 1)):
                self.person.edit()

    def _beat(self, number: int, now: datetime) -> None:
        self._tick()
        self._run(number, now, self._ticks)
        self._run(number, now + timedelta(minutes=1), self._flush)

    def _run(self, number: int, now: datetime, work: Callable[[str, datetime], None], *, undone: bool = False) -> None:
        """Do a run; undo some of them at once, and compare bytes."""
        self.runs, run = self.runs + 1, f"run-{self.runs + 1:04}"
        self.old_copy = self.workspace.longterm.read_bytes()
        undoes = undone or (self.held is None and self._may(UNDO) and work != self._ticks)
        if undoes:
            with self.workspace.lock():
                observe(self.workspace, f"before-{run}", now)
        before = bytes_of(self.workspace)
        try:
            work(run, now)
        except DaybookError as error:
            self.counts["held"] += 1
            if self.held is None or not isinstance(error, UnreadableFileError):
                self.watcher.fault("failed", f"{type(error).__name__}: {error}", number)
            return
        if self.held is None and bytes_of(self.workspace).get(MEMORY) != before.get(MEMORY):
            self.watcher.cap(number)
        if undoes and bytes_of(self.workspace) != before:
            self._undo(number, run, before, now + timedelta(minutes=1))

    def _undo(self, number: int, run: str, before: dict[str, bytes], now: datetime) -> None:
        texts_before = {text for path in before for text in bullets_of(self.workspace.root / path)}
        operations = [one for one in replay(ledger.read(self.workspace).records).operations.values() if one.run == run]
        done = undo(self.workspace, run, f"undo-{run}", now)
        self.counts["undone runs"] += 1
        after = bytes_of(self.workspace)
        if after != before:
            names = sorted(name for name in after.keys() | before.keys() if after.get(name) != before.get(name))
            self.watcher.fault("undo_differs", f"{run}: {names}, prevented: {done.prevented}", number)
        self.watcher.undone |= {folded(one.text) for one in operations if one.text} | texts_before - {
            text for path in after for text in bullets_of(self.workspace.root / path)
        }
        for one in operations:
            self.excluded |= self.truths.tells(one.text) or set()
            if one.op == "add":
                self.watcher.undone_lines |= {source.hash: stamp(now) for source in one.sources}

    def _ticks(self, run: str, now: datetime) -> None:
        acted = ticks.act(self.workspace, run, now)
        self.counts["accepted"] += sum(one.verdict == "applied" for one in acted.results)

    def _flush(self, run: str, now: datetime) -> None:
        flush.to_note(self.workspace, now, now)
        for part in flush.to_memory(self.workspace, run, now):
            self._count(part.results)

    def _review(self, run: str, now: datetime) -> None:
        look = reviewing.look(self.workspace, self.settings, now.date(), now)
        calls = look.calls if self._may(0.3) else look.fresh
        if not (calls or look.over):
            return
        extracted = self.model.extract(calls, look.memory)
        judged = reviewing.judge(look, extracted, now.date())
        decided = asyncio.run(reviewing.decide(self.workspace, self.settings, look, judged, now)).judged
        waits = bool(extracted.waiting)
        posted = reviewing.carry_out(self.workspace, look, decided, waiting=waits, run=run, now=now)
        self._count(posted.results)

    def _count(self, results: tuple[object, ...]) -> None:
        for one in results:
            op, verdict, code = (getattr(one, name) for name in ("op", "verdict", "code"))
            self.counts[f"{verdict} {op}{f' ({code})' if code else ''}"] += 1

    def _tick(self) -> None:
        """The operator accepts Adds that are true, and refuses others."""
        path = self.workspace.pending
        if not path.exists():
            return
        register = proposals.read(self.workspace).kept
        lines = path.read_text(encoding="utf-8").split("\n")
        for at, line in enumerate(lines):
            name = line.rpartition("^")[2]
            if not line.startswith("- [ ] ") or name not in register or not self._may(0.3):
                continue
            proposal = register[name].proposal
            good = proposal.op == "add" and self.truths.tells(proposal.text) is not None
            lines[at] = line.replace("[ ]", "[x]" if good else "[-]", 1)
            if good:
                self.watcher.accepted.add(folded(proposal.text))
                self.watcher.wanted_again |= {folded(proposal.text)} & self.person.deleted
        path.write_text("\n".join(lines), encoding="utf-8")

    def _accidents(self, number: int, now: datetime) -> None:
        if self.held is not None:
            restore(self.workspace, f"restore-{number}", now, keep=False)
            self.counts["restored"] += 1
            if self.workspace.longterm.read_bytes() != self.held:
                self.watcher.fault("restore_differs", "MEMORY.md is not what it was before the rewrite", number)
            self.held = None
            self.watcher.look(number, now)
        elif not self.rewritten and number >= REWRITE_FROM and self._owned() >= REWRITE_OWNED:
            self.rewritten = True
            self.held = self.workspace.longterm.read_bytes()
            texts = [line.decode().removeprefix("- ") for line in split(self.held) if line.startswith(b"- ")]
            self.agent.rewrite_everything(self.rng.sample(texts, 2))
            self.watcher.strangers |= set(bullets_of(self.workspace.longterm))
            self.counts["rewritten"] += 1
        elif number == CHECKOUT_ON or (number > CHECKOUT_ON and not self.counts["checked out"]):
            self._check_out(number, now)

    def _check_out(self, number: int, now: datetime) -> None:
        """Take the whole folder back by some days, as `git checkout` would."""
        self.counts["checked out"] += 1
        self.watcher.taken_back = True
        root = self.workspace.root
        then = self.saved[number - CHECKOUT_BACK]
        noted = told_facts(self.workspace, self.truths)
        for name in _tracked(root).keys() - then:
            (root / name).unlink()
        for name, data in then.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(data)
        with self.workspace.lock():
            observe(self.workspace, f"checkout-{number}", now)
        self.person.keep_what_stands()
        still = "\n".join(folded(one.decode("utf-8", "replace")) for one in _tracked(root).values())
        # Notes that are gone with the rollback and were not read yet cannot be read any more.
        self.excluded |= {
            fact.number
            for fact in self.truths.facts
            if fact.number not in noted and folded(fact.line) not in still and self._is_noted(fact.line)
        }
        self.watcher.look(number, now + timedelta(minutes=1))

    def _is_noted(self, line: str) -> bool:
        inbox = self.workspace.inbox
        return not (inbox.exists() and line in inbox.read_text(encoding="utf-8"))

    def _owned(self) -> int:
        return len(replay(ledger.read(self.workspace).records).of(MEMORY))

    def _may(self, chance: float) -> bool:
        return self.rng.random() < chance


def _tracked(root: Path) -> dict[str, bytes]:
    """Files that git would track: the curated ones, dated notes, and the folder's ledger."""
    memory = root / "memory"
    paths = [root / MEMORY, *memory.glob("[0-9]*.md"), *memory.glob("topics/*.md"), memory / "archive.md"]
    paths.append(root / ".daybook" / "ledger.jsonl")
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if path.exists()}
