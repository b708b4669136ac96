"""What a session loads, in a stable order, without outside lines and without MEMORY.md unless asked."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.guard import register
from daybook.memory.context import build

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

TODAY = date(2026, 2, 7)


@pytest.fixture
def filled(workspace: Workspace, now: datetime) -> Workspace:
    files = {"SOUL.md": "soul\n", "USER.md": "user\n", "MEMORY.md": "# Memory\n\n- secret fact\n"}
    for name, text in files.items():
        (workspace.root / name).write_text(text)
    for days in range(4):
        day = TODAY - timedelta(days=days)
        workspace.daily_note(day).write_text(f"# {day}\n\n## Morning\n- 08:00 - of {day}\n- 09:00 - [mail] outside\n")
    workspace.topics_dir.mkdir()
    workspace.topic("people").write_text("# People\n\n- Ines\n- Ana\n")
    workspace.inbox.write_text("- staged\n- was outside\n")
    register.write(workspace, ["[news] was outside"], now)
    return workspace


def test_without_main_nothing_of_memory_is_shown(filled: Workspace) -> None:
    context = build(filled, TODAY, main=False)
    assert [part.name for part in context.parts] == [
        "SOUL.md",
        "USER.md",
        "memory/2026-02-06.md",
        "memory/2026-02-07.md",
        "memory/_inbox.md",
    ]
    assert "secret fact" not in context.render()
    assert "Ines" not in context.render()


def test_with_main_memory_and_the_list_of_topics_come_after_the_user(filled: Workspace) -> None:
    context = build(filled, TODAY, main=True)
    assert [part.name for part in context.parts][:4] == ["SOUL.md", "USER.md", "MEMORY.md", "topics"]
    assert "- People (2): memory/topics/people.md" in context.render()


def test_outside_lines_are_left_out_and_counted(filled: Workspace) -> None:
    context = build(filled, TODAY, main=False)
    assert [part.outside for part in context.parts] == [0, 0, 1, 1, 1]
    assert "[mail]" not in context.render()
    assert "was outside" not in context.render()
    assert "<!-- memory/2026-02-07.md (1 lines from outside left out) -->" in context.render()


def test_the_older_note_is_cut_first_then_the_older_part_of_todays_and_the_fixed_parts_never(filled: Workspace) -> None:
    for days in (0, 1):
        path = filled.daily_note(TODAY - timedelta(days=days))
        path.write_text("".join(f"- 08:{n:02} - line number {n} of the note\n" for n in range(60)))
    whole = build(filled, TODAY, main=True)
    some = build(filled, TODAY, main=True, budget=whole.tokens - 100)
    older, todays = some.parts[4], some.parts[5]
    assert (older.cut > 0, todays.cut) == (True, 0)
    assert older.text.endswith("- 08:59 - line number 59 of the note\n")
    few = build(filled, TODAY, main=True, budget=300)
    older, todays = few.parts[4], few.parts[5]
    assert (older.text, todays.cut > 0) == ("", True)
    assert todays.text.endswith("- 08:59 - line number 59 of the note\n")
    assert few.tokens <= 300
    none = build(filled, TODAY, main=True, budget=1)
    assert [part.text for part in none.parts[:3]] == ["soul\n", "user\n", "# Memory\n\n- secret fact\n"]
    assert none.over


@pytest.mark.parametrize("line", ["- [ ] [mail] x", "1. [mail] x", "[mail] x", "- 09:00 [mail] x", "> [mail] x"])
def test_a_tagged_line_is_outside_in_whatever_shape_it_stands(filled: Workspace, line: str) -> None:
    filled.daily_note(TODAY).write_text(f"{line}\n")
    assert build(filled, TODAY, main=False).parts[3].outside == 1


def test_a_session_starts_although_a_file_cannot_be_read_and_knows_what_it_lacks(filled: Workspace) -> None:
    (filled.root / "SOUL.md").unlink()
    (filled.root / "SOUL.md").mkdir()
    (filled.root / "USER.md").unlink()
    (filled.root / "USER.md").symlink_to(filled.root / "MEMORY.md")
    context = build(filled, TODAY, main=False)
    assert "SOUL.md is not a regular file" in context.parts[0].text
    assert context.parts[1].text == "# Memory\n\n- secret fact\n"


def test_secrets_in_notes_are_redacted(filled: Workspace) -> None:
    filled.daily_note(TODAY).write_text("- key AKIAIOSFODNN7EXAMPLE\n")
    assert "- key [redacted:aws-key-id]" in build(filled, TODAY, main=False).render()
