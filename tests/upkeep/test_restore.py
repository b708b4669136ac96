"""Accidents are undone or agreed with, and nothing that stood there is lost by it."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

import pytest

from daybook.curation import observing
from daybook.curation.known import read_memory
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger.record import Intent
from daybook.ledger.replay import State, replay
from daybook.memory import longterm
from daybook.upkeep import forget, rebuild, why
from daybook.upkeep.restore import restore

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.workspace import Workspace

    Post = Callable[..., None]

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe")
FACTS = [f"{name} keeps {number} bees in the garden" for number, name in enumerate(NAMES)]


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def standing(workspace: Workspace) -> list[str]:
    return [entry.text for entry in longterm.parse(workspace.longterm.read_bytes()).entries]


@pytest.mark.parametrize("how", ["missing", "empty", "rewritten"])
def test_m26_restore_brings_the_bytes_back_and_keeps_what_stood_there(
    workspace: Workspace, now: datetime, how: str, post: Post
) -> None:
    """Turns red when an entry stays lost, or the agent's version is thrown away."""
    workspace.longterm.write_text(workspace.longterm.read_text() + "- a line of mine\n")
    post(workspace, FACTS, now)
    whole = workspace.longterm.read_bytes()
    if how == "missing":
        workspace.longterm.unlink()
    else:
        workspace.longterm.write_text("" if how == "empty" else "# Memory\n- all in one\n")
    done = restore(workspace, "hand", now, keep=False)
    assert workspace.longterm.read_bytes() == whole
    assert (done.files, done.entries) == (("MEMORY.md",), 10)
    assert len(done.set_aside) == (how == "rewritten")
    for name in done.set_aside:
        assert (workspace.root / name).read_text() == "# Memory\n- all in one\n"
    assert set(standing(workspace)) == {*FACTS, "a line of mine"}
    assert len(state_of(workspace).entries) == 10


def test_m26_keep_agrees_with_the_rewrite_and_nothing_returns(workspace: Workspace, now: datetime, post: Post) -> None:
    """Turns red when what the operator let go comes back, or writing stays stopped."""
    post(workspace, FACTS, now)
    workspace.longterm.write_text("# Memory\n- all in one\n")
    assert restore(workspace, "hand", now, keep=True).entries == 10
    post(workspace, [FACTS[0], "a new fact"], now, "two")
    assert standing(workspace) == ["all in one", "a new fact"]
    with pytest.raises(NothingToDoError):
        restore(workspace, "hand", now, keep=True)


def test_entries_that_vanished_come_back_beside_what_was_written_since(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS, now)
    text = workspace.longterm.read_text()
    for fact in FACTS[:4]:
        text = text.replace(f"- {fact}\n", "")
    workspace.longterm.write_text(text + "- written since\n")
    with workspace.lock():
        observing.observe(workspace, "two", now)
    assert restore(workspace, "hand", now, keep=False).entries == 4
    assert set(standing(workspace)) == {*FACTS, "written since"}
    assert state_of(workspace).vanished == {}


