"""A plan takes out the entry that is meant, and leaves behind all that an undo will need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from daybook import files
from daybook.curation.observing import observe
from daybook.curation.standing import archive_note, text_after
from daybook.curation.writing import ARCHIVE, Author, Plan, demote, write
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Curate, Source
from daybook.ledger.replay import replay
from daybook.memory import longterm

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

TOPIC = "memory/topics/lessons-learned.md"
SOURCE = Source(file="memory/2026-02-07.md", line=3, date="2026-02-07", hash="h", text="said")


def plan_of(workspace: Workspace, now: datetime, run: str = "run") -> Plan:
    return Plan(workspace, observe(workspace, run, now), Author(run, "hand", "hand"), now)


def add(workspace: Workspace, now: datetime, *texts: str, section: str = "Lessons Learned") -> None:
    plan = plan_of(workspace, now, "adding")
    for text in texts:
        plan.take(plan.intend("add", "MEMORY.md", text=text, section=plan.heading("MEMORY.md", section)))
        plan.add("MEMORY.md", section, text)
    write(plan)


def retire(plan: Plan, text: str) -> None:
    entry = plan.find("MEMORY.md", text)
    assert entry is not None
    owned = plan.observed.state.of("MEMORY.md")[text]
    intent = plan.intend(
        "retire", "MEMORY.md", entry=owned.lineage, old=entry, to=ARCHIVE, section=entry.section, reason="it is over"
    )
    plan.archive(entry, intent)
    plan.take(intent)


def leave(plan: Plan, text: str, op: str) -> None:
    entry = plan.find("MEMORY.md", text)
    assert entry is not None
    if op == "demote":
        demote(plan, entry, "compact")
    else:
        retire(plan, text)


def entries_of(workspace: Workspace, file: str = "MEMORY.md") -> list[tuple[str, str]]:
    return [(one.section, one.text) for one in longterm.parse((workspace.root / file).read_bytes()).entries]


def writes(workspace: Workspace, plan: Plan, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[str]]]:
    """Carry a plan out; each file as it is written, and what stands in it then."""
    steps: list[tuple[str, list[str]]] = []
    replace = files.replace

    def noted(path: Path, data: bytes, **options: Any) -> None:
        replace(path, data, **options)
        if path.is_relative_to(workspace.root):
            steps.append((workspace.relative(path), sorted(one.text for one in longterm.parse(data).entries)))

    monkeypatch.setattr(files, "replace", noted)
    write(plan)
    return steps


@pytest.mark.parametrize("op", ["retire", "demote"])
@pytest.mark.parametrize("mine", ["<!-- mine -->\n- alpha is first\n", "- alpha is first <!-- pin -->\n"])
def test_m35_of_equal_entries_ours_leaves_and_a_persons_own_stays(
    workspace: Workspace, now: datetime, op: str, mine: str
) -> None:
    """Turns red when the first entry with these words leaves, whoever it belongs to."""
    add(workspace, now, "alpha is first")
    text = workspace.longterm.read_text()
    section = f"## Of My Own\n{mine}\n## Lessons Learned\n"
    workspace.longterm.write_text(text.replace("## Lessons Learned\n", section))
    plan = plan_of(workspace, now)
    leave(plan, "alpha is first", op)
    write(plan)
    assert entries_of(workspace) == [("Of My Own", "alpha is first")]


def test_an_entry_leaves_from_its_place_though_lines_came_above_it_in_the_same_plan(
    workspace: Workspace, now: datetime
) -> None:
    add(workspace, now, "alpha is first", "beta is second")
    plan = plan_of(workspace, now)
    plan.add("MEMORY.md", "Preferences", "tea over coffee")
    beta = plan.find("MEMORY.md", "beta is second")
    assert beta is not None
    plan.revise("MEMORY.md", beta, "beta is second to none")
    leave(plan, "alpha is first", "demote")
    assert plan.touches("MEMORY.md", "alpha is first")
    assert plan.touches("MEMORY.md", "beta is second")
    write(plan)
    assert {text for _, text in entries_of(workspace)} == {"tea over coffee", "beta is second to none"}
    assert entries_of(workspace, TOPIC) == [("Lessons Learned", "alpha is first")]


def test_a_file_that_changes_and_loses_is_written_once(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, now, "alpha is first", "beta is second")
    plan = plan_of(workspace, now)
    beta = plan.find("MEMORY.md", "beta is second")
    assert beta is not None
    plan.revise("MEMORY.md", beta, "beta is second to none")
    retire(plan, "alpha is first")
    files_written = [file for file, _ in writes(workspace, plan, monkeypatch)]
    assert files_written == [ARCHIVE, "MEMORY.md"]
    assert entries_of(workspace) == [("Lessons Learned", "beta is second to none")]


def test_what_moves_stands_at_both_places_before_it_leaves_one_where_two_files_swap(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when a kill between two writes can lose what moves."""
    add(workspace, now, "alpha is first", "beta is second")
    plan = plan_of(workspace, now, "demoting")
    leave(plan, "alpha is first", "demote")
    write(plan)
    plan = plan_of(workspace, now)
    leave(plan, "beta is second", "demote")
    alpha = plan.find(TOPIC, "alpha is first")
    assert alpha is not None
    plan.move(TOPIC, alpha, "MEMORY.md", "Lessons Learned")
    steps = writes(workspace, plan, monkeypatch)
    both = ["alpha is first", "beta is second"]
    assert steps == [(TOPIC, both), ("MEMORY.md", both), ("MEMORY.md", both[:1]), (TOPIC, both[1:])]


