"""
Render an edited template in a child process with hard limits on time and memory.

A sandbox that counts loops is not enough: nested empty loops write nothing, macros call each other without
a loop, `10**10**10` is one step, and doubling a string forty times is forty. The kernel's limits end all of
them within about a second, without signals or threads in our own process. The price is the start of a Python
(about a tenth of a second), paid only when there is an override: packaged templates are rendered in place.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from daybook.prompts.template import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from daybook.prompts.template import Source

CHILD = "daybook.prompts.child"
WALL_TIMEOUT_S = 15.0


def render(
    sources: Sequence[Source], declared: Collection[str], variables: Mapping[str, object], *, folder: Path
) -> str | Problem:
    """
    Render like `template.render`, but in a child without environment, and killed when it is too hungry.

    Args:
        sources: The template and what it includes.
        declared: Names the templates may use.
        variables: Plain JSON values.
        folder: Where the child runs; never a workspace, whose files Python would import.
    """
    request = {
        "sources": [asdict(source) for source in sources],
        "declared": list(declared),
        "variables": dict(variables),
    }
    try:
        done = subprocess.run(  # noqa: S603 - our own module, in isolated mode
            [sys.executable, "-I", "-m", CHILD],
            input=json.dumps(request).encode(),
            capture_output=True,
            cwd=folder,
            env={},
            timeout=WALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _too_hungry(sources[0].path)
    if done.returncode < 0:
        return _too_hungry(sources[0].path)
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        return Problem(sources[0].path, None, f"the renderer failed: {last}")
    reply = json.loads(done.stdout)
    return str(reply["text"]) if "text" in reply else Problem(**reply["problem"])


def _too_hungry(path: str) -> Problem:
    return Problem(path, None, "it takes more than a second or too much memory; look for a loop without end")
