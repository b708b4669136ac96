"""What a review asks about: its window cut into calls that a model can take, trusted and outside lines apart."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from daybook import prompts
from daybook.models import tokens
from daybook.models.choice import EXTRACTIVE
from daybook.review import window
from daybook.review.operations import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.curation.entries import Memory
    from daybook.review.window import Evidence, Window
    from daybook.settings import Settings
    from daybook.workspace import Workspace

PROMPT = "review"
# Id, section and bars before an entry's text.
ENTRY_TOKENS = 16
# What an answer and the form of it take of a model's context.
ANSWER_TOKENS = 4_000
MIN_ROOM_TOKENS = 1_000
Origin = Literal["trusted", "outside"]


@dataclass(frozen=True)
class Call:
    """
    What one call would be about.

    Attributes:
        lines: The lines it sees; nothing else can be cited.
        origin: Of all its lines.
        digest: Hash of lines, readers, prompt and schema: the same digest on schedule means no call.
        parts: What the digest is of, besides the lines.
    """

    lines: tuple[Evidence, ...]
    origin: Origin
    digest: str
    parts: tuple[str, ...] = ()


def calls_for(
    workspace: Workspace, settings: Settings, models: Sequence[str], seen: Window, memory: Memory
) -> list[Call]:
    """
    Cut a window into calls, trusted and outside lines apart.

    Args:
        workspace: Its own prompt wins.
        settings: How much a model can take at once.
        models: Which are asked, in order.
        seen: The window.
        memory: What every call is shown besides.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    if models[0] == EXTRACTIVE:
        # The rules leave outside lines alone and need no limit.
        lines = seen.of("trusted")
        return [Call(lines, "trusted", window.digest(lines, EXTRACTIVE))] if lines else []
    shown = prompts.show(workspace, PROMPT)
    parts = (*models, shown.sha256, json.dumps(Answer.model_json_schema(), sort_keys=True))
    held = sum(tokens.estimate(entry.text) + ENTRY_TOKENS for entry in memory.entries)
    free = settings.models.context_tokens - tokens.estimate(shown.text) - held - ANSWER_TOKENS
    room = max(MIN_ROOM_TOKENS, min(window.CALL_TOKENS, free))
    origins: tuple[Origin, ...] = ("trusted", "outside")
    return [_call(lines, origin, parts) for origin in origins for lines in window.calls(seen.of(origin), room)]


def halves(call: Call) -> tuple[Call, ...]:
    """Cut a call in two; none where there is but one line."""
    middle = len(call.lines) // 2
    cut = (call.lines[:middle], call.lines[middle:])
    return tuple(_call(lines, call.origin, call.parts) for lines in cut) if middle else ()


def _call(lines: tuple[Evidence, ...], origin: Origin, parts: tuple[str, ...]) -> Call:
    return Call(lines, origin, window.digest(lines, *parts), parts)
