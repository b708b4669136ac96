"""What is done while a call goes wrong: each scenario has a workspace to begin with, and an operation."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from daybook import adoption
from daybook.curation.entries import statement_hash
from daybook.curation.known import read_memory
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger.record import Source, operation_id
from daybook.ledger.replay import replay
from daybook.memory import journal, notes, pending, staging
from daybook.review import extract, flush, reviewing, ticks
from daybook.review.extract import Batch, Call
from daybook.review.operations import Operation
from daybook.review.reviewing import Judged
from daybook.review.verify import Verdict
from daybook.review.window import Evidence
from daybook.settings import Settings
from daybook.upkeep import compact, forget, restore
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.curation.entries import Known
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
LONG_AGO = NOW - timedelta(days=40)
MEMORY = """# Memory

Mine, in words of my own.

## Preferences

- tea over coffee <!-- pin -->
- **Bike**: blue
  - with a nested detail
- an old car in the yard

## Decisions

| what | where |
| --- | --- |
| key | drawer |

## Lessons Learned

## Deadlines

~~~
- no entry, a fence
~~~
"""
OLD_NOTES = {
    4: "# 2026-02-03\r\n\r\n## Morning\r\n- 09:00 - Lesson: the pump needs a new seal every spring.\r\n",
    3: "- 08:00 - Decision: the shed gets a green roof.\n- walked the dog",
    2: "- 10:00 - Lesson: the boiler of the cellar trips its fuse in frost.\n- 11:00 - called the plumber\n",
    1: "- 07:00 - rain all day",
}
FRESH_NOTES = (
    "- 12:00 - Lesson: the ladder of the barn is too short for the gutter.\n"
    "- 12:10 - Decision: the hens move to the northern coop.\n- 12:20 - fed the hens\n"
)
INBOX = (
    "- Lesson: the router of the hall needs a fixed address.\n- Decision: backups run on Sunday night.\n"
    "- the spare key hangs in the pantry\n* the meter reads 4711\n\n- Prefer oat milk over cow milk in the morning.\n"
    "- [mail] Lesson: invoices go to the tax office.\n- the meter reads 4711\n"
) + "".join(f"- box {number} of the attic holds jars of the year {1900 + number}\n" for number in range(12))
ITEMS = tuple(f"- 13:0{n} - [news] item {n} of the feed" for n in range(4))


@dataclass(frozen=True)
class Scenario:
    """
    One operation under fault.

    Attributes:
        prepare: Makes the workspace ready for it.
        run: The operation; the instant is the present one.
        again: What starts it again; None where nobody would: then it may have been done or not.
    """

    prepare: Callable[[Workspace], None]
    run: Callable[[Workspace, datetime], None]
    again: Callable[[Workspace, datetime], None] | None


def make(root: Path) -> Workspace:
    """Make a workspace of a person's, whose memory has been kept for some days."""
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY)
    workspace = adoption.adopt(root, LONG_AGO).workspace
    for days, text in OLD_NOTES.items():
        workspace.daily_note(NOW.date() - timedelta(days=days)).write_text(text, newline="")
    workspace.inbox.write_text("- an old line of the inbox\n- Lesson: the well of the yard runs dry in August.\n")
    flush_all(workspace, LONG_AGO)
    review(workspace, NOW - timedelta(days=1))
    return workspace


def flush_all(workspace: Workspace, now: datetime) -> None:
    """Flush, as the beat does."""
    moment = now.replace(minute=30)
    flush.to_note(workspace, moment, now)
    flush.to_memory(workspace, "run-of-flush", now)


def review(workspace: Workspace, now: datetime) -> None:
    """Review by rules, as the schedule does without a key."""
    today, seen = now.date(), reviewing.look(workspace, Settings(), now.date(), now)
    got = asyncio.run(extract.extract(workspace, Settings(), seen.fresh, seen.memory, today, now))
    judged = reviewing.judge(seen, got, today)
    decided = asyncio.run(reviewing.decide(workspace, Settings(), seen, judged, now))
    reviewing.carry_out(workspace, seen, decided.judged, waiting=False, run="run-of-review", now=now)


def stage(workspace: Workspace, _: datetime) -> None:
    """Stage a line, as `daybook note` does."""
    staging.stage(str(workspace.root), "Lesson: the ladder of the barn is too short for the gutter.")


def note_today(workspace: Workspace, now: datetime) -> None:
    """Write into today's note, as `daybook note --today` does."""
    notes.append(workspace, now.date(), [notes.note_line("the cat came home with two mice", now)])


