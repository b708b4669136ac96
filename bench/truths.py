"""
The truth table of bench/survival.py: planted facts, what they may be told as, and what would turn them round.

Which statements are true is known because they were made here; nothing of Daybook's own judgement is used.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date
    from random import Random

LABEL = re.compile(r"^[^\W\d_][\w ]{0,20}\s?[:：]\s+")
TAIL = re.compile(r"\[(?P<tail>[^\]]*)\]")
WORDS = {
    "first": "Orla, Bruno, Tamsin, Keiko, Anselm, Pavel, Imara, Wendel, Liv, Osric, Noor, Silvan, Maeve, Quill, Rosa, "
    "Stellan, Thea, Ulf, Vesna, Yorick, Zita, Abel, Birte, Caspar, Dunja, Emre, Freya, Gwil, Hedda, Ivo",
    "last": "Finch, Marlow, Oyelaran, Stauber, Quist, Petrenko, Halloran, Iwata, Brandt, Castel, Dray, Eklund, Farrow, "
    "Gessner, Holm, Ivers, Jarvela, Kestrel, Lindqvist, Moreau",
    "device": "label printer, heat pump, plotter, kiln, scanner, projector, dehumidifier, bandsaw, freezer, lathe",
    "place": "cellar, attic, north office, boathouse, greenhouse, archive room, workshop, side entrance, loft, pantry",
    "thing": "proofs, contracts, negatives, spare keys, master tapes, floor plans, receipts, press kits, lenses, seeds",
    "firm": "Halden Optics, Brightwater Press, Norrland Foods, Casa Verde, Ibex Tools, Tern Radio, Oak & Sons",
    "taste": "tabs, spaces, short mails, phone calls, tea, paper, screens, morning slots, printed drafts, voice notes",
    "city": "Lisbon, Graz, Bergen, Ghent, Porto, Brno, Turku, Malmö, Lyon, Bari, Cork, Delft",
}
SHAPES = Path(__file__).with_name("truths.txt")
ADDED = ("which everybody likes", "it was checked twice", "nobody objected", "as planned", "and it is cheap")


@dataclass(frozen=True)
class Fact:
    """
    One planted fact.

    Attributes:
        number: Its number.
        line: How the agent notes it.
        shape: Which of `SHAPES` it is of.
        tellings: Texts that say it and no more; the first is the line without its label.
        flips: Texts close to it that are not true.
        updates: Number of the fact that it replaces; None for a fact of its own.
    """

    number: int
    line: str
    shape: int
    tellings: tuple[str, ...]
    flips: tuple[str, ...]
    updates: int | None = None

    @property
    def best(self) -> str:
        """The line without its label."""
        return self.tellings[0]


@dataclass
class Truths:
    """
    All that is true, and who said it.

    Attributes:
        facts: Planted facts, by number.
        true: Folded statements that are true, each with the numbers of facts that it tells; none for filler.
        lines: Folded note lines, each with the numbers of facts that they state.
        told: For messages: what each false statement is, by its folded text.
    """

    rng: Random
    facts: list[Fact] = field(default_factory=list)
    true: dict[str, set[int]] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    _used: set[str] = field(default_factory=set)
    _deck: list[int] = field(default_factory=list)

    def plant(self, today: date) -> Fact:
        """Make a new fact."""
        shapes = [line for line in SHAPES.read_text(encoding="utf-8").split("\n") if line and line[0] != "#"]
        if not self._deck:
            self._deck = self.rng.sample(range(len(shapes)), len(shapes))
        at = self._deck.pop()
        labels, said, flips = shapes[at].split(" | ")
        words = self._words(today)
        told = [self._filled(form, words) for form in said.split(" // ")]
        whole = [TAIL.sub(r"\g<tail>", told[0]), *(TAIL.sub("", told[0]) for _ in range("[" in told[0])), *told[1:]]
        label = self.rng.choice(labels.strip().split(","))
        wrong = [self._turned(whole[0], flip, words) for flip in flips.split("; ")]
        return self._keep(at, f"{label}: " if label else "", whole, wrong, None)

    def update(self, old: Fact) -> Fact | None:
        """Make a fact that replaces another one by another number; None if it has none, or is an update itself."""
        numbers = re.findall(r"\b\d{3,4}\b", old.best)
        if not numbers or LABEL.match(old.best) or old.updates is not None:
            return None
        new = self._fresh(self._number)
        said = [one.replace(numbers[-1], new) for one in old.tellings]
        flips = [said[0].replace(new, str(int(new) + 1))]
        return self._keep(old.shape, self.rng.choice(("Correction: ", "Lesson: ", "")), said, flips, old.number)

    def note(self, line: str) -> None:
        """Register a note line that is true and no planted fact."""
        self.lines.setdefault(folded(line), set())
        self.true.setdefault(folded(line), set())
        self.true.setdefault(folded(unlabelled(line)), set())

    def of_line(self, text: str) -> list[Fact]:
        """Facts that a note line states."""
        return [self.facts[number] for number in sorted(self.lines.get(folded(text), ()))]

    def tells(self, text: str) -> set[int] | None:
        """Numbers of the facts that a statement tells, none for filler; None if it is not true."""
        return self.true.get(folded(text))

    def _keep(self, shape: int, label: str, tellings: list[str], flips: list[str], updates: int | None) -> Fact:
        line = label + _sentence_case(tellings[0], label)
        fact = Fact(len(self.facts), line, shape, tuple(tellings), tuple(flips), updates)
        self.facts.append(fact)
        self.lines.setdefault(folded(line), set()).add(fact.number)
        for text in (line, *tellings):
            self.true.setdefault(folded(text), set()).add(fact.number)
        for text in _cut_at_clauses(tellings[0]):
            self.true.setdefault(folded(text), set()).add(fact.number)
        for text in flips:
            self.told[folded(text)] = f"flip of {line!r}"
        return fact

    def _words(self, today: date) -> dict[str, str]:
        """Choose words for a shape; names and numbers are used once."""
        words = {}
        for key in ("device", "place", "thing", "firm", "taste", "city"):
            words[key], words[f"{key}2"] = self.rng.sample(WORDS[key].split(", "), 2)
        n = self._fresh(self._number)
        day = today + timedelta(days=self.rng.randrange(4, 90))
        words |= {"name": self._fresh(self._name), "name2": self._fresh(self._name)}
        words |= {"n": n, "n1": str(int(n) + 1), "m": self._fresh(self._number), "h": str(self.rng.randrange(2, 9))}
        return words | {"day": day.isoformat(), "day1": (day + timedelta(days=1)).isoformat()}

    def _filled(self, form: str, words: dict[str, str]) -> str:
        for key, word in words.items():
            form = form.replace(f"{{{key}}}", word)
        return form

    def _turned(self, said: str, flip: str, words: dict[str, str]) -> str:
        """Replace what a flip names; two words of a kind that both stand there change places."""
        old, new = (self._filled(part, words) for part in flip.split(">"))
        if new and old.strip() and new in said and old in said and flip.count("{") > 1:
            return said.replace(old, "\0").replace(new, old).replace("\0", new)
        return " ".join(said.replace(old, new).split())

    def _name(self) -> str:
        return f"{self.rng.choice(WORDS['first'].split(', '))} {self.rng.choice(WORDS['last'].split(', '))}"

    def _number(self) -> str:
        return str(self.rng.randrange(103, 9_890))

    def _fresh(self, make: Callable[[], str]) -> str:
        for _ in range(10_000):
            text = make()
            if text not in self._used:
                self._used.add(text)
                return text
        raise AssertionError("no more names or numbers; run fewer days")


def folded(text: str) -> str:
    """Fold what does not matter: case, spacing, form of accents, punctuation at the end."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split()).strip(" .;,")


