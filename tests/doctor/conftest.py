"""A workspace that is examined on a machine without OpenClaw and with nothing up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.doctor.examining import Report, examine

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from daybook.doctor.examined import Examined
    from daybook.workspace import Workspace

OPENCLAW = ("OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME", "OPENCLAW_WORKSPACE_DIR")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in (*OPENCLAW, "CLAWDBOT_CONFIG_PATH", "CLAWDBOT_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def report(workspace: Workspace, now: datetime) -> Callable[[], Report]:
    """Examine the workspace."""
    return lambda: examine(workspace, now, lambda: None)


@pytest.fixture
def rows(report: Callable[[], Report]) -> Callable[[str], list[Examined]]:
    """Examine the workspace, and give the rows of one name."""
    return lambda name: [row for row in report().checks if row.name == name]
