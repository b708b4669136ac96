"""Look whether prompts can be used: what they read of what they may, how long they are, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import PromptError
from daybook.prompts import finding, rendering
from daybook.prompts.declared import PROMPTS
from daybook.prompts.finding import SUFFIX
from daybook.prompts.template import mentioned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from daybook.prompts.finding import Found, Origin
    from daybook.prompts.template import Source
    from daybook.workspace import Workspace

# The sample is small: what a prompt is longer by, every call pays for.
MANY_TOKENS = 4_000
UNSHOWN = "so the model is not shown what it is asked about"
# Endings that are taken for the right one; an editor's copies, such as `review.md.j2~`, are meant to do nothing.
MISTAKEN = (".md", ".txt", ".jinja", ".jinja2")


@dataclass(frozen=True)
class Checked:
    """
    What a look at one prompt came to.

    Attributes:
        name: The prompt.
        source: Whose template counts; None when that cannot be said.
        path: The template's file; None likewise.
        uses: The declared variables that it reads, includes too.
        leaves: Those that it does not.
        tokens: Its size with the sample; None when it cannot be rendered.
        problems: What is wrong, a sentence each.
        warnings: What may be meant so, a sentence each.
    """

    name: str
    source: Origin | None
    path: Path | None
    uses: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    tokens: int | None = None
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def check(workspace: Workspace, name: str, estimate: Callable[[str], int]) -> Checked:
    """
    Check prompt *name* as it would be sent.

    Args:
        workspace: Its own template counts, if there is one.
        name: One of `prompts.names()`.
        estimate: Gives about how many tokens a text has.

    Raises:
        PromptError: There is no such prompt.
    """
    known = rendering.declared(name).variables
    try:
        found = finding.find(workspace, name)
    except PromptError as error:
        return Checked(name, None, None, problems=(str(error),))
    read = mentioned(found.sources, [variable.name for variable in known])
    uses = tuple(variable.name for variable in known if variable.name in read)
    leaves = tuple(variable.name for variable in known if variable.name not in read)
    try:
        text = rendering.show(workspace, name).text
        tokens = estimate(text)
    except PromptError as error:
        return Checked(name, found.origin, found.path, uses, leaves, problems=(str(error),))
    carrying = [variable.name for variable in known if variable.carries]
    missing = [name for name in carrying if name not in read]
    problems: tuple[str, ...] = ()
    if not text.strip():
        problems = (f"{found.path}: it asks nothing, for it is empty; write it, or remove it to use the packaged one.",)
    elif missing == carrying:
        named = " or ".join(map(repr, carrying))
        problems = (f"{found.path}: it never mentions {named}, {UNSHOWN}; mention it.",)
    warnings = tuple(_doubts(found, () if problems else missing, tokens))
    return Checked(name, found.origin, found.path, uses, leaves, tokens, problems, warnings)


def without_effect(workspace: Workspace, name: str = "") -> list[str]:
    """
    Say of each own file that no prompt reads why it does nothing.

    Args:
        workspace: Whose.
        name: Only of files that may be meant for this prompt; empty: of all.

    Raises:
        PromptError: The prompts folder leads out of the workspace, or cannot be listed.
    """
    read = {path for prompt in PROMPTS for path in _read_for(workspace, prompt)}
    idle = [
        path
        for path in finding.listed(workspace)
        if _may_be_meant(path) and str(path) not in read and path.name not in _template_names()
    ]
    if name:
        included = {source.name for source in _packaged(workspace, name)}
        idle = [path for path in idle if _stem(path) == name or path.name in included]
    return [_why_unread(path) for path in idle]


def _doubts(found: Found, missing: Iterable[str], tokens: int) -> Iterable[str]:
    for name in missing:
        yield f"{found.path}: it never mentions {name!r}, {UNSHOWN}."
    if tokens > MANY_TOKENS:
        yield (
            f"{found.path}: it has about {tokens:,} tokens with the sample, over {MANY_TOKENS:,}, and every call pays "
            "for them; shorten it."
        )


def _read_for(workspace: Workspace, name: str) -> Iterable[str]:
    try:
        return [source.path for source in finding.find(workspace, name).sources]
    except PromptError:
        # `check` tells what is wrong; what such a prompt includes may be all right.
        return [str(path) for path in finding.own_files(workspace) if path.name.startswith("_")]


def _packaged(workspace: Workspace, name: str) -> Iterable[Source]:
    """Give what a packaged prompt is made of; of one's own prompt nothing."""
    try:
        found = finding.find(workspace, name)
    except PromptError:
        # `check` tells what is wrong.
        return ()
    return found.sources if found.origin == "packaged" else ()


def _may_be_meant(path: Path) -> bool:
    known = _stem(path) in PROMPTS or path.name.startswith("_")
    return path.name.endswith(".j2") or (known and path.name.endswith(MISTAKEN))


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _why_unread(path: Path) -> str:
    if path.name.endswith(MISTAKEN):
        return (
            f"{path} has no effect: a prompt's file ends in {SUFFIX}; rename it to {_stem(path)}{SUFFIX} or remove it."
        )
    if path.name.startswith("_"):
        return (
            f"{path} has no effect: no prompt of yours includes it, and packaged ones include packaged files only; "
            "copy a prompt that includes it beside it, or remove it."
        )
    return (
        f"{path} has no effect: it is no prompt's file (those are {', '.join(_template_names())}); rename or remove it."
    )


def _template_names() -> list[str]:
    return [name + SUFFIX for name in PROMPTS]
