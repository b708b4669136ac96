"""The ledger is append-only, in two copies, with a checksum a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from daybook import trust
from daybook.ledger import append as ledger
from daybook.ledger.record import Done, Intent, Void, decode, encode, operation_id
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
