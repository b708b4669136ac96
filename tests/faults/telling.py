"""
Let every counted call of a beat go wrong once, and see what reached the note and the operator in the end.

    python tests/faults/telling.py FOLDER SCENARIO... [--every N]

The last line is one JSON object. Two more beats follow each fault; the messages are counted by a server that lives on.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
import traceback
import urllib.request
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import drive
import outward
import points
from stage import in_child

from daybook import adoption
from daybook.errors import DaybookError
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from daybook.settings import Settings

RECEIVER = Path(__file__).with_name("receiver.py")
PARTS = ("workspace", "state")
TURNS = 3
BRIEF_MARK = "Models: "
WRONG = ("lost", "doubled", "told twice unmarked", "traceback", "differs")
# What a loss of power can leave of a row; it is said, and costs nothing.
DAMAGED = "damaged line(s)"
# Elsewhere the scenarios with quiet hours are like the one without.
OUTWARD = ("notify/", "schedule/")
What = Literal["lost", "doubled", "told twice unmarked", "told twice marked", "traceback", "differs"]


@dataclass
class Tally:
    """What all faults came to."""

    points: int = 0
    faults: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    sites: set[str] = field(default_factory=set)
    found: dict[str, list[str]] = field(default_factory=lambda: {what: [] for what in (*WRONG, "told twice marked")})

    def to_json(self) -> str:
        """One line."""
        told = {"points": self.points, "faults": self.faults, "kinds": self.kinds, "sites": sorted(self.sites)}
        return json.dumps({**told, **self.found})


@dataclass
class Play:
    """
    Where one scenario is played.

    Attributes:
        base: Folder of the workspace, its private state, the copies they are set up from, and what was received.
        name: The scenario.
        settings: Its settings.
        port: Where the receiver listens.
    """

    base: Path
    name: str
    settings: Settings
    port: int

    @property
    def received(self) -> Path:
        """A message a line."""
        return self.base / "received"

    def set_up(self) -> None:
        """Make the workspace that each play begins with."""
        for part in PARTS:
            shutil.rmtree(self.base / part, ignore_errors=True)
        workspace = adoption.adopt(self.base / "workspace", outward.NOW - 9 * outward.BEAT).workspace
        outward.prepare(workspace, self.settings)
        for part in PARTS:
            shutil.copytree(self.base / part, self.base / "template" / self.name / part)

    def reset(self) -> None:
        """Set everything up as it was."""
        for part in PARTS:
            shutil.rmtree(self.base / part)
            shutil.copytree(self.base / "template" / self.name / part, self.base / part)
        self.received.write_bytes(b"")

    def first(self, plan: points.Plan) -> tuple[int, dict[str, Any]]:
        """Do the beat that goes wrong; gives the wait status of its child, and what it told."""

        def act(tell: Callable[[object], None]) -> None:
            workspace = open_workspace(str(self.base / "workspace"))
            shim = points.Shim(plan, str(workspace.root))
            shim.install()
            said = ""
            try:
                outward.beat(workspace, self.settings, 0)
            except DaybookError as error:
                said = f"an error left the beat: {error}"
            except Exception:  # noqa: BLE001 - whatever else ends it is what is looked for
                said = f"TRACEBACK {traceback.format_exc()}"
            tell({"error": said, "points": [] if plan.kind else [asdict(point) for point in shim.points]})

        return in_child(act)

    def rest(self) -> tuple[outward.Facts | None, dict[str, Any]]:
        """Do the beats after it, and look at everything."""

        def act(tell: Callable[[object], None]) -> None:
            points.Shim(points.Plan(), str(self.base / "workspace")).install()
            workspace = open_workspace(str(self.base / "workspace"))
            errors = [one for turn in range(1, TURNS) for one in outward.beat(workspace, self.settings, turn)]
            facts = outward.look(workspace, errors)
            tell({"facts": asdict(facts), "standing": outward.standing(workspace)})

        _, said = in_child(act)
        return outward.Facts(**said["facts"]) if "facts" in said else None, said

    def messages(self) -> list[str]:
        """Give what was received, once all of it is."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/") as answer:
            answer.read()
        return [json.loads(line) for line in self.received.read_text().splitlines()]


def drive_all(play: Play, tally: Tally, every: int) -> None:
    """Play one scenario undisturbed, then once per call and kind of fault."""
    play.set_up()
    play.reset()
    status, said = play.first(points.Plan())
    usual, rest = play.rest()
    if status or said.get("error", "?") or usual is None:
        raise RuntimeError(f"{play.name}: {said.get('error')} {said.get('traceback')} {rest.get('traceback')}")
    counted = [points.Point(**one) for one in said["points"]]
    tally.points += len(counted)
    for what, found in _judged(play.messages(), "", usual, usual):
        tally.found[what].append(f"{play.name} undisturbed: {found}")
    for index, kind in list(drive._faults(counted, set(), every)):
        point = counted[index]
        if outward.QUIET_HOURS[play.name] and not _is_outward(point):
            continue
        play.reset()
        status, said = play.first(points.Plan(index, kind=kind))
        facts, rest = play.rest()
        tally.faults += 1
        tally.kinds[kind] += 1
        tally.sites.add(f"{point.site} {point.op} {kind}")
        where = f"{play.name} #{index} {kind} at {point.op} {point.site} {Path(point.file).name}"
        for what, found in _all_judged(play, kind, status, said, facts, rest, usual):
            tally.found[what].append(f"{where}: {found}")


