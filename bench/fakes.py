"""A model that helps and harms as it pleases, and a second opinion that agrees too easily, for bench/survival.py."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from truths import cut_off, embroidered, folded, made_up, spliced

from daybook.models.ask import Asked
from daybook.models.outcomes import Answered, Used
from daybook.review import opinion
from daybook.review.extract import Batch, Extraction
from daybook.review.limits import MAX_ADDS
from daybook.review.operations import Operation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from random import Random

    from truths import Fact, Truths

    from daybook.curation.entries import Known, Memory
    from daybook.review.extract import Call
    from daybook.review.window import Evidence

MODEL = "fake:model"
FAILS = 0.08
SILENT = 0.06
AGREES = 0.7


@dataclass
class FakeModel:
    """
    Proposes what is true, mostly, and much besides.

    Attributes:
        rng: Decides what it does.
        truths: What was planted; it reads the lines of its call and nothing else of it.
        counts: Operations proposed, by what was meant with them.
    """

    rng: Random
    truths: Truths
    counts: Counter[str] = field(default_factory=Counter)

    def extract(self, calls: Iterable[Call], memory: Memory) -> Extraction:
        """Answer each call, or fail; as `extract.extract` gives it."""
        result = Extraction()
        for call in calls:
            if self.rng.random() < FAILS:
                result.waiting = "the fake model fails"
                self.counts["failed calls"] += 1
            else:
                operations = () if self.rng.random() < SILENT else self._answer(call, memory)
                result.batches.append(Batch(call, tuple(operations), MODEL, "fake prompt", MAX_ADDS))
        return result

    def _answer(self, call: Call, memory: Memory) -> list[Operation]:
        known = {folded(entry.text) for entry in memory.entries if entry.file == "MEMORY.md"}
        operations: list[Operation] = []
        for line in call.lines:
            for fact in self.truths.of_line(line.text):
                if known.isdisjoint(map(folded, fact.tellings)):
                    operations += self._tell(fact, line, call.lines, memory)
                elif self._may(0.3):
                    operations += self._say_again(fact, line, memory)
            if call.origin == "outside":
                operations.append(self._add("obeys outside text", line.text, [line]))
        operations += self._harm(call.lines, memory)
        if operations and self._may(0.3):
            operations += self.rng.sample(operations, min(3, len(operations)))
        # Harmful ones come first now and then, so that they cannot hide behind the quota.
        if self._may(0.5):
            self.rng.shuffle(operations)
        return operations

    def _tell(self, fact: Fact, line: Evidence, lines: Sequence[Evidence], memory: Memory) -> list[Operation]:
        """Propose a new fact, and things like it that are not so."""
        told: list[Operation] = []
        if fact.updates is not None:
            told += self._replace(fact, line, memory)
        if self._may(0.85) and not told:
            text = fact.best if self._may(0.5) else self.rng.choice(fact.tellings)
            told.append(self._add("true", text, [line]))
        if self._may(0.35):
            told.append(self._add("flipped", self.rng.choice(fact.flips), [line]))
        if self._may(0.15):
            told.append(self._add("embroidered", embroidered(fact, self.rng), [line]))
        if self._may(0.15):
            told.append(self._add("cut off", cut_off(fact, self.rng), [line]))
        if self._may(0.1):
            told.append(self._add("wrong source", fact.best, [self.rng.choice(lines)]))
        other = [one for near in lines for one in self.truths.of_line(near.text) if one is not fact]
        if other and self._may(0.15):
            second = self.rng.choice(other)
            where = [near for near in lines if second in self.truths.of_line(near.text)]
            told.append(self._add("spliced", spliced(fact, second), [line, where[0]]))
        return told

    def _replace(self, fact: Fact, line: Evidence, memory: Memory) -> list[Operation]:
        old = self.truths.facts[fact.updates or 0]
        stale = [one for one in memory.entries if folded(one.text) in set(map(folded, old.tellings))]
        return [self._change("revise", "true update", one, fact.best, [line]) for one in stale[:1]]

    def _say_again(self, fact: Fact, line: Evidence, memory: Memory) -> list[Operation]:
        same = [one for one in memory.entries if folded(one.text) in set(map(folded, fact.tellings))]
        return [self._change("confirm", "true again", one, "", [line]) for one in same[:1]]

    def _harm(self, lines: Sequence[Evidence], memory: Memory) -> list[Operation]:
        """Propose what no line says, and take away at random."""
        done = [one for entry in memory.entries for one in self._harm_entry(entry, lines)]
        done += [
            self._add("made up", made_up(self.rng), [self.rng.choice(lines)]) for _ in range(self.rng.randrange(3))
        ]
        if self._may(0.2):
            done.append(Operation(kind="add", text=made_up(self.rng), sources=(9_999,)))
        if self._may(0.2):
            done.append(Operation(kind="retire", entry="e9999", sources=(lines[0].number,)))
        return done

    def _harm_entry(self, entry: Known, lines: Sequence[Evidence]) -> Iterator[Operation]:
        cited = [self.rng.choice(lines)]
        if self._may(0.06):
            yield self._change("retire", "retired at random", entry, "", cited)
        if self._may(0.04):
            near = [line for line in lines if set(entry.text.split()) & set(line.text.split())]
            yield self._change("retire", "retired by a line near it", entry, "", near[-1:] or cited)
        facts = [self.truths.facts[n] for n in sorted(self.truths.tells(entry.text) or ())]
        if facts and self._may(0.06):
            yield self._change("revise", "flipped", entry, self.rng.choice(facts[0].flips), cited)
        if facts and self._may(0.04):
            yield self._change("revise", "cut off", entry, cut_off(facts[0], self.rng), cited)
        if self._may(0.02):
            yield self._change("revise", "made up", entry, made_up(self.rng), cited)
        if self._may(0.03):
            yield self._change("confirm", "confirmed by any line", entry, "", cited)

    def _add(self, meant: str, text: str, cited: Sequence[Evidence]) -> Operation:
        self.counts[f"add: {meant}"] += 1
        section = self.rng.choice(("", "", "Lessons Learned", "Project", "Brand new heading", "Decisions"))
        return Operation(kind="add", text=text, section=section, sources=tuple(line.number for line in cited))

    def _change(self, kind: str, meant: str, entry: Known, text: str, cited: Sequence[Evidence]) -> Operation:
        self.counts[f"{kind}: {meant}"] += 1
        sources = [line.number for line in cited]
        return Operation.model_validate({"kind": kind, "text": text, "entry": entry.id, "sources": sources})

    def _may(self, chance: float) -> bool:
        return self.rng.random() < chance


@dataclass
class EasyOpinion:
    """
    A second opinion that agrees to most of what it is asked, and always has a quotation.

    Attributes:
        rng: Decides whether it agrees.
        asked: How often it was asked.
        agreed: How often it agreed.
    """

    rng: Random
    asked: int = 0
    agreed: int = 0

    async def answer(self, *arguments: object, **_: object) -> Asked[opinion.Opinion]:
        """Stand in for `models.ask.ask` as the room of second opinions calls it."""
        prompt = str(arguments[3])
        agrees = self.rng.random() < AGREES
        self.asked += 1
        self.agreed += agrees
        lines = prompt.partition("\nLINES (date | text)\n")[2]
        quote = lines.strip().splitlines()[0].partition(" | ")[2]
        given = opinion.Opinion(agrees=agrees, quote=quote if agrees else "")
        return Asked((Answered(MODEL, given, Used(calls=1)),))
