"""Appends are locked and start on a line of their own; replacements are atomic; only regular files are touched."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from daybook import files, folders
from daybook.errors import ChangedFileError, UnreadableFileError, UnsafeFileError
from daybook.exchange import exchange

if TYPE_CHECKING:
    from pathlib import Path


def test_an_append_to_a_file_without_a_final_newline_begins_a_new_line(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"- one")
    files.append(path, b"- two\n")
    assert path.read_bytes() == b"- one\n- two\n"


def test_an_append_makes_a_missing_file_and_tells_its_size_before(tmp_path: Path) -> None:
    path = tmp_path / "new.md"
    assert files.append(path, b"- one\n") == 0
    assert files.append(path, b"- two\n") == 6
    assert path.read_bytes() == b"- one\n- two\n"


def test_an_append_may_depend_on_what_is_there_and_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"x")
    files.append(path, lambda present: b"" if present == b"x" else b"y")
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["link", "fifo", "folder"])
def test_anything_but_a_regular_file_is_refused_by_name_without_a_hang(tmp_path: Path, name: str) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    path = tmp_path / name
    {"link": lambda: path.symlink_to(target), "fifo": lambda: os.mkfifo(path), "folder": path.mkdir}[name]()
    calls = [
        lambda: files.read_bytes(path),
        lambda: files.append(path, b"x"),
        lambda: files.replace(path, b"x", expected=b""),
    ]
    for call in calls:
        with pytest.raises(UnsafeFileError, match=name):
            call()
    assert target.read_bytes() == b"theirs"


def test_m05_an_editor_that_truncated_and_has_not_written_yet_is_given_a_moment(tmp_path: Path) -> None:
    """Turns red when an empty read is believed at once."""
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"")
    writer = threading.Timer(0.005, lambda: path.write_bytes(b"a person's words"))
    writer.start()
    try:
        assert files.read_bytes(path) == b"a person's words"
    finally:
        writer.join()


def test_an_append_that_an_editor_replaced_the_file_under_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(b"- one\n")
    turns: list[bytes] = []

    def line(present: bytes) -> bytes:
        if not turns:
            saved = tmp_path / "saved"
            saved.write_bytes(b"- one, edited\n")
            saved.replace(path)
        turns.append(present)
        return b"- two\n"

    files.append(path, line, follow=True)
    assert turns == [b"- one\n", b"- one, edited\n"]
    assert path.read_bytes() == b"- one, edited\n- two\n"


def test_a_new_file_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        files.replace(tmp_path / "new", b"x", expected=None)
    finally:
        os.umask(before)
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_a_replace_keeps_the_mode_and_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    files.replace(path, b"new", expected=b"old")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert [p.name for p in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_replace_of_a_file_that_changed_meanwhile_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"a person's words")
    with pytest.raises(ChangedFileError, match=r"MEMORY\.md"):
        files.replace(path, b"ours", expected=b"what we read")
    assert path.read_bytes() == b"a person's words"


def test_m05_a_save_between_our_look_and_the_swap_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns red when the file is replaced without looking at what came out."""
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"what we read")
    if not exchange(path, path):
        pytest.skip("this file system cannot swap two files")
    look, looks = files.read_if_exists, []

    def then_an_editor_saves(name: object) -> bytes | None:
        found = look(name)  # type: ignore[arg-type]
        looks.append(name)
        if len(looks) == 1:
            path.write_bytes(b"a person's words")
        return found

    monkeypatch.setattr(files, "read_if_exists", then_an_editor_saves)
    with pytest.raises(ChangedFileError, match=r"MEMORY\.md"):
        files.replace(path, b"ours", expected=b"what we read")
    assert path.read_bytes() == b"a person's words"
    assert [p.name for p in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_file_that_cannot_be_read_is_an_error_and_never_empty(tmp_path: Path) -> None:
    path = tmp_path / "dir" / "file"
    path.parent.mkdir()
    path.parent.rmdir()
    path.parent.write_bytes(b"")
    with pytest.raises(UnreadableFileError, match="file"):
        files.read_if_exists(path)


def test_what_a_killed_replace_left_is_swept(tmp_path: Path) -> None:
    stray = tmp_path / f"{files.TEMPORARY_MARK}MEMORY.md-1-ab"
    stray.write_bytes(b"half")
    (tmp_path / "MEMORY.md").write_bytes(b"whole")
    fresh = tmp_path / f"{files.TEMPORARY_MARK}MEMORY.md-2-cd"
    fresh.write_bytes(b"of a replace at work")
    now_s = fresh.stat().st_mtime
    os.utime(stray, (now_s - 4000, now_s - 4000))
    assert folders.sweep_temporary(tmp_path, now_s) == []
    assert not stray.exists()
    fresh.unlink()
    assert [p.name for p in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_lock_is_held_until_it_is_closed(tmp_path: Path) -> None:
    first = files.try_lock(tmp_path / "lock")
    assert first is not None
    assert files.try_lock(tmp_path / "lock") is None
    os.close(first)
    again = files.try_lock(tmp_path / "lock")
    assert again is not None
    os.close(again)