def report(workspace: Workspace, now: datetime) -> None:
    """Write what a look at a source came to, on two dates."""
    days = (now.date(), now.date() - timedelta(days=1))
    entries = [journal.Entry(f"news:{n}", days[n % 2], "Afternoon", text, own=False) for n, text in enumerate(ITEMS)]
    with workspace.lock():
        journal.write(workspace, entries)


def fill_inbox(workspace: Workspace) -> None:
    """Let an agent learn things."""
    workspace.inbox.write_text(INBOX)


def fill_note(workspace: Workspace) -> None:
    """Let an agent write into today's note by itself."""
    workspace.daily_note(NOW.date()).write_text(FRESH_NOTES)


def fill_memory(workspace: Workspace) -> None:
    """Bring MEMORY.md to its cap, with entries of ours, a person's and a topic's."""
    apply(workspace, [("add", f"the fence post number {n} leans", "") for n in range(6)], NOW - timedelta(days=1))
    text = workspace.longterm.read_text()
    free = 80 - sum(bool(line.strip()) for line in text.splitlines())
    workspace.longterm.write_text(text + "\n## Garden\n" + "".join(f"- my rose {n}\n" for n in range(free - 1)))
    workspace.inbox.write_text("- the rain barrel of the garage leaks\n")
    flush_all(workspace, NOW - MINUTE)


OPERATIONS = (
    ("add", "the beehive of the orchard is empty", ""),
    ("add", "the beekeeper comes in May", ""),
    ("revise", "the fence post number 5 leans to the east", "the fence post number 5 leans"),
    ("retire", "", "the pump needs a new seal every spring."),
    ("confirm", "", "the fence post number 4 leans"),
    ("promote", "", "the rain barrel of the garage leaks"),
)


def operate(workspace: Workspace, now: datetime) -> None:
    """Carry out one operation of each kind, over the cap, so that some entries leave for a topic."""
    apply(workspace, OPERATIONS, now)


def apply(
    workspace: Workspace, operations: tuple[tuple[str, str, str], ...] | list[tuple[str, str, str]], now: datetime
) -> None:
    """Carry out operations that a model is said to have proposed; those that were done already are known as such."""
    memory = {entry.text: entry for entry in read_memory(workspace, now).entries}
    verdicts = []
    lines = []
    for number, (kind, text, old) in enumerate(operations, start=1):
        said = text or f"{kind} {old}"
        line = Evidence(
            number, now.date(), "memory/2026-02-07.md", number, "", said, "", "trusted", (f"mark of {said}",)
        )
        if verdict := _verdict(kind, text, memory.get(old), line):
            verdicts.append(verdict)
            lines.append(line)
    seen = reviewing.look(workspace, Settings(), now.date(), now)
    call = Call(tuple(lines), "trusted", "digest of the operations")
    batch = Batch(call, (), "google:gemini-flash-lite-latest", "hash", 7)
    reviewing.carry_out(workspace, seen, [Judged(batch, tuple(verdicts))], waiting=False, run="run-of-model", now=now)


def _verdict(kind: str, text: str, entry: Known | None, line: Evidence) -> Verdict | None:
    if kind != "add" and entry is None:
        return None
    promotes = kind == "promote"
    if promotes and entry is not None and entry.file == "MEMORY.md":
        return None
    fields = {
        "kind": "add" if promotes else kind,
        "text": entry.text if promotes and entry else text,
        "section": "Lessons Learned" if kind in {"add", "promote"} else "",
        "entry": entry.id if entry else "",
        "sources": (line.number,),
    }
    operation = Operation.model_validate(fields)
    return Verdict("apply", operation, (line,), entry, promotes=promotes, reason="it moved away")


def prepare_operations(workspace: Workspace) -> None:
    """Fill MEMORY.md to its cap."""
    fill_memory(workspace)


def prepare_undo(workspace: Workspace) -> None:
    """Do what is to be undone."""
    fill_memory(workspace)
    operate(workspace, NOW)


def prepare_undo_of_edited(workspace: Workspace) -> None:
    """Do what is to be undone, and let a person write into the same files since."""
    prepare_undo(workspace)
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n## Since\n- typed since\n")
    workspace.archive.write_text(workspace.archive.read_text() + "\n- a word of mine in the archive\n")


def take_back(workspace: Workspace, now: datetime) -> None:
    """Undo the model's run; that there is nothing left to undo is fine."""
    try:
        undo(workspace, "run-of-model", f"undo-{now:%H%M}", now)
    except NothingToDoError:
        return


