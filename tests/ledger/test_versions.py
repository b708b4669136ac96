"""Earlier versions are kept for 90 days, within 50 MB, and the last 20 of each file always."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import folders
from daybook.ledger import versions

if TYPE_CHECKING:
    import pytest

    from daybook.workspace import Workspace

DAY = timedelta(days=1)


def remember(workspace: Workspace, file: str, count: int, first: datetime) -> None:
    for number in range(count):
        data = f"{file} of day {number}\n".encode()
        versions.remember(workspace, file, data, "run", first + number * DAY, by="read")


def kept(workspace: Workspace, file: str) -> list[bytes]:
    return [versions.content(workspace, one) or b"" for one in versions.history(workspace, file)]


def test_versions_older_than_90_days_go_but_for_the_last_20(workspace: Workspace, now: datetime) -> None:
    remember(workspace, "a.md", 100, now - 300 * DAY)
    remember(workspace, "b.md", 100, now - 110 * DAY)
    versions.prune(workspace, now)
    assert kept(workspace, "a.md") == [f"a.md of day {number}\n".encode() for number in range(80, 100)]
    assert kept(workspace, "b.md") == [f"b.md of day {number}\n".encode() for number in range(21, 100)]
    histories = versions.histories(workspace)
    assert {name: versions.history(workspace, name) for name in histories} == histories
    shas = {one.sha for history in histories.values() for one in history}
    assert set(folders.listed(workspace.private / "versions")) == shas


def test_beyond_the_bytes_the_oldest_go_but_for_the_last_20(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when a topic that grows by a flush a day fills the disk."""
    remember(workspace, "a.md", 60, now - 60 * DAY)
    size = sum(map(len, kept(workspace, "a.md")[-40:]))
    monkeypatch.setattr(versions, "MAX_BYTES", size)
    versions.prune(workspace, now)
    assert len(kept(workspace, "a.md")) == 40
    monkeypatch.setattr(versions, "MAX_BYTES", 0)
    versions.prune(workspace, now)
    assert len(kept(workspace, "a.md")) == 20
    assert kept(workspace, "a.md")[-1] == b"a.md of day 59\n"


def test_a_torn_row_and_a_name_in_another_are_passed_over(workspace: Workspace, now: datetime) -> None:
    remember(workspace, "a.md", 1, now)
    with (workspace.private / "versions.jsonl").open("ab") as stream:
        stream.write(b'{"file": "b.md", "sha": "x", "at": "2026-02-07T00:00:00Z", "run": "\\"a.md\\"", "by": "read"}\n')
        stream.write(b'{"file": "a.md", "sh')
    assert len(versions.history(workspace, "a.md")) == 1
    latest = versions.latest(workspace, "a.md")
    assert latest is not None
    assert latest.file == "a.md"


def test_versions_kept_together_are_those_kept_one_by_one(workspace: Workspace, now: datetime) -> None:
    versions.remember(workspace, "a.md", b"as it was\n", "zero", now, by="read")
    together = {"a.md": b"as it was\n", "b.md": b"new\n", "c.md": None}
    versions.remember_each(workspace, together, "one", now, by="written")
    histories = versions.histories(workspace)
    assert [(one.file, one.run, one.sha) for name in together for one in histories[name]] == [
        ("a.md", "zero", versions.sha_of(b"as it was\n")),
        ("b.md", "one", versions.sha_of(b"new\n")),
        ("c.md", "one", versions.ABSENT),
    ]
    assert kept(workspace, "b.md") == [b"new\n"]
