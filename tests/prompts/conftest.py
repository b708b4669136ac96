"""A workspace, and a way to put an edited prompt into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.workspace import Workspace, make_id, open_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "workspace"
    root.mkdir()
    make_id(root)
    return open_workspace(str(root))


@pytest.fixture
def edit(workspace: Workspace) -> Callable[..., Path]:
    def write(text: str, name: str = "review.md.j2") -> Path:
        workspace.prompts_dir.mkdir(exist_ok=True)
        path = workspace.prompts_dir / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