def prepare_ticks(workspace: Workspace) -> None:
    """Propose four changes, and let the operator decide."""
    operations = replay(ledger.read(workspace).records).entries.values()
    ours = next(entry for entry in operations if entry.text.startswith("the shed"))
    wanted = [
        _proposal("add", "the tax office wants paper", "", "outside-only"),
        _proposal("revise", "tea over coffee, and green", "tea over coffee", "foreign"),
        _proposal("retire", "", "an old car in the yard", "foreign"),
        _proposal("retire", "", ours.text, "second-opinion"),
    ]
    with workspace.lock():
        pending.propose(workspace, wanted, NOW - MINUTE)
    text = workspace.pending.read_text().replace("- [ ]", "- [x]")
    head, mark, rest = text.rpartition("- [x]")
    workspace.pending.write_text(f"{head}- [-]{rest}" if mark else text)


def _proposal(op: str, text: str, old: str, code: str) -> pending.Proposal:
    mark = f"mark of {text or old}"
    values = {"file": "memory/2026-02-07.md", "line": 5, "date": "2026-02-07", "hash": mark, "text": "said"}
    return pending.Proposal(
        id=operation_id(op, "MEMORY.md", old, text, (mark,)),  # type: ignore[arg-type]
        op=op,
        file="MEMORY.md",
        section="Lessons Learned" if op == "add" else "Preferences",
        text=text,
        old=old,
        code=code,
        sources=(Source.model_validate({**values, "origin": "outside"}),),
        run="run-of-model",
        model="google:gemini-flash-lite-latest",
        prompt="hash",
        statement=statement_hash(text) if text else "",
    )


def act(workspace: Workspace, now: datetime) -> None:
    """Act on ticks, as the beat does."""
    ticks.act(workspace, f"beat-{now:%H%M}", now)


def prepare_stale(workspace: Workspace) -> None:
    """Let an editor save an old copy with new words, and git take the folder's ledger back."""
    old, rows = workspace.longterm.read_bytes(), workspace.ledger.read_bytes()
    apply(workspace, [("add", f"the gate number {n} creaks", "") for n in range(6)], NOW - MINUTE)
    workspace.longterm.write_bytes(old + b"\n- typed into an old copy\n")
    workspace.ledger.write_bytes(rows)
    fill_note(workspace)


def prepare_restore(workspace: Workspace) -> None:
    """Let somebody wipe MEMORY.md."""
    fill_memory(workspace)
    workspace.longterm.write_text("# Memory\n\n- nothing but this\n")


def bring_back(workspace: Workspace, now: datetime) -> None:
    """Restore; that nothing is missing any more is fine."""
    try:
        restore.restore(workspace, f"restore-{now:%H%M}", now, keep=False)
    except NothingToDoError:
        return


def prepare_forget(workspace: Workspace) -> None:
    """Do things with the entry that is to be forgotten."""
    prepare_undo(workspace)


def forget_one(workspace: Workspace, now: datetime) -> None:
    """Forget an entry; that none has its words any more is fine."""
    words = "the fence post number 5 leans to the east"
    try:
        match = forget.find(workspace, words)
    except NothingToDoError:
        match = forget.Match(words, ())
    forget.forget(workspace, match, f"forget-{now:%H%M}", now)


def prepare_compact(workspace: Workspace) -> None:
    """Bring MEMORY.md over its cap."""
    fill_memory(workspace)
    workspace.longterm.write_text(workspace.longterm.read_text() + "".join(f"- my tulip {n}\n" for n in range(3)))


def make_smaller(workspace: Workspace, now: datetime) -> None:
    """Compact."""
    compact.compact(workspace, f"compact-{now:%H%M}", now, dry_run=False)


SCENARIOS = {
    "stage": Scenario(lambda _: None, stage, None),
    "note": Scenario(lambda _: None, note_today, None),
    "report": Scenario(lambda _: None, report, report),
    "flush": Scenario(fill_inbox, flush_all, flush_all),
    "review": Scenario(fill_note, review, review),
    "operations": Scenario(prepare_operations, operate, operate),
    "undo": Scenario(prepare_undo, take_back, take_back),
    "undo-edited": Scenario(prepare_undo_of_edited, take_back, take_back),
    "ticks": Scenario(prepare_ticks, act, act),
    "stale": Scenario(prepare_stale, review, review),
    "restore": Scenario(prepare_restore, bring_back, bring_back),
    "compact": Scenario(prepare_compact, make_smaller, make_smaller),
    "forget": Scenario(prepare_forget, forget_one, forget_one),
}
