"""A workspace is found from where one stands; a copy gets an id of its own; only its home runs the schedule."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from daybook import adoption, workspace
from daybook.errors import WorkspaceError
from daybook.finding import find_root

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace


def test_w20_a_workspace_is_found_from_any_folder_inside_it(workspace: Workspace, tmp_path: Path) -> None:
    """Turns red when only the current folder is looked at."""
    deep = workspace.root / "memory" / "topics" / "deep"
    deep.mkdir(parents=True)
    assert find_root(None, cwd=str(deep)) == str(workspace.root)
    with pytest.raises(WorkspaceError, match="daybook init"):
        find_root(None, cwd=str(tmp_path))


def test_the_named_workspace_comes_before_the_environment_and_both_before_the_folder(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    other = adoption.adopt(tmp_path / "other", now).workspace
    third = adoption.adopt(tmp_path / "third", now).workspace
    monkeypatch.setenv("DAYBOOK_WORKSPACE", str(other.root))
    assert find_root(None, cwd=str(workspace.root)) == str(other.root)
    assert find_root(str(third.root), cwd=str(workspace.root)) == str(third.root)


def test_a_workspace_named_by_a_folder_inside_it_is_the_same_one(workspace: Workspace, now: datetime) -> None:
    assert find_root(str(workspace.memory_dir)) == str(workspace.root)
    with pytest.raises(WorkspaceError, match="lies inside the workspace"):
        adoption.adopt(workspace.memory_dir / "nested", now)


def test_private_state_is_for_this_user_alone_and_outside_the_workspace(workspace: Workspace) -> None:
    assert workspace.private.stat().st_mode & 0o777 == 0o700
    assert not workspace.private.is_relative_to(workspace.root)


def test_a_second_living_folder_with_the_same_id_is_a_copy_and_gets_its_own(
    workspace: Workspace, tmp_path: Path
) -> None:
    shutil.copytree(workspace.root, tmp_path / "copy")
    copy = workspace_of(tmp_path / "copy")
    assert copy.id != workspace.id
    assert workspace_of(workspace.root).id == workspace.id


def test_a_folder_that_was_moved_keeps_its_id_and_private_state(workspace: Workspace, tmp_path: Path) -> None:
    shutil.move(workspace.root, tmp_path / "moved")
    moved = workspace_of(tmp_path / "moved")
    assert (moved.id, moved.private) == (workspace.id, workspace.private)


def test_only_the_home_runs_checks(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.require_home()
    monkeypatch.setenv("DAYBOOK_MACHINE", "another")
    with pytest.raises(WorkspaceError, match="at home on another machine"):
        workspace.require_home()


def test_a_memory_folder_that_leads_out_of_the_workspace_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    shutil.rmtree(workspace.root / "memory")
    (tmp_path / "elsewhere").mkdir()
    (workspace.root / "memory").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="leads out of the workspace"):
        workspace_of(workspace.root)


def test_a_folder_of_runs_that_leads_out_is_refused_before_anything_is_written(tmp_path: Path, now: datetime) -> None:
    folder = tmp_path / "cloned"
    (folder / ".daybook").mkdir(parents=True)
    (folder / ".daybook" / "runs").symlink_to(tmp_path)
    with pytest.raises(WorkspaceError, match="leads out of the workspace"):
        adoption.adopt(folder, now)
    assert [path.name for path in (folder / ".daybook").iterdir()] == ["runs"]


def workspace_of(root: Path) -> Workspace:
    return workspace.open_workspace(str(root))
