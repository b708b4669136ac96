"""Memory is committed by path; nothing else is, and nothing of the repository's own runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from daybook import adoption, trust
from daybook import git as room
from daybook.git import Committed, Left, running
from daybook.git.repository import Repository, open_repository
from daybook.memory import notes, topics

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
MESSAGE = "review 2026-02-07: +1"


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


def git(root: Path, *arguments: str, stdin: str | None = None, fails: bool = False) -> str:
    """Run git as a person does."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@localhost", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=root, input=stdin, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(workspace: Workspace) -> Path:
    """Make the workspace a repository of one commit; gives its folder."""
    git(workspace.root, "init", "-q")
    (workspace.root / "code.py").write_text("one\n")
    git(workspace.root, "add", "MEMORY.md", "code.py")
    git(workspace.root, "commit", "-q", "-m", "first")
    return workspace.root


def changed(workspace: Workspace, text: str = "- new\n") -> None:
    with workspace.longterm.open("a", encoding="utf-8") as stream:
        stream.write(text)


def commit(workspace: Workspace, *paths: Path, message: str = MESSAGE) -> room.Outcome:
    return room.commit(workspace, paths or memory_paths(workspace), message, NOW)


def committed(workspace: Workspace, *paths: Path) -> Committed:
    outcome = commit(workspace, *paths)
    assert isinstance(outcome, Committed), outcome
    return outcome


def left(workspace: Workspace, *paths: Path) -> Left:
    before = state_of(workspace.root)
    outcome = commit(workspace, *paths)
    assert isinstance(outcome, Left), outcome
    assert state_of(workspace.root) == before
    return outcome


def state_of(root: Path) -> tuple[bytes, ...]:
    """What a commit could change: references and index."""
    if not (root / ".git").is_dir():
        return ()
    paths = [root / ".git" / "HEAD", root / ".git" / "index", *sorted((root / ".git" / "refs").rglob("*"))]
    return tuple(path.read_bytes() for path in paths if path.is_file())


def names(root: Path, revision: str = "HEAD") -> list[str]:
    return git(root, "show", "--format=", "--name-status", revision).splitlines()


def test_what_changed_in_memory_is_committed_with_the_message_and_the_time(
    workspace: Workspace, repository: Path
) -> None:
    changed(workspace)
    workspace.topics_dir.mkdir()
    workspace.topic("garden").write_text("# Garden\n\n- roses\n")
    outcome = committed(workspace)
    assert outcome == Committed(git(repository, "rev-parse", "HEAD"))
    assert names(repository) == ["M\tMEMORY.md", "A\tmemory/topics/garden.md"]
    assert git(repository, "log", "-1", "--format=%s|%at|%ct|%P|%an <%ae>|%cn") == (
        f"{MESSAGE}|{int(NOW.timestamp())}|{int(NOW.timestamp())}|{git(repository, 'rev-parse', 'HEAD~1')}"
        "|Daybook <daybook@localhost>|Daybook"
    )
    status = git(repository, "status", "--porcelain", "-uall").splitlines()
    assert not [row for row in status if "MEMORY" in row or "topics" in row]
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert git(repository, "fsck", "--strict") == ""


