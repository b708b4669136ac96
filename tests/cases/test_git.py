"""Repositories as they are found: hostile, rolled back, with worktrees."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import adoption, files, workspace
from daybook import git as room
from daybook.curation.observing import observe
from daybook.errors import WorkspaceError
from daybook.finding import find_root
from daybook.git import Committed, Left
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import notes, topics
from daybook.review import flush

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

FACTS = [
    "The router needs a fixed address.",
    "Backups are tested every month.",
    "Paint dries slower in the cold garage.",
    "Invoices are paid on Fridays.",
]


def memory_paths(workspace: Workspace) -> list[Path]:
    """Give every file of memory that is there."""
    found = [workspace.longterm, *topics.topic_files(workspace), workspace.archive, workspace.ledger]
    found += [note.path for note in notes.note_files(workspace)]
    return [path for path in found if path.is_file() and not path.is_symlink()]


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("git") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("git is missing; install git")
        pytest.skip("git is missing (Debian: git)")
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)


def git(root: Path, *arguments: str, check: bool = True) -> str:
    """Run git as a person does."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *who, *arguments], cwd=root, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout.strip()


def repository(root: Path) -> Path:
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


# W20


def test_w20_a_git_worktree_of_a_workspace_and_any_folder_in_it_are_the_workspace(
    workspace: Workspace, tmp_path: Path
) -> None:
    """Turns red when the id that is checked out in a worktree makes it a second workspace."""
    repository(workspace.root)
    git(workspace.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    git(workspace.root, "worktree", "add", "-q", str(workspace.root / "nested" / "other"))
    for linked in (tmp_path / "linked", workspace.root / "nested" / "other"):
        assert (linked / ".daybook" / "id").exists()
        for folder in (linked, linked / "memory"):
            assert find_root(None, cwd=str(folder)) == find_root(str(folder)) == str(workspace.root)
    (tmp_path / "link").symlink_to(tmp_path / "linked")
    assert find_root(str(tmp_path / "link")) == str(workspace.root)
    shutil.rmtree(tmp_path / "linked" / ".daybook")
    assert find_root(None, cwd=str(tmp_path / "linked")) == str(workspace.root)


def test_w20_a_worktree_with_relative_pointers_is_found_too(workspace: Workspace, tmp_path: Path) -> None:
    """Turns red when pointers are taken for absolute paths."""
    repository(workspace.root)
    git(workspace.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / ".git").write_text(f"gitdir: ../{workspace.root.name}/.git/worktrees/linked\n")
    (workspace.root / ".git" / "worktrees" / "linked" / "gitdir").write_text("../../../../linked/.git\n")
    assert find_root(str(tmp_path / "linked")) == str(workspace.root)


def test_w20_a_worktree_cannot_be_adopted_apart(workspace: Workspace, tmp_path: Path, now: datetime) -> None:
    """Turns red when `init` in a worktree makes two workspaces of one."""
    repository(workspace.root)
    git(workspace.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    with pytest.raises(WorkspaceError, match=f"is a git worktree of the workspace {workspace.root}"):
        adoption.adopt(tmp_path / "linked", now)


def one_sided(linked: Path, main: Path) -> None:
    (main / ".git" / "worktrees" / "linked" / "gitdir").write_text(f"{linked}-other/.git\n")


def forgotten(linked: Path, main: Path) -> None:
    assert linked.exists()
    (main / ".git" / "worktrees" / "linked" / "gitdir").unlink()


def elsewhere(linked: Path, main: Path) -> None:
    (main / ".git" / "worktrees").rename(main / ".git" / "modules")
    (linked / ".git").write_text(f"gitdir: {main}/.git/modules/linked\n")


def garbage(linked: Path, main: Path) -> None:
    (linked / ".git").write_bytes(b"gitdir:\xff\x0a" + os.fsencode(main))


def fifo(linked: Path, main: Path) -> None:
    assert main.exists()
    (linked / ".git").unlink()
    os.mkfifo(linked / ".git")


def empty(linked: Path, main: Path) -> None:
    assert main.exists()
    (linked / ".git").write_bytes(b"")


@pytest.mark.parametrize("spoil", [one_sided, forgotten, elsewhere, garbage, fifo, empty])
def test_w20_a_pointer_that_is_not_answered_is_not_followed(
    workspace: Workspace, tmp_path: Path, spoil: Callable[[Path, Path], None]
) -> None:
    """Turns red when any folder may claim to be a worktree of the operator's workspace, or when a submodule is one."""
    repository(workspace.root)
    linked = tmp_path / "linked"
    git(workspace.root, "worktree", "add", "-q", str(linked))
    shutil.rmtree(linked / ".daybook")
    spoil(linked, workspace.root)
    with pytest.raises(WorkspaceError, match="is not a workspace yet"):
        find_root(str(linked))


def test_w20_a_worktree_of_a_repository_that_is_no_workspace_may_be_one(tmp_path: Path, now: datetime) -> None:
    """Turns red when a worktree is taken for its main folder although that is no workspace."""
    main = tmp_path / "project"
    main.mkdir()
    (main / "code.py").write_text("x\n")
    repository(main)
    git(main, "worktree", "add", "-q", "../linked")
    found = adoption.adopt(tmp_path / "linked", now).workspace
    assert find_root(None, cwd=str(found.memory_dir)) == str(tmp_path / "linked")


# M30


def remembered(workspace: Workspace, now: datetime) -> Path:
    """Make a workspace whose memory grew over four flushes, each of them committed; gives its folder."""
    git(workspace.root, "init", "-q")
    git(workspace.root, "commit", "-q", "--allow-empty", "-m", "first")
    for number, text in enumerate(FACTS):
        at = now + timedelta(hours=number)
        workspace.inbox.write_text(f"- Lesson: {text}\n")
        flush.to_note(workspace, at, at)
        flush.to_memory(workspace, f"run-{number}", at)
        assert isinstance(room.commit(workspace, memory_paths(workspace), f"flush {number}", at), Committed)
    assert entries(workspace) == FACTS
    return workspace.root


def entries(workspace: Workspace) -> list[str]:
    lines = workspace.longterm.read_text().splitlines()
    return [line.removeprefix("- ") for line in lines if line.startswith("- ")]


def known(workspace: Workspace) -> set[str]:
    return {one.text for one in replay(ledger.read(workspace).records).operations.values()}


@pytest.mark.parametrize("old", ["HEAD~1", "HEAD~3", "HEAD~4"])
def test_m30_a_checkout_of_old_times_forgets_nothing(workspace: Workspace, now: datetime, old: str) -> None:
    """Turns red when the ledger's private copy is not read, or what git took away counts as a person's deletion."""
    root = remembered(workspace, now)
    git(root, "checkout", "-q", old)
    later = now + timedelta(days=1)
    again = workspace_of(root)
    assert (again.id, known(again)) == (workspace.id, set(FACTS))
    with again.lock():
        state = observe(again, "later", later).state
    assert (state.statements, state.lines) == (set(), set())
    git(root, "checkout", "-q", "-f", "main")
    with again.lock():
        state = observe(again, "back", later).state
    assert ({one.text for one in state.entries.values()}, state.statements) == (set(FACTS), set())
    assert entries(again) == FACTS


def test_m30_git_clean_takes_no_id_and_no_knowledge_away(workspace: Workspace, now: datetime) -> None:
    """Turns red when a workspace whose untracked files were cleaned away is taken for another one."""
    root = remembered(workspace, now)
    git(root, "clean", "-fdxq")
    assert not (root / ".daybook" / "id").exists()
    again = workspace_of(root)
    assert (again.id, again.private, known(again)) == (workspace.id, workspace.private, set(FACTS))
    with again.lock():
        assert observe(again, "later", now + timedelta(days=1)).state.statements == set()
    assert entries(again) == FACTS
    assert adoption.adopt(root, now).workspace.home == workspace.home


def test_m30_a_branch_without_our_files_and_a_restored_backup_forget_nothing(
    workspace: Workspace, tmp_path: Path, now: datetime
) -> None:
    """Turns red when a folder from before counts more than what is known since."""
    shutil.copytree(workspace.root, tmp_path / "backup", symlinks=True)
    root = remembered(workspace, now)
    git(root, "checkout", "-q", "--orphan", "empty")
    git(root, "rm", "-rfq", ".")
    again = workspace_of(root)
    assert known(again) == set(FACTS)
    with again.lock():
        assert observe(again, "later", now + timedelta(days=1)).state.statements == set()
    assert isinstance(room.commit(again, memory_paths(again), "x", now), Committed | Left)
    shutil.rmtree(root)
    shutil.move(tmp_path / "backup", root)
    again = workspace_of(root)
    assert (again.id, known(again)) == (workspace.id, set(FACTS))
    with again.lock():
        assert observe(again, "later", now + timedelta(days=2)).state.statements == set()


def workspace_of(root: Path) -> Workspace:
    return workspace.open_workspace(str(root))


# O12


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """Write a program that leaves a mark when it runs; gives the mark. The program is `<mark>.sh`."""
    program = tmp_path / "canary.sh"
    program.write_text(f"#!/bin/sh\necho \"$0 $@\" >> {tmp_path}/canary\nprintf '2\\000'\n")
    program.chmod(0o755)
    return tmp_path / "canary"


HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "reference-transaction",
    "post-index-change",
    "fsmonitor-watchman",
    "post-checkout",
    "pre-auto-gc",
    "post-rewrite",
)


def plant(root: Path, program: Path, *, attributes: bool) -> None:
    """Set every trap we know."""
    (root / "hooks").mkdir()
    for folder in (root / ".git" / "hooks", root / "hooks"):
        for name in HOOKS:
            shutil.copy(program, folder / name)
    config = f"""
[core]
    fsmonitor = {program}
    hooksPath = {root}/hooks
    sshCommand = {program}
    askPass = {program}
    editor = {program}
    pager = {program}
    gitProxy = {program}
    alternateRefsCommand = {program}
[commit]
    gpgSign = true
[gpg]
    program = {program}
[user]
    signingKey = x
[filter "evil"]
    clean = {program}
    smudge = {program}
    process = {program}
    required = true
[diff]
    external = {program}
[diff "evil"]
    textconv = {program}
    command = {program}
[merge "evil"]
    driver = {program}
[credential]
    helper = {program}
[pager]
    update-ref = {program}
    config = {program}
[alias]
    rev-parse = !{program}
[hook "evil"]
    command = {program}
    event = reference-transaction
    event = post-index-change
"""
    (root / ".git" / "included").write_text(config)
    with (root / ".git" / "config").open("a", encoding="utf-8") as stream:
        stream.write(f"[include]\n    path = {root}/.git/included\n")
    if attributes:
        (root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil\n")


@pytest.mark.parametrize("attributes", [False, True])
def test_o12_no_hook_filter_or_program_of_the_repository_runs(
    workspace: Workspace, canary: Path, now: datetime, *, attributes: bool
) -> None:
    """Turns red when any call of git lacks its switches, or is one that filters, signs or looks at files."""
    root = repository(workspace.root)
    plant(root, canary.with_name("canary.sh"), attributes=attributes)
    files.append(workspace.longterm, b"- new\n")
    workspace.archive.write_text("# Archive\n")
    before = git(root, "cat-file", "commit", "HEAD", check=False)
    canary.unlink(missing_ok=True)
    outcome = room.commit(workspace, [*memory_paths(workspace), root / "memory" / "gone.md"], "review", now)
    assert not canary.exists(), canary.read_text()
    assert isinstance(outcome, Left if attributes else Committed), outcome
    after = git(root, "cat-file", "commit", "HEAD", check=False)
    assert ("gpgsig" in after, after == before) == (False, attributes)
    # The traps are real: git itself, called plainly, springs them.
    git(root, "add", "-A", check=False)
    git(root, "commit", "-q", "-m", "x", check=False)
    assert canary.exists()


def test_o12_a_partial_clone_fetches_nothing(workspace: Workspace, canary: Path, now: datetime) -> None:
    """Turns red when an object that is missing makes git start the transport which the configuration names."""
    root = repository(workspace.root)
    tree = git(root, "rev-parse", "HEAD^{tree}")
    (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{canary}.sh",
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }.items():
        git(root, "config", name, value)
    files.append(workspace.longterm, b"- new\n")
    outcome = room.commit(workspace, memory_paths(workspace), "review", now)
    assert isinstance(outcome, Left)
    assert not canary.exists(), canary.read_text()
    git(root, "ls-tree", "HEAD", check=False)
    assert canary.exists()


def test_o12_a_folder_that_was_not_adopted_is_not_looked_at_by_git(
    tmp_path: Path, canary: Path, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when git is called before `init` or `daybook trust` on this machine."""
    root = tmp_path / "brought"
    root.mkdir()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    adoption.adopt(root, now)
    repository(root)
    plant(root, canary.with_name("canary.sh"), attributes=True)
    (tmp_path / "bin").mkdir()
    shutil.copy(canary.with_name("canary.sh"), tmp_path / "bin" / "git")
    canary.unlink(missing_ok=True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "mine"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    brought = workspace.open_workspace(str(root))
    outcome = room.commit(brought, memory_paths(brought), "review", now)
    assert isinstance(outcome, Left)
    assert ("was not adopted" in outcome.why, canary.exists()) == (True, False)
