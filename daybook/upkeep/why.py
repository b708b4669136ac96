"""Say why memory holds an entry: the note lines it rests on, and every operation that made it what it is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from daybook import files
from daybook.ledger import append as ledger
from daybook.ledger.record import Forgotten, Intent, Seen
from daybook.ledger.replay import State, replay
from daybook.memory import longterm, topics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.ledger.record import Record, Source
    from daybook.workspace import Workspace

MAX_STORIES = 10


@dataclass(frozen=True)
class Step:
    """
    One thing that happened to an entry.

    Attributes:
        at: ISO 8601, UTC.
        what: The operation, or what a person did (`edited`, `deleted`, …).
        by: Who proposed it: a model string, `extractive`, `inbox`, `hand`; `you` for what was done outside Daybook.
        run: Id of the run.
        channel: The pipeline it came through.
        prompt: Hash of the prompt's template.
        text: The entry's words afterwards; empty if they stayed.
        reason: Why it left its place.
        undone: Whether it was taken back.
        sources: The note lines it rests on.
    """

    at: str
    what: str
    by: str
    run: str
    channel: str = ""
    prompt: str | None = None
    text: str = ""
    reason: str = ""
    undone: bool = False
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True)
class Story:
    """
    An entry and how it came about.

    Attributes:
        text: Its words now, or the last ones it had.
        lineage: Names it in the ledger; empty for an entry that a person wrote.
        file: Where it stands; empty if it stands nowhere any more.
        section: Its heading.
        whose: `ours`, `adopted` or `yours`.
        accepted: The operator agreed to it.
        steps: Oldest first; none for an entry that a person wrote.
    """

    text: str
    lineage: str
    file: str
    section: str
    whose: str
    accepted: bool = False
    steps: tuple[Step, ...] = ()


@dataclass
class _Thread:
    texts: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    gone: bool = False


def explain(workspace: Workspace, text: str) -> list[Story]:
    """
    Find entries by their words and tell how each came about; at most ten, those with just these words first.

    Of equal rank, what stands comes before what stands nowhere any more.

    Args:
        workspace: Whose memory.
        text: An entry or a part of one; case and spacing do not matter.
    """
    records = ledger.read(workspace).records
    state = replay(records)
    threads = _threads(records, state)
    wanted = _folded(text)
    stories = [
        _story(lineage, thread, state)
        for lineage, thread in threads.items()
        if not thread.gone and any(wanted in _folded(one) for one in thread.texts)
    ]
    stories += _foreign(workspace, state, wanted)
    return sorted(stories, key=lambda one: (_folded(one.text) != wanted, not one.file))[:MAX_STORIES]


def _threads(records: Sequence[Record], state: State) -> dict[str, _Thread]:
    threads: dict[str, _Thread] = defaultdict(_Thread)
    for record in records:
        match record:
            case Intent() if record.id in state.operations and record.op != "undo":
                thread = threads[record.entry or record.id]
                thread.texts += [one for one in (record.text, record.old) if one]
                thread.steps.append(_step(record, state))
            case Seen():
                thread = threads[record.entry]
                thread.texts += [record.text] if record.text else []
                text = record.text if record.what in {"edited", "adopted"} else ""
                thread.steps.append(Step(record.at, record.what, "you", record.run, text=text))
            case Forgotten() if record.entry:
                threads[record.entry].gone = True
            case _:
                continue
    return threads


def _step(intent: Intent, state: State) -> Step:
    return Step(
        at=intent.at,
        what=intent.op,
        by=intent.model,
        run=intent.run,
        channel=intent.channel,
        prompt=intent.prompt,
        text=intent.text,
        reason=intent.reason,
        undone=intent.id in state.undone,
        sources=intent.sources,
    )


def _story(lineage: str, thread: _Thread, state: State) -> Story:
    entry = state.entries.get(lineage)
    if entry is None:
        return Story(thread.texts[-1], lineage, "", "", "ours", steps=tuple(thread.steps))
    whose = "adopted" if entry.adopted else "ours"
    return Story(entry.text, lineage, entry.file, entry.section, whose, entry.accepted, tuple(thread.steps))


def _foreign(workspace: Workspace, state: State, wanted: str) -> list[Story]:
    found: list[Story] = []
    for path in (workspace.longterm, *topics.topic_files(workspace)):
        name = workspace.relative(path)
        entries = longterm.parse(files.read_if_exists(path) or b"").entries
        theirs = [one for one in entries if wanted in _folded(one.text) and not state.owns(name, one.text)]
        found += [Story(one.text, "", name, one.section, "yours") for one in theirs]
    return found


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