def unlabelled(line: str) -> str:
    """Take a label such as `Lesson:` off."""
    return LABEL.sub("", line, count=1)


def spliced(first: Fact, second: Fact) -> str:
    """Join the beginning of one fact to the end of another."""
    a, b = first.best.split(), second.best.split()
    return " ".join(a[: max(2, len(a) // 2)] + b[len(b) // 2 :])


def embroidered(fact: Fact, rng: Random) -> str:
    """Add to a fact what nobody said."""
    return f"{fact.best}, {rng.choice(ADDED)}"


def cut_off(fact: Fact, rng: Random) -> str:
    """Cut a fact off somewhere."""
    words = fact.best.split()
    return " ".join(words[: rng.randrange(2, max(3, len(words)))])


def made_up(rng: Random) -> str:
    """Say something that nobody said."""
    name, last = rng.choice(WORDS["first"].split(", ")), rng.choice(WORDS["last"].split(", "))
    return rng.choice(
        (
            f"{name} {last} moved to Lisbon with {rng.randrange(2, 9)} cats",
            f"The safe opens with {rng.randrange(10_000, 99_999)}",
            "Never trust the weather report on Mondays",
            f"{name} {last} wants all invoices paid within {rng.randrange(10_000, 20_000)} minutes",
        )
    )


def _cut_at_clauses(text: str) -> list[str]:
    """Give what is left of a statement when its last clauses are left off, where that is as true as the whole."""
    if text.startswith("if ") or ", solange " in text:
        return []
    return [text[: match.start()] for match in re.finditer(r"[,;.] ", text)]


def _sentence_case(text: str, label: str) -> str:
    return text if label or text.startswith("`") else text[0].upper() + text[1:]
