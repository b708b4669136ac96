"""Ask the operator at a terminal; without one, the answer is no."""

from __future__ import annotations

import sys

from daybook.errors import UsageError


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
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("This needs a person at a terminal; run it in one.")
    if yes:
        return True
    try:
        return input(f"{question} [y/N] ").strip().casefold() in {"y", "yes"}
    except EOFError:
        print()
        return False


def progress(sentence: str) -> None:
    """Tell what takes longer than two seconds, beside the command's output."""
    print(sentence, file=sys.stderr, flush=True)
