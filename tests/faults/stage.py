"""A stage on which one operation is played again and again, each time in a child and from the same beginning."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import checks
import points
import scenarios
from checks import Facts

from daybook.errors import DaybookError
from daybook.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from scenarios import Scenario

DEADLINE_S = 60
PARTS = ("workspace", "state")
# Random parts of names, and files that hold numbers of the file system: no two runs are alike in these.
RANDOM = re.compile(r"(?<=[-.])[0-9a-f]{8}(?=$|\.)")
OF_THE_MOMENT = frozenset({"observed", "pending.json"})


class RecoveryError(Exception):
    """Starting again did not end well."""


@dataclass
class Stage:
    """
    Where one scenario is played.

    Attributes:
        base: Folder of the workspace, its private state, and the copies they are set up from.
        name: The scenario.
        scenario: Likewise.
        workspace: The workspace, at the one path that its private state remembers.
        ends: What starting again came to, by the state on disk that it began with.
    """

    base: Path
    name: str
    scenario: Scenario
    workspace: Workspace
    ends: dict[str, Facts | RecoveryError] = field(default_factory=dict)

    def reset(self) -> None:
        """Set everything up as it was."""
        for part in PARTS:
            shutil.rmtree(self.base / part, ignore_errors=True)
            shutil.copytree(self.base / "template" / self.name / part, self.base / part)

    def play(self, plan: points.Plan) -> tuple[int, dict[str, Any]]:
        """Run the operation in a child under a plan; gives its wait status, and what it told."""

        def act(tell: Callable[[object], None]) -> None:
            shim = points.Shim(plan, str(self.workspace.root))
            shim.install()
            error = ""
            try:
                self.scenario.run(self.workspace, scenarios.NOW)
            except DaybookError as told:
                error = str(told)
            except Exception:  # noqa: BLE001 - whatever else ends it is what is looked for
                error = "TRACEBACK " + traceback.format_exc()
            tell({"error": error, **(shim.told() if not plan.kind else {})})

        return in_child(act)

    def recover(self) -> Facts:
        """
        Start again, flush and review once more, and look at everything, in a child.

        What begins with the same bytes on disk comes to the same, and is not done twice.

        Raises:
            RecoveryError: It did not come to an end.
        """
        state = self._state()
        if state not in self.ends:
            self.ends[state] = self._recovered()
        end = self.ends[state]
        if isinstance(end, RecoveryError):
            raise end
        return end

    def _recovered(self) -> Facts | RecoveryError:
        def act(tell: Callable[[object], None]) -> None:
            points.Shim(points.Plan(), str(self.workspace.root)).install()
            now = scenarios.NOW + scenarios.MINUTE
            if self.scenario.again is not None:
                self.scenario.again(self.workspace, now)
            scenarios.flush_all(self.workspace, now + scenarios.MINUTE)
            scenarios.review(self.workspace, now + 2 * scenarios.MINUTE)
            # What a kill left is an hour old by the clock of the file system.
            self.workspace.sweep(datetime.now(UTC) + timedelta(hours=2))
            tell({"facts": checks.facts(self.workspace, now + timedelta(hours=3)).to_json()})

        status, told = in_child(act)
        if "facts" not in told:
            return RecoveryError(f"status {status}: {told.get('traceback', '')}")
        return Facts(**json.loads(told["facts"]))

    def _state(self) -> str:
        found = hashlib.sha256()
        for part in PARTS:
            for folder, inner, names in os.walk(self.base / part):
                inner.sort()
                for name in sorted(names, key=_plain):
                    found.update(f"\0{folder}/{_plain(name)}\0".encode())
                    found.update(b"" if name in OF_THE_MOMENT else Path(folder, name).read_bytes())
        return found.hexdigest()


def set_up(base: Path, name: str) -> Stage:
    """Make the workspace that a scenario begins with."""
    os.environ["XDG_STATE_HOME"] = str(base / "state")
    for part in PARTS:
        shutil.rmtree(base / part, ignore_errors=True)
    scenario = scenarios.SCENARIOS[name]

    def act(_: Callable[[object], None]) -> None:
        scenario.prepare(scenarios.make(base / "workspace"))

    _, told = in_child(act)
    if told:
        raise RuntimeError(told["traceback"])
    for part in PARTS:
        shutil.copytree(base / part, base / "template" / name / part)
    return Stage(base, name, scenario, open_workspace(str(base / "workspace")))


def in_child(act: Callable[[Callable[[object], None]], None]) -> tuple[int, dict[str, Any]]:
    """Do something in a child that may be killed; gives its wait status, and what it told before that."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(DEADLINE_S)
        os.close(reading)
        write = os.write

        def tell(what: object) -> None:
            data = json.dumps(what).encode()
            while data:
                data = data[write(writing, data) :]

        try:
            act(tell)
        except BaseException:  # noqa: BLE001 - a child must not run on into the parent's code
            tell({"traceback": traceback.format_exc()})
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as stream:
        data = stream.read()
    return os.waitpid(child, 0)[1], json.loads(data) if data else {}


def _plain(name: str) -> str:
    return RANDOM.sub("", name)
