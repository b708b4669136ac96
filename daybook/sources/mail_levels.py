"""
Mail triaged by a model: what it is shown of the messages, and what is made of the levels it answers.

The rules come first. What they say of VIPs, of mail that went to many and of mail that a program sent stands, whatever
the model says; of the rest the model decides, and where it is silent the rule's level stays.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from daybook.guard.outside import flatten
from daybook.sources.triage import Level, Triaged, sender, stands

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from daybook.sources.messages import Message

LEVELS: tuple[Level, ...] = get_args(Level)
SENDER_CHARS = 160
SUBJECT_CHARS = 200
TEXT_CHARS = 1_000
BY_THE_MODEL = "by the model"

Refusal = Literal["unknown-id", "twice", "unknown-level", "rules-stand"]


def _plain(value: object) -> object:
    return value.strip().casefold().replace("_", "-").replace(" ", "-") if isinstance(value, str) else value


class Judged(BaseModel):
    """
    How much one message matters.

    Attributes:
        id: The message's number.
        level: `urgent`, `needs-answer`, `information` or `noise`.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    id: int = Field(description="number of the message")
    # Not a Literal: one level that is none must not cost all the others.
    level: Annotated[str, BeforeValidator(_plain)] = Field(
        description="urgent, needs-answer, information or noise", json_schema_extra={"enum": list(LEVELS)}
    )


class Levels(BaseModel):
    """All that a triage answers."""

    model_config = ConfigDict(extra="ignore", frozen=True)
    levels: tuple[Judged, ...]


def variables(messages: Sequence[Message], date: date) -> dict[str, object]:
    """
    Give the variables of the prompt `mail_triage`.

    What went to many or was sent by a program is left out, since the rules stand there; the numbers stay. A VIP's is
    for the caller to leave out (`triage.stands`), since a message does not say who is one.

    Args:
        messages: In the order in which `levels` gets them; the first is number 1.
        date: The day of the check.
    """
    return {
        "date": date.isoformat(),
        "messages": [
            {
                "id": number,
                "sender": flatten(sender(message), limit=SENDER_CHARS),
                "to_me": message.direct,
                "subject": flatten(message.subject, limit=SUBJECT_CHARS),
                "text": flatten(message.snippet, limit=TEXT_CHARS),
            }
            for number, message in enumerate(messages, start=1)
            if not (message.bulk or message.automatic)
        ],
    }


def levels(answer: Levels, judged: Sequence[Triaged]) -> tuple[list[Triaged], Counter[Refusal]]:
    """
    Take the model's levels where they may count.

    Args:
        answer: The model's.
        judged: The messages as the rules judged them, in the order of `variables`.

    Returns:
        The messages in the same order, and how many levels were refused, by code.
    """
    refused: Counter[Refusal] = Counter()
    found = list(judged)
    told: set[int] = set()
    for one in answer.levels:
        level = next((level for level in LEVELS if level == one.level), None)
        if not 1 <= one.id <= len(found):
            refused["unknown-id"] += 1
        elif one.id in told:
            refused["twice"] += 1
        elif level is None:
            refused["unknown-level"] += 1
        else:
            told.add(one.id)
            by_rules = judged[one.id - 1]
            if not stands(by_rules):
                found[one.id - 1] = replace(by_rules, level=level, reason=BY_THE_MODEL)
            elif level != by_rules.level:
                refused["rules-stand"] += 1
    return found, refused