def test_the_users_own_name_is_used_where_git_knows_it(workspace: Workspace, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text("[user]\nname = Grace\nemail = grace@localhost\n")
    changed(workspace)
    committed(workspace)
    assert git(repository, "log", "-1", "--format=%an <%ae> %cn") == "Grace <grace@localhost> Grace"


def test_others_changes_stay_where_they_are(workspace: Workspace, repository: Path) -> None:
    (repository / "code.py").write_text("two\n")
    (repository / "staged.py").write_text("x\n")
    git(repository, "add", "staged.py")
    (repository / "notes.md").write_text("untracked\n")
    changed(workspace)
    committed(workspace)
    assert names(repository) == ["M\tMEMORY.md"]
    assert git(repository, "diff", "--cached", "--name-status") == "A\tstaged.py"
    assert git(repository, "diff", "--name-only") == "code.py"


def test_what_somebody_staged_of_a_memory_file_stays_staged(workspace: Workspace, repository: Path) -> None:
    changed(workspace, "- staged by a person\n")
    git(repository, "add", "MEMORY.md")
    staged = git(repository, "rev-parse", ":MEMORY.md")
    changed(workspace, "- and ours\n")
    assert "you have staged it" in left(workspace).why
    assert git(repository, "rev-parse", ":MEMORY.md") == staged
    git(repository, "commit", "-qm", "a person's own")
    committed(workspace)
    assert git(repository, "show", "HEAD:MEMORY.md") == workspace.longterm.read_text().strip()
    assert git(repository, "diff", "--cached", "--name-only") == ""


@pytest.mark.usefixtures("repository")
def test_nothing_new_is_no_commit(workspace: Workspace) -> None:
    changed(workspace)
    committed(workspace)
    assert left(workspace) == Left("Memory is as it was committed last.", waits=False)
    assert room.commit(workspace, [], MESSAGE, NOW) == Left("Memory is as it was committed last.", waits=False)


def test_a_file_that_is_gone_is_committed_as_gone_if_it_is_named(workspace: Workspace, repository: Path) -> None:
    workspace.archive.write_text("# Archive\n")
    committed(workspace)
    workspace.archive.unlink()
    assert left(workspace).waits is False
    committed(workspace, workspace.archive)
    assert names(repository) == ["D\tmemory/archive.md"]
    assert left(workspace, workspace.archive).waits is False


def test_a_first_commit_is_made_in_a_fresh_repository(workspace: Workspace) -> None:
    git(workspace.root, "init", "-q")
    committed(workspace, workspace.longterm)
    assert names(workspace.root) == ["A\tMEMORY.md"]
    assert git(workspace.root, "rev-list", "--count", "HEAD") == "1"
    assert "MEMORY.md" not in git(workspace.root, "status", "--porcelain")


def test_a_detached_head_moves_and_no_branch_does(workspace: Workspace, repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    branch = git(repository, "rev-parse", "main")
    changed(workspace)
    outcome = committed(workspace)
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "rev-parse", "main")) == (outcome.sha, branch)
    git(repository, "symbolic-ref", "HEAD", fails=True)


def test_a_linked_worktree_that_is_the_workspaces_root_has_its_own_branch(tmp_path: Path) -> None:
    main = tmp_path / "project"
    main.mkdir()
    git(main, "init", "-q")
    (main / "MEMORY.md").write_text("# Memory\n")
    git(main, "add", ".")
    git(main, "commit", "-q", "-m", "first")
    git(main, "worktree", "add", "-q", "../memory")
    workspace = adoption.adopt(tmp_path / "memory", NOW).workspace
    changed(workspace)
    outcome = committed(workspace)
    assert git(main, "rev-parse", "memory") == outcome.sha != git(main, "rev-parse", "main")
    assert git(main, "status", "--porcelain") == ""
    git(workspace.root, "bisect", "start")
    changed(workspace)
    assert "bisect" in commit(workspace).why  # type: ignore[union-attr]


