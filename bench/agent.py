"""The agent of bench/survival.py, which notes what it learns and once writes MEMORY.md anew."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lines import MEMORY

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path
    from random import Random

    from truths import Truths


@dataclass
class Agent:
    """
    Whoever notes: lines in the day's note and the inbox, now and then badly formed.

    Attributes:
        root: The folder.
        rng: Decides how it notes.
        truths: What it notes is true.
    """

    root: Path
    rng: Random
    truths: Truths

    def stage(self, line: str, now: datetime) -> None:
        """Append a line to the inbox, as `echo >>` would."""
        self.truths.note(line) if not self.truths.of_line(line) else None
        self._append(self.root / "memory" / "_inbox.md", f"- {line}\n", now)

    def note(self, line: str, now: datetime) -> None:
        """Append a line to the day's note, formed well or not so well."""
        self.truths.note(line) if not self.truths.of_line(line) else None
        path = self.root / "memory" / f"{now:%Y-%m-%d}.md"
        if not path.exists():
            self._append(path, f"# {now:%Y-%m-%d}\n", now)
        form = self.rng.choice(
            ("- {at} - {line}\n", "- {line}\n", "* {at} - {line}\n", "\n## Notes\n- {at} - {line}\n")
        )
        self._append(path, form.format(at=f"{now:%H:%M}", line=line), now)

    def rewrite_everything(self, keep: list[str]) -> None:
        """Write MEMORY.md anew from what it believes to have understood."""
        text = "# Memory\n\nEverything in short:\n\n- all is well\n- see the notes\n" + "".join(
            f"- {k}\n" for k in keep
        )
        (self.root / MEMORY).write_text(text, encoding="utf-8")

    def _append(self, path: Path, text: str, now: datetime) -> None:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(text)
        # What was written an hour ago in this story is that old on disk, too.
        os.utime(path, (now.timestamp(), now.timestamp()))
