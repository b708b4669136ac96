"""
Do what one process of several does, when told: a line on standard input each, answered by a line.

    python tests/faults/actor.py ROOT

`flush N` and `review N` act at N seconds after the beginning; `stop OP` lets this process be suspended before its next
call of that kind.
"""

from __future__ import annotations

import sys
from datetime import timedelta

import points
import scenarios

from daybook.workspace import open_workspace


def main() -> int:
    """Say that all is imported, then obey."""
    workspace = open_workspace(sys.argv[1])
    _say("ready")
    for line in sys.stdin:
        what, value = line.split()
        if what == "stop":
            points.Shim(points.Plan(op=value, kind="stop"), str(workspace.root)).install()
        else:
            act = {"flush": scenarios.flush_all, "review": scenarios.review}[what]
            act(workspace, scenarios.NOW + timedelta(seconds=int(value)))
        _say("done")
    return 0


def _say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