def test_a_submodule_that_is_the_workspaces_root_is_committed_to(tmp_path: Path) -> None:
    for name in ("outer", "inner"):
        (tmp_path / name).mkdir()
        git(tmp_path / name, "init", "-q")
        git(tmp_path / name, "commit", "-q", "--allow-empty", "-m", "first")
    git(tmp_path / "outer", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../inner", "agent")
    workspace = adoption.adopt(tmp_path / "outer" / "agent", NOW).workspace
    outcome = committed(workspace, workspace.longterm)
    assert git(workspace.root, "rev-parse", "HEAD") == outcome.sha


def test_objects_hashed_by_sha_256_are_the_same_to_us(workspace: Workspace) -> None:
    git(workspace.root, "init", "-q", "--object-format=sha256")
    assert len(committed(workspace, workspace.longterm).sha) == 64
    assert left(workspace, workspace.longterm).waits is False
    workspace.longterm.unlink()
    committed(workspace, workspace.longterm)
    assert names(workspace.root) == ["D\tMEMORY.md"]


def test_without_a_repository_of_its_own_nothing_is_done(workspace: Workspace, tmp_path: Path) -> None:
    assert left(workspace) == Left(f"{workspace.root} is not the root of a git repository.", waits=False)
    git(tmp_path, "init", "-q")
    assert left(workspace).waits is False
    (workspace.root / ".git").mkdir()
    assert isinstance(commit(workspace), Left)
    assert git(tmp_path, "rev-parse", "-q", "--verify", "HEAD", fails=True) == ""


def test_a_repository_whose_files_are_elsewhere_is_not_this_one(
    workspace: Workspace, repository: Path, tmp_path: Path
) -> None:
    changed(workspace)
    git(repository, "config", "core.worktree", str(tmp_path))
    assert left(workspace) == Left(f"{repository} is not the root of its git repository.", waits=False)
    git(repository, "config", "core.bare", "true")
    assert isinstance(commit(workspace), Left)


def test_without_a_git_program_nothing_is_done(
    workspace: Workspace, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(workspace)
    planted = repository / "bin"
    planted.mkdir()
    (planted / "git").write_text(f"#!/bin/sh\ntouch {repository}/SPRUNG\n")
    (planted / "git").chmod(0o755)
    monkeypatch.chdir(planted)
    monkeypatch.setenv("PATH", f"{planted}:.:")
    assert left(workspace) == Left("There is no git on this machine's search path.", waits=False)
    assert not (repository / "SPRUNG").exists()


@pytest.mark.usefixtures("repository")
def test_git_is_not_called_in_a_folder_that_was_not_adopted_here(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "called"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    program.chmod(0o755)
    changed(workspace)
    trust.revoke(workspace)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        outcome = room.commit(workspace, memory_paths(workspace), MESSAGE, NOW)
        assert isinstance(outcome, Left)
        assert ("was not adopted on this machine" in outcome.why, outcome.waits, mark.exists()) == (True, False, False)
        trust.grant(workspace, settings={}, ledger=True)
        assert isinstance(room.commit(workspace, memory_paths(workspace), MESSAGE, NOW), Left)
        assert mark.exists()
    committed(workspace)


def conflict(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "other")
    (root / "code.py").write_text("other\n")
    git(root, "commit", "-qam", "other")
    git(root, "checkout", "-q", "main")
    (root / "code.py").write_text("main\n")
    git(root, "commit", "-qam", "main")


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        (["merge", "other"], ["merge", "--abort"]),
        (["rebase", "other"], ["rebase", "--abort"]),
        (["cherry-pick", "other"], ["cherry-pick", "--abort"]),
        (["revert", "HEAD~1"], ["revert", "--abort"]),
    ],
    ids=lambda arguments: arguments[0],
)
def test_in_the_middle_of_anything_nothing_is_committed(
    workspace: Workspace, repository: Path, begin: list[str], end: list[str]
) -> None:
    conflict(repository)
    (repository / "code.py").write_text("again\n")
    git(repository, "commit", "-qam", "again")
    git(repository, *begin, fails=True)
    workspace.archive.write_text("# Archive\n")
    outcome = left(workspace)
    assert (begin[0] in outcome.why, outcome.waits) == (True, True)
    git(repository, *end)
    committed(workspace)


def test_in_a_bisect_nothing_is_committed(workspace: Workspace, repository: Path) -> None:
    git(repository, "bisect", "start")
    changed(workspace)
    assert ("bisect" in left(workspace).why, left(workspace).waits) == (True, True)
    git(repository, "bisect", "reset")
    committed(workspace)


def test_a_conflict_left_by_a_stash_is_not_committed_and_the_rest_is(workspace: Workspace, repository: Path) -> None:
    changed(workspace, "- mine\n")
    git(repository, "stash", "-q")
    changed(workspace, "- theirs\n")
    git(repository, "commit", "-qam", "theirs")
    git(repository, "stash", "pop", "-q", fails=True)
    assert "<<<<<<<" in workspace.longterm.read_text()
    workspace.archive.write_text("# Archive\n")
    outcome = committed(workspace)
    assert names(repository) == ["A\tmemory/archive.md"]
    assert [str(workspace.longterm) in sentence for sentence in outcome.left_out] == [True]
    assert git(repository, "ls-files", "-u", "MEMORY.md").count("MEMORY.md") == 3


def test_a_lock_of_another_git_is_waited_out(workspace: Workspace, repository: Path) -> None:
    lock = repository / ".git" / "index.lock"
    lock.touch()
    changed(workspace)
    outcome = left(workspace)
    assert (str(lock) in outcome.why, outcome.waits, lock.exists()) == (True, True, True)
    lock.unlink()
    changed(workspace, "- later\n")
    committed(workspace)
    assert git(repository, "show", "HEAD:MEMORY.md").endswith("- new\n- later")


@pytest.mark.parametrize("name", ["refs/heads/main.lock", "HEAD.lock"])
def test_a_locked_branch_leaves_the_index_as_it_was(workspace: Workspace, repository: Path, name: str) -> None:
    (repository / ".git" / name).touch()
    changed(workspace)
    before = (git(repository, "rev-parse", "HEAD"), git(repository, "ls-files", "-s"))
    outcome = commit(workspace)
    assert isinstance(outcome, Left)
    assert (outcome.waits, "update-ref" in outcome.why) == (True, True)
    assert (git(repository, "rev-parse", "HEAD"), git(repository, "ls-files", "-s")) == before
    (repository / ".git" / name).unlink()
    committed(workspace)


def test_a_path_staged_by_a_commit_that_was_killed_is_taken_by_the_next(workspace: Workspace, repository: Path) -> None:
    changed(workspace)
    git(repository, "add", "MEMORY.md")
    committed(workspace)
    assert git(repository, "diff", "--cached", "--name-only") == ""


def test_ignored_files_are_left_out_without_a_word_and_tracked_ones_are_not(
    workspace: Workspace, repository: Path
) -> None:
    (repository / ".gitignore").write_text("MEMORY.md\nmemory/archive.md\n")
    changed(workspace)
    workspace.archive.write_text("# Archive\n")
    assert committed(workspace).left_out == ()
    assert names(repository) == ["M\tMEMORY.md"]


def test_links_are_left_out_and_so_is_what_lies_behind_them(
    workspace: Workspace, repository: Path, tmp_path: Path
) -> None:
    elsewhere = repository / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "garden.md").write_text("- roses\n")
    workspace.topics_dir.symlink_to(elsewhere)
    workspace.archive.symlink_to(tmp_path / "secret")
    outcome = left(workspace, workspace.archive, workspace.topic("garden"))
    assert (outcome.waits, str(workspace.archive) in outcome.why) == (True, True)
    changed(workspace)
    assert len(committed(workspace, workspace.longterm, workspace.archive, workspace.topic("garden")).left_out) == 2
    assert names(repository) == ["M\tMEMORY.md"]


