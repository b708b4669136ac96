"""What an undo decided is what it comes to, also after a kill at any of its writes."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from daybook import files, folders
from daybook.curation import reverting
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.ledger import append as ledger
from daybook.ledger.replay import replay
from daybook.memory import longterm
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

SOURCE = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m",))


class KilledError(BaseException):
    """The process ends here."""


def add(text: str) -> Verdict:
    line = replace(SOURCE, text=text, marks=(f"mark of {text}",))
    return Verdict("apply", Operation(kind="add", text=text, section="Lessons Learned", sources=(1,)), (line,))


def change(workspace: Workspace, now: datetime, kind: str, old: str, text: str = "") -> Verdict:
    entry = next(one for one in read_memory(workspace, now).entries if one.text == old)
    operation = Operation.model_validate({"kind": kind, "text": text, "entry": entry.id, "sources": (1,)})
    return Verdict("apply", operation, (replace(SOURCE, marks=(f"{kind} {old}",)),), entry, reason="it moved")


def post(workspace: Workspace, verdicts: list[Verdict], now: datetime, run: str) -> None:
    with workspace.lock():
        merge.apply(workspace, verdicts, Author(run, "review", "extractive"), now)


def prepare(workspace: Workspace, now: datetime, *, edited: bool, later: bool) -> None:
    """Let run two retire, revise and add; then a person types, or another run changes one of its entries."""
    mine = "## Of My Own\n<!-- mine -->\n- gamma is third\n\n"
    text = workspace.longterm.read_text().replace("## Lessons Learned\n", f"{mine}## Lessons Learned\n")
    workspace.longterm.write_text(text)
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    verdicts = [
        change(workspace, now, "retire", "alpha is first"),
        change(workspace, now, "revise", "beta is second", "beta is second to none"),
        add("delta is fourth"),
    ]
    post(workspace, verdicts, now, "two")
    if edited:
        workspace.longterm.write_text(workspace.longterm.read_text() + "\n- delta is fourth, says he\n")
    if later:
        post(workspace, [change(workspace, now, "revise", "beta is second to none", "beta is last")], now, "three")


def files_of(workspace: Workspace) -> dict[str, bytes]:
    paths = [workspace.longterm, workspace.archive, *sorted(workspace.memory_dir.glob("topics/*"))]
    return {workspace.relative(path): path.read_bytes() for path in paths if path.exists()}


def standing(workspace: Workspace) -> set[str]:
    return {one.text for one in replay(ledger.read(workspace).records).entries.values()}


def killed_undo(monkeypatch: pytest.MonkeyPatch, workspace: Workspace, now: datetime, calls: int) -> bool:
    """Undo run two, and end before that many writes, of whatever; whether that many were to be made."""
    made = 0

    def counted(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            nonlocal made
            if made == calls:
                raise KilledError
            made += 1
            return real(*given, **named)

        return call

    with monkeypatch.context() as patched:
        for module, name in ((files, "replace"), (files, "update"), (files, "append"), (folders, "take_away")):
            patched.setattr(module, name, counted(getattr(module, name)))
        try:
            undo(workspace, "two", "hand", now)
        except KilledError:
            return True
    return False


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("later", [False, True])
def test_m20_undo_comes_to_the_same_whether_or_not_it_was_killed(
    tmp_path: Path, workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, edited: bool, later: bool
) -> None:
    """Turns red when what finishes an undo decides anew, by files that are half undone."""
    prepare(workspace, now, edited=edited, later=later)
    private, root = tmp_path / "private", tmp_path / "folder"
    copy(workspace.root, root)
    copy(workspace.private, private)
    undo(workspace, "two", "hand", now)
    wanted = files_of(workspace), standing(workspace)
    killed = 0
    while True:
        copy(root, workspace.root)
        copy(private, workspace.private)
        if not killed_undo(monkeypatch, workspace, now, killed):
            break
        with workspace.lock():
            observe(workspace, "next", now)
        begun = any(one.op == "undo" for one in replay(ledger.read(workspace).records).operations.values())
        if not begun:
            undo(workspace, "two", "again", now)
        assert (files_of(workspace), standing(workspace)) == wanted
        assert not (workspace.private / "undo.json").exists()
        killed += 1
    assert killed > 5


def copy(source: Path, target: Path) -> None:
    """Make a folder equal to another one; the lock's file stays the same one."""
    if target.exists():
        for path in sorted(target.rglob("*"), reverse=True):
            if path.is_file() and not (source / path.relative_to(target)).exists():
                path.unlink()
    for path in sorted(source.rglob("*")):
        to = target / path.relative_to(source)
        if path.is_dir():
            to.mkdir(parents=True, exist_ok=True)
        else:
            to.parent.mkdir(parents=True, exist_ok=True)
            to.write_bytes(path.read_bytes())


def test_a_file_that_was_saved_after_the_kill_keeps_what_was_typed(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(workspace, now, edited=False, later=False)
    before = files_of(workspace)

    def killed(*_: object) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(reverting, "write", killed)
        with pytest.raises(KilledError):
            undo(workspace, "two", "hand", now)
    assert files_of(workspace) == before
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n- typed since\n")
    with workspace.lock():
        observe(workspace, "next", now)
    texts = [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries]
    assert sorted(texts) == ["alpha is first", "beta is second", "gamma is third", "typed since"]
    assert not workspace.archive.exists()
    assert standing(workspace) == {"alpha is first", "beta is second"}


@pytest.mark.parametrize("count", [3, 60])
def test_however_much_is_taken_back_a_file_is_read_a_few_times(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    post(workspace, [add(f"fact number {number} of many") for number in range(count)], now, "two")
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n- typed since\n")
    parse, read = longterm.parse, []

    def counted(data: bytes) -> longterm.Document:
        read.append(data)
        return parse(data)

    monkeypatch.setattr(longterm, "parse", counted)
    assert undo(workspace, "two", "hand", now).operations == count
    assert len(set(read)) <= 4
    texts = [one.text for one in parse(workspace.longterm.read_bytes()).entries]
    assert texts == ["typed since"]
