"""Why answers from either copy of the ledger, for what stands and for what once stood, and not without end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.upkeep import why
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from daybook.workspace import Workspace

    Post = Callable[..., None]

FACTS = ("Ada keeps 0 bees in the garden", "Bob keeps 1 bees in the garden")


def test_m30_why_answers_after_the_folder_was_cleaned(workspace: Workspace, now: datetime, post: Post) -> None:
    """Turns red when `why` reads the folder's ledger alone."""
    post(workspace, FACTS, now)
    workspace.ledger.unlink()
    (story,) = why.explain(workspace, "ada KEEPS")
    assert (story.text, story.file, story.section, story.whose) == (FACTS[0], "MEMORY.md", "Lessons Learned", "ours")
    (step,) = story.steps
    assert (step.what, step.by, step.run, step.channel, step.prompt) == (
        "add",
        "some:model",
        "one",
        "review",
        "prompt-hash",
    )
    assert [(one.file, one.line, one.origin, one.text) for one in step.sources] == [
        ("memory/2026-02-07.md", 3, "trusted", FACTS[0])
    ]
    workspace.longterm.write_text(workspace.longterm.read_text() + "- typed by me\n")
    assert [(one.whose, one.lineage, one.steps) for one in why.explain(workspace, "typed by")] == [("yours", "", ())]
    assert why.explain(workspace, "nowhere") == []


def test_at_most_ten_are_told_those_with_just_these_words_first(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when entries with exactly these words are told without end, or the best match is cut off."""
    theirs = "".join(f"- Ada keeps {number} bees\n" for number in range(12))
    workspace.longterm.write_text(f"# Memory\n\n{theirs}\n" + "## Lessons Learned\n")
    for folder in range(12):
        workspace.topics_dir.mkdir(exist_ok=True)
        workspace.topic(f"t{folder}").write_text("# T\n\n- Ada keeps 3 bees\n")
    stories = why.explain(workspace, "ada keeps 3 bees")
    assert [one.text for one in stories] == ["Ada keeps 3 bees"] * why.MAX_STORIES
    assert len(why.explain(workspace, "ada keeps")) == why.MAX_STORIES
    post(workspace, ("Ada keeps",), now)
    assert why.explain(workspace, "ada keeps")[0].whose == "ours"


def test_what_was_undone_is_told_after_what_stands(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS[:1], now)
    undo(workspace, "one", "hand", now)
    post(workspace, FACTS[1:], now, "two")
    stories = why.explain(workspace, "bees in the garden")
    assert [(one.text, one.file) for one in stories] == [(FACTS[1], "MEMORY.md"), (FACTS[0], "")]
    assert [one.undone for one in stories[1].steps] == [True]
