"""`init` makes what is missing and changes nothing that is there."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from daybook import adoption, files, trust
from daybook.errors import WorkspaceError
from daybook.finding import find_root
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.schedule import planning
from daybook.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace


def test_an_adopted_folder_keeps_every_byte(tmp_path: Path, now: datetime) -> None:
    (tmp_path / "memory").mkdir()
    theirs = {
        "MEMORY.md": b"\xef\xbb\xbf# Mine\r\n\r\n- one\r\n- two",
        "memory/2026-02-06.md": b"no heading\x00\xff",
        "daybook.toml": b'interests = ["x"]',
    }
    for name, data in theirs.items():
        (tmp_path / name).write_bytes(data)
    adopted = adoption.adopt(tmp_path, now)
    assert {name: (tmp_path / name).read_bytes() for name in theirs} == theirs
    assert adopted.made == (".daybook/.gitignore", "memory/.gitignore", "memory/.gitattributes")


def test_a_second_init_changes_nothing_and_brings_back_nothing(tmp_path: Path, now: datetime) -> None:
    first = adoption.adopt(tmp_path / "w", now)
    first.workspace.longterm.unlink()
    second = adoption.adopt(tmp_path / "w", now)
    assert (second.made, second.workspace.id) == ((), first.workspace.id)
    assert not second.workspace.longterm.exists()


def test_a_known_workspace_gets_what_git_needs_to_know_and_keeps_its_own(workspace: Workspace, now: datetime) -> None:
    (workspace.memory_dir / ".gitignore").unlink()
    (workspace.memory_dir / ".gitattributes").write_text("* merge=ours\n")
    assert adoption.adopt(workspace.root, now).made == ("memory/.gitignore",)
    assert (workspace.memory_dir / ".gitattributes").read_text() == "* merge=ours\n"
    (workspace.memory_dir / ".gitignore").unlink()
    (workspace.memory_dir / ".gitignore").symlink_to("/etc/hostname")
    shutil.rmtree(workspace.runs_dir, ignore_errors=True)
    assert adoption.adopt(workspace.root, now).made == ()
    shutil.rmtree(workspace.memory_dir)
    assert adoption.adopt(workspace.root, now).made == ("memory/.gitignore", "memory/.gitattributes")


def curates(workspace: Workspace) -> list[str]:
    return [record.mode for record in ledger.read(workspace).records if isinstance(record, Curate)]


def test_whose_entries_are_curated_is_recorded_once_until_it_changes(tmp_path: Path, now: datetime) -> None:
    (tmp_path / "MEMORY.md").write_text("- theirs\n")
    first = adoption.adopt(tmp_path, now)
    assert (first.curate, first.undecided, curates(first.workspace)) == ("ours", True, [])
    for mode in ("ours", "all", "all", None, "ours", "all"):
        adopted = adoption.adopt(tmp_path, now, mode)
        assert (adopted.curate, adopted.undecided) == (mode or "all", False)
    assert curates(first.workspace)[:2] == ["ours", "all"]


@pytest.mark.parametrize(("file", "undecided"), [("memory/topics/garden.md", True), ("memory/archive.md", False)])
def test_only_entries_of_memory_and_topics_make_it_a_question(
    tmp_path: Path, now: datetime, file: str, *, undecided: bool
) -> None:
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text("# T\n\n- roses\n")
    assert adoption.adopt(tmp_path, now).undecided is undecided


def test_a_mode_that_came_with_a_folder_does_not_count_before_trust(tmp_path: Path, now: datetime) -> None:
    theirs = adoption.adopt(tmp_path / "theirs", now, "all").workspace
    shutil.copytree(theirs.root, tmp_path / "mine")
    (tmp_path / "mine" / ".daybook" / "id").unlink()
    mine = adoption.adopt(tmp_path / "mine", now)
    assert (mine.curate, mine.waits) == ("ours", ("ledger",))
    trust.grant(mine.workspace, settings={}, ledger=True)
    assert adoption.adopt(tmp_path / "mine", now).curate == "all"


def test_an_id_that_was_deleted_is_restored_where_the_same_folder_stands(workspace: Workspace, now: datetime) -> None:
    adoption.curate(workspace, "all", now)
    shutil.rmtree(workspace.own)
    assert find_root(None, cwd=str(workspace.memory_dir)) == str(workspace.root)
    assert (workspace.own / "id").read_text().strip() == workspace.id
    shutil.rmtree(workspace.own)
    assert find_root(str(workspace.root)) == str(workspace.root)
    shutil.rmtree(workspace.own)
    again = adoption.adopt(workspace.root, now)
    assert (again.workspace.id, again.curate, again.made) == (workspace.id, "all", ())
    assert again.workspace.home is not None


def test_another_folder_that_took_its_place_is_not_the_same(workspace: Workspace, now: datetime) -> None:
    shutil.rmtree(workspace.own)
    workspace.own.mkdir()
    files.append(workspace.ledger, b"a line of somebody else's\n")
    with pytest.raises(WorkspaceError, match="is not a workspace yet"):
        find_root(str(workspace.root))
    again = adoption.adopt(workspace.root, now)
    assert (again.workspace.id == workspace.id, again.waits) == (False, ("ledger",))
    shutil.rmtree(workspace.root)
    assert adoption.adopt(workspace.root, now).workspace.id not in {workspace.id, again.workspace.id}


def test_an_id_is_restored_through_no_link(workspace: Workspace, tmp_path: Path) -> None:
    shutil.rmtree(workspace.own)
    (tmp_path / "elsewhere").mkdir()
    workspace.own.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match="is not a workspace yet"):
        find_root(str(workspace.root))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_inside_one_that_lost_its_id_is_no_workspace_of_its_own(workspace: Workspace, now: datetime) -> None:
    shutil.rmtree(workspace.own)
    with pytest.raises(WorkspaceError, match="lies inside the workspace"):
        adoption.adopt(workspace.memory_dir, now)


def test_a_ledger_that_came_with_the_folder_does_not_count_before_trust(tmp_path: Path, now: datetime) -> None:
    (tmp_path / ".daybook").mkdir()
    (tmp_path / ".daybook" / "ledger.jsonl").write_text("{}\n")
    adopted = adoption.adopt(tmp_path, now)
    assert adopted.waits == ("ledger",)
    assert not trust.ledger_trusted(adopted.workspace)


def test_w18_an_adopted_state_file_is_a_hint_and_made_up_times_are_none(tmp_path: Path, now: datetime) -> None:
    """Turns red when a time in the future or in prose is taken for a last run."""
    (tmp_path / "memory").mkdir()
    epoch = int(now.timestamp())
    state = {"lastChecks": {"email": epoch - 3600, "news": epoch + 10**8, "inbox": "yesterday evening", "day": None}}
    (tmp_path / "memory" / "heartbeat-state.json").write_text(json.dumps(state))
    (tmp_path / "daybook.toml").write_text("[checks.mail]\nevery='4h'\n[checks.inbox]\nevery='4h'\n")
    workspace = adoption.adopt(tmp_path, now).workspace
    mailboxes = [{"host": "h", "user": "u", "password_env": "P"}]
    found = Settings.model_validate({"mailboxes": mailboxes, "feeds": [{"url": "https://a.example/f"}]})
    planned = planning.plan(workspace, found, now, now)
    assert planned.one("mail") is None
    assert planned.one("news") is not None
