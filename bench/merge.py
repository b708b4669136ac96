"""
Merge and flush as multiples of a plain read and atomic replace of the same bytes, paired in one run.

Every round has a workspace of its own and other words, and starts with cold caches, as a run of ours does.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import json
import os
import pstats
import statistics
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import _lru_cache_wrapper
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeVar

from daybook import adoption, files
from daybook.curation import observing
from daybook.curation.known import read_memory
from daybook.guard import register
from daybook.review import flush, posting
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType
    from typing import Literal

    from daybook.curation.entries import Known
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
MEMORY_LINES = 1_180
OPERATIONS = 20
RETIRED = 6
FLUSHED_LINES = 10_000
MARKED_EVERY = 20
OUTSIDE_LINES = 500
GOALS = {"merge": 15.0, "flush": 40.0, "linear": 1.5}
HOPELESS = 3.0
PLAIN_TRIES = 5
TOP = 25
WORDS = {
    "who": "Ada Bob Cleo Dan Eve Finn Gus Hal Ida Joe Kim Lea Max Nell Ole Pia Quinn Ray Sue Tom Uma Vic Wim Yan Zoe",
    "does": "repaired borrowed painted measured sold cleaned found photographed ordered labelled moved tested wrapped "
    "returned described sketched counted weighed stacked insured",
    "what": "lamp router ladder printer kettle saw radio pump drill heater piano carpet mirror window curtain bicycle "
    "trailer boiler freezer camera tripod hammock bench cupboard drawer poster globe telescope violin toaster",
    "where": "cellar garden office attic shed kitchen studio garage harbour library bakery station market orchard "
    "chapel museum quarry mill tower barn",
    "why": "because the old one rattled, for the summer school, with help from a neighbour, before the rain came, "
    "at a fair price, after the long meeting, on behalf of the choir, without any trouble, to please the tenants, "
    "as the plan had it, for half the usual fee, while the others slept",
}
MARKS = ("Lesson:", "Decision:", "Preference:", "Lesson:")
T = TypeVar("T")


@dataclass(frozen=True)
class Round:
    """Seconds of one piece of work, and of a plain read and replace of its bytes just before it."""

    work: float
    plain: float


def main() -> int:
    arguments = _arguments()
    profile = cProfile.Profile() if arguments.profile else None
    with tempfile.TemporaryDirectory() as folder, _state(folder):
        base = Path(folder)
        merges, flushes = [], []
        # Interleaved, so that a busy moment of the machine falls on all of them alike.
        for number in range(arguments.rounds):
            merges.append(merge_round(base, number, None))
            flushes.append(flush_round(base, FLUSHED_LINES, number, None))
        small = [flush_round(base, FLUSHED_LINES // 10, 100 + number, None) for number in range(arguments.rounds)]
        few, many = _per_line(small, FLUSHED_LINES // 10), _per_line(flushes, FLUSHED_LINES)
        # Where ten times the lines cost far more than ten times the time, a hundred times would never end.
        large = [] if many > few * HOPELESS else [flush_round(base, FLUSHED_LINES * 10, 200, None)]
        if profile:
            merge_round(base, 300, profile)
            _print_top(profile, "merge")
            profile.clear()
            flush_round(base, FLUSHED_LINES, 301, profile)
            _print_top(profile, "flush")
    per_line = {str(FLUSHED_LINES // 10): few, str(FLUSHED_LINES): many}
    if large:
        per_line[str(FLUSHED_LINES * 10)] = _per_line(large, FLUSHED_LINES * 10)
    figures: dict[str, object] = {
        "merge": _figures(merges),
        "flush": _figures(flushes),
        "us_per_line": per_line,
        # Cost of a line among the most lines, against one among a tenth of them.
        "linear": round(_per_line(large, FLUSHED_LINES * 10) / many if large else many / few, 2),
    }
    ok = bool(large) and all(_reached(figures[name]) <= goal for name, goal in GOALS.items())
    print(json.dumps({"bench": "merge", "figures": figures, "goals": GOALS, "ok": ok}))
    return 0 if ok else 1


def merge_round(base: Path, number: int, profile: cProfile.Profile | None) -> Round:
    """
    Post 14 Revises and 6 Retires to a long MEMORY.md whose every entry may be curated.

    No Add is among them: over its cap MEMORY.md takes none, so it would change another file.
    """
    workspace = _adopted(base / f"merge-{number}", number)
    now = NOW + timedelta(minutes=number)
    with workspace.lock():
        observing.observe(workspace, "adopting", now)
    verdicts = _verdicts(read_memory(workspace, now).entries, number)
    plain = _plain(workspace.root / "plain.md", files.read_bytes(workspace.longterm))
    _forget_caches()
    author = Author("bench", "review", "some:model")
    with _profiled(profile):
        work, posted = _timed(lambda: posting.post(workspace, verdicts, author, now + timedelta(hours=1)))
    done = posted.count("applied")
    if done != OPERATIONS:
        raise AssertionError(f"{done} of {OPERATIONS} operations were applied: {posted.summary}")
    return Round(work, plain)


def flush_round(base: Path, count: int, number: int, profile: cProfile.Profile | None) -> Round:
    """Flush *count* inbox lines of a new workspace into its note and memory; every 20th is marked."""
    workspace = adoption.adopt(base / f"flush-{count}-{number}", NOW).workspace
    data = "".join(f"- {_inbox_line(index, number)}\n" for index in range(count)).encode()
    plain = _plain(workspace.root / "plain.md", data)
    workspace.inbox.write_bytes(data)
    # Where mail and news come in, every line is looked up among theirs.
    register.write(workspace, [_outside(index, number - 1_000) for index in range(OUTSIDE_LINES)], NOW)
    _forget_caches()

    def work() -> tuple[Posted, ...]:
        flush.to_note(workspace, NOW, NOW)
        return flush.to_memory(workspace, "bench", NOW)

    with _profiled(profile):
        seconds, posted = _timed(work)
    settled = sum(len(part.results) for part in posted)
    if settled != count:
        raise AssertionError(f"{settled} of {count} inbox lines came to a verdict")
    return Round(seconds, plain)


def _adopted(root: Path, number: int) -> Workspace:
    root.mkdir()
    (root / "MEMORY.md").write_text(_memory(number), encoding="utf-8")
    return adoption.adopt(root, NOW + timedelta(minutes=number), "all").workspace


def _memory(number: int) -> str:
    """A MEMORY.md of 1,180 lines: twenty headings, and entries of which some have a line below."""
    lines = ["# Memory"]
    for section in range(20):
        lines += ["", f"## Room {section} of house {number}", ""]
        while len(lines) < (section + 1) * MEMORY_LINES // 20:
            lines.append(f"- {_sentence(len(lines), number)}")
            if len(lines) % 9 == 0:
                lines.append(f"  - seen by Ada on day {len(lines)}")
    return "\n".join(lines[:MEMORY_LINES]) + "\n"


def _sentence(index: int, number: int) -> str:
    """One of many sentences that are not alike; every index and number gives its own."""
    rng = Random(f"{index} {number}")  # noqa: S311 - no secret
    who, does, what, where = (rng.choice(WORDS[key].split()) for key in ("who", "does", "what", "where"))
    return f"{who} {does} {what} {index} in the {where} {rng.choice(WORDS['why'].split(', '))}"


def _outside(index: int, number: int) -> str:
    """Write an outside line of the same words; a run of them that an inbox line had too would make that outside."""
    return f"[news] {' '.join(reversed(_sentence(index, number).split()))}"


def _inbox_line(index: int, number: int) -> str:
    mark = f"{MARKS[index // MARKED_EVERY % len(MARKS)]} " if index % MARKED_EVERY == 0 else ""
    return mark + _sentence(index, number)


def _verdicts(entries: tuple[Known, ...], number: int) -> list[Verdict]:
    chosen = entries[:: len(entries) // OPERATIONS][:OPERATIONS]
    return [_verdict(entry, index, number) for index, entry in enumerate(chosen)]


def _verdict(entry: Known, index: int, number: int) -> Verdict:
    kind: Literal["revise", "retire"] = "revise" if index >= RETIRED else "retire"
    text = f"{entry.text}, says Bob {index}" if kind == "revise" else ""
    operation = Operation(kind=kind, text=text, entry=entry.id, sources=(index + 1,))
    said = f"Bob {index} says so of {number}"
    source = Evidence(
        number=index + 1,
        day=date(2026, 2, 7),
        file="memory/2026-02-07.md",
        line=index + 3,
        time="08:00",
        text=said,
        heading="Morning",
        origin="trusted",
        marks=(f"mark of {said}",),
    )
    return Verdict("apply", operation, (source,), entry)


def _plain(path: Path, data: bytes) -> float:
    """Median seconds of a read and an atomic replace of these bytes."""
    path.write_bytes(data)
    return statistics.median(_timed(lambda: _read_and_replace(path))[0] for _ in range(PLAIN_TRIES))


def _read_and_replace(path: Path) -> None:
    data = files.read_bytes(path)
    files.replace(path, data, expected=data)


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done


def _forget_caches() -> None:
    """Empty every cache of ours: a run of Daybook is a process of its own and begins without them."""
    for name, module in list(sys.modules.items()):
        if name.startswith("daybook."):
            for cache in _caches(module):
                cache.cache_clear()
    gc.collect()


def _caches(module: ModuleType) -> list[_lru_cache_wrapper[object]]:
    return [value for value in vars(module).values() if isinstance(value, _lru_cache_wrapper)]


def _figures(rounds: list[Round]) -> dict[str, float]:
    return {
        "ratio": round(statistics.median(one.work / one.plain for one in rounds), 1),
        "ms": round(statistics.median(one.work for one in rounds) * 1e3, 1),
        "plain_ms": round(statistics.median(one.plain for one in rounds) * 1e3, 2),
    }


def _reached(figure: object) -> float:
    return float(figure["ratio"] if isinstance(figure, dict) else str(figure))


def _per_line(rounds: list[Round], lines: int) -> float:
    """Microseconds a line."""
    return round(statistics.median(one.work for one in rounds) * 1e6 / lines, 1)


@contextmanager
def _profiled(profile: cProfile.Profile | None) -> Iterator[None]:
    if profile is None:
        yield
        return
    profile.enable()
    try:
        yield
    finally:
        profile.disable()


def _print_top(profile: cProfile.Profile, title: str) -> None:
    print(f"== {title}, by own time and by time with all that is called")
    for order in ("tottime", "cumulative"):
        pstats.Stats(profile).sort_stats(order).print_stats(TOP)


@contextmanager
def _state(folder: str) -> Iterator[None]:
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = f"{folder}/state"
    try:
        yield
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="how often each is measured (default: 7)")
    parser.add_argument("--profile", action="store_true", help="also print where the time goes")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
