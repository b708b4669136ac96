"""Kills, full disks and many writers, in short; `make faults` takes every call and every scenario."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from daybook import exchange, files, folders
from daybook.errors import ChangedFileError, UnreadableFileError
from daybook.memory import inbox, journal, longterm, staging
from daybook.review import flush
from daybook.upkeep import rebuild

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

FAULTS = Path(__file__).parents[1] / "faults"
WRONG = ("lost", "doubled", "torn", "traceback")
LINES = 60
NOTING = """
import sys
from daybook.memory import staging
sys.stdin.readline()
for number in range(int(sys.argv[3])):
    staging.stage(sys.argv[1], f"{sys.argv[2]} {number}")
"""
ECHO = 'read go; n=0; while [ $n -lt "$3" ]; do echo "- $2 $n" >> "$1/memory/_inbox.md"; n=$((n + 1)); done'


def driven(tmp_path: Path, scenario: str, kinds: str, every: int) -> dict[str, Any]:
    """Let one call in *every* of a scenario go wrong."""
    command = [sys.executable, str(FAULTS / "drive.py"), str(tmp_path), scenario, "--kinds", kinds]
    done = subprocess.run([*command, "--every", str(every)], capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def wrong(told: dict[str, Any]) -> dict[str, list[str]]:
    return {what: told[what] for what in WRONG if told[what]}


@pytest.mark.parametrize("scenario", ["stage", "flush", "review", "undo"])
def test_m07_a_kill_at_a_write_leaves_the_old_file_or_the_new_and_the_next_start_ends_it(
    tmp_path: Path, scenario: str
) -> None:
    """Turns red when the file is written before the intent stands in the ledger, or a line before its journal row."""
    told = driven(tmp_path, scenario, "kill-before,kill-after,kill-half", 1 if scenario == "stage" else 13)
    assert wrong(told) == {}
    assert told["runs"] >= 5


@pytest.mark.parametrize("scenario", ["note", "flush", "review"])
def test_m08_a_full_disk_is_a_sentence_and_the_old_file_is_whole(tmp_path: Path, scenario: str) -> None:
    """Turns red when a short write is not taken back, or a half-written file takes the place of the whole one."""
    told = driven(tmp_path, scenario, "ENOSPC,short,full", 1 if scenario == "note" else 11)
    assert wrong(told) == {}
    assert told["runs"] >= 4


@pytest.mark.parametrize("scenario", ["flush", "review"])
def test_m09_what_cannot_be_read_is_an_error_and_never_empty(tmp_path: Path, scenario: str) -> None:
    """Turns red when a file that cannot be read counts as a missing one, and is written anew."""
    told = driven(tmp_path, scenario, "EACCES,EIO", 17)
    assert wrong(told) == {}
    assert told["runs"] >= 4


def test_m07_a_note_that_a_kill_cut_in_a_line_is_finished_where_it_was_cut(workspace: Workspace, now: datetime) -> None:
    """Turns red when what was cut stays as a line of its own, or a line that was cut counts as written."""
    note = workspace.daily_note(now.date())
    note.write_bytes(b"- a person's words, no newline")
    entries = [journal.Entry(f"k{n}", now.date(), "Afternoon", f"- 14:30 - line {n}", own=False) for n in range(3)]
    journal.write(workspace, entries)
    whole, rows = note.read_bytes(), workspace.private / "posted.jsonl"
    begun = rows.read_bytes().splitlines(keepends=True)[:3]
    for cut in range(len(b"- a person's words, no newline"), len(whole) + 1):
        note.write_bytes(whole[:cut])
        rows.write_bytes(b"".join(begun))
        assert journal.write(workspace, []).entries == tuple(entries)
        assert note.read_bytes() == whole


def test_m07_a_save_that_came_just_before_a_kill_is_kept_beside_its_file(tmp_path: Path) -> None:
    """Turns red when what a kill left is removed without a look at what it holds."""
    path = tmp_path / "MEMORY.md"
    temporary = str(tmp_path / f"{files.TEMPORARY_MARK}MEMORY.md-0a1b2c3d")
    for content in (b"ours", b"as we read it", b"a person's words"):
        Path(exchange.swapped_name(temporary, b"ours", b"as we read it")).write_bytes(content)
        folders.sweep_temporary(tmp_path, time.time() + 2 * folders.OLD_S)
    kept = [found.read_bytes() for found in tmp_path.iterdir()]
    assert kept == [b"a person's words"]
    assert next(tmp_path.iterdir()).name.startswith(f"{path.name}.kept-")


def test_m07_a_file_that_somebody_makes_in_between_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when a new file is put into its place by a rename, which replaces whatever stands there."""
    path, look = tmp_path / "archive.md", files.read_if_exists

    def then_somebody_writes(name: Path) -> bytes | None:
        found = look(name)
        path.write_bytes(b"a person's words")
        return found

    monkeypatch.setattr(files, "read_if_exists", then_somebody_writes)
    with pytest.raises(ChangedFileError, match=r"archive\.md"):
        files.replace(path, b"ours", expected=None)
    assert [found.name for found in tmp_path.iterdir()] == ["archive.md"]
    assert path.read_bytes() == b"a person's words"


