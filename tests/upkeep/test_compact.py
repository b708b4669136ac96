"""Compact shows what it would move, moves just that, and never what is not its own to move."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.errors import UnreadableFileError
from daybook.memory import longterm
from daybook.upkeep import compact, rebuild
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.workspace import Workspace

    Post = Callable[..., None]

NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe")
FACTS = tuple(f"{name} keeps {number} bees in the garden" for number, name in enumerate(NAMES))


def test_compact_shows_and_then_moves_the_least_valuable_entries(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when the plan and the deed differ, or the newest entries leave before the oldest."""
    post(workspace, FACTS[:7], now)
    post(workspace, FACTS[7:], now + timedelta(days=40))
    theirs = "".join(f"- mine {number}\n" for number in range(70))
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n## Me\n" + theirs)
    before = workspace.longterm.read_bytes()
    plan = compact.compact(workspace, "hand", now, dry_run=True)
    assert workspace.longterm.read_bytes() == before
    assert (plan.lines, plan.lines_after, len(plan.moves), plan.theirs, plan.fits) == (87, 80, 7, 70, True)
    done = compact.compact(workspace, "hand", now, dry_run=False)
    assert done == plan
    assert longterm.count_lines(longterm.parse(workspace.longterm.read_bytes())) == 80
    moved = {entry.text for entry in longterm.parse(workspace.topic("lessons-learned").read_bytes()).entries}
    assert moved == {text for text, _ in plan.moves} == set(FACTS[:7])
    assert theirs in workspace.longterm.read_text()
    assert rebuild.check(workspace) == []
    undo(workspace, "hand", "back", now)
    assert workspace.longterm.read_bytes() == before


def test_a_file_that_fits_or_holds_only_what_is_yours_is_left_alone(workspace: Workspace, now: datetime) -> None:
    before = workspace.longterm.read_bytes()
    assert compact.compact(workspace, "hand", now, dry_run=False).moves == ()
    assert workspace.longterm.read_bytes() == before
    workspace.longterm.write_text("# Memory\n" + "- mine\n" * 90)
    done = compact.compact(workspace, "hand", now, dry_run=False)
    assert (done.fits, done.moves, done.theirs, done.lines_after) == (False, (), 90, 91)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_missing_file_is_not_compacted(workspace: Workspace, now: datetime, dry_run: bool) -> None:
    workspace.longterm.unlink()
    with pytest.raises(UnreadableFileError, match="is missing or empty"):
        compact.compact(workspace, "hand", now, dry_run=dry_run)
