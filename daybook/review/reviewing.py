"""
A review from end to end, in the steps the tasks call: look, ask, judge, decide, carry out.

Unread note lines -> window -> extract (model) -> verify (code, second opinion) -> merge -> ledger -> marks.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.curation.known import read_memory
from daybook.models.choice import EXTRACTIVE
from daybook.review import marks, posting, window
from daybook.review.calls import Call, calls_for
from daybook.review.expiry import expired
from daybook.review.extract import Batch, readers_of
from daybook.review.limits import Limits
from daybook.review.merge import Applied, Author
from daybook.review.opinion import Asked, opinions
from daybook.review.placing import Places
from daybook.review.posting import Posted
from daybook.review.verify import judge as judge_each
from daybook.review.waiting import remember_waiting
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime

    from daybook.curation.entries import Memory
    from daybook.models.trying import Pace
    from daybook.review.extract import Extraction, Readers
    from daybook.review.marks import Reader
    from daybook.review.verdict import Verdict
    from daybook.review.window import Window
    from daybook.schedule.record import ModelCall, OperationResult, PromptUse
    from daybook.settings import Settings
    from daybook.workspace import Workspace


@dataclass(frozen=True)
class Look:
    """
    What a review has before it.

    Attributes:
        window: The lines.
        memory: What memory holds.
        calls: What would be asked.
        known: Whether each of these calls was answered before.
        over: Retirements of entries whose date has passed, which need no call.
    """

    window: Window
    memory: Memory
    calls: tuple[Call, ...]
    known: tuple[bool, ...]
    over: tuple[Verdict, ...] = ()

    @property
    def fresh(self) -> tuple[Call, ...]:
        """Calls that were not answered before."""
        return tuple(call for call, known in zip(self.calls, self.known, strict=True) if not known)

    @property
    def problems(self) -> tuple[str, ...]:
        """What the operator should know of the window."""
        lines = counted(self.window.stale, "unread note line is", "unread note lines are")
        them = "it" if self.window.stale == 1 else "them"
        stale = f"{lines} over 30 days old; read {them} with `review --since`."
        return (*self.window.problems, *([stale] if self.window.stale else []))


@dataclass(frozen=True)
class Judged:
    """A call's operations with their verdicts."""

    batch: Batch
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True)
class Decision:
    """
    What a review will do.

    Attributes:
        judged: What is over first, then every call in order.
        models: Every try to get a second opinion, for the run record.
        used: The prompts sent for it, for the run record.
    """

    judged: list[Judged]
    models: tuple[ModelCall, ...] = ()
    used: tuple[PromptUse, ...] = ()


def look(
    workspace: Workspace,
    settings: Settings,
    today: date,
    now: datetime,
    *,
    since: date | None = None,
    readers: Readers | None = None,
) -> Look:
    """
    Build the window, and see which of its calls were answered before.

    Args:
        workspace: Whose notes and memory.
        settings: How much a model can take at once.
        today: The slot's date.
        now: The present instant.
        since: Read everything from this date on.
        readers: Who will read it; None: those of the settings.

    Raises:
        UnreadableFileError: MEMORY.md or a topic is there and cannot be read.
        PromptError: The workspace's own prompt cannot be rendered.
    """
    readers = readers or readers_of(settings)
    reader: Reader = "model" if readers.asked else "extractive"
    seen = window.build(workspace, today, reader, since=since)
    memory = read_memory(workspace, now)
    calls = tuple(calls_for(workspace, settings, readers.models, seen, memory))
    answered = _answered(workspace)
    over = tuple(expired(memory, today))
    return Look(seen, memory, calls, tuple(call.digest in answered for call in calls), over)


def judge(seen: Look, extracted: Extraction, today: date) -> list[Judged]:
    """Verify every call's operations, each by itself and by code alone."""
    places = Places(seen.memory.sections, seen.memory.closed)
    return [
        Judged(batch, tuple(judge_each(batch.operations, batch.call.lines, seen.memory, places, today=today)))
        for batch in extracted.batches
    ]


