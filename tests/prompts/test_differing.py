"""`prompts diff`: own prompts and partials beside the packaged ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.errors import PromptError
from daybook.prompts.differing import differences
from daybook.prompts.finding import PACKAGED_DIR

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

PACKAGED = (PACKAGED_DIR / "review.md.j2").read_text(encoding="utf-8")


def changed(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line[:1] in {"+", "-"}]


def test_without_a_prompt_of_ones_own_there_is_no_difference(workspace: Workspace, edit: Callable[..., Path]) -> None:
    assert differences(workspace, "review") == []
    edit("x", "_quoted.md.j2")
    assert differences(workspace, "review") == []


def test_what_was_changed_is_shown_from_the_packaged_to_the_own_text(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    path = edit(PACKAGED.replace("Answer with the operations now.", "Answer now, in JSON."))
    (one,) = differences(workspace, "review")
    assert (one.path, one.packaged) == (path, PACKAGED_DIR / "review.md.j2")
    assert changed(one.diff) == [
        "--- packaged/review.md.j2",
        f"+++ {path}",
        "-Answer with the operations now.",
        "+Answer now, in JSON.",
    ]


def test_a_copy_is_the_same(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit(PACKAGED)
    assert [one.diff for one in differences(workspace, "review")] == [""]


def test_a_missing_newline_at_the_end_is_shown(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit(PACKAGED.rstrip("\n"))
    (one,) = differences(workspace, "review")
    assert one.diff.endswith("+Answer with the operations now.\n\\ No newline at end of file\n")


def test_partials_that_it_names_are_compared_too(workspace: Workspace, edit: Callable[..., Path]) -> None:
    edit(PACKAGED + "{% include '_tone.md.j2' %}\n")
    tone = edit("Be kind.\n", "_tone.md.j2")
    quoted = edit("Bars quote.\n", "_quoted.md.j2")
    edit("x", "_unused.md.j2")
    found = {one.path: one for one in differences(workspace, "review")}
    assert list(found) == [workspace.prompts_dir / "review.md.j2", quoted, tone]
    assert (found[tone].packaged, changed(found[tone].diff)) == (None, ["--- /dev/null", f"+++ {tone}", "+Be kind."])
    assert "+Bars quote." in changed(found[quoted].diff)


def test_a_prompt_that_cannot_be_rendered_is_compared_all_the_same(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    edit(PACKAGED + "{% if %}\n")
    (one,) = differences(workspace, "review")
    assert changed(one.diff)[2:] == ["+{% if %}"]


def test_one_that_cannot_be_read_or_does_not_exist_is_named(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("")
    path.write_bytes(b"\xff")
    with pytest.raises(PromptError, match="is no UTF-8"):
        differences(workspace, "review")
    with pytest.raises(PromptError, match="There is no prompt 'triage'"):
        differences(workspace, "triage")
