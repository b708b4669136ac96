"""Text from outside, made fit to leave this package: without secrets, flat, short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.guard.outside import MAX_CHARS, flatten
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

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
