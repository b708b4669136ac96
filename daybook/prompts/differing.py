"""Compare the operator's own prompts and partials with the packaged ones, as text."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from daybook.prompts import finding, rendering
from daybook.prompts.finding import PACKAGED_DIR, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from daybook.workspace import Workspace

NO_NEWLINE = "\n\\ No newline at end of file\n"


@dataclass(frozen=True)
class Difference:
    """
    How one own file differs.

    Attributes:
        path: The file.
        packaged: The packaged one of its name; None if there is none.
        diff: From the packaged to the own text, unified; empty when they are the same.
    """

    path: Path
    packaged: Path | None
    diff: str


def differences(workspace: Workspace, name: str) -> list[Difference]:
    """
    Compare the own template of prompt *name*, and the own partials that it names, with the packaged ones.

    Also a template that cannot be rendered is compared.

    Returns:
        One for each file, the template first; none when there is no own template.

    Raises:
        PromptError: There is no such prompt, or a file cannot be read.
    """
    rendering.declared(name)
    own = {path.name: path for path in finding.own_files(workspace)}
    template = own.pop(name + SUFFIX, None)
    if template is None:
        return []
    text = finding.text_of(template)
    partials = [path for partial, path in own.items() if partial.startswith("_") and partial in text]
    return [_difference(path) for path in (template, *partials)]


def _difference(own: Path) -> Difference:
    packaged = PACKAGED_DIR / own.name
    there = packaged.is_file()
    before = finding.text_of(packaged) if there else ""
    lines = difflib.unified_diff(
        StringIO(before).readlines(),
        StringIO(finding.text_of(own)).readlines(),
        f"packaged/{own.name}" if there else "/dev/null",
        str(own),
    )
    return Difference(own, packaged if there else None, "".join(_ended(lines)))


def _ended(lines: Iterator[str]) -> Iterator[str]:
    return (line if line.endswith("\n") else line + NO_NEWLINE for line in lines)
