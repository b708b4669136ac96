"""
Read what the operator ticked in `memory/_pending.md`, and what only looks like it.

A tick stands for a proposal as it was made, or for nothing: a line that we did not write, or that was changed, is told
and left alone.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.memory import checklist
from daybook.memory.blocks import BOM
from daybook.memory.markdown import parse
from daybook.memory.pending import GROUPS, item_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.memory.checklist import Box, Mark
    from daybook.memory.proposals import Register

OURS = tuple(f"**{verb}** (" for verb in GROUPS)


@dataclass(frozen=True)
class Ticks:
    """
    What the file says.

    Attributes:
        marks: Per id of a proposal that waits, what the operator decided.
        problems: Ticks that stand for nothing: a key, by which each is told once, and a sentence.
    """

    marks: dict[str, Mark]
    problems: tuple[tuple[str, str], ...] = ()


def read_ticks(data: bytes, register: Register) -> Ticks:
    """
    Read what the operator ticked.

    A tick counts for a proposal that waits, on its own line as we wrote it (white space aside), and only if no other
    line at the margin says something else about it.
    """
    named: dict[str, list[Box]] = defaultdict(list)
    marks: dict[str, Mark] = {}
    problems: list[tuple[str, str]] = []
    for box in checklist.boxes(parse(data.removeprefix(BOM))):
        if box.id:
            named[box.id].append(box)
        elif box.mark != "open" and box.words.startswith(OURS):
            problems.append(_strange(box))
    for name, found in named.items():
        kept = register.kept.get(name)
        ticked = [box for box in found if box.mark != "open"]
        if kept is None:
            problems += [_strange(box) for box in ticked]
            continue
        changed = [box for box in ticked if box.words != item_of(kept).words]
        problems += [_changed(box) for box in changed]
        if kept.fate is not None or changed or not ticked:
            continue
        if len({box.mark for box in found}) > 1:
            problems.append(_two_minds(found))
        else:
            marks[name] = ticked[0].mark
    return Ticks(marks, tuple(problems))


def _strange(box: Box) -> tuple[str, str]:
    return _key("strange", box), (
        f"memory/_pending.md line {box.start + 1} is ticked, but Daybook did not write it, so nothing was done."
    )


def _changed(box: Box) -> tuple[str, str]:
    return _key("changed", box), (
        f"memory/_pending.md line {box.start + 1} is ticked, but its text was changed, so nothing was done; "
        f"`daybook pending accept {box.id}` accepts the proposal as it was made."
    )


def _two_minds(found: Sequence[Box]) -> tuple[str, str]:
    lines = ", ".join(str(box.start + 1) for box in found)
    return _key("two-minds", found[0]), (
        f"memory/_pending.md says different things about proposal {found[0].id} in lines {lines}, so nothing was done; "
        "leave one of them."
    )


def _key(kind: str, box: Box) -> str:
    return hashlib.sha256(f"{kind}\0{box.id}\0{box.mark}\0{box.words}".encode()).hexdigest()[:16]
