"""Render a prompt with its declared variables, each made data that cannot look like another line."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import PromptError
from daybook.guard.secrets import redact
from daybook.prompts import finding, limited
from daybook.prompts.declared import PROMPTS
from daybook.prompts.template import Problem
from daybook.prompts.template import render as in_place

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.prompts.declared import PromptInfo
    from daybook.prompts.finding import Found, Origin
    from daybook.workspace import Workspace

LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


@dataclass(frozen=True)
class Rendered:
    """
    What a model is sent, and from which template.

    Attributes:
        name: The prompt's name.
        source: Whose template it was: packaged, or the operator's own (`workspace`, also one named by its path).
        path: The template's file.
        sha256: Hash of the file's text; with includes, of all texts in order.
        text: The rendered text.
    """

    name: str
    source: Origin
    path: Path
    sha256: str
    text: str


def names() -> list[PromptInfo]:
    """List every prompt."""
    return list(PROMPTS.values())


def show(workspace: Workspace, name: str, *, template: Path | None = None) -> Rendered:
    """
    Render prompt *name* with sample values.

    Raises:
        PromptError: There is no such prompt, or it cannot be rendered.
    """
    return render(workspace, name, {v.name: v.sample for v in declared(name).variables}, template=template)


def render(
    workspace: Workspace, name: str, variables: Mapping[str, object], *, template: Path | None = None
) -> Rendered:
    """
    Render prompt *name*; the workspace's own template wins, and one that fails is never replaced.

    Every text in *variables* becomes one line, and what looks like a secret is redacted in it.

    Args:
        workspace: Its `prompts/` folder is looked at first.
        name: One of `names()`.
        variables: A plain JSON value for each declared variable, no more and no less.
        template: Another file for this prompt; what it includes stands beside it or is packaged.

    Raises:
        PromptError: There is no such prompt, or it cannot be rendered; names file, line and trouble.
        ValueError: The variables are not the declared ones.
    """
    known = [variable.name for variable in declared(name).variables]
    if set(variables) != set(known):
        raise ValueError(f"prompt {name} takes {known}, not {sorted(variables)}")
    found = finding.find(workspace, name, template)
    data = {key: _as_data(variables[key]) for key in known}
    if found.origin == "workspace":
        text = limited.render(found.sources, known, data, folder=workspace.private)
    else:
        text = in_place(found.sources, known, data)
    if isinstance(text, Problem):
        raise finding.explain(text, found.origin)
    return Rendered(name, found.origin, found.path, _hash(found), text)


def declared(name: str) -> PromptInfo:
    """
    Look up what is declared of prompt *name*.

    Raises:
        PromptError: There is no such prompt.
    """
    if name not in PROMPTS:
        raise PromptError(f"There is no prompt {name!r}; known are {', '.join(PROMPTS)}.")
    return PROMPTS[name]


def _hash(found: Found) -> str:
    return hashlib.sha256("\0".join(source.text for source in found.sources).encode()).hexdigest()


def _as_data(value: object) -> object:
    match value:
        case str():
            return redact(LINE_BREAKS.sub(" ", value))
        case bool() | int() | float() | None:
            return value
        case Mapping():
            return {str(key): _as_data(item) for key, item in value.items()}
        case Sequence():
            return [_as_data(item) for item in value]
        case _:
            raise ValueError(f"a prompt takes plain values, not {type(value).__name__}")
