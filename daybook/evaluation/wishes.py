"""What an evaluation is asked to do, and who then answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook.errors import UsageError
from daybook.evaluation import recording
from daybook.models import keys
from daybook.models.choice import EXTRACTIVE, choose
from daybook.models.trying import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.models.choice import Purpose
    from daybook.settings import Settings

RECORDED = "recorded:"
LIVE = re.compile(r"[^\s:]+:\S+")


@dataclass(frozen=True)
class Wish:
    """
    What is asked for.

    Attributes:
        model: Who shall answer: `provider:name`, `recorded:NAME` or `extractive`; empty: the first model that is
            configured for the prompt, or the rules.
        record: Name under which a model's answers are recorded; empty: they are not.
        save: Whether a result that is worse than the last one is accepted.
        sealed: Whether sealed cases may be named.
        tell: Is told of each case before a model is asked about it.
        pace: How to wait for a model.
    """

    model: str = ""
    record: str = ""
    save: bool = False
    sealed: bool = False
    tell: Callable[[str], None] = lambda _: None
    pace: Pace = field(default_factory=Pace)


def recording_of(model: str) -> str | None:
    """Name the recording that answers; None where a model or the rules do."""
    return model.removeprefix(RECORDED) if model.startswith(RECORDED) else None


def reader_of(settings: Settings, prompt: Purpose, wish: Wish) -> str:
    """
    Say who answers.

    Raises:
        UsageError: It is nobody who could, or whose answers could be recorded.
    """
    model = wish.model or choose(settings.models, prompt, keys.environment())[0]
    recorded = recording_of(model)
    if recorded is not None and not recording.NAME.fullmatch(recorded):
        raise UsageError(f"{model!r} names no recording; write one like recorded:hand.")
    if recorded is None and model != EXTRACTIVE and not LIVE.fullmatch(model):
        raise UsageError(f"{model!r} is no model such as google:gemini-2.5-pro, nor recorded:NAME or extractive.")
    if wish.record and not recording.NAME.fullmatch(wish.record):
        raise UsageError(f"{wish.record!r} cannot name a recording; use small letters, digits and -.")
    if wish.record and (recorded is not None or model == EXTRACTIVE):
        raise UsageError(f"Only a model's answers can be recorded, and {model} is none; name one with --model.")
    return model
