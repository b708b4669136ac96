"""`prompts check`: what a prompt uses, its size, what is wrong, and what has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook import prompts
from daybook.errors import PromptError
from daybook.models.tokens import estimate
from daybook.prompts.checking import Checked, check, without_effect
from daybook.prompts.finding import PACKAGED_DIR

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

ALL = ("date", "sections", "entries", "lines", "outside", "limit", "interests")
LINES = "{% for line in lines %}{{ line.text }}{% endfor %}"


@pytest.mark.parametrize("info", prompts.names(), ids=lambda info: info.name)
def test_a_packaged_prompt_uses_all_it_may_and_nothing_is_wrong(info: prompts.PromptInfo, workspace: Workspace) -> None:
    size = estimate(prompts.show(workspace, info.name).text)
    names = tuple(variable.name for variable in info.variables)
    assert check(workspace, info.name, estimate) == Checked(
        info.name, "packaged", PACKAGED_DIR / f"{info.name}.md.j2", uses=names, tokens=size
    )


def test_what_an_override_leaves_out_is_told(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit("On {{ date }}: " + LINES)
    found = check(workspace, "review", len)
    assert found == Checked(
        "review",
        "workspace",
        path,
        uses=("date", "lines"),
        leaves=("sections", "entries", "outside", "limit", "interests"),
        tokens=len(prompts.show(workspace, "review").text),
    )


def test_variables_of_includes_and_of_branches_that_are_not_rendered_are_used(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    edit("{% include '_a.md.j2' %}{% if outside %}{{ limit }}{% endif %}")
    edit(LINES, "_a.md.j2")
    assert check(workspace, "review", len).uses == ("lines", "outside", "limit")


def test_an_override_that_does_not_show_what_it_asks_about_is_warned_of(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    path = edit("{{ statement }}", "second_opinion.md.j2")
    found = check(workspace, "second_opinion", len)
    assert (found.problems, found.warnings) == (
        (),
        (f"{path}: it never mentions 'lines', so the model is not shown what it is asked about.",),
    )


@pytest.mark.parametrize(
    ("name", "told"), [("review", "'lines'"), ("second_opinion", "'statement' or 'lines'"), ("capture", "'turns'")]
)
def test_an_override_that_shows_nothing_of_what_it_asks_about_is_wrong(
    workspace: Workspace, edit: Callable[..., Path], name: str, told: str
) -> None:
    path = edit("Propose something good.", f"{name}.md.j2")
    found = check(workspace, name, len)
    assert (found.problems, found.warnings, found.tokens) == (
        (f"{path}: it never mentions {told}, so the model is not shown what it is asked about; mention it.",),
        (),
        len("Propose something good."),
    )


@pytest.mark.parametrize("text", ["", "\n \n", "{# later #}\n"])
def test_an_empty_override_is_wrong(workspace: Workspace, edit: Callable[..., Path], text: str) -> None:
    path = edit(text)
    found = check(workspace, "review", estimate)
    assert (found.source, found.warnings) == ("workspace", ())
    assert found.problems == (
        f"{path}: it asks nothing, for it is empty; write it, or remove it to use the packaged one.",
    )


def test_a_prompt_that_is_very_long_is_warned_of(workspace: Workspace, edit: Callable[..., Path]) -> None:
    path = edit(LINES + "x" * 16_000)
    found = check(workspace, "review", estimate)
    assert found.tokens is not None
    assert found.tokens > 4_000
    told = f"{path}: it has about {found.tokens:,} tokens with the sample, over 4,000, and every call pays for them"
    assert (found.problems, found.warnings) == ((), (f"{told}; shorten it.",))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("one\n{{ nots }}", ":2: unknown variable 'nots'"),
        ("{{ lines[0].txt }}", ":1: 'dict object' has no attribute 'txt'"),
        ("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}", "a loop without end"),
        ("{{ 7 ** (9 ** 9) }}", "it takes more than a second"),
    ],
    ids=["unknown", "attribute", "loop", "power"],
)
def test_what_cannot_be_rendered_is_wrong_in_one_sentence(
    workspace: Workspace, edit: Callable[..., Path], text: str, told: str
) -> None:
    path = edit(text)
    found = check(workspace, "review", estimate)
    assert (found.source, found.path, found.tokens, found.warnings) == ("workspace", path, None, ())
    (problem,) = found.problems
    assert problem.startswith(str(path))
    assert told in problem


@pytest.mark.parametrize(
    "text",
    ["{% if %}", "{% include '../x' %}", "{% include '_none.md.j2' %}", "{{ " + "+".join("1" * 3_000) + " }}"],
    ids=["syntax", "place", "missing", "deep"],
)
def test_what_cannot_even_be_found_is_wrong_in_one_sentence(
    workspace: Workspace, edit: Callable[..., Path], text: str
) -> None:
    edit(text)
    found = check(workspace, "review", estimate)
    assert (found.source, found.uses, found.leaves, found.tokens) == (None, (), (), None)
    assert len(found.problems) == 1


def test_an_unknown_prompt_is_refused(workspace: Workspace) -> None:
    with pytest.raises(PromptError, match="There is no prompt 'triage'"):
        check(workspace, "triage", estimate)


def test_a_file_of_no_prompt_has_no_effect_and_is_told(workspace: Workspace, edit: Callable[..., Path]) -> None:
    assert without_effect(workspace) == []
    edit(LINES)
    path = edit("x", "reviews.md.j2")
    known = "review.md.j2, second_opinion.md.j2, mail_triage.md.j2, news_rank.md.j2, capture.md.j2"
    assert without_effect(workspace) == [
        f"{path} has no effect: it is no prompt's file (those are {known}); rename or remove it."
    ]


@pytest.mark.parametrize("name", ["review.md", "review.txt", "review.md.jinja2", "_tone.md"])
def test_a_file_whose_ending_was_mistaken_is_told_with_the_right_name(
    workspace: Workspace, edit: Callable[..., Path], name: str
) -> None:
    path = edit(LINES, name)
    right = f"{name.partition('.')[0]}.md.j2"
    told = f"{path} has no effect: a prompt's file ends in .md.j2; rename it to {right} or remove it."
    assert without_effect(workspace) == [told]
    assert without_effect(workspace, "review") == ([told] if name.startswith("review") else [])
    assert without_effect(workspace, "capture") == []


@pytest.mark.parametrize("name", ["README.md", "review.md.j2~", "review.md.j2.bak", "ideas.txt"])
def test_what_is_meant_to_do_nothing_is_not_told(workspace: Workspace, edit: Callable[..., Path], name: str) -> None:
    edit("x", name)
    assert without_effect(workspace) == []


def test_a_partial_that_only_packaged_prompts_include_is_told_of_those(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    path = edit("x", "_quoted.md.j2")
    (told,) = without_effect(workspace, "capture")
    assert told.startswith(f"{path} has no effect: ")
    edit("{% if %}", "capture.md.j2")
    assert without_effect(workspace, "capture") == []


def test_a_partial_that_no_prompt_of_ones_own_includes_has_no_effect(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    path = edit("x", "_quoted.md.j2")
    (told,) = without_effect(workspace)
    assert told.startswith(f"{path} has no effect: no prompt of yours includes it, and packaged ones include packaged")
    edit("{% include '_quoted.md.j2' %}")
    assert without_effect(workspace) == []


def test_a_prompt_that_cannot_be_found_makes_no_partial_look_idle(
    workspace: Workspace, edit: Callable[..., Path]
) -> None:
    edit("x", "_tone.md.j2")
    edit("{% include '_tone.md.j2' %}{% if %}")
    assert without_effect(workspace) == []


def test_a_prompts_folder_that_is_none_is_told(workspace: Workspace) -> None:
    workspace.prompts_dir.write_text("a file")
    with pytest.raises(PromptError, match="cannot be listed: Not a directory"):
        without_effect(workspace)
