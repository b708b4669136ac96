"""A way to put an edited prompt into a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace


@pytest.fixture
def edit(workspace: Workspace) -> Callable[..., Path]:
    def write(text: str, name: str = "review.md.j2") -> Path:
        workspace.prompts_dir.mkdir(exist_ok=True)
        path = workspace.prompts_dir / name
        path.write_text(text, encoding="utf-8")
        return path

    return write