def test_a_repository_inside_the_workspace_is_its_own_affair(workspace: Workspace, repository: Path) -> None:
    git(workspace.memory_dir, "init", "-q")
    workspace.archive.write_text("# Archive\n")
    changed(workspace)
    assert len(committed(workspace).left_out) == 1
    assert names(repository) == ["M\tMEMORY.md"]


def test_a_path_that_git_is_told_not_to_look_at_is_left_out(workspace: Workspace, repository: Path) -> None:
    for flag in ("skip-worktree", "assume-unchanged"):
        git(repository, "update-index", f"--{flag}", "MEMORY.md")
        changed(workspace)
        assert left(workspace).waits
        workspace.longterm.rename(repository / "away")
        assert left(workspace, workspace.longterm).waits
        (repository / "away").rename(workspace.longterm)
        git(repository, "update-index", f"--no-{flag}", "MEMORY.md")


def test_a_path_where_git_has_a_folder_or_a_link_is_left_out(workspace: Workspace, repository: Path) -> None:
    blob = git(repository, "hash-object", "-w", "--stdin", stdin="x")
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},memory/archive.md/inside")
    git(repository, "update-index", "--add", "--cacheinfo", f"120000,{blob},memory/topics")
    git(repository, "commit", "-q", "-m", "odd")
    workspace.archive.write_text("# Archive\n")
    workspace.topics_dir.mkdir()
    workspace.topic("garden").write_text("- roses\n")
    outcome = left(workspace, workspace.archive, workspace.topic("garden"))
    assert (outcome.waits, "has it elsewhere" in outcome.why) == (True, True)