async def decide(
    workspace: Workspace,
    settings: Settings,
    seen: Look,
    judged: Sequence[Judged],
    now: datetime,
    *,
    pace: Pace | None = None,
) -> Decision:
    """
    Ask for a second opinion where code was unsure, then keep everything within the quotas.

    What is over goes, too, unless a line gives it another date or end.

    Args:
        workspace: Whose memory.
        settings: Which models have a second opinion.
        seen: What the review had before it.
        judged: Every call's verdicts.
        now: The present instant.
        pace: How to wait for a model; None: really.

    Raises:
        PromptError: The workspace's own prompt cannot be rendered.
    """
    asked, limits = Asked(), Limits(seen.memory.retirements)
    decided = []
    for one in judged:
        verdicts = await opinions(workspace, settings, one.verdicts, now, asked, pace=pace)
        decided.append(Judged(one.batch, tuple(limits.keep(verdicts, one.batch.adds))))
    spoken_of = {v.entry.id for one in decided for v in one.verdicts if v.entry is not None and _changes(v)}
    over = tuple(one for one in seen.over if one.entry is not None and one.entry.id not in spoken_of)
    by_date = [Judged(Batch(Call((), "trusted", ""), (), EXTRACTIVE, None, 0), over)] if over else []
    return Decision(by_date + decided, tuple(asked.models), tuple(asked.used))


def _changes(verdict: Verdict) -> bool:
    return verdict.operation.kind in {"revise", "retire"} and verdict.fate != "refuse"


def carry_out(
    workspace: Workspace, seen: Look, judged: Sequence[Judged], *, waiting: bool, run: str, now: datetime
) -> Posted:
    """
    Apply and propose, then mark the lines that are settled, and remember the calls that need not be made again.

    Args:
        workspace: Whose memory.
        seen: What the review had before it.
        judged: Every call's verdicts.
        waiting: Whether lines were left for want of a model.
        run: Id of the run, for the ledger.
        now: The present instant.

    Raises:
        UnreadableFileError: MEMORY.md is missing or unreadable; nothing was written, and no line counts as read.
    """
    remember_waiting(workspace, now, waiting=waiting)
    parts: list[tuple[Batch, Posted]] = []
    for one in judged:
        author = Author(run=run, channel="review", model=one.batch.model, prompt=one.batch.prompt)
        part = posting.post(workspace, one.verdicts, author, now)
        # After the ledger, never before: a kill in between means that these lines are read once more.
        read = [mark for line in one.batch.call.lines for mark in line.marks if mark not in part.unsettled]
        marks.add(workspace, read, one.batch.reader, run=run, now=now)
        # Where the rules stood in for a model, it is to be asked when it is back.
        stood_in = one.batch.model == EXTRACTIVE and bool(one.batch.call.parts)
        if one.batch.call.lines and not part.unsettled and not stood_in:
            _remember(workspace, one.batch.call, one.batch.model, now)
        parts.append((one.batch, part))
    _remember_cut(workspace, parts, now)
    marks.add(workspace, seen.window.passed, "none", run=run, now=now)
    posted = [part for _, part in parts]
    return Posted(
        tuple(result for part in posted for result in part.results),
        tuple(line for part in posted for line in part.diff),
        frozenset[str]().union(*(part.unsettled for part in posted)),
        tuple(dict.fromkeys(problem for part in posted for problem in part.problems)),
    )


def preview(judged: Sequence[Judged]) -> list[OperationResult]:
    """Say what would become of every operation, for a dry run."""
    return [posting.result(Applied(verdict)) for one in judged for verdict in one.verdicts]


def _answered(workspace: Workspace) -> frozenset[str]:
    found = set()
    for row in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # A row torn by a kill means that one call may be made twice.
        try:
            found.add(str(json.loads(row)["digest"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def _remember_cut(workspace: Workspace, parts: Sequence[tuple[Batch, Posted]], now: datetime) -> None:
    """Remember the calls that were too long as a whole, and of which every part is settled."""
    lines: dict[Call, int] = {}
    for batch, part in parts:
        if batch.part_of is not None and not part.unsettled:
            lines[batch.part_of] = lines.get(batch.part_of, 0) + len(batch.call.lines)
    for whole, settled in lines.items():
        if settled == len(whole.lines):
            _remember(workspace, whole, "", now)


def _remember(workspace: Workspace, call: Call, model: str, now: datetime) -> None:
    row = {"at": stamp(now), "digest": call.digest, "origin": call.origin, "model": model}
    data = f"{json.dumps(row)}\n".encode()
    files.append(_path(workspace), data, mode=files.PRIVATE_FILE_MODE, follow=True)


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "reviews.jsonl")
