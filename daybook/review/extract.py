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

from daybook import files, folders, prompts
from daybook.clock import stamp
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.models.outcomes import Answered, T, Unavailable
from daybook.review import extractive
from daybook.review.operations import Answer, Operation
from daybook.review.verify import MAX_ADDS
from daybook.review.window import calls as cut
from daybook.review.window import digest
from daybook.schedule.record import ModelCall, PromptUse
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from daybook.curation.entries import Memory
    from daybook.review.marks import Reader
    from daybook.review.window import Evidence, Window
    from daybook.settings import Settings
    from daybook.workspace import Workspace

WAITS = timedelta(days=1)
PURPOSE = "review"
LASTING = frozenset({"bad-key", "no-key", "daily-quota", "retired-model", "unknown-model", "over-budget"})
PROMPT = "review"
Origin = Literal["trusted", "outside"]


@dataclass(frozen=True)
class Call:
    """
    What one call would be about.

    Attributes:
        lines: The lines it sees; nothing else can be cited.
        origin: Of all its lines.
        digest: Hash of lines, readers, prompt and schema: the same digest on schedule means no call.
    """

    lines: tuple[Evidence, ...]
    origin: Origin
    digest: str


@dataclass(frozen=True)
class Batch:
    """
    The operations one call proposed.

    Attributes:
        call: What it was about.
        model: Who proposed them.
        prompt: Hash of the prompt's template, if a model was asked.
        adds: How many Adds may come of it.
    """

    call: Call
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


def calls_for(workspace: Workspace, settings: Settings, window: Window) -> list[Call]:
    """
    Cut a window into calls, trusted and outside lines apart.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    models = choose(settings.models, os.environ)
    if models[0] == EXTRACTIVE:
        # The rules leave outside lines alone and need no limit.
        lines = window.of("trusted")
        return [Call(lines, "trusted", digest(lines, EXTRACTIVE))] if lines else []
    schema = json.dumps(Answer.model_json_schema(), sort_keys=True)
    parts = (*models, prompts.show(workspace, PROMPT).sha256, schema)
    origins: tuple[Origin, ...] = ("trusted", "outside")
    return [Call(lines, origin, digest(lines, *parts)) for origin in origins for lines in cut(window.of(origin))]


async def extract(
    workspace: Workspace, settings: Settings, calls: Sequence[Call], memory: Memory, today: date, now: datetime
) -> Extraction:
    """
    Propose operations for calls.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered; the packaged one never stands in.
    """
    result = Extraction()
    models = choose(settings.models, os.environ)
    stand_in = EXTRACTIVE in models and (models[0] == EXTRACTIVE or _waited(workspace, now))
    asked = [model for model in models if model != EXTRACTIVE]
    for call in calls if asked else ():
        prompt = _prompt(workspace, settings, call, memory, today)
        result.used.append(PromptUse(name=prompt.name, source=prompt.source, sha256=prompt.sha256))
        await _ask(workspace, settings, asked, call, prompt, now, result)
    answered = {batch.call for batch in result.batches}
    left = [call for call in calls if call not in answered]
    if left and stand_in:
        result.batches += [_by_rules(call) for call in left]
    elif left:
        lines = sum(len(call.lines) for call in left)
        wait = counted(lines, "line waits", "lines wait")
        result.waiting = f"{wait} for a model: {result.models[-1].sentence}"
    return result


def remember_waiting(workspace: Workspace, now: datetime, *, waiting: bool) -> None:
    """Keep since when the review waits for its model; after a day the rules stand in."""
    path = _waiting_file(workspace)
    if not waiting:
        folders.remove(path)
    elif files.read_if_exists(path) is None:
        files.replace(path, f"{stamp(now)}\n".encode(), expected=None, mode=files.PRIVATE_FILE_MODE)


def _by_rules(call: Call) -> Batch:
    return Batch(call, extractive.propose(call.lines), EXTRACTIVE, None, extractive.MAX_ADDS)


async def _ask(
    workspace: Workspace,
    settings: Settings,
    models: Sequence[str],
    call: Call,
    prompt: prompts.Rendered,
    now: datetime,
    result: Extraction,
) -> None:
    # What is wrong with a key or a model stays wrong for the rest of this run.
    useless = {told.model for told in result.models if told.outcome in LASTING}
    for model in (one for one in models if one not in useless):
        got = await ask(workspace, settings, model, prompt.text, Answer, purpose=PURPOSE, now=now)
        result.models.append(told(got, PURPOSE))
        if isinstance(got, Answered):
            result.batches.append(Batch(call, got.answer.operations, model, prompt.sha256, MAX_ADDS))
            return


def told(got: Answered[T] | Unavailable, purpose: str) -> ModelCall:
    """Write one try for the run record."""
    return ModelCall(
        purpose=purpose,
        model=got.model,
        outcome=got.outcome,
        sentence=got.sentence if isinstance(got, Unavailable) else "",
        calls=got.used.calls,
        tokens_in=got.used.tokens_in,
        tokens_out=got.used.tokens_out,
        usd=got.used.usd,
    )


def _prompt(workspace: Workspace, settings: Settings, call: Call, memory: Memory, today: date) -> prompts.Rendered:
    variables: dict[str, object] = {
        "date": today.isoformat(),
        "sections": list(memory.sections),
        "entries": [
            {"id": entry.id, "section": entry.section, "text": entry.text, "owned": entry.owned}
            for entry in memory.entries
        ],
        "lines": [
            {"number": line.number, "date": line.day.isoformat(), "time": line.time, "text": line.text}
            for line in call.lines
        ],
        "outside": call.origin == "outside",
        "limit": MAX_ADDS,
        "interests": list(settings.interests),
    }
    return prompts.render(workspace, PROMPT, variables)


def _waited(workspace: Workspace, now: datetime) -> bool:
    text = files.read_if_exists(_waiting_file(workspace))
    return text is not None and now - datetime.fromisoformat(text.decode().strip()) >= WAITS


def _waiting_file(workspace: Workspace) -> Path:
    return workspace.private / "review-waits-since"