def test_the_mode_that_git_holds_is_kept(workspace: Workspace, repository: Path) -> None:
    git(repository, "update-index", "--chmod=+x", "MEMORY.md")
    assert left(workspace).waits is False
    git(repository, "commit", "-q", "-m", "executable")
    changed(workspace)
    committed(workspace)
    assert git(repository, "ls-tree", "HEAD", "MEMORY.md").split()[0] == "100755"


def test_bytes_are_committed_as_they_are_but_for_line_ends_that_attributes_settle(
    workspace: Workspace, repository: Path
) -> None:
    workspace.longterm.write_bytes(b"\xef\xbb\xbf# M\r\n- \xff\x00\r\n- end")
    committed(workspace)
    blob = subprocess.run(
        ["git", "cat-file", "blob", "HEAD:MEMORY.md"], cwd=repository, capture_output=True, check=True
    )
    assert blob.stdout == workspace.longterm.read_bytes()
    (repository / ".gitattributes").write_text("*.md text\n")
    git(repository, "add", "--renormalize", "MEMORY.md")
    git(repository, "commit", "-q", "-m", "renormalized")
    assert left(workspace, workspace.longterm).waits is False
    workspace.longterm.write_bytes(b"- one\r\n- two\r\n")
    committed(workspace)
    assert git(repository, "status", "--porcelain", "MEMORY.md") == ""
    (repository / ".gitattributes").write_text("*.md -text eol=lf\n")
    committed(workspace, workspace.longterm)
    assert git(repository, "cat-file", "-s", "HEAD:MEMORY.md") == "14"


def test_a_file_that_a_filter_should_turn_is_left_out_and_told(workspace: Workspace, repository: Path) -> None:
    (repository / ".gitattributes").write_text("MEMORY.md filter=crypt\n")
    git(repository, "config", "filter.crypt.clean", "false")
    changed(workspace)
    outcome = left(workspace, workspace.longterm)
    assert (outcome.waits, "ask for a filter" in outcome.why) == (True, True)


def test_odd_names_are_committed_and_looked_up_as_they_are(workspace: Workspace, repository: Path) -> None:
    workspace.topics_dir.mkdir()
    odd = ["a*.md", "line\nbreak.md", "🌱.md", ":(top)x.md", 'quo"te.md', "tab\there.md"]
    for name in odd:
        (workspace.topics_dir / name).write_text(f"# {name}\n")
    committed(workspace)
    listed = git(repository, "ls-tree", "-r", "-z", "--name-only", "HEAD", "memory/topics").split("\0")
    assert sorted(name for name in listed if name) == sorted(f"memory/topics/{name}" for name in odd)
    assert left(workspace).waits is False


