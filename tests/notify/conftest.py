"""A workspace for notices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.workspace import Workspace, make_id, open_workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An empty workspace of its own."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "workspace"
    root.mkdir()
    make_id(root)
    return open_workspace(str(root))
