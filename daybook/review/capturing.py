"""
Capture one line from a turn of a session: what the model is shown, and whether the line it answers may be staged.

A staged line is a trusted one from then on, so it must be what the operator or the agent said, by code and not by the
model's word: words of one turn, made shorter at most. What a tool printed is outside text, also where the agent says
it again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from daybook.guard.outside import flatten
from daybook.guard.secrets import redact
from daybook.language.themes import unmarked
from daybook.language.words import content_tokens, statement_key
from daybook.memory import longterm
from daybook.review.grounding import grounded, line_start
from daybook.review.operations import MAX_TEXT_CHARS

if TYPE_CHECKING:
    from collections.abc import Sequence

TURN_CHARS = 2_000
KNOWN_CHARS = 300
# So many words in a row are hardly the agent's own where a tool printed them before.
PASSED_ON_WORDS = 4
BULLET = re.compile(r"^(?:[-*+]|\d{1,3}[.)])\s+")
ENDS = (".", "!", "?", ":", ";", ",", "…", "。", "！", "？", "：", "；", "，")

Code = Literal["no-source", "outside-only", "too-long", "secret", "ungrounded", "known"]


@dataclass(frozen=True)
class Turn:
    """
    One turn of a session.

    Attributes:
        number: From 1; answers cite it.
        who: Who speaks; `tool`: output of a tool, which anybody may have written.
        text: Any number of lines.
    """

    number: int
    who: Literal["operator", "agent", "tool"]
    text: str


class Captured(BaseModel):
    """
    The answer.

    Attributes:
        line: What was learned, in one line; empty if nothing was.
        sources: Numbers of the turns that say it.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    line: str = Field(description="words of one turn, shortened; empty if nothing is worth keeping")
    sources: tuple[int, ...] = Field(default=(), description="number of the turn that says it")


@dataclass(frozen=True)
class Refusal:
    """Why a line is not staged."""

    code: Code


def variables(known: Sequence[str], turns: Sequence[Turn]) -> dict[str, object]:
    """
    Give the variables of the prompt `capture`.

    Args:
        known: Lines of context that the agent had before.
        turns: Of the session, in order.
    """
    return {
        "known": [" ".join(line.split())[:KNOWN_CHARS] for line in known],
        "turns": [{"number": turn.number, "who": turn.who, "text": _shown(turn)} for turn in turns],
    }


def checked(answer: Captured, turns: Sequence[Turn], known: Sequence[str]) -> str | Refusal:
    """
    Check a captured line.

    Args:
        answer: The model's.
        turns: The same ones as for `variables`.
        known: Likewise.

    Returns:
        The line to be staged, empty if there is nothing to stage, or why it is refused.
    """
    text = " ".join(answer.line.split())
    if not text:
        return ""
    by_number = {turn.number: turn for turn in turns}
    cited = [by_number[number] for number in dict.fromkeys(answer.sources) if number in by_number]
    trusted = [turn for turn in cited if turn.who != "tool"]
    if not cited or len(cited) < len(set(answer.sources)):
        return Refusal("no-source")
    if not trusted:
        return Refusal("outside-only")
    if not (longterm.can_stand(text) and any(text in _line_of(turn) for turn in trusted)):
        text = flatten(text, limit=2 * MAX_TEXT_CHARS)
    code = _wrong(text, trusted, turns) or ("known" if _is_known(text, known) else None)
    return Refusal(code) if code else text


def _wrong(text: str, trusted: Sequence[Turn], turns: Sequence[Turn]) -> Code | None:
    if len(text) > MAX_TEXT_CHARS:
        return "too-long"
    if redact(text) != text or "[redacted:" in text:
        return "secret"
    saying = [turn for turn in trusted if grounded(text, [_line_of(turn)])]
    if not saying or not longterm.can_stand(text):
        return "ungrounded"
    return "outside-only" if all(_passes_on(text, turn, turns) for turn in saying) else None


def _passes_on(text: str, turn: Turn, turns: Sequence[Turn]) -> bool:
    """Whether the agent says what a tool printed before, be it among words of its own."""
    if turn.who == "operator":
        return False
    words = content_tokens(text)
    length = min(PASSED_ON_WORDS, len(words))
    said = _runs(words, length)
    printed = (content_tokens(one.text) for one in turns if one.who == "tool" and one.number < turn.number)
    return any(not said.isdisjoint(_runs(one, length)) for one in printed)


def _runs(words: tuple[str, ...], length: int) -> set[tuple[str, ...]]:
    return {words[at : at + length] for at in range(len(words) - length + 1)}


def _is_known(text: str, known: Sequence[str]) -> bool:
    """Whether a line of context says it, in full or among other things."""
    key = statement_key(unmarked(text))
    lines = [line[line_start(line) :].strip() for line in known]
    return any(statement_key(unmarked(line)) == key for line in lines) or grounded(text, lines)


def _shown(turn: Turn) -> str:
    text = _line_of(turn)
    if turn.who == "tool":
        return flatten(text, limit=TURN_CHARS)
    return text if len(text) <= TURN_CHARS else text[: TURN_CHARS - 1].rstrip() + "…"


def _line_of(turn: Turn) -> str:
    """Make one line of a turn; what stood on a line of its own stays a sentence of its own."""
    lines = [BULLET.sub("", " ".join(line.split()), count=1) for line in turn.text.splitlines()]
    told = [line for line in lines if line]
    return " ".join([line if line.endswith(ENDS) else f"{line}." for line in told[:-1]] + told[-1:])