def test_m21_rebuild_check_names_what_differs_and_rebuild_brings_it_back(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when the replay and the owned entries may differ unnoticed."""
    post(workspace, FACTS[:3], now)
    assert rebuild.check(workspace) == []
    workspace.longterm.write_text(workspace.longterm.read_text().replace(f"- {FACTS[1]}\n", ""))
    assert rebuild.check(workspace) == [rebuild.Difference("MEMORY.md", "Lessons Learned", FACTS[1])]
    assert rebuild.rebuild(workspace, "hand", now).entries == ()
    assert rebuild.check(workspace) == []
    assert standing(workspace) == [FACTS[0], FACTS[2]], "what a person deleted stays deleted"
    workspace.longterm.unlink()
    done = rebuild.rebuild(workspace, "hand", now)
    assert [one.text for one in done.entries] == [FACTS[0], FACTS[2]]
    assert standing(workspace) == [FACTS[0], FACTS[2]]
    assert rebuild.check(workspace) == []


def test_rebuild_brings_back_what_was_wiped_or_vanished(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS, now)
    whole = workspace.longterm.read_text()
    workspace.longterm.write_text("# Memory\n- all in one\n")
    assert len(rebuild.rebuild(workspace, "hand", now).entries) == 10
    assert workspace.longterm.read_text() == whole
    gone = whole
    for fact in FACTS[:4]:
        gone = gone.replace(f"- {fact}\n", "")
    workspace.longterm.write_text(gone)
    assert len(rebuild.rebuild(workspace, "hand", now).entries) == 4
    assert workspace.longterm.read_text() == whole


def test_check_names_wrong_headings_doubled_and_further_copies_and_open_operations(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when memory differs from the ledger and it is said to be equal."""
    post(workspace, FACTS[:3], now)
    workspace.topics_dir.mkdir()
    workspace.topic("bees").write_text(f"# Bees\n\n- {FACTS[2]}\n")
    workspace.longterm.write_text(
        f"# Memory\n\n## Else\n- {FACTS[0]}\n\n## Lessons Learned\n- {FACTS[1]}\n- {FACTS[2]}\n- {FACTS[1]}\n"
    )
    opened = next(one for one in ledger.read(workspace).records if isinstance(one, Intent))
    ledger.append(workspace, [opened.model_copy(update={"id": "cut-short", "text": "a fact that was not written"})])
    section = "Lessons Learned"
    assert rebuild.check(workspace) == [
        rebuild.Difference("MEMORY.md", section, FACTS[0], "elsewhere", 4),
        rebuild.Difference("MEMORY.md", section, FACTS[1], "doubled", 9),
        rebuild.Difference("memory/topics/bees.md", "Bees", FACTS[2], "extra", 3),
        rebuild.Difference("MEMORY.md", section, "a fact that was not written", "open"),
    ]


def test_without_a_ledger_the_notes_are_read_again(workspace: Workspace, now: datetime) -> None:
    what = "keep copies of keys|never send on Fridays|label every cable|read the log first|turn the valve slowly"
    more = "ask Jana about invoices|charge the drill outside|write the address down|test backups in March|pay by card"
    lessons = [f"Lesson: {one}" for one in (*what.split("|"), *more.split("|"))]
    workspace.daily_note(date(2025, 11, 1)).write_text("## Lessons\n" + "".join(f"- {one}\n" for one in lessons))
    workspace.daily_note(date(2026, 2, 7)).write_text("## Morning\n- 08:00 - nothing much\n")
    workspace.longterm.unlink()
    done = rebuild.rebuild(workspace, "hand", now)
    assert done.posted is not None
    assert (done.posted.count("applied", "add"), len(standing(workspace))) == (10, 10)
    assert rebuild.check(workspace) == []


def test_forget_takes_the_words_out_of_all_that_is_kept_and_leaves_a_hash(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    workspace.daily_note(date(2026, 2, 7)).write_text(f"## Morning\n- 08:00 - {FACTS[0]}\n")
    post(workspace, FACTS[:2], now)
    gone = forget.forget(workspace, forget.find(workspace, "ada keeps"), "hand", now)
    assert (gone.files, gone.left) == (("MEMORY.md",), ("memory/2026-02-07.md:2",))
    assert standing(workspace) == [FACTS[1]]
    kept = [path for path in workspace.private.rglob("*") if path.is_file()] + [workspace.ledger]
    assert [path for path in kept if FACTS[0].encode() in path.read_bytes()] == []
    post(workspace, [FACTS[0]], now, "two")
    assert standing(workspace) == [FACTS[1]]
    assert rebuild.check(workspace) == []
    assert why.explain(workspace, "ada keeps") == []
    with pytest.raises(NothingToDoError, match="No entry of memory holds these words"):
        forget.find(workspace, "ada keeps")


def test_forget_holds_when_git_brings_an_old_ledger_back(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS[:2], now)
    old = workspace.ledger.read_bytes()
    forget.forget(workspace, forget.find(workspace, FACTS[0]), "hand", now)
    workspace.ledger.write_bytes(old)
    with workspace.lock():
        observing.observe(workspace, "two", now)
    assert FACTS[0].encode() not in workspace.ledger.read_bytes()
    assert read_memory(workspace, now).forgotten_lines == {"mark of Ada"}
    assert rebuild.check(workspace) == []
