"""How many tokens a text is about: near enough to cut a window and to keep a budget."""

from __future__ import annotations

CHARS_PER_TOKEN = 4


def estimate(text: str) -> int:
    """Estimate how many tokens a model takes text for: a quarter of its ASCII characters, each other one whole."""
    ascii_chars = sum(char.isascii() for char in text)
    return ascii_chars // CHARS_PER_TOKEN + (len(text) - ascii_chars) + 1
