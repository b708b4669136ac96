"""A note line has a key and is written once, whatever a kill leaves open."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import pytest

from daybook.errors import UnsafeFileError
from daybook.memory import journal, notes
from daybook.memory.journal import Entry

if TYPE_CHECKING:
    from daybook.workspace import Workspace

DAY = date(2026, 2, 7)


def entry(key: str, text: str = "one") -> Entry:
    return Entry(key, DAY, "Morning", f"- 08:00 - {text}", own=False)


def wrote(workspace: Workspace, entries: list[Entry]) -> list[Entry]:
    return list(journal.write(workspace, entries).entries)


def lines(workspace: Workspace) -> list[str]:
    return [line for line in workspace.daily_note(DAY).read_text().splitlines() if line.startswith("- ")]


def test_m04_the_same_key_is_written_once(workspace: Workspace) -> None:
    """Turns red when the journal is not asked."""
    assert wrote(workspace, [entry("a"), entry("a"), entry("b", "two")]) == [entry("a"), entry("b", "two")]
    assert wrote(workspace, [entry("a"), entry("b", "two")]) == []
    assert lines(workspace) == ["- 08:00 - one", "- 08:00 - two"]


@pytest.mark.parametrize("reached", [0, 1, 2])
def test_m07_what_a_kill_left_open_is_finished_and_not_doubled(workspace: Workspace, reached: int) -> None:
    """Turns red when an open row is written again though its line stands, or forgotten though it does not."""
    workspace.daily_note(DAY).write_text("## Morning\n- 08:00 - one\n")
    size = workspace.daily_note(DAY).stat().st_size
    journal._append_rows(workspace, [journal._intent(entry(key), size) for key in ("a", "b")])
    notes.append(workspace, DAY, [notes.Line("Morning", "- 08:00 - one")] * reached)
    assert wrote(workspace, []) == [entry("a"), entry("b")]
    assert lines(workspace) == ["- 08:00 - one"] * 3
    assert wrote(workspace, [entry("a"), entry("b")]) == []


def test_a_note_that_cannot_be_written_keeps_only_its_own_lines_waiting(workspace: Workspace) -> None:
    bad = Entry("bad", date(2026, 2, 6), "Morning", "- 08:00 - bad", own=False)
    workspace.daily_note(bad.day).mkdir()
    written = journal.write(workspace, [bad, entry("a")])
    assert written.entries == (entry("a"),)
    assert "2026-02-06.md is not a regular file" in written.problems[0]
    assert lines(workspace) == ["- 08:00 - one"]
    with pytest.raises(UnsafeFileError, match="2026-02-06"):
        journal.write(workspace, [bad])
    workspace.daily_note(bad.day).rmdir()
    assert wrote(workspace, [bad]) == [bad]


def test_a_torn_row_is_a_line_that_was_not_written(workspace: Workspace) -> None:
    journal.write(workspace, [entry("a")])
    with (workspace.private / "posted.jsonl").open("ab") as stream:
        stream.write(b'{"key": "b", "da')
    assert wrote(workspace, [entry("b", "two")]) == [entry("b", "two")]
    assert lines(workspace) == ["- 08:00 - one", "- 08:00 - two"]


def test_old_finished_rows_are_forgotten_and_own_lines_known(workspace: Workspace) -> None:
    old = Entry("old", date(2025, 1, 1), "Morning", "- 08:00 - old", own=True)
    journal.write(workspace, [old, entry("a")])
    assert journal.own_lines(workspace) == {"- 08:00 - old"}
    journal.write(workspace, [Entry("older", date(2025, 1, 1), "Morning", "- 08:00 - older", own=False)])
    assert journal.prune(workspace, date(2026, 1, 1)) == 1
    assert journal.written(workspace, "") == {"a", "old"}
    journal.passed_on(workspace, ["a", "old"])
    assert journal.unread(workspace, "") == []
