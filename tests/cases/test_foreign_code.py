from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

NAMES = ("yaml", "json", "cronsim", "sitecustomize", "usercustomize", "apprise", "pydantic", "prefect")
PACKAGES = ("flows", "tasks", "prompts", "deployments", "daybook", "httpx")


@pytest.fixture
def planted(workspace: Workspace) -> Path:
    """Plant code that leaves a mark when it runs, and settings that redirect; gives the mark."""
    mark = workspace.root / "SPRUNG"
    code = f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n"
    for name in NAMES:
        (workspace.root / f"{name}.py").write_text(code)
    for name in PACKAGES:
        folder = workspace.root / name
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").write_text(code)
        (folder / "review.py").write_text(code)
    (workspace.root / "conftest.py").write_text(code)
    (workspace.root / "prefect.toml").write_text(
        '[api]\nurl = "http://127.0.0.1:9/api"\n[logging]\nconfig_path = "x"\n'
    )
    (workspace.root / ".env").write_text("PREFECT_API_URL=http://127.0.0.1:9/api\nGEMINI_API_KEY=planted\n")
    (workspace.root / "pyproject.toml").write_text('[tool.prefect.api]\nurl = "http://127.0.0.1:9/api"\n')
    return mark


@pytest.mark.usefixtures("migrated_database")
def test_o12_nothing_that_lies_in_the_workspace_runs_or_redirects(
    workspace: Workspace, planted: Path, command: Callable[..., str]
) -> None:
    """Turns red if a Python or a Prefect of ours starts with its current folder in a workspace."""
    workspace.daily_note(datetime.now(UTC).date()).write_text("- 00:01 - Decision: invoices are paid on Fridays.\n")
    memory = workspace.longterm.read_bytes()
    for arguments in (["status"], ["context"], ["context", "--main"], ["note", "x"], ["prompts", "list"], ["schema"]):
        command(workspace.root, *arguments)
    said = command(workspace.root, "review", "--dry-run", "--main")
    assert "would be applied: add 'invoices are paid on Fridays.'" in said
    assert workspace.longterm.read_bytes() == memory
    assert not planted.exists()
