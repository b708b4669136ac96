"""What a look at a source came to, as one value, whatever the source: for note, notices, artifact and cursor."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from daybook.clock import part_of_day, slot_name
from daybook.memory import journal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from daybook.notify import Notice
    from daybook.sources.counsel import Counsel
    from daybook.sources.tracking import Failure, Progress

FindingOutcome = Literal["done", "nothing-to-do", "waiting", "not-configured", "failed"]


@dataclass(frozen=True)
class Item:
    """
    One outside line for the note.

    Attributes:
        key: Names the item for ever: it is noted once.
        text: Tagged, flat, without secrets.
        says: What it says by itself: its title, subject or output.
        row: Its row in the artifact's table, by column.
    """

    key: str
    text: str
    says: str
    row: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Finding:
    """
    What a check of a source found.

    Attributes:
        check: Name of the check.
        outcome: What it came to.
        summary: Our own words; a trusted note line unless *quiet*.
        quiet: Nothing happened that a note should tell.
        items: Outside lines for the note, best first.
        seen: All outside text that was read, also what no line tells.
        notices: For the operator.
        progress: To be committed after the note was written.
        counts: For the run record and the roll-up.
        problems: Sentences without secrets.
        counsel: What a model was asked about it.
    """

    check: str
    outcome: FindingOutcome
    summary: str = ""
    quiet: bool = False
    items: tuple[Item, ...] = ()
    seen: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    progress: tuple[Progress | Failure, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    counsel: Counsel | None = None


def failed(check: str, sentence: str) -> Finding:
    """Make a finding of a check that failed as a whole."""
    return Finding(check, "failed", summary=sentence, quiet=True, problems=(sentence,))


def note_entries(findings: Iterable[Finding], slot: datetime, moment: datetime) -> list[journal.Entry]:
    """
    Form the one batch of note lines that a run writes.

    Args:
        findings: Of one run.
        slot: The run's slot; names our own lines.
        moment: The slot in the workspace's zone.
    """
    entries = []
    heading, day = part_of_day(moment), moment.date()
    for finding in findings:
        if not finding.quiet:
            key = f"{finding.check}:{slot_name(slot)}"
            entries.append(journal.Entry(key, day, heading, f"- {moment:%H:%M} - {finding.summary}", own=True))
        entries += [
            journal.Entry(item.key, day, heading, f"- {moment:%H:%M} - {item.text}", own=False)
            for item in finding.items
        ]
    return entries


def outside_texts(findings: Iterable[Finding]) -> Sequence[str]:
    """Every outside text of the findings, to be registered before it is written: lines, and titles by themselves."""
    items = [item for finding in findings for item in finding.items]
    return [text for item in items for text in (item.text, item.says)]
