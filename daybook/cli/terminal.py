"""Ask the operator at a terminal; without one, the answer is no."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from daybook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


def confirmed(question: str, *, yes: bool) -> bool:
    """
    Ask a question that only a person may answer.

    Args:
        question: Ends with a question mark.
        yes: The answer was given on the command line; a terminal is needed all the same, so that no agent
            can give it.

    Raises:
        UsageError: Standard input or output is no terminal.
    """
    require()
    if yes:
        return True
    try:
        return input(f"{question} [y/N] ").strip().casefold() in {"y", "yes"}
    except EOFError:
        print()
        return False


def require() -> None:
    """
    Refuse to go on without a person at a terminal.

    Raises:
        UsageError: Standard input or output is no terminal.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("This needs a person at a terminal; run it in one.")


def under(section: str) -> str:
    """Name the heading that something stands under; nothing where it has none, or it is not shown."""
    return f", under {section}" if section else ""


def complain(problems: Iterable[str]) -> None:
    """Tell what the operator should know, though the command has done its work; beside its output."""
    for problem in problems:
        print(f"daybook: {problem}", file=sys.stderr)


def progress(sentence: str) -> None:
    """Tell what takes longer than two seconds, beside the command's output."""
    print(sentence, file=sys.stderr, flush=True)
