"""Daily notes in the seed's format; we only append."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest

from daybook.errors import UsageError
from daybook.memory import notes
from daybook.memory.reading import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

DAY = date(2026, 2, 7)


def at(hour: int, minute: int) -> datetime:
    return datetime(2026, 2, 7, hour, minute, tzinfo=UTC)


def test_a_note_grows_as_the_seed_shows_it(workspace: Workspace) -> None:
    notes.append(workspace, DAY, [notes.note_line("News scan.", at(8, 0)), notes.note_line("Asked.", at(9, 15))])
    notes.append(workspace, DAY, [notes.note_line("Checked email.", at(14, 30))])
    notes.append(workspace, DAY, [notes.note_line("Done.", at(16, 0))])
    notes.append(workspace, DAY, [notes.note_line("Sub-agents work.", at(16, 1), heading="Lessons")])
    assert workspace.daily_note(DAY).read_text() == (
        "# 2026-02-07\n\n## Morning\n- 08:00 - News scan.\n- 09:15 - Asked.\n\n"
        "## Afternoon\n- 14:30 - Checked email.\n- 16:00 - Done.\n\n## Lessons\n- 16:01 - Sub-agents work.\n"
    )


def test_m31_after_a_note_without_a_final_newline_there_are_two_lines(workspace: Workspace) -> None:
    """Turns red when the newline guard is lost."""
    workspace.daily_note(DAY).write_bytes(b"## Morning\n- 07:00 - theirs")
    notes.append(workspace, DAY, [notes.note_line("ours", at(8, 0))])
    assert workspace.daily_note(DAY).read_bytes() == b"## Morning\n- 07:00 - theirs\n- 08:00 - ours\n"


def test_m10_bytes_that_are_there_stay_and_crlf_is_followed(workspace: Workspace) -> None:
    """Turns red when a note is decoded and written anew."""
    theirs = b"\xef\xbb\xbf# x\r\n\r\n## Morning\r\n- \xff\x00 odd\r\n"
    workspace.daily_note(DAY).write_bytes(theirs)
    notes.append(workspace, DAY, [notes.note_line("ours", at(20, 0))])
    assert workspace.daily_note(DAY).read_bytes() == theirs + b"\r\n## Evening\r\n- 20:00 - ours\r\n"


def test_w09_a_heading_inside_a_fence_is_none(workspace: Workspace) -> None:
    """Turns red when fences are not tracked."""
    workspace.daily_note(DAY).write_bytes(b"## Morning\n````\n## Evening\n```\n````\n")
    notes.append(workspace, DAY, [notes.note_line("ours", at(8, 0))])
    assert workspace.daily_note(DAY).read_bytes().endswith(b"````\n- 08:00 - ours\n")


@pytest.mark.parametrize("text", ["", "  ", "a\nb"])
def test_a_note_is_one_line_of_text(text: str) -> None:
    with pytest.raises(UsageError, match="A note is one line"):
        notes.note_line(text, at(8, 0))


def test_w14_all_files_of_a_date_are_its_notes_and_archives_are_not(workspace: Workspace) -> None:
    """Turns red when only `<date>.md` is seen."""
    for name in (
        "2026-02-07.md",
        "2026-02-07-0930.md",
        "2026-02-07-topic.md",
        "2026-02-31.md",
        "notes.md",
        "_inbox.md",
    ):
        (workspace.memory_dir / name).write_text("x")
    for folder in ("daily", "archive"):
        (workspace.memory_dir / folder).mkdir()
        (workspace.memory_dir / folder / "2026-02-06.md").write_text("x")
    found = [workspace.relative(note.path) for note in notes.note_files(workspace)]
    assert found == [
        "memory/daily/2026-02-06.md",
        "memory/2026-02-07-0930.md",
        "memory/2026-02-07-topic.md",
        "memory/2026-02-07.md",
    ]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("---\ntags: x\n---\n# T\n- 08:00 - one\n", [("08:00", "one")]),
        ("## A\n- [x] 9:05 done\n  wrapped on\n* star\n", [("09:05", "done wrapped on"), ("", "star")]),
        ("plain text\n\n---\n***\n", [("", "plain text")]),
        ("```\n- in\n# fence\n```\n- out\n", [("", "out")]),
        ("~~~~\n- never closed\n", []),
        ("<!-- a\n- hidden\n-->\n- seen\n", [("", "seen")]),
        ("| a | b |\n|---|---|\n| Ana | Graz |\n", [("", "| a | b |"), ("", "| Ana | Graz |")]),
        ("# Session: 2026-03-01 08:00:00 UTC\n- key: v\nuser: hi\n", []),
        ("# Day\nuser: Read HEARTBEAT.md\nassistant: HEARTBEAT_OK\n", []),
        ("\ufeff- 08:00 - bom\r\n- crlf\r\n", [("08:00", "bom"), ("", "crlf")]),
        ("# Day\nSystem: rebooted at noon\n- 08:00 - one\n", [("", "System: rebooted at noon"), ("08:00", "one")]),
        ("<!-- x --> kept\n<!-- never closed\n- one\n", [("", "kept"), ("", "one")]),
        ("> - [ ] quoted\n", [("", "quoted")]),
        ("- Conversation info (untrusted metadata):\n```json\n{}\n```\n", []),
        ("", []),
    ],
)
def test_w01_to_w17_only_what_says_something_is_evidence(
    tmp_path: Path, text: str, lines: list[tuple[str, str]]
) -> None:
    """Turns red when one of the shapes of real folders is taken for a thing learned."""
    path = tmp_path / "2026-02-07.md"
    path.write_bytes(text.encode())
    assert [(line.time, line.text) for line in read_lines(DAY, path)] == lines
