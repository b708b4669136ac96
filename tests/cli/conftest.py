"""The command as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.workspace import Workspace

COMMAND = [str(Path(sys.executable).with_name("daybook"))]
DEADLINE_S = 90


@pytest.fixture
def daybook(workspace: Workspace) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `daybook` inside the workspace, or in another folder; never with a traceback."""

    def call(*arguments: str, cwd: Path | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=cwd or workspace.root,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
            check=False,
            **more,
        )
        assert "Traceback" not in done.stderr + done.stdout
        assert "this is a defect of Daybook" not in done.stderr
        return done

    return call
