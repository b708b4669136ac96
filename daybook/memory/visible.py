"""What a person who reads a Markdown file sees of it as text: neither fenced blocks nor comments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FENCE = re.compile(r"\s*(?:[-*+]\s+)?(?P<marks>`{3,}|~{3,})")
COMMENT = re.compile(r"<!--.*?(?:-->|$)")


def visible(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """
    Leave out fenced blocks, within which nothing is a comment, and comments, within which nothing is a fence.

    Args:
        lines: Without their ends.

    Yields:
        What is left of each line, with its index.
    """
    fence, in_comment = "", False
    for number, raw in enumerate(lines):
        line = raw
        if in_comment:
            _, closing, line = raw.partition("-->")
            in_comment = not closing
            if in_comment:
                continue
        marks = FENCE.match(line)
        if fence:
            fence = "" if marks and marks["marks"].startswith(fence) else fence
        elif marks:
            fence = marks["marks"]
        else:
            in_comment = "<!--" in line and "-->" not in line.rpartition("<!--")[2]
            yield number, COMMENT.sub("", line)
