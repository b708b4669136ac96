"""
The person of bench/survival.py, who edits MEMORY.md as she likes.

She sees files only. What she wrote is kept here line by line, so that every line of hers can be asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lines import BOM, MEMORY, PIN, bullets_of, lines_of, memory_files, split, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random


@dataclass
class Person:
    """
    The owner of the folder.

    Attributes:
        root: The folder.
        rng: Decides what she does.
        lines: Per file the lines that are hers and that she has not taken out.
        texts: Folded text of every entry she ever wrote or changed.
        reworded: Lines of ours in her words: they may be moved to a topic, but stand somewhere.
        deleted: Folded texts of our entries that she took out.
        doubtful: Folded texts of ours that went with an old copy she saved, so few that they count as deleted.
        counts: How often she did what.
    """

    root: Path
    rng: Random
    lines: dict[str, Counter[bytes]] = field(default_factory=lambda: defaultdict(Counter))
    texts: set[str] = field(default_factory=set)
    reworded: Counter[bytes] = field(default_factory=Counter)
    deleted: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)
    _number: int = 0

    def own(self, name: str) -> None:
        """Count every line of a file as hers."""
        for line in lines_of(self.root / name):
            self._wrote(name, line)

    def edit(self) -> None:
        """Do one thing to MEMORY.md or a topic."""
        acts: list[tuple[Callable[[], None], int]] = [
            (self.add_entry, 4),
            (self.reword_own, 2),
            (self.reword_ours, 3),
            (self.delete_ours, 2),
            (self.delete_own, 1),
            (self.pin, 2),
            (self.move, 3),
            (self.add_section, 1),
            (self.add_table, 1),
            (self.add_comment, 1),
            (self.rename_heading, 1),
            (self.add_to_topic, 2),
            (self.add_to_archive, 1),
        ]
        act = self.rng.choices([one for one, _ in acts], [weight for _, weight in acts])[0]
        act()
        self.counts[act.__name__] += 1

    def add_entry(self) -> None:
        """Write an entry under some heading, now and then with a nested one."""
        text = self._say()
        new = [b"- " + text.encode()]
        if self._may(0.3):
            new.append(b"  - " + self._say().encode())
        self._insert(new)

    def reword_own(self) -> None:
        """Change an entry of hers."""
        found = self._own_bullets()
        if found:
            lines, at = self._lines(), self.rng.choice(found)
            self._took_out(MEMORY, lines[at])
            lines[at] = f"- {self._say()}".encode()
            self._wrote(MEMORY, lines[at])
            self._save(lines)

    def reword_ours(self) -> None:
        """Change an entry of ours: it is in her words from then on."""

        def reworded(line: bytes) -> bytes:
            words = line.decode().removeprefix("- ").split()
            if self._may(0.5):
                words.append(f"(says {self._say()})")
            else:
                words[self.rng.randrange(len(words))] = f"rather{self._next()}"
            return b"- " + " ".join(words).encode()

        found = self._ours()
        if not found:
            return
        lines, at = self._lines(), self.rng.choice(found)
        before, after = lines[at], reworded(lines[at])
        self.texts |= {text_of(before), text_of(after)}
        self.reworded[after] += 1
        lines[at] = after
        self._save(lines)

    def delete_ours(self) -> None:
        """Take an entry of ours out."""
        found = self._ours()
        if found:
            lines, at = self._lines(), self.rng.choice(found)
            text = text_of(lines.pop(at))
            self._save(lines)
            # An old copy may have brought back here what stands in a topic since: there it stays.
            elsewhere = any(text in bullets_of(path) for path in memory_files(self.root))
            (self.doubtful if elsewhere else self.deleted).add(text)

    def delete_own(self) -> None:
        """Take an entry of hers out, with what is nested in it."""
        found = self._own_bullets()
        if found:
            lines, at = self._lines(), self.rng.choice(found)
            end = at + 1
            while end < len(lines) and lines[end].startswith(b"  "):
                end += 1
            for line in lines[at:end]:
                self._took_out(MEMORY, line)
            del lines[at:end]
            self._save(lines)

    def pin(self) -> None:
        """Pin an entry of ours; the line is hers to keep from then on."""
        found = [at for at in self._ours() if PIN not in self._lines()[at]]
        if found:
            lines, at = self._lines(), self.rng.choice(found)
            lines[at] += PIN
            self._wrote(MEMORY, lines[at])
            self._save(lines)

    def move(self) -> None:
        """Move an entry of ours under another heading."""
        found = self._ours()
        if found:
            lines, at = self._lines(), self.rng.choice(found)
            line = lines.pop(at)
            self._put(lines, [line])
            self._save(lines)

    def add_section(self) -> None:
        """Begin a section, in half of the cases one that is hers alone."""
        mark = [b"<!-- mine -->"] if self._may(0.5) else []
        self._append([b"", f"## Own {self._next()}".encode(), *mark, b"", b"- " + self._say().encode()])

    def add_table(self) -> None:
        """Write a table."""
        n = self._next()
        self._append([b"", f"| item {n} | where |".encode(), b"| --- | --- |", f"| key {n} | drawer {n} |".encode()])

    def add_comment(self) -> None:
        """Write a comment above an entry or at the end."""
        self._insert([f"<!-- remember {self._next()} -->".encode()])

    def rename_heading(self) -> None:
        """Rename a second-level heading of hers."""
        lines = self._lines()
        own = self.lines[MEMORY]
        found = [at for at, line in enumerate(lines) if line.startswith(b"## ") and own[line]]
        if found:
            at = self.rng.choice(found)
            self._took_out(MEMORY, lines[at])
            lines[at] += f" {self._next()}".encode()
            self._wrote(MEMORY, lines[at])
            self._save(lines)

    def add_to_topic(self) -> None:
        """Append an entry to a topic."""
        topics = sorted((self.root / "memory" / "topics").glob("*.md"))
        if topics:
            path = self.rng.choice(topics)
            line = b"- " + self._say().encode()
            with path.open("ab") as stream:
                stream.write(line + b"\n")
            self._wrote(path.relative_to(self.root).as_posix(), line)

    def add_to_archive(self) -> None:
        """Append a remark to the archive."""
        path = self.root / "memory" / "archive.md"
        if path.exists():
            line = b"- " + self._say().encode()
            with path.open("ab") as stream:
                stream.write(line + b"\n")
            self._wrote("memory/archive.md", line)

    def save_old_copy(self, old: bytes, owned: int) -> None:
        """
        Save what an editor had open since before our last run, with a new line of hers.

        Args:
            old: What MEMORY.md was then.
            owned: How many entries of ours it holds now.
        """
        present = set(map(text_of, self._lines()))
        before = {text_of(line) for line in split(old)}
        ours = {text_of(self._lines()[at]) for at in self._ours()}
        gone = (present - before) & ours
        if len(gone) <= max(3, owned // 10):
            self.doubtful |= gone
        (self.root / MEMORY).write_bytes(old)
        if self._may(0.6):
            self.add_entry()
        self.counts["save_old_copy"] += 1

    def lost(self) -> list[str]:
        """Lines of hers that stand no longer where she wrote them."""
        found = []
        for name, wanted in self.lines.items():
            there = Counter(lines_of(self.root / name))
            found += [f"{name}: {line.decode()}" for line, count in wanted.items() if there[line] < count]
        everywhere: Counter[bytes] = Counter()
        for path in memory_files(self.root):
            everywhere.update(lines_of(path))
        bare = Counter({line.replace(PIN, b""): count for line, count in everywhere.items()})
        return found + [f"reworded: {line.decode()}" for line in self.reworded if not bare[line]]

    def keep_what_stands(self) -> None:
        """Give up what she has not got any more, after she took the whole folder back."""
        for name, wanted in list(self.lines.items()):
            there = Counter(lines_of(self.root / name))
            self.lines[name] = Counter({line: min(count, there[line]) for line, count in wanted.items()}) & there
        present = {text_of(line) for path in memory_files(self.root) for line in lines_of(path)}
        self.reworded = Counter({line: 1 for line in self.reworded if text_of(line) in present})
        self.deleted -= present

    def _ours(self) -> list[int]:
        own = self.lines[MEMORY]
        return [
            at
            for at, line in enumerate(self._lines())
            if line.startswith(b"- ") and not own[line] and not self.reworded[line.replace(PIN, b"")]
        ]

    def _own_bullets(self) -> list[int]:
        own = self.lines[MEMORY]
        return [at for at, one in enumerate(self._lines()) if one.startswith(b"- ") and own[one] and PIN not in one]

    def _insert(self, new: list[bytes]) -> None:
        lines = self._lines()
        self._put(lines, new)
        for line in new:
            self._wrote(MEMORY, line)
        self._save(lines)

    def _put(self, lines: list[bytes], new: list[bytes]) -> None:
        """Put lines above some entry, or at the end."""
        places = [at for at, line in enumerate(lines) if line.startswith(b"- ")]
        at = self.rng.choice([*places, len(lines)])
        lines[at:at] = new

    def _append(self, new: list[bytes]) -> None:
        lines = self._lines()
        for line in new:
            self._wrote(MEMORY, line)
        self._save([*lines, *new])

    def _wrote(self, name: str, line: bytes) -> None:
        if line.strip():
            self.lines[name][line] += 1
            self.texts.add(text_of(line))

    def _took_out(self, name: str, line: bytes) -> None:
        if line.strip():
            self.lines[name] -= Counter({line: 1})

    def _say(self) -> str:
        n = self._next()
        thing = self.rng.choice(("call the plumber", "ask Nora", "order paper", "water the lemon tree", "feed the cat"))
        return f"own {n}: {thing} about {self.rng.choice(('that', 'it', 'the rest'))} {n}"

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _lines(self) -> list[bytes]:
        return split((self.root / MEMORY).read_bytes())

    def _save(self, lines: list[bytes]) -> None:
        path = self.root / MEMORY
        old = path.read_bytes()
        end = b"\r\n" if b"\r\n" in old else b"\n"
        bom = BOM if old.startswith(BOM) else b""
        path.write_bytes(bom + end.join(lines) + end)

    def _may(self, chance: float) -> bool:
        return self.rng.random() < chance
