from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]


def test_a_note_is_one_line_in_the_inbox(workspace: Workspace, daybook: Daybook) -> None:
    done = daybook("note", "The router", "moved.")
    assert (done.returncode, done.stdout, done.stderr) == (0, "noted in memory/_inbox.md\n", "")
    assert workspace.inbox.read_text() == "- The router moved.\n"


def test_a_minus_reads_lines_and_marks_and_secrets_are_seen_to(workspace: Workspace, daybook: Daybook) -> None:
    key = "AIzaSyA1234567890abcdefghijklmnopqrstuv"
    done = daybook("note", "--lesson", "--json", "-", input=f"wait first\n\n the key is {key}\n")
    assert done.returncode == 0
    answer = json.loads(done.stdout)
    assert answer["file"] == "memory/_inbox.md"
    assert answer["lines"][0] == "Lesson: wait first"
    assert workspace.inbox.read_text() == "".join(f"- {line}\n" for line in answer["lines"])
    assert (len(answer["lines"]), key in workspace.inbox.read_text() + done.stdout) == (2, False)


def test_today_writes_into_the_note(workspace: Workspace, daybook: Daybook) -> None:
    assert daybook("note", "--today", "The router moved.").returncode == 0
    assert daybook("note", "--today", "--lesson", "Wait first.").returncode == 0
    assert daybook("note", "--today", "--decision", "--", "--keep the router.").returncode == 0
    (note,) = workspace.memory_dir.glob("*-*-*.md")
    lines = [line.partition(" - ")[2] or line for line in note.read_text().splitlines() if line]
    assert [line for line in lines if not line.startswith("#")] == [
        "The router moved.",
        "Wait first.",
        "Decision: --keep the router.",
    ]
    assert lines[lines.index("Wait first.") - 1] == "## Lessons"
    assert not workspace.inbox.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--loud", "x"], "`daybook note` does not take --loud; see `daybook note --help` (text after -- is kept)."),
        (["--lesson", "--decision", "x"], "`daybook note` does not take --lesson with --decision; see"),
        ([], "There is nothing to note; say what was learned: `daybook note TEXT`."),
        (["-"], "There is nothing to note; say what was learned: `daybook note TEXT`."),
    ],
)
def test_wrong_usage_is_one_sentence(
    workspace: Workspace, daybook: Daybook, arguments: list[str], sentence: str
) -> None:
    done = daybook("note", *arguments, input="")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"daybook: {sentence}")
    assert not workspace.inbox.exists()


def test_without_a_workspace_nothing_is_made(daybook: Daybook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home" / "daybook").mkdir(parents=True)
    done = daybook("note", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"daybook: {tmp_path}/home/daybook is not a workspace yet; adopt it with `daybook init ~/daybook`.\n"
    )
    assert list((tmp_path / "home" / "daybook").iterdir()) == []


@pytest.mark.parametrize("before", [["--workspace", "{}"], ["--workspace={}"]])
def test_the_workspace_can_be_named(workspace: Workspace, daybook: Daybook, tmp_path: Path, before: list[str]) -> None:
    named = [part.format(workspace.root) for part in before]
    assert daybook(*named, "note", "x", cwd=tmp_path).returncode == 0
    assert workspace.inbox.read_text() == "- x\n"
    status = daybook(*named, "status", "--json", cwd=tmp_path)
    assert json.loads(status.stdout)["inbox_lines"] == 1


@pytest.mark.parametrize(("arguments", "given"), [([b"caf\xe9 x"], b""), ([b"-"], b"caf\xe9 x\n")])
def test_bytes_that_are_no_text_are_noted_or_refused_in_a_sentence(
    workspace: Workspace, daybook: Daybook, arguments: list[bytes], given: bytes
) -> None:
    done = daybook("note", *map(os.fsdecode, arguments), input=os.fsdecode(given), errors="surrogateescape")
    assert (done.returncode == 0) == workspace.inbox.exists()


def test_a_mark_that_stands_there_already_is_not_put_twice(workspace: Workspace, daybook: Daybook) -> None:
    daybook("note", "--decision", "Decision: keep it")
    assert workspace.inbox.read_text() == "- Decision: keep it\n"
