"""The ledger is append-only, in two copies, with a checksum a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook import trust
from daybook.errors import UnsafeFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Forgotten, Intent, Source, Void, decode, encode, operation_id
from daybook.ledger.replay import replay

if TYPE_CHECKING:
    from daybook.workspace import Workspace

AT = "2026-02-07T14:30:00Z"


def intent(text: str = "Backups run at 03:00", **changes: object) -> Intent:
    given_id = operation_id("add", "MEMORY.md", "", text, ("h",))
    return Intent.model_validate(
        {"id": given_id, "at": AT, "run": "r", "op": "add", "file": "MEMORY.md", "text": text, **changes}
    )


@settings(derandomize=True)
@given(st.text(), st.text())
def test_any_text_is_read_back_exactly_from_one_line(text: str, section: str) -> None:
    record = intent(text.replace("\ud800", ""), section=section)
    row = encode(record)
    assert row.count(b"\n") == 1
    assert decode(row) == record


def test_m32_a_torn_line_is_reported_and_the_next_is_whole(workspace: Workspace) -> None:
    """Turns red when a torn line swallows its successor, or is taken for a record."""
    first, second = intent("one"), intent("two")
    ledger.append(workspace, [first])
    for path in (workspace.private_ledger, workspace.ledger):
        with path.open("ab") as stream:
            stream.write(encode(second)[:40])
    ledger.append(workspace, [second])
    found = ledger.read(workspace)
    assert found.records == (first, second)
    assert len(found.torn) == 1
    assert "line 2" in found.torn[0]


def test_a_changed_line_does_not_pass_its_checksum() -> None:
    assert decode(encode(intent()).replace(b"03:00", b"04:00")) == "torn"


def test_m30_the_private_copy_stands_when_the_folders_is_rolled_back(workspace: Workspace) -> None:
    """Turns red when only the folder's copy is read."""
    record = intent()
    ledger.append(workspace, [record])
    workspace.ledger.unlink()
    assert ledger.read(workspace).records == (record,)


def test_o19_a_ledger_that_came_with_the_folder_counts_only_when_trusted(workspace: Workspace) -> None:
    """Turns red when a stranger's ledger makes his entries ours."""
    trust.grant(workspace, settings={}, ledger=False)
    workspace.ledger.write_bytes(encode(intent()))
    assert ledger.read(workspace).records == ()
    trust.grant(workspace, settings={}, ledger=True)
    assert ledger.read(workspace).records == (intent(),)


def test_only_what_was_done_is_owned() -> None:
    one, two, three = intent("one"), intent("two"), intent("three")
    revised = intent("one, better", id="x", op="revise", old="one")
    records = [
        *(one, two, Done(ids=(one.id,), at=AT), Void(ids=(two.id,), at=AT, why="?")),
        *(three, revised, Done(ids=("x",), at=AT)),
    ]
    owned = replay(records)
    assert set(owned.of("MEMORY.md")) == {"one, better"}
    assert set(owned.operations) == {one.id, "x"}
    assert list(owned.entries) == [one.id]
    assert ledger.open_intents(records) == [three]
    assert owned.owns("MEMORY.md", "one, better")
    assert not owned.owns("memory/topics/x.md", "one, better")


def line(number: int, date: str = "2026-02-07") -> Source:
    return Source(file=f"memory/{date}.md", line=number, date=date, hash=f"mark {number} of {date}", text="said")


def test_what_is_carried_out_again_after_an_undo_is_not_undone() -> None:
    """Turns red when a quota or `undo` passes over an operation that stands."""
    one = intent("one")
    back = intent("", id="back", op="undo", entry=one.id, undoes=one.id)
    again = [one, Done(ids=(one.id,), at="2026-02-09T00:00:00Z")]
    state = replay([one, Done(ids=(one.id,), at=AT), back, Done(ids=("back",), at=AT)])
    assert (set(state.entries), state.undone) == (set(), {one.id})
    state = replay([one, Done(ids=(one.id,), at=AT), back, Done(ids=("back",), at=AT), *again])
    assert (set(state.entries), state.undone) == ({one.id}, set())


def test_a_line_that_an_entry_rests_on_already_confirms_nothing() -> None:
    """Turns red when the same line counts twice."""
    one = intent("one", sources=(line(1),))
    later = line(1, "2026-02-09")
    confirm = intent("", id="c", op="confirm", entry=one.id, old="one", sources=(line(1), later))
    (entry,) = replay([one, Done(ids=(one.id,), at=AT), confirm, Done(ids=("c",), at=AT)]).entries.values()
    assert entry.sources == (line(1), later)
    assert entry.dates == {"2026-02-07", "2026-02-09"}


def test_what_forget_took_out_is_told_from_what_was_undone() -> None:
    rows = [Forgotten(at=AT, run="r", statement=by, by=by) for by in ("forget", "undo")]
    state = replay(rows)
    assert (state.statements, state.forgotten) == ({"forget", "undo"}, {"forget"})


def test_the_folders_copy_is_written_first(workspace: Workspace) -> None:
    """Turns red when a kill in between leaves the folder's copy short, as if it had been rolled back."""
    ledger.append(workspace, [intent("one")])
    workspace.private_ledger.unlink()
    workspace.private_ledger.mkdir()
    with pytest.raises(UnsafeFileError):
        ledger.append(workspace, [intent("two")])
    workspace.private_ledger.rmdir()
    assert ledger.heal(workspace) == ((intent("one"), intent("two")), False)
    assert not ledger.rolled_back(workspace)


def test_a_rollback_is_said_until_it_is_over(workspace: Workspace) -> None:
    ledger.append(workspace, [intent("one"), intent("two")])
    workspace.ledger.write_bytes(encode(intent("one")))
    assert ledger.rolled_back(workspace)
    both = (intent("one"), intent("two"))
    assert [ledger.heal(workspace), ledger.heal(workspace)] == [(both, True), (both, True)]
    ledger.end_rollback(workspace)
    assert ledger.heal(workspace) == (both, False)
