"""
Ask for operations: a model per call where one answers, the extractive rules where none is configured.

Trusted and outside lines go in separate calls. A line whose call failed stays unread, and the review waits
for its model for a day before the extractive rules stand in.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from daybook import files, prompts
from daybook.clock import stamp
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.models.outcomes import Answered, Unavailable
from daybook.review import extractive
from daybook.review.operations import Answer, Operation
from daybook.review.verify import MAX_ADDS
from daybook.review.window import calls
from daybook.schedule.record import ModelCall, PromptUse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from daybook.review.marks import Reader
    from daybook.review.verify import Memory
    from daybook.review.window import Evidence, Window
    from daybook.settings import Settings
    from daybook.workspace import Workspace

WAITS = timedelta(days=1)
PURPOSE = "review"
PROMPT = "review"


@dataclass(frozen=True)
class Batch:
    """
    The operations one call proposed.

    Attributes:
        lines: The lines the call saw; nothing else can be cited.
        model: Who proposed them.
        prompt: Hash of the prompt's template, if a model was asked.
        adds: How many Adds may come of it.
    """

    lines: tuple[Evidence, ...]
    operations: tuple[Operation, ...]
    model: str
    prompt: str | None
    adds: int

    @property
    def reader(self) -> Reader:
        """Who has read the lines."""
        return "extractive" if self.model == EXTRACTIVE else "model"


@dataclass
class Extraction:
    """
    What asking came to.

    Attributes:
        batches: One per call that was answered.
        waiting: A sentence when lines were left unread because no model answered; empty otherwise.
        models: Every try, for the run record.
        used: The prompts sent, for the run record.
    """

    batches: list[Batch] = field(default_factory=list)
    waiting: str = ""
    models: list[ModelCall] = field(default_factory=list)
    used: list[PromptUse] = field(default_factory=list)


def reader_of(settings: Settings) -> Reader:
    """Who reads the next review's window."""
    return "extractive" if choose(settings.models, os.environ)[0] == EXTRACTIVE else "model"


def readers(workspace: Workspace, settings: Settings) -> tuple[str, ...]:
    """Name what else decides a review's outcome: the models, the prompt and the answer's schema."""
    models = choose(settings.models, os.environ)
    if models[0] == EXTRACTIVE:
        return models
    prompt = prompts.show(workspace, PROMPT).sha256
    return (*models, prompt, json.dumps(Answer.model_json_schema(), sort_keys=True))


async def extract(
    workspace: Workspace, settings: Settings, window: Window, memory: Memory, today: date, now: datetime
) -> Extraction:
    """
    Propose operations for a window.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered; the packaged one never stands in.
    """
    result = Extraction()
    models = choose(settings.models, os.environ)
    stand_in = EXTRACTIVE in models and (models[0] == EXTRACTIVE or _waited(workspace, now))
    asked = [model for model in models if model != EXTRACTIVE]
    for origin in ("trusted", "outside") if asked else ():
        for lines in calls(window.of(origin)):
            prompt = _prompt(workspace, settings, lines, memory, today, origin)
            result.used.append(PromptUse(name=prompt.name, source=prompt.source, sha256=prompt.sha256))
            await _ask(workspace, settings, asked, lines, prompt, now, result)
    answered = {line.number for batch in result.batches for line in batch.lines}
    left = tuple(line for line in window.lines if line.number not in answered)
    if left and stand_in:
        operations = extractive.propose(left)
        result.batches.append(Batch(left, operations, EXTRACTIVE, None, extractive.MAX_ADDS))
    elif left:
        _wait(workspace, now)
        result.waiting = f"{len(left)} lines wait for a model: {result.models[-1].sentence}"
    if not left:
        _waiting_file(workspace).unlink(missing_ok=True)
    return result


async def _ask(
    workspace: Workspace,
    settings: Settings,
    models: Sequence[str],
    lines: tuple[Evidence, ...],
    prompt: prompts.Rendered,
    now: datetime,
    result: Extraction,
) -> None:
    for model in models:
        got = await ask(workspace, settings, model, prompt.text, Answer, purpose=PURPOSE, now=now)
        result.models.append(_call(got))
        if isinstance(got, Answered):
            result.batches.append(Batch(lines, got.answer.operations, model, prompt.sha256, MAX_ADDS))
            return


def _call(got: Answered[Answer] | Unavailable) -> ModelCall:
    return ModelCall(
        purpose=PURPOSE,
        model=got.model,
        outcome=got.outcome,
        sentence=got.sentence if isinstance(got, Unavailable) else "",
        calls=got.used.calls,
        tokens_in=got.used.tokens_in,
        tokens_out=got.used.tokens_out,
        usd=got.used.usd,
    )


def _prompt(
    workspace: Workspace,
    settings: Settings,
    lines: Sequence[Evidence],
    memory: Memory,
    today: date,
    origin: Literal["trusted", "outside"],
) -> prompts.Rendered:
    variables: dict[str, object] = {
        "date": today.isoformat(),
        "sections": list(memory.sections),
        "entries": [
            {"id": entry.id, "section": entry.section, "text": entry.text, "owned": entry.owned}
            for entry in memory.entries
        ],
        "lines": [
            {"number": line.number, "date": line.day.isoformat(), "time": line.time, "text": line.text}
            for line in lines
        ],
        "outside": origin == "outside",
        "limit": MAX_ADDS,
        "interests": list(settings.interests),
    }
    return prompts.render(workspace, PROMPT, variables)


def _waited(workspace: Workspace, now: datetime) -> bool:
    text = files.read_if_exists(_waiting_file(workspace))
    return text is not None and now - datetime.fromisoformat(text.decode().strip()) >= WAITS


def _wait(workspace: Workspace, now: datetime) -> None:
    path = _waiting_file(workspace)
    if files.read_if_exists(path) is None:
        files.replace(path, f"{stamp(now)}\n".encode(), expected=None, mode=files.PRIVATE_FILE_MODE)


def _waiting_file(workspace: Workspace) -> Path:
    return workspace.private / "review-waits-since"
