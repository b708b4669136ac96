"""Plan one verdict against the files as they are now: what would be written, or why it is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from daybook.curation.entries import LONGTERM, statement_hash
from daybook.curation.room import value_of
from daybook.curation.writing import ARCHIVE, demote
from daybook.ledger.record import Source
from daybook.memory import topics

if TYPE_CHECKING:
    from daybook.curation.entries import Known
    from daybook.curation.room import Room
    from daybook.curation.writing import Plan
    from daybook.ledger.record import Intent
    from daybook.memory import longterm
    from daybook.review.verdict import Code, Verdict
    from daybook.review.window import Evidence

MAKES_ROOM = "to make room in MEMORY.md"


@dataclass
class Attempt:
    """
    One try at the verdicts.

    Attributes:
        plan: What it will write.
        room: What MEMORY.md still takes.
        topic: Title of the topic that Adds go to; None for MEMORY.md.
    """

    plan: Plan
    room: Room
    topic: str | None


def plan_one(attempt: Attempt, verdict: Verdict) -> Intent | Code | Literal["held"] | None:
    """Plan one operation, None for one that needs nothing written; or say why it is refused, or that its file waits."""
    files = {verdict.entry.file} if verdict.entry is not None else set()
    if files & set(attempt.plan.observed.changes.held):
        return "held"
    match verdict.operation.kind:
        case "add" if verdict.promotes and verdict.entry is not None:
            return _promote(attempt, verdict, verdict.entry)
        case "add":
            return _add(attempt, verdict)
        case "confirm":
            return _confirm(attempt.plan, verdict)
        case "revise":
            return _revise(attempt.plan, verdict)
        case "retire":
            return _retire(attempt.plan, verdict)
        case _:
            assert_never(verdict.operation.kind)


def _add(attempt: Attempt, verdict: Verdict) -> Intent | Code | Literal["held"]:
    plan, operation = attempt.plan, verdict.operation
    section, sources = attempt.topic or operation.section, _sources(verdict)
    if refused := _not_again(plan, verdict):
        return refused
    topic = topics.file_of(plan.workspace, section)
    for file in (LONGTERM, topic) if attempt.topic is None else (topic,):
        heading = plan.heading(file, section)
        intent = plan.intend("add", file, text=operation.text, section=heading, sources=sources)
        if _done(plan, intent):
            return "done-before"
        if file in plan.observed.changes.held:
            return "held"
        # Another run may have written it into a topic since this one read memory.
        if _stands(plan, operation.text):
            return "conflict"
        # A person may have written it, or closed the section, since the review read the file.
        found = plan.section(file, section)
        if plan.find(file, operation.text) is not None or (
            found is not None and found.mine and not plan.author.accepted
        ):
            return "conflict"
        if file != LONGTERM or _makes_room(attempt, verdict, section, operation.text):
            plan.add(file, section, operation.text)
            return intent
    raise AssertionError("a topic always takes an entry")


def _stands(plan: Plan, text: str) -> bool:
    """Whether an entry of ours has these words already, in whatever file, or will have them by this plan."""
    owned = plan.observed.state.by_text.values()
    return any(text in entries for entries in owned) or plan.adds(text)


def _promote(attempt: Attempt, verdict: Verdict, known: Known) -> Intent | Code | None:
    """Move an entry from its topic to MEMORY.md; where it finds no room there, what says so again confirms it."""
    plan, operation, sources = attempt.plan, verdict.operation, _sources(verdict)
    if _done(plan, plan.intend("add", LONGTERM, text=operation.text, sources=sources)):
        return "done-before"
    entry = plan.find(known.file, known.text)
    if entry is None or plan.find(LONGTERM, known.text) is not None or plan.touches(known.file, known.text):
        return "conflict"
    intent = plan.intend(
        "promote",
        known.file,
        entry=known.lineage,
        old=entry,
        to=LONGTERM,
        section=plan.heading(LONGTERM, operation.section),
        text=known.text,
        sources=sources,
    )
    if _done(plan, intent):
        return "done-before"
    if not _makes_room(attempt, verdict, operation.section, known.text):
        return _confirm(plan, verdict)
    plan.move(known.file, entry, LONGTERM, operation.section)
    return intent


def _confirm(plan: Plan, verdict: Verdict) -> Intent | Code | None:
    if verdict.entry is None:
        return "conflict"
    if not verdict.counts and not plan.author.accepted:
        return None
    intent = plan.intend(
        "confirm",
        verdict.entry.file,
        entry=verdict.entry.lineage,
        old=plan.find(verdict.entry.file, verdict.entry.text),
        section=verdict.entry.section,
        sources=_sources(verdict),
    )
    return "done-before" if _done(plan, intent) else intent


def _revise(plan: Plan, verdict: Verdict) -> Intent | Code:
    entry = _changeable(plan, verdict)
    if entry is None or verdict.entry is None or plan.find(verdict.entry.file, verdict.operation.text) is not None:
        return "conflict"
    intent = plan.intend(
        "revise",
        verdict.entry.file,
        entry=verdict.entry.lineage,
        old=entry,
        text=verdict.operation.text,
        section=entry.section,
        sources=_sources(verdict),
        loses=verdict.loses,
    )
    if _done(plan, intent):
        return "done-before"
    plan.revise(verdict.entry.file, entry, verdict.operation.text)
    return intent


def _retire(plan: Plan, verdict: Verdict) -> Intent | Code:
    entry = _changeable(plan, verdict)
    if entry is None or verdict.entry is None:
        return "conflict"
    intent = plan.intend(
        "retire",
        verdict.entry.file,
        entry=verdict.entry.lineage,
        old=entry,
        to=ARCHIVE,
        section=entry.section,
        sources=_sources(verdict),
        reason=verdict.reason,
        loses=verdict.loses,
    )
    if _done(plan, intent):
        return "done-before"
    plan.archive(entry, intent)
    return intent


def _changeable(plan: Plan, verdict: Verdict) -> longterm.Entry | None:
    """The entry to change as it stands now; None if it changed, vanished or is protected since."""
    known = verdict.entry
    entry = plan.find(known.file, known.text) if known else None
    if known is None or entry is None or plan.touches(known.file, known.text):
        return None
    free = plan.author.accepted or not (entry.pinned or entry.mine)
    return entry if free else None


def _makes_room(attempt: Attempt, verdict: Verdict, section: str, text: str) -> bool:
    plan = attempt.plan
    days = {line.day.isoformat() for line in verdict.sources} | (verdict.entry.dates if verdict.entry else frozenset())
    leave = attempt.room.admit(section, text, value_of(section, days, accepted=plan.author.accepted))
    for entry in leave or ():
        demote(plan, entry, MAKES_ROOM)
    return leave is not None


def _not_again(plan: Plan, verdict: Verdict) -> Code | None:
    """Refuse what a person took out since the review read the file; what the operator has just agreed to may return."""
    state = plan.observed.state
    if plan.author.accepted:
        return None
    if not state.lines.isdisjoint(mark for line in verdict.sources for mark in line.marks):
        return "forgotten"
    return "forgotten" if state.statements and statement_hash(verdict.operation.text) in state.statements else None


def _done(plan: Plan, intent: Intent) -> bool:
    state = plan.observed.state
    again = plan.author.accepted and intent.id in state.undone
    return (intent.id in state.operations and not again) or plan.holds(intent)


def _sources(verdict: Verdict) -> tuple[Source, ...]:
    return tuple(map(source, verdict.sources))


def source(line: Evidence) -> Source:
    """Write a note line as the ledger keeps it."""
    return Source(
        file=line.file,
        line=line.line,
        date=line.day.isoformat(),
        hash=line.marks[0],
        text=line.text,
        origin=line.origin,
    )
