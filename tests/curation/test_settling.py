"""After a kill the files say what was done: by hash, then by anchor, and never by likeness."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook import files
from daybook.curation.observing import observe, peek
from daybook.curation.settling import settle
from daybook.curation.writing import ARCHIVE, Author, Plan, demote, write
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import longterm

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

TOPIC = "memory/topics/lessons-learned.md"


class KilledError(BaseException):
    """The process ends here."""


def plan_of(workspace: Workspace, now: datetime, run: str = "run") -> Plan:
    return Plan(workspace, observe(workspace, run, now), Author(run, "hand", "hand"), now)


def add(workspace: Workspace, now: datetime, *texts: str) -> None:
    plan = plan_of(workspace, now, "adding")
    for text in texts:
        section = plan.heading("MEMORY.md", "Lessons Learned")
        plan.add("MEMORY.md", "Lessons Learned", text)
        plan.take(plan.intend("add", "MEMORY.md", text=text, section=section))
    write(plan)


def move(workspace: Workspace, now: datetime, op: str, text: str) -> Plan:
    plan = plan_of(workspace, now)
    entry = plan.find("MEMORY.md", text)
    assert entry is not None
    if op == "demote":
        demote(plan, entry, "compact")
        return plan
    owned = plan.observed.state.of("MEMORY.md")[text]
    intent = plan.intend("retire", "MEMORY.md", entry=owned.lineage, old=entry, to=ARCHIVE, section=entry.section)
    plan.archive(entry, intent)
    plan.take(intent)
    return plan


def kill(monkeypatch: pytest.MonkeyPatch, workspace: Workspace, plan: Plan, writes: int) -> None:
    """Carry a plan out, and end after so many of the files of memory were written."""
    replace, written = files.replace, []

    def killed(path: Path, data: bytes, **options: object) -> None:
        if str(path).startswith(str(workspace.root)):
            if len(written) == writes:
                raise KilledError
            written.append(path)
        replace(path, data, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(files, "replace", killed)
        with pytest.raises(KilledError):
            write(plan)


def look(workspace: Workspace, now: datetime) -> None:
    settle(workspace, ledger.read(workspace).records, now)
    assert ledger.open_intents(ledger.read(workspace).records) == []


def texts(workspace: Workspace, file: str) -> list[str]:
    return [one.text for one in longterm.parse((workspace.root / file).read_bytes()).entries]


def standing(workspace: Workspace) -> dict[str, str]:
    return {one.text: one.file for one in replay(ledger.read(workspace).records).entries.values()}


@pytest.mark.parametrize(("op", "file"), [("demote", TOPIC), ("retire", ARCHIVE)])
@pytest.mark.parametrize("longer", ["alpha is first in the row", "alpha is first - so they say"])
def test_m07_an_entry_that_begins_alike_is_another_one(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, op: str, file: str, longer: str
) -> None:
    """Turns red when an entry counts as moved because another one begins with its words: it would be lost."""
    add(workspace, now, "alpha is first")
    (workspace.root / file).parent.mkdir(exist_ok=True)
    (workspace.root / file).write_text(f"# Kept\n\n- {longer}\n")
    before = workspace.longterm.read_bytes()
    kill(monkeypatch, workspace, move(workspace, now, op, "alpha is first"), writes=0)
    look(workspace, now)
    assert workspace.longterm.read_bytes() == before
    assert texts(workspace, file) == [longer]
    assert standing(workspace) == {"alpha is first": "MEMORY.md"}


@pytest.mark.parametrize(("op", "file"), [("demote", TOPIC), ("retire", ARCHIVE)])
def test_m07_what_came_to_its_new_place_leaves_the_old_one(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, op: str, file: str
) -> None:
    """Turns red when an entry stands twice after a kill, or nowhere."""
    add(workspace, now, "alpha is first", "beta is second")
    kill(monkeypatch, workspace, move(workspace, now, op, "alpha is first"), writes=1)
    assert texts(workspace, "MEMORY.md") == ["alpha is first", "beta is second"]
    # Nothing is written by a mere look, so there it stands in its old place.
    assert {one.file for one in peek(workspace, now).state.entries.values()} == {"MEMORY.md"}
    look(workspace, now)
    assert texts(workspace, "MEMORY.md") == ["beta is second"]
    assert [text.split(" - ")[0] for text in texts(workspace, file)] == ["alpha is first"]
    wanted = {"beta is second": "MEMORY.md"} | ({"alpha is first": TOPIC} if op == "demote" else {})
    assert standing(workspace) == wanted


def test_m35_settling_leaves_a_persons_own_copy_alone(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when the copy in a section that is marked as theirs is taken for ours."""
    add(workspace, now, "alpha is first")
    text = workspace.longterm.read_text()
    mine = "## Of My Own\n<!-- mine -->\n- alpha is first\n\n"
    workspace.longterm.write_text(text.replace("## Lessons Learned\n", f"{mine}## Lessons Learned\n"))
    kill(monkeypatch, workspace, move(workspace, now, "demote", "alpha is first"), writes=1)
    look(workspace, now)
    entries = longterm.parse(workspace.longterm.read_bytes()).entries
    assert [(one.section, one.text) for one in entries] == [("Of My Own", "alpha is first")]


def test_what_the_hash_says_stands_above_what_a_person_did_at_the_new_place_since(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, now, "alpha is first", "beta is second")
    plan = move(workspace, now, "retire", "alpha is first")
    append, calls = ledger.append, []

    def killed(*given: object) -> None:
        if calls:
            raise KilledError
        calls.append(given)
        append(*given)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(ledger, "append", killed)
        with pytest.raises(KilledError):
            write(plan)
    workspace.archive.write_text("# Archive\n\n- alpha was first once\n")
    look(workspace, now)
    assert standing(workspace) == {"beta is second": "MEMORY.md"}


def test_what_stands_at_neither_place_was_not_moved(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, now, "alpha is first", "beta is second")
    kill(monkeypatch, workspace, move(workspace, now, "demote", "alpha is first"), writes=0)
    workspace.longterm.write_text(workspace.longterm.read_text().replace("- alpha is first\n", ""))
    look(workspace, now)
    assert standing(workspace) == {"alpha is first": "MEMORY.md", "beta is second": "MEMORY.md"}


def test_two_of_one_file_leave_it_together(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(workspace, now, "alpha is first", "beta is second", "gamma is third")
    plan = plan_of(workspace, now)
    for text in ("alpha is first", "gamma is third"):
        entry = plan.find("MEMORY.md", text)
        assert entry is not None
        demote(plan, entry, "compact")
    kill(monkeypatch, workspace, plan, writes=1)
    look(workspace, now)
    assert texts(workspace, "MEMORY.md") == ["beta is second"]
    assert texts(workspace, TOPIC) == ["alpha is first", "gamma is third"]