def test_that_there_was_no_file_is_a_version_and_so_is_what_nobody_observes(
    workspace: Workspace, now: datetime
) -> None:
    add(workspace, now, "alpha is first", "beta is second")
    plan = plan_of(workspace, now, "one")
    retire(plan, "alpha is first")
    write(plan)
    workspace.archive.write_bytes(workspace.archive.read_bytes() + b"\n- typed by hand\n")
    typed = versions.sha_of(workspace.archive.read_bytes())
    plan = plan_of(workspace, now, "two")
    retire(plan, "beta is second")
    write(plan)
    rows = [(one.run, one.by, one.sha) for one in versions.history(workspace, ARCHIVE)]
    assert [(run, by) for run, by, _ in rows] == [
        ("one", "read"),
        ("one", "written"),
        ("two", "read"),
        ("two", "written"),
    ]
    assert (rows[0][2], rows[2][2]) == (versions.ABSENT, typed)
    assert versions.content(workspace, versions.history(workspace, ARCHIVE)[0]) is None


def test_the_same_words_in_another_year_are_another_operation(workspace: Workspace, now: datetime) -> None:
    add(workspace, now, "alpha is first")
    plan = plan_of(workspace, now)
    entry = plan.find("MEMORY.md", "alpha is first")
    names = {
        plan.intend(op, "MEMORY.md", entry=lineage, old=entry, to="memory/archive.md").id  # type: ignore[arg-type]
        for op in ("retire", "promote", "demote")
        for lineage in ("this year's", "next year's")
    }
    assert len(names) == 6
    again = [plan.intend("retire", "MEMORY.md", entry="this year's", old=entry, to=ARCHIVE).id for _ in range(2)]
    assert again[0] == again[1]


def test_the_note_in_the_archive_is_told_from_the_operation_alone(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_bytes(b"# M\r\n\r\n## Lessons Learned\r\n* kept\r\n")
    add(workspace, now, "alpha is first")
    plan = plan_of(workspace, now)
    retire(plan, "alpha is first")
    write(plan)
    (operation,) = [one for one in replay(ledger.read(workspace).records).operations.values() if one.op == "retire"]
    assert archive_note(operation) == "2026-02-07; it is over; from MEMORY.md"
    assert entries_of(workspace, ARCHIVE) == [("Archive", text_after(operation))]
    cited = operation.model_copy(update={"sources": (SOURCE,), "reason": ""})
    assert archive_note(cited) == "2026-02-07; no longer true; from MEMORY.md; says memory/2026-02-07.md:3"


def test_what_stands_above_the_first_heading_goes_to_the_topic_of_notes(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text("- alpha is first\n\n# Memory\n\n- beta is second\n")
    ledger.append(workspace, [Curate(at="2026-02-07T14:30:00Z", mode="all")])
    plan = plan_of(workspace, now)
    leave(plan, "alpha is first", "demote")
    write(plan)
    assert entries_of(workspace) == [("Memory", "beta is second")]
    assert entries_of(workspace, "memory/topics/notes.md") == [("Notes", "alpha is first")]
