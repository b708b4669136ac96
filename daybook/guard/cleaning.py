"""Text from outside, made fit to leave this package: without markup and secrets, flat, short."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from daybook.guard.outside import MAX_CHARS, flatten, unescaped
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

# Each attempt ends at the next "<", so that a text of nothing but "<" stays linear.
HTML_TAG = re.compile(r"</?[A-Za-z!?][^<>]{0,2000}>")
SILENT = (
    *(
        (re.compile(rf"<{name}(?=[\s/>])", re.IGNORECASE), re.compile(rf"</{name}[^<>]{{0,100}}>", re.IGNORECASE))
        for name in ("head", "style", "script")
    ),
    (re.compile("<!--"), re.compile("-->")),
)
WORK_CHARS = 6_000


def clean(text: str, *, limit: int = MAX_CHARS, secrets: Iterable[str] = ()) -> str:
    """
    Make text from outside one harmless line without secrets.

    It is flattened before it is redacted, so that invisible characters cannot hide a secret, and again
    afterwards, so that a placeholder cannot become the text of a live link.

    Args:
        text: Anything.
        limit: Characters kept.
        secrets: Secrets known by value.
    """
    known = tuple(secrets)
    flat = flatten(redact(text[:WORK_CHARS], known), limit=WORK_CHARS)
    return flatten(redact(flat, known), limit=limit)


def without_markup(text: str) -> str:
    """Take HTML tags, comments, styles and scripts out of a text, and resolve its entities."""
    for opening, closing in SILENT:
        text = _without_spans(text, opening, closing)
    return unescaped(HTML_TAG.sub(" ", text))


def _without_spans(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> str:
    # In two steps, because one pattern for both is quadratic where the closing never comes.
    kept, at = [], 0
    while (begin := opening.search(text, at)) is not None:
        kept.append(text[at : begin.start()])
        end = closing.search(text, begin.end())
        if end is None:
            return " ".join(kept)
        at = end.end()
    kept.append(text[at:])
    return " ".join(kept)