def test_m08_an_append_that_the_disk_does_not_confirm_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when the sentence says that nothing was changed, and the line stands there all the same."""
    path = tmp_path / "_inbox.md"
    path.write_bytes(b"- one\n")

    def fails(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UnreadableFileError, match=r"_inbox\.md.*nothing of it was changed"):
        files.append(path, b"- two\n")
    assert path.read_bytes() == b"- one\n"


def test_m02_many_writers_of_one_inbox_half_of_them_by_echo(workspace: Workspace, now: datetime) -> None:
    """Turns red when `note` reads and writes the inbox instead of appending to it in one write."""
    commands = {f"python{n}": [sys.executable, "-c", NOTING] for n in range(2)}
    commands |= {f"echo{n}": ["sh", "-c", ECHO, "sh"] for n in range(2)}
    root = str(workspace.root)
    writers = [
        subprocess.Popen([*command, root, name, str(LINES)], stdin=subprocess.PIPE)
        for name, command in commands.items()
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    turn = 0
    while any(writer.poll() is None for writer in writers):
        turn += 1
        flush.to_note(workspace, now, now + timedelta(microseconds=turn))
    flush.to_note(workspace, now, now + timedelta(seconds=1))
    for writer in writers:
        writer.communicate()
    lines = workspace.daily_note(now.date()).read_text().splitlines()
    wanted = [f"- 14:30 - {name} {n}" for name in commands for n in range(LINES)]
    assert Counter(line for line in lines if line.startswith("- ")) == Counter(wanted)


def test_m23_two_flushes_at_once_post_each_line_once(workspace: Workspace, now: datetime) -> None:
    """Turns red when the inbox is claimed, or its lines are looked up in the journal, outside the workspace lock."""
    texts = [f"box {n} of the attic" for n in range(LINES)] + ["Lesson: the attic leaks in autumn."]
    workspace.inbox.write_text("".join(f"- {text}\n" for text in texts))
    command = [sys.executable, str(FAULTS / "actor.py"), str(workspace.root)]
    both = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for one in both:
        assert one.stdout is not None
        assert one.stdout.readline() == "ready\n"
    for number, one in enumerate(both):
        assert one.stdin is not None
        one.stdin.write(f"flush {number}\n")
        one.stdin.flush()
    assert [one.communicate()[0] for one in both] == ["done\n"] * 2
    lines = workspace.daily_note(now.date()).read_text().splitlines()
    assert Counter(line for line in lines if line.startswith("- ")) == Counter(f"- 14:30 - {text}" for text in texts)
    topic = [entry.text for entry in longterm.parse(workspace.topic("notes").read_bytes()).entries]
    assert sorted(topic) == sorted(texts[:-1])
    assert workspace.longterm.read_text().count("the attic leaks in autumn.") == 1
    assert rebuild.check(workspace) == []


def test_m24_a_writer_that_still_holds_the_claimed_inbox_is_heard(workspace: Workspace, now: datetime) -> None:
    """Turns red when a claimed inbox is read once, or removed when it was read."""
    staging.stage(str(workspace.root), "first")
    with workspace.inbox.open("ab", buffering=0) as late:
        flush.to_note(workspace, now, now)
        assert not workspace.inbox.exists()
        late.write(b"- late\n- torn")
        flush.to_note(workspace, now, now + timedelta(minutes=1))
        flush.to_note(workspace, now, now + timedelta(minutes=2))
        late.write(b" no more\n")
        flush.to_note(workspace, now, now + timedelta(minutes=3))
    lines = workspace.daily_note(now.date()).read_text().splitlines()
    assert [line for line in lines if line.startswith("- ")] == [
        "- 14:30 - first",
        "- 14:30 - late",
        "- 14:30 - torn no more",
    ]
    (claimed,) = inbox.claimed_files(workspace)
    os.utime(claimed, (now.timestamp(), now.timestamp()))
    flush.to_note(workspace, now, now + inbox.KEPT + timedelta(days=1))
    assert inbox.claimed_files(workspace) == []
