"""The command as a user runs it: a process of its own, in a folder of its own."""

from __future__ import annotations

import os
import pty
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


@pytest.fixture
def on_one_server(prefect_api: str, settle: Callable[[str], None]) -> None:
    """Let the workspace's flows use the server of all tests; a temporary one takes fifteen seconds to start."""
    settle(f'[prefect]\napi_url = "{prefect_api}"\n')


@pytest.fixture
def at_a_terminal(workspace: Workspace) -> Callable[..., tuple[int, str]]:
    """Run `daybook` inside the workspace at a terminal of its own; gives its exit code and what it showed."""

    def call(*arguments: str, answer: str = "") -> tuple[int, str]:
        ours, theirs = pty.openpty()
        try:
            with subprocess.Popen(
                [*COMMAND, *arguments], cwd=workspace.root, stdin=theirs, stdout=theirs, stderr=theirs
            ) as process:
                os.write(ours, answer.encode())
                code = process.wait(DEADLINE_S)
            # A command that says nothing leaves nothing to read.
            os.write(theirs, b"\n")
            shown = os.read(ours, 65_536).decode().replace("\r\n", "\n")
        finally:
            os.close(ours)
            os.close(theirs)
        assert "Traceback" not in shown
        return code, shown

    return call