def _is_outward(point: points.Point) -> bool:
    return point.site.startswith(OUTWARD)


def _all_judged(
    play: Play,
    kind: str,
    status: int,
    said: dict[str, Any],
    facts: outward.Facts | None,
    rest: dict[str, Any],
    usual: outward.Facts,
) -> Iterator[tuple[What, str]]:
    if os.WIFSIGNALED(status) != ("kill" in kind):
        yield "traceback", f"ended with status {status} {said.get('traceback', '')}"
    if said.get("error"):
        yield "traceback", said["error"]
    if facts is None:
        yield "traceback", f"the beats after it: {rest.get('traceback')}"
        return
    yield from _judged(play.messages(), kind, facts, usual)


def _judged(messages: list[str], kind: str, facts: outward.Facts, usual: outward.Facts) -> Iterator[tuple[What, str]]:
    """Say what is wrong with what stands in the note, what was told, and where the sources stand."""
    yield from _note(kind, facts)
    lines = [line for message in messages for line in message.splitlines()]
    briefs = [message for message in messages if BRIEF_MARK in message]
    for text in (*outward.URGENT, *outward.PLAIN, outward.OPEN_PLAIN.text):
        yield from _told(text, [line for line in lines if text in line], facts)
    if len(briefs) > 1:
        yield "told twice unmarked", "the brief"
    if usual.states.keys() != facts.states.keys():
        yield "differs", f"notices {sorted(usual.states.keys() ^ facts.states.keys())}"
    if (usual.seen, usual.cursor) != (facts.seen, facts.cursor):
        yield "differs", f"cursors {facts.seen} {facts.cursor}"
    yield from (("differs", f"the register does not know {text!r}") for text in facts.unknown)
    said = (error for error in facts.errors if DAMAGED not in error or ("half" not in kind and "short" not in kind))
    yield from (("differs", f"a later beat said: {error}") for error in said)
    yield from (("lost", f"line {key} is still open") for key in facts.open)


def _note(kind: str, facts: outward.Facts) -> Iterator[tuple[What, str]]:
    for text in outward.ITEMS:
        count = sum(text in line for line in facts.notes)
        if count != 1:
            yield ("doubled" if count else "lost"), f"line {text!r} stands {count} times"
    for text in outward.COMMANDS.values():
        # Nobody runs a command again whose line was lost with its beat.
        count = sum(text in line for line in facts.notes)
        if count > 1 or (not count and not kind):
            yield ("doubled" if count else "lost"), f"line {text!r} stands {count} times"
    if "save" in kind and points.TYPED.decode().strip() not in facts.notes:
        yield "lost", "what a person typed"


def _told(text: str, lines: list[str], facts: outward.Facts) -> Iterator[tuple[What, str]]:
    """Say whether one notice was told as often as it may be; a line of a brief is a receipt like any other."""
    urgent = text in outward.URGENT
    first, again = lines[:1], lines[1:]
    if not first and text != outward.OPEN_PLAIN.text and (urgent or not _is_begun(text, facts)):
        yield "lost", f"{text!r} was never told"
    if lines and text == outward.OPEN_PLAIN.text:
        yield "told twice unmarked", text
    for line in again:
        yield ("told twice marked" if _is_marked(line) else "told twice unmarked"), line


def _is_marked(line: str) -> bool:
    """Whether a line says that it may have been told before."""
    return line.lstrip("!- ").startswith("(repeat) ")


def _is_begun(text: str, facts: outward.Facts) -> bool:
    """Whether a plain notice was being sent, by itself or by a brief, when its run was killed."""
    key = next(one.key for one in (outward.HELD, outward.FRESH) if one.text == text)
    return facts.states.get(key) == "begin"


@contextlib.contextmanager
def _receiver(base: Path) -> Iterator[int]:
    command = [sys.executable, str(RECEIVER), str(base / "received")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError(command)
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def main() -> int:
    """Drive the scenarios named."""
    parser = argparse.ArgumentParser()
    parser.add_argument("base", type=Path)
    parser.add_argument("scenarios", nargs="*")
    parser.add_argument("--every", type=int, default=1)
    named = parser.parse_args()
    base = named.base.resolve()
    os.environ["XDG_STATE_HOME"] = str(base / "state")
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        os.environ.pop(name, None)
    # What all children would import for themselves, and what the collector need not look at in each.
    flows = importlib.import_module("flows.reporting")
    for name, plain in outward.plain_tasks(flows).items():
        setattr(flows, name, plain)
    importlib.import_module("_strptime")
    importlib.import_module("ctypes")
    tally = Tally()
    with _receiver(base) as port:
        plugin = importlib.import_module("apprise").Apprise()
        plugin.add(f"json://127.0.0.1:{port}/")
        gc.freeze()
        for name in named.scenarios or outward.QUIET_HOURS:
            drive_all(Play(base, name, outward.settings(name, port), port), tally, named.every)
    sys.stdout.write(f"{tally.to_json()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
