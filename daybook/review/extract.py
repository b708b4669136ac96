"""
Ask for operations: the review's models where one answers, the extractive rules where none is configured.

A line whose call failed stays unread, and the review waits for its model for a day before the rules stand in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook import prompts
from daybook.models import keys
from daybook.models.ask import ask
from daybook.models.choice import EXTRACTIVE, choose
from daybook.models.outcomes import ABOUT_TEXT
from daybook.review import extractive
from daybook.review.calls import PROMPT, Call, halves
from daybook.review.operations import Answer, Operation
from daybook.review.verify import MAX_ADDS
from daybook.review.waiting import waited
from daybook.schedule.record import ModelCall, PromptUse, model_call, prompt_use
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime
    from pathlib import Path

    from daybook.curation.entries import Memory
    from daybook.models.choice import Purpose
    from daybook.models.trying import Pace
    from daybook.review.marks import Reader
    from daybook.settings import Settings
    from daybook.workspace import Workspace

PURPOSE: Purpose = "review"


@dataclass(frozen=True)
class Readers:
    """
    Who reads a review's lines.

    Attributes:
        models: Tried in order; `extractive` as the last of them stands in after a day, as the only one at once.
        template: Another file than the workspace's own prompt, or the packaged one.
    """

    models: tuple[str, ...]
    template: Path | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        """Those that are models."""
        return tuple(model for model in self.models if model != EXTRACTIVE)


@dataclass(frozen=True)
class Batch:
    """
    The operations one call proposed.

    Attributes:
        call: What it was about.
        model: Who proposed them.
        prompt: Hash of the prompt's template, if a model was asked.
        adds: How many Adds may come of it.
        part_of: The call it is a part of, when that was too long as a whole.
    """

    call: Call
    operations: tuple[Operation, ...]
    model: str
    prompt: str | None
    adds: int
    part_of: Call | None = None

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
        problems: What the operator should know besides.
    """

    batches: list[Batch] = field(default_factory=list)
    waiting: str = ""
    models: list[ModelCall] = field(default_factory=list)
    used: list[PromptUse] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def readers_of(settings: Settings) -> Readers:
    """Who reads the next review's window."""
    return Readers(choose(settings.models, PURPOSE, keys.environment()))


@dataclass(frozen=True)
class _Asking:
    """A review's questions, all with the same memory before them."""

    workspace: Workspace
    settings: Settings
    readers: Readers
    memory: Memory
    today: date
    now: datetime
    pace: Pace | None
    result: Extraction

    async def all(self, calls: Sequence[Call]) -> list[Call]:
        """Ask about each call, one that is too long in halves; those that no model answered."""
        to_ask = [(call, call) for call in calls]
        left: list[Call] = []
        while to_ask:
            call, whole = to_ask.pop(0)
            outcomes = await self._one(call, whole)
            if "answered" in outcomes:
                continue
            parts = halves(call) if "too-long" in outcomes else ()
            to_ask[:0] = [(part, whole) for part in parts]
            left += [] if parts else [call]
            if not outcomes & ABOUT_TEXT or ("too-long" in outcomes and not parts):
                # The others would fare no better: the model is out, or memory alone is too long for it.
                return left + [call for call, _ in to_ask]
        return left

    async def _one(self, call: Call, whole: Call) -> frozenset[str]:
        """Ask every model in turn about a call: how they ended."""
        variables = _variables(self.settings, call, self.memory, self.today)
        prompt = prompts.render(self.workspace, PROMPT, variables, template=self.readers.template)
        self.result.used.append(prompt_use(prompt))
        asked = await ask(
            self.workspace,
            self.settings,
            PURPOSE,
            prompt.text,
            Answer,
            now=self.now,
            models=self.readers.asked,
            pace=self.pace,
        )
        self.result.models += [model_call(one, PURPOSE) for one in asked.tries]
        self.result.problems += asked.problems
        if (got := asked.answered) is not None:
            part_of = whole if whole is not call else None
            self.result.batches.append(Batch(call, got.answer.operations, got.model, prompt.sha256, MAX_ADDS, part_of))
        return frozenset(one.outcome for one in asked.tries)


async def extract(
    workspace: Workspace,
    settings: Settings,
    calls: Sequence[Call],
    memory: Memory,
    today: date,
    now: datetime,
    *,
    readers: Readers | None = None,
    pace: Pace | None = None,
) -> Extraction:
    """
    Propose operations for calls.

    Args:
        workspace: Its own prompt wins.
        settings: The models, and what they may use.
        calls: What to ask about.
        memory: What every call is shown besides.
        today: Day of the review.
        now: The present instant.
        readers: Who reads the lines; None: those of the settings.
        pace: How to wait for a model; None: really.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered; the packaged one never stands in.
    """
    readers, result = readers or readers_of(settings), Extraction()
    asking = _Asking(workspace, settings, readers, memory, today, now, pace, result)
    left = await asking.all(calls) if readers.asked else list(calls)
    if left and (not readers.asked or (EXTRACTIVE in readers.models and waited(workspace, now))):
        result.batches += _by_rules(left)
    elif left:
        lines = sum(len(call.lines) for call in left)
        wait = counted(lines, "line waits", "lines wait")
        why = dict.fromkeys(one.sentence for one in result.models[-len(readers.asked) :] if one.sentence)
        result.waiting = f"{wait} for a model: {' '.join(why)}"
    return result


def _by_rules(calls: Sequence[Call]) -> list[Batch]:
    """Read calls by the rules, which have one number of Adds for all of them."""
    batches = []
    adds = extractive.MAX_ADDS
    for call in calls:
        operations = extractive.propose(call.lines)
        batches.append(Batch(call, operations, EXTRACTIVE, None, adds))
        adds = max(0, adds - sum(one.kind == "add" for one in operations))
    return batches


def _variables(settings: Settings, call: Call, memory: Memory, today: date) -> dict[str, object]:
    return {
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