def test_the_shells_own_git_variables_are_not_followed(
    workspace: Workspace, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    changed(workspace)
    with monkeypatch.context() as patch:
        for name, value in {
            "GIT_DIR": str(other / ".git"),
            "GIT_INDEX_FILE": str(tmp_path / "index"),
            "GIT_AUTHOR_NAME": "Mallory",
            "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
        }.items():
            patch.setenv(name, value)
        outcome = room.commit(workspace, memory_paths(workspace), MESSAGE, NOW)
    assert isinstance(outcome, Committed)
    assert git(repository, "log", "-1", "--format=%H %an") == f"{outcome.sha} Daybook"
    assert not (tmp_path / "index").exists()


def pointing_file(root: Path, other: Path) -> None:
    (root / ".git").write_text(f"gitdir: {other / '.git'}\n")


def link(root: Path, other: Path) -> None:
    (root / ".git").symlink_to(other / ".git")


def common_folder(root: Path, other: Path) -> None:
    git(root, "init", "-q")
    (root / ".git" / "commondir").write_text(f"{other / '.git'}\n")


def false_worktree(root: Path, other: Path) -> None:
    git(other, "worktree", "add", "-q", "../linked")
    (root / ".git").write_text(f"gitdir: {other / '.git' / 'worktrees' / 'linked'}\n")


@pytest.mark.parametrize("point", [pointing_file, link, common_folder, false_worktree])
def test_a_repository_of_the_operators_that_a_folder_points_to_is_followed_only_if_it_points_back(
    workspace: Workspace, tmp_path: Path, point: Callable[[Path, Path], None]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "theirs")
    point(workspace.root, other)
    before = git(other, "for-each-ref")
    outcome = commit(workspace)
    assert isinstance(outcome, Left), outcome
    assert "does not point back" in outcome.why
    assert git(other, "for-each-ref") == before


def test_a_git_folder_kept_elsewhere_counts_once_it_names_its_files(workspace: Workspace, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--separate-git-dir", str(tmp_path / "kept.git"), str(workspace.root))
    assert "does not point back" in left(workspace).why
    git(workspace.root, "config", "core.worktree", str(workspace.root))
    committed(workspace, workspace.longterm)


@pytest.mark.usefixtures("repository")
def test_a_git_that_hangs_is_ended(workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(running, "TIMEOUT_S", 0.1)
    changed(workspace)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        outcome = room.commit(workspace, memory_paths(workspace), MESSAGE, NOW)
    assert isinstance(outcome, Left)
    assert ("did not end within 0.1 s" in outcome.why, outcome.waits) == (True, True)


def test_what_git_says_is_told_as_one_harmless_line_without_secrets(workspace: Workspace, repository: Path) -> None:
    key = "AIzaSyA1234567890abcdefghijklmnopqrstuv"
    (repository / ".git" / "config").write_text(f"[include]\npath = {repository}/\x1b[31m{key}\n[broken {key}\n")
    changed(workspace)
    outcome = commit(workspace)
    assert isinstance(outcome, Left)
    assert (outcome.waits, key in outcome.why, "\x1b" in outcome.why, "\n" in outcome.why) == (True, *(False,) * 3)


def test_hooks_that_the_configuration_defines_are_switched_off_by_name(workspace: Workspace, repository: Path) -> None:
    for name in ("lint", "a=b.c"):
        git(repository, "config", f"hook.{name}.command", "false")
        git(repository, "config", f"hook.{name}.event", "reference-transaction")
    found = open_repository(workspace)
    assert isinstance(found, Repository)
    assert found.git.hooks == ("a=b.c", "lint")
    for name in found.git.hooks:
        assert found.git.run("config", "--get", f"hook.{name}.enabled") == b"false\n"
    assert replace(found.git, hooks=()).run("config", "--get", "hook.lint.enabled", fine=(1,)) == b""


def test_memory_is_the_curated_files_the_ledger_and_the_dated_notes(workspace: Workspace) -> None:
    for name in ("2026-02-07.md", "2026-02-07-garden.md", "daily/2026-02-06.md", "topics/garden.md", "archive.md"):
        (workspace.memory_dir / name).parent.mkdir(exist_ok=True)
        (workspace.memory_dir / name).write_text("x\n")
    for name in ("_inbox.md", "_pending.md", "heartbeat-state.json", ".inbox-claimed-1.md", "odd.md"):
        (workspace.memory_dir / name).write_text("x\n")
    (workspace.memory_dir / "2026-02-05.md").symlink_to("odd.md")
    os.mkfifo(workspace.memory_dir / "2026-02-04.md")
    workspace.ledger.write_text("")
    assert [workspace.relative(path) for path in memory_paths(workspace)] == [
        "MEMORY.md",
        "memory/topics/garden.md",
        "memory/archive.md",
        ".daybook/ledger.jsonl",
        "memory/daily/2026-02-06.md",
        "memory/2026-02-07-garden.md",
        "memory/2026-02-07.md",
    ]


def test_a_message_says_what_changed() -> None:
    day = date(2026, 2, 7)
    assert room.message("review", day, 3, 1, 2) == "review 2026-02-07: +3 ~1 -2"
    assert room.message("inbox-flush", day, added=1) == "inbox-flush 2026-02-07: +1"
    assert room.message("daily-note", day) == "daily-note 2026-02-07"
