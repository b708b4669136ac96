"""A folder that was taken back, and a write that a kill cut short, are told apart whatever comes between."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import files
from daybook.curation import observing
from daybook.curation.known import read_memory
from daybook.errors import ChangedFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Seen
from daybook.ledger.replay import replay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.workspace import Workspace

    Post = Callable[..., None]

DAY = timedelta(days=1)
OLD = ["keep copies of keys", "label every cable"]
NEW = "read the log first"


class Killed(BaseException):
    """Stands for SIGKILL: nothing of ours catches it."""


@pytest.fixture
def taken_back(workspace: Workspace, now: datetime, post: Post) -> Workspace:
    """A workspace whose folder was taken to the state before its last run, by git."""
    post(workspace, OLD, now, "one")
    memory, rows = workspace.longterm.read_bytes(), workspace.ledger.read_bytes()
    post(workspace, [NEW], now + DAY, "two")
    workspace.longterm.write_bytes(memory)
    workspace.ledger.write_bytes(rows)
    return workspace


def observe(workspace: Workspace, now: datetime) -> observing.Observed:
    with workspace.lock():
        return observing.observe(workspace, "later", now)


def deleted(workspace: Workspace) -> list[str]:
    return [one.text for one in ledger.read(workspace).records if isinstance(one, Seen) and one.what == "deleted"]


@pytest.mark.parametrize("error", [Killed, ChangedFileError, OSError])
def test_m30_a_rollback_is_known_though_the_first_look_was_cut_short(
    taken_back: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """Turns red when the ledger is healed, the files are not yet, and the next look takes that for deletions."""
    real = files.replace

    def cut_short(path: Path, data: bytes, **options: object) -> None:
        if path == taken_back.longterm:
            raise error("cut short")
        real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", cut_short)
    with pytest.raises(error):
        observe(taken_back, now + 2 * DAY)
    monkeypatch.setattr(files, "replace", real)
    observe(taken_back, now + 2 * DAY)
    assert NEW in taken_back.longterm.read_text()
    assert deleted(taken_back) == []
    assert taken_back.ledger.read_bytes() == taken_back.private_ledger.read_bytes()


def test_a_deletion_after_the_rollback_is_mended_is_a_deletion(taken_back: Workspace, now: datetime) -> None:
    observe(taken_back, now + 2 * DAY)
    taken_back.longterm.write_text(taken_back.longterm.read_text().replace(f"- {NEW}\n", ""))
    observe(taken_back, now + 3 * DAY)
    assert deleted(taken_back) == [NEW]
    assert NEW not in taken_back.longterm.read_text()


def test_a_look_without_writing_takes_no_rollback_for_a_deletion(taken_back: Workspace, now: datetime) -> None:
    """Turns red when a review that begins after `git checkout` refuses for good what was taken back with the folder."""
    assert read_memory(taken_back, now + 2 * DAY).forgotten == frozenset()


@pytest.mark.parametrize("copies", [0, 1])
def test_a_kill_between_the_two_copies_of_the_ledger_is_no_rollback(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, copies: int, post: Post
) -> None:
    """Turns red when a batch that one copy lacks makes a person's deletion come back."""
    post(workspace, OLD, now, "one")
    # Two copies take the intents, and then as many as are said take the end.
    real, left = files.append, [2 + copies]

    def killed(path: Path, data: bytes, **options: object) -> int:
        if path in ledger.copies(workspace):
            if not left[0]:
                raise Killed
            left[0] -= 1
        return real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "append", killed)
    with pytest.raises(Killed):
        post(workspace, [NEW], now + DAY, "two")
    monkeypatch.setattr(files, "append", real)
    assert NEW in workspace.longterm.read_text()
    workspace.longterm.write_text(workspace.longterm.read_text().replace(f"- {OLD[0]}\n", ""))
    observe(workspace, now + 2 * DAY)
    assert OLD[0] not in workspace.longterm.read_text()
    assert deleted(workspace) == [OLD[0]]
    assert {one.text for one in replay(ledger.read(workspace).records).entries.values()} == {OLD[1], NEW}


def test_a_save_while_we_read_is_looked_at_next_time(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, post: Post
) -> None:
    """Turns red when what the next look compares with is taken after the read."""
    post(workspace, OLD, now, "one")
    observe(workspace, now)
    observe(workspace, now)
    assert observing.idle(workspace)
    real = observing.changes.compare

    def saved_meanwhile(*arguments: object, **options: object) -> object:
        found = real(*arguments, **options)  # type: ignore[arg-type]
        workspace.longterm.write_text(workspace.longterm.read_text() + "- typed just then\n")
        return found

    monkeypatch.setattr(observing.changes, "compare", saved_meanwhile)
    observe(workspace, now)
    assert not observing.idle(workspace)
