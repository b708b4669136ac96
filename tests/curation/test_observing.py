"""What the operator should know of is said until it is settled, and whoever looks sees the same."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import notify
from daybook.curation import observing
from daybook.curation.entries import statement_hash
from daybook.curation.known import read_memory
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.ledger.replay import State, replay
from daybook.settings import Notify
from daybook.upkeep import forget
from daybook.upkeep.restore import restore

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.workspace import Workspace

    Post = Callable[..., None]

DAY = timedelta(days=1)
NAMES = ("Ada", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida", "Joe")
FACTS = [f"{name} keeps {number} bees in the garden" for number, name in enumerate(NAMES)]


def observe(workspace: Workspace, now: datetime, run: str = "later") -> observing.Observed:
    with workspace.lock():
        return observing.observe(workspace, run, now)


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def without(text: str, *gone: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not any(one in line for one in gone))


def test_m26_what_vanished_is_said_until_it_is_restored(workspace: Workspace, now: datetime, post: Post) -> None:
    """Turns red when a run that does not tell is the one that sees it, and nobody hears of it."""
    post(workspace, FACTS, now)
    workspace.longterm.write_text(without(workspace.longterm.read_text(), *FACTS[:4]))
    post(workspace, ["a new fact about the roof"], now, "a run that tells nothing")
    assert not observing.idle(workspace)
    first, second = observe(workspace, now, "two"), observe(workspace, now + DAY, "three")
    assert first.alerts == second.alerts
    (alert,) = first.alerts
    assert (alert.key, alert.urgent) == ("vanished:a run that tells nothing", True)
    assert alert.text.startswith("4 entries of MEMORY.md are gone at once; none counts as forgotten.")
    assert observing.peek(workspace, now).problems == (alert.text,)
    restore(workspace, "hand", now, keep=False)
    assert observe(workspace, now, "four").alerts == ()
    observe(workspace, now, "five")
    assert observing.idle(workspace)


def test_what_vanished_is_said_no_more_once_the_operator_agrees(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS, now)
    workspace.longterm.write_text(without(workspace.longterm.read_text(), *FACTS[:4]))
    observe(workspace, now)
    restore(workspace, "hand", now, keep=True)
    assert observe(workspace, now).alerts == ()


def test_the_same_alert_is_told_once(workspace: Workspace, now: datetime, post: Post) -> None:
    post(workspace, FACTS, now)
    workspace.longterm.write_text(without(workspace.longterm.read_text(), *FACTS[:4]))
    told = []
    for number in range(2):
        alerts = observe(workspace, now + number * DAY, f"run {number}").alerts
        told.append({alert.key for alert in alerts})
    assert told == [{"vanished:run 0"}, {"vanished:run 0"}]
    outcomes = asyncio.run(notify.send(workspace, Notify(), alerts, now, quiet=False))
    assert outcomes == [notify.NotConfigured("vanished:run 0")]


def test_a_save_that_was_kept_aside_is_said_until_it_is_gone(workspace: Workspace, now: datetime, post: Post) -> None:
    """Turns red when a person's save lies beside its file and nobody hears of it."""
    post(workspace, FACTS[:1], now)
    kept = workspace.longterm.with_name("MEMORY.md.kept-0a1b2c3d")
    kept.write_text("typed in just that moment\n")
    for look in (lambda: observe(workspace, now), lambda: observing.peek(workspace, now)):
        assert [problem.partition(" holds")[0] for problem in look().problems] == ["MEMORY.md.kept-0a1b2c3d"]
    kept.unlink()
    assert observe(workspace, now).alerts == ()


