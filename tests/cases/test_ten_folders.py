"""Ten folders, each with every shape in another dress: no run fails, and no byte of a person's is changed."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import daybook
from daybook import adoption, settings
from daybook.memory import longterm
from daybook.review import extract, flush, reviewing
from daybook.upkeep import rebuild
from daybook.upkeep.compact import compact
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from daybook.workspace import Workspace

    Shapes = Callable[[date], dict[str, bytes]]

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
OURS = ("MEMORY.md", ".daybook/", "memory/topics/notes.md", "memory/_inbox.md", "memory/.inbox-claimed-")
DRESSES: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data,
    lambda data: data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    lambda data: data if data.startswith(b"\xef\xbb\xbf") else b"\xef\xbb\xbf" + data,
    lambda data: data.rstrip(b"\r\n"),
    lambda data: data + b"\n\n\n",
    lambda data: data.replace(b"- ", b"* "),
    lambda data: data.replace(b"## ", b"### "),
    lambda data: data + b"\x00\xff\n",
)


def tree(root: Path) -> dict[str, bytes]:
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not path.is_symlink()}


def live(workspace: Workspace, now: datetime) -> None:
    """Flush, review twice, undo and compact, as flows and commands would."""
    flush.to_note(workspace, now, now)
    flush.to_memory(workspace, "flush", now)
    for turn in range(2):
        moment, chosen = now + timedelta(days=turn), settings.Settings()

        async def review(moment: datetime = moment, chosen: settings.Settings = chosen) -> None:
            seen = reviewing.look(workspace, chosen, moment.date(), moment)
            got = await extract.extract(workspace, chosen, seen.calls, seen.memory, moment.date(), moment)
            judged = reviewing.judge(seen, got, moment.date())
            decided = await reviewing.decide(workspace, chosen, seen, judged, moment)
            run = f"review{moment:%d}"
            reviewing.carry_out(workspace, seen, decided.judged, waiting=False, run=run, now=moment)

        asyncio.run(review())
    compact(workspace, "compact", now + timedelta(days=2), dry_run=False)
    undo(workspace, None, "undo", now + timedelta(days=2))


def is_kept(name: str, before: bytes, after: bytes) -> bool:
    """Whether every line of a person's is there still, in order, byte for byte."""
    if name.removeprefix("memory/") == f"{NOW.date()}.md":
        return after.startswith(before)
    if name != "MEMORY.md":
        return after == before
    lines = iter(line.rstrip(b"\r\n") for line in after.split(b"\n"))
    return all(line.rstrip(b"\r\n") in lines for line in before.split(b"\n"))


@pytest.mark.parametrize("seed", range(10))
def test_w_ten_folders_keep_every_byte(tmp_path: Path, shapes: Shapes, seed: int) -> None:
    """Turns red if a flush, review, undo or compact fails on a shape, or rewrites what it did not write."""
    chance = random.Random(seed)  # noqa: S311 - the same ten folders every time
    root = tmp_path / "folder"
    for name, data in shapes(NOW.date()).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(chance.choice(DRESSES)(data))
    before = tree(root)
    workspace = adoption.adopt(root, NOW).workspace
    live(workspace, NOW)
    after = tree(root)
    changed = [name for name, data in before.items() if name in after and not is_kept(name, data, after[name])]
    gone = [name for name in before if name not in after and name != "memory/_inbox.md"]
    assert (changed, gone) == ([], [])
    assert rebuild.check(workspace) == []


def test_w_the_example_keeps_every_byte(tmp_path: Path) -> None:
    """Turns red if the workspace that newcomers see first is changed anywhere but by our own lines."""
    root, packaged = tmp_path / "folder", Path(daybook.__file__).parent / "examples" / "workspace"
    for path in (path for path in packaged.rglob("*") if path.is_file()):
        target = root / path.relative_to(packaged)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    before = tree(root)
    workspace = adoption.adopt(root, NOW).workspace
    live(workspace, NOW)
    after = tree(root)
    assert [name for name, data in before.items() if name in after and not is_kept(name, data, after[name])] == []
    assert longterm.parse(workspace.longterm.read_bytes()).entries
    assert rebuild.check(workspace) == []
