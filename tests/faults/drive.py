"""
Let every counted call of a scenario go wrong once, in a child each, and check what it came to.

    python tests/faults/drive.py FOLDER SCENARIO... [--kinds kill-before,kill-after] [--every N]

The last line is one JSON object. One process that has imported everything forks a child per call and kind of fault;
the child of a fault works on a copy of the scenario's workspace, at the same path each time.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import signal
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import checks
import points
import scenarios
from stage import RecoveryError, Stage, set_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from checks import Facts
    from points import Point

READS = frozenset({"open", "read", "list", "stat"})
TYPED = points.TYPED.decode().strip("- \n")
# What a command that nobody repeats was to write.
OPTIONAL = {"stage": ["the ladder of the barn"], "note": ["the cat came home"]}
# What a loss of power can leave of its one line; a kill cannot, since a line is less than a page.
CUT = {"note": ["b'- 14:30"]}
CUTS = frozenset({"kill-half", "short+EIO"})
# A file that could not be read for a moment is set aside, too, when the operator brings back what stood there.
BESIDE = {"restore": [checks.KEPT]}
PENDING = "memory/_pending.md"
APPENDED = ("memory/20", "memory/.inbox", "memory/_inbox")


@dataclass
class Tally:
    """What all children came to."""

    runs: int = 0
    points: int = 0
    sites: set[str] = field(default_factory=set)
    sites_and_kinds: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    bad: dict[str, list[str]] = field(default_factory=lambda: {what: [] for what in (*checks.WRONG, "traceback")})

    def to_json(self) -> str:
        """One line."""
        return json.dumps(
            {
                "points": self.points,
                "distinct call sites": sorted(self.sites),
                "sites and kinds": sorted(self.sites_and_kinds),
                "kinds of fault": dict(self.kinds),
                "runs": self.runs,
                **self.bad,
            }
        )


@dataclass(frozen=True)
class Undisturbed:
    """
    What a scenario comes to when nothing goes wrong.

    Attributes:
        points: Every counted call.
        states: What each file of memory held at any time; empty bytes where it was not there.
        wanted: What the workspace came to, started again once more.
    """

    points: list[Point]
    states: dict[str, list[bytes]]
    wanted: Facts


def drive(base: Path, name: str, tally: Tally, kinds: set[str], every: int) -> None:
    """Play one scenario undisturbed, then once per call and kind of fault."""
    stage = set_up(base, name)
    usual = _undisturbed(stage)
    tally.points += len(usual.points)
    tally.sites |= {f"{one.site} {one.op}" for one in usual.points}
    stage.reset()
    for index, kind in list(_faults(usual.points, kinds, every)):
        point = usual.points[index]
        where = f"{name} #{index} {kind} at {point.op} {point.site} ({point.inner}) {Path(point.file).name}"
        stage.reset()
        status, ended = stage.play(points.Plan(index, kind=kind))
        tally.runs += 1
        tally.kinds[kind] += 1
        tally.sites_and_kinds.add(f"{point.site} {point.op} {kind}")
        for what, found in _judged(stage, kind, status, ended, usual):
            tally.bad[what].append(f"{where}: {found}")


def _undisturbed(stage: Stage) -> Undisturbed:
    states = {name: [data] for name, data in _memory(stage).items()}
    status, told = stage.play(points.Plan())
    if status or told["error"]:
        raise RuntimeError(f"{stage.name}: {status} {told}")
    for name, seen in told["states"].items():
        states.setdefault(name, [b""]).extend(data.encode("latin-1") for data in seen)
    for gone in states.keys() - _memory(stage).keys():
        states[gone].append(b"")
    return Undisturbed([points.Point(**one) for one in told["points"]], states, stage.recover())


def _faults(counted: list[Point], kinds: set[str], every: int) -> Iterator[tuple[int, str]]:
    """Which calls come to what: a kill at each that writes; all else at the first of each place and file."""
    seen = set()
    for index, point in enumerate(counted):
        place = (point.op, point.site, point.inner, point.file)
        first = place not in seen
        seen.add(place)
        for kind in (*points.KINDS.get(point.op, ()), *(points.SAVES if _is_typed_into(point) else ())):
            chosen = first if point.op in READS or not kind.startswith("kill") else True
            possible = not kind.startswith("short+") or not point.temporary
            possible = possible and (not kind.endswith("+kill-after") or point.op in points.SETTLES)
            if chosen and possible and (not kinds or kind in kinds) and (index + len(kind)) % every == 0:
                yield index, kind


def _is_typed_into(point: Point) -> bool:
    """Whether a person may be typing into the file of this call."""
    path = Path(point.file)
    return path.suffix == ".md" and path.exists() and not path.name.startswith(".inbox")


def _judged(
    stage: Stage, kind: str, status: int, ended: dict[str, Any], usual: Undisturbed
) -> Iterator[tuple[str, str]]:
    """Say what is wrong with the state that a fault left, and with what starting again made of it."""
    error = ended.get("error", "")
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    # A command may get past an error, but not past a kill; "save" alone kills nobody.
    if killed != ("kill" in kind):
        yield "traceback", f"ended with status {status} {ended.get('traceback', '')}"
    if error.startswith("TRACEBACK") or "\n" in error:
        yield "traceback", error
    saved = kind.startswith("save")
    if not saved:
        yield from (("torn", one) for one in _torn(stage, usual.states))
    try:
        found = stage.recover()
    except RecoveryError as failed:
        yield "traceback", f"starting again: {failed}"
        return
    optional = OPTIONAL.get(stage.name, []) if killed or error else []
    cut = CUT.get(stage.name, []) if kind in CUTS else []
    wanted, optional = usual.wanted, [*optional, *cut, *BESIDE.get(stage.name, [])]
    if saved:
        wanted, found, optional = checks.placeless(wanted), checks.placeless(found), [TYPED, *optional]
        if not found.typed:
            yield "lost", "what a person typed is nowhere"
    yield from checks.compare(wanted, found, optional)


def _torn(stage: Stage, states: dict[str, list[bytes]]) -> list[str]:
    """Files of memory that are in no state that the undisturbed run went through."""
    memory = _memory(stage)
    found = []
    for name in {*memory, *states}:
        data, allowed = memory.get(name, b""), states.get(name, [])
        # What is over and what waits depends on how far the run came; each line is whole all the same.
        lines = {line for one in allowed for line in one.splitlines(keepends=True)}
        if data not in allowed and not (name == PENDING and set(data.splitlines(keepends=True)) <= lines):
            found.append(f"file {name} holds what no run wrote")
    return found


def _memory(stage: Stage) -> dict[str, bytes]:
    """Bytes of every file of memory that is replaced as a whole."""
    root = stage.workspace.root
    paths = (root / "MEMORY.md", *(root / "memory").glob("topics/*.md"), *(root / "memory").glob("*.md"))
    names = {path.relative_to(root).as_posix(): path for path in paths if path.exists()}
    return {name: path.read_bytes() for name, path in names.items() if not name.startswith(APPENDED)}


def main() -> int:
    """Drive the scenarios named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--every", type=int, default=1)
    named = parser.parse_args()
    # What all children would import for themselves, and what the collector need not look at in each.
    importlib.import_module("ctypes")
    importlib.import_module("_strptime")
    gc.freeze()
    tally = Tally()
    for name in named.scenarios or scenarios.SCENARIOS:
        drive(named.base.resolve(), name, tally, set(filter(None, named.kinds.split(","))), named.every)
    sys.stdout.write(f"{tally.to_json()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
