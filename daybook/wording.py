"""How a number and its word are written."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with its word: `1 line`, `2 lines`; *many* where it is not the word and an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def entries(number: int) -> str:
    """Write how many entries."""
    return counted(number, "entry", "entries")
