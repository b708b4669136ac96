"""A line counts as read only when what it led to is in the ledger or refused for good, whatever fails in between."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from daybook.curation.entries import LONGTERM
from daybook.errors import UnreadableFileError
from daybook.review import extract, marks, reviewing
from daybook.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

FACTS = (
    "the anvil stands in the shed",
    "candles burn for nine hours",
    "Maria sings alto in the choir",
    "port 8443 serves the wiki",
    "tea tastes better without sugar",
    "Graz has two railway stations",
    "invoices carry a purple stamp",
)


@pytest.fixture
def note(workspace: Workspace, now: datetime) -> None:
    lines = "".join(f"- 08:0{n} - Lesson: {fact}\n" for n, fact in enumerate(FACTS))
    workspace.daily_note(now.date()).write_text(f"## Morning\n{lines}- 09:00 - had lunch\n")


def review(workspace: Workspace, now: datetime) -> Posted:
    async def run() -> Posted:
        look = reviewing.look(workspace, Settings(), now.date(), now)
        extracted = await extract.extract(workspace, Settings(), look.calls, look.memory, now.date(), now)
        judged = reviewing.judge(look, extracted, now.date())
        decided = await reviewing.decide(workspace, Settings(), look, judged, now)
        return reviewing.carry_out(workspace, look, decided.judged, waiting=False, run="r", now=now)

    return asyncio.run(run())


def unread(workspace: Workspace, now: datetime) -> list[str]:
    read = marks.read(workspace)
    look = reviewing.look(workspace, Settings(), now.date(), now)
    return [line.text.removeprefix("Lesson: ") for line in look.window.lines if not set(line.marks) <= set(read)]


def entries(workspace: Workspace, now: datetime) -> list[str]:
    look = reviewing.look(workspace, Settings(), now.date(), now)
    return [entry.text for entry in look.memory.entries if entry.file == LONGTERM]


@pytest.mark.usefixtures("note")
def test_m28_what_is_over_the_quota_stays_unread_and_is_added_later(workspace: Workspace, now: datetime) -> None:
    """Turns red when lines whose Add waits are marked as read."""
    assert review(workspace, now).count("applied") == 5
    assert unread(workspace, now) == list(FACTS[5:])
    assert review(workspace, now).count("applied", "add") == 2
    assert unread(workspace, now) == []
    assert sorted(entries(workspace, now)) == sorted(FACTS)


@pytest.mark.usefixtures("note")
def test_a_kill_between_ledger_and_marks_only_means_reading_again(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(marks, "add", killed)
        with pytest.raises(KeyboardInterrupt):
            review(workspace, now)
    assert unread(workspace, now) == [*FACTS, "had lunch"]
    again = review(workspace, now)
    assert {(one.op, one.code) for one in again.results[:5]} == {("confirm", "")}
    assert sorted(entries(workspace, now)) == sorted(FACTS)


@pytest.mark.usefixtures("note")
def test_where_nothing_could_be_written_nothing_counts_as_read(workspace: Workspace, now: datetime) -> None:
    memory = workspace.longterm.read_bytes()
    workspace.longterm.unlink()
    with pytest.raises(UnreadableFileError):
        review(workspace, now)
    assert marks.read(workspace) == {}
    workspace.longterm.write_bytes(memory)
    assert review(workspace, now).count("applied") == 5


@pytest.mark.usefixtures("note")
def test_all_adds_of_a_review_that_fit_nowhere_share_one_new_heading(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text("# Memory\n\n## House\n")
    workspace.daily_note(now.date()).write_text(
        "- 08:00 - Decision: the gate stays shut\n"
        "- 08:01 - Lesson: paint dries slowly\n"
        "- 08:02 - Preference: tea, cold\n"
    )
    review(workspace, now)
    assert workspace.longterm.read_text().split("\n") == [
        "# Memory",
        "",
        "## House",
        "",
        "## Decisions",
        "",
        "- the gate stays shut",
        "- paint dries slowly",
        "- tea, cold",
        "",
    ]


def test_an_entry_that_is_over_leaves_without_any_call(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text("# Memory\n\n## Deadlines\n")
    early = now.date().replace(day=1)
    workspace.daily_note(early).write_text("- 08:00 - Deadline: tax return by 5 February\n")
    review(workspace, now.replace(day=1))
    assert entries(workspace, now) == ["Deadline: tax return by 5 February"]
    look = reviewing.look(workspace, Settings(), now.date(), now)
    assert [one.entry and one.entry.text for one in look.over] == ["Deadline: tax return by 5 February"]
    decided = asyncio.run(reviewing.decide(workspace, Settings(), look, [], now))
    reviewing.carry_out(workspace, look, decided.judged, waiting=False, run="r2", now=now)
    assert entries(workspace, now) == []