def test_m14_a_forgotten_statement_that_an_old_copy_brings_back_is_told(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    """Turns red when an editor's old copy undoes `forget` without a word."""
    post(workspace, FACTS[:3], now)
    old = workspace.longterm.read_bytes()
    forget.forget(workspace, forget.find(workspace, FACTS[0]), "hand", now)
    assert observe(workspace, now).alerts == ()
    workspace.longterm.write_bytes(old)
    number = old.decode().split("\n").index(f"- {FACTS[0]}") + 1
    said = f"What you had forgotten stands in MEMORY.md again, line {number}; `daybook forget` takes it out once more."
    assert observing.peek(workspace, now).problems == (said,)
    observed = observe(workspace, now)
    assert [(one.key, one.text) for one in observed.alerts] == [
        (f"forgotten:MEMORY.md:{statement_hash(FACTS[0])}", said)
    ]
    assert not observed.state.owns("MEMORY.md", FACTS[0])
    forget.forget(workspace, forget.find(workspace, FACTS[0]), "hand", now)
    assert observe(workspace, now).alerts == ()


def test_what_a_person_deleted_may_be_written_again_without_a_word(
    workspace: Workspace, now: datetime, post: Post
) -> None:
    post(workspace, FACTS[:3], now)
    text = workspace.longterm.read_text()
    workspace.longterm.write_text(without(text, FACTS[0]))
    observe(workspace, now)
    workspace.longterm.write_text(text)
    assert observe(workspace, now).alerts == ()


@pytest.mark.parametrize("wiped", [False, True])
def test_m30_what_was_forgotten_does_not_come_back_by_our_own_hand(
    workspace: Workspace, now: datetime, *, wiped: bool, post: Post
) -> None:
    """Turns red when a rolled back or wiped file is given a version from before `forget`."""
    post(workspace, FACTS[:9], now)
    memory, rows = workspace.longterm.read_bytes(), workspace.ledger.read_bytes()
    observe(workspace, now)
    wrapped = FACTS[0].replace("bees in", "bees\n  in")
    workspace.longterm.write_text(workspace.longterm.read_text().replace(FACTS[0], wrapped))
    observe(workspace, now)
    forget.forget(workspace, forget.find(workspace, FACTS[0]), "hand", now)
    if wiped:
        workspace.longterm.write_text("")
        restore(workspace, "hand", now, keep=False)
    else:
        workspace.longterm.write_bytes(without(memory.decode(), FACTS[0]).encode())
        workspace.ledger.write_bytes(rows)
        observe(workspace, now)
    assert "Ada" not in workspace.longterm.read_text()
    assert {one.text for one in state_of(workspace).entries.values()} == set(FACTS[1:9])


def adopt(workspace: Workspace, text: str) -> None:
    workspace.longterm.write_text(text)
    with workspace.lock():
        ledger.append(workspace, [Curate(at="2026-02-07T00:00:00Z", mode="all")])


def test_m35_whoever_looks_first_gives_an_adopted_entry_the_same_name(workspace: Workspace, now: datetime) -> None:
    """Turns red when a review that read memory before a beat adopted it speaks of entries nobody knows."""
    adopt(workspace, "# M\n\n## A\n- one fact\n- two facts\n- one fact\n")
    seen = {one.text: one.lineage for one in read_memory(workspace, now).entries}
    observe(workspace, now + DAY)
    assert {one.text: one.lineage for one in state_of(workspace).entries.values()} == seen
    assert len(state_of(workspace).entries) == 2


def test_an_entry_that_is_adopted_again_after_its_deletion_is_another_one(workspace: Workspace, now: datetime) -> None:
    """Turns red when the history of a deleted entry goes on in one that was written later."""
    adopt(workspace, "# M\n\n## A\n- one fact\n- two facts\n")
    text, names = workspace.longterm.read_text(), []
    for turn in range(3):
        workspace.longterm.write_text(text)
        observe(workspace, now + 2 * turn * DAY)
        (lineage,) = (one.lineage for one in state_of(workspace).entries.values() if one.text == "one fact")
        names.append(lineage)
        workspace.longterm.write_text(without(text, "one fact"))
        observe(workspace, now + (2 * turn + 1) * DAY)
        assert [one.text for one in state_of(workspace).entries.values()] == ["two facts"]
    assert len(set(names)) == 3


def test_what_was_forgotten_is_not_adopted(workspace: Workspace, now: datetime) -> None:
    adopt(workspace, "# M\n\n## A\n- one fact\n- two facts\n")
    observe(workspace, now)
    old = workspace.longterm.read_text()
    forget.forget(workspace, forget.find(workspace, "one fact"), "hand", now)
    workspace.longterm.write_text(old)
    observed = observe(workspace, now)
    assert [one.text for one in observed.state.entries.values()] == ["two facts"]
    assert len(observed.alerts) == 1
