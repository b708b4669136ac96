"""Undo brings bytes back, or says exactly which later change prevents what."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.curation.known import read_memory
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger.replay import State, replay
from daybook.memory import longterm
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verify import Verdict
from daybook.review.window import Evidence
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from daybook.workspace import Workspace

SOURCE = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m",))


def add(text: str, section: str = "Lessons Learned") -> Verdict:
    line = replace(SOURCE, text=text, marks=(f"mark of {text}",))
    return Verdict("apply", Operation(kind="add", text=text, section=section, sources=(1,)), (line,))


def change(workspace: Workspace, now: datetime, kind: str, old: str, text: str = "") -> Verdict:
    entry = next(one for one in read_memory(workspace, now).entries if one.text == old)
    operation = Operation.model_validate({"kind": kind, "text": text, "entry": entry.id, "sources": (1,)})
    return Verdict("apply", operation, (replace(SOURCE, marks=(f"{kind} {old}",)),), entry, reason="it moved")


def post(workspace: Workspace, verdicts: list[Verdict], now: datetime, run: str) -> None:
    with workspace.lock():
        merge.apply(workspace, verdicts, Author(run, "review", "extractive"), now)


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def files_of(workspace: Workspace) -> dict[str, bytes]:
    paths = [workspace.longterm, workspace.archive, *sorted(workspace.memory_dir.glob("topics/*"))]
    return {workspace.relative(path): path.read_bytes() for path in paths if path.exists()}


def test_m20_the_bytes_of_every_file_come_back(workspace: Workspace, now: datetime) -> None:
    """Turns red when undo leaves a byte, a file or a heading of the run behind."""
    workspace.longterm.write_bytes(b"\xef\xbb\xbf# M\r\n\r\n## Lessons Learned\r\n* one \xff\r\n\r\n## Last")
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    before = files_of(workspace)
    verdicts = [
        change(workspace, now, "retire", "alpha is first"),
        change(workspace, now, "revise", "beta is second", "beta is second to none"),
        add("gamma is new", "Brand New"),
    ]
    post(workspace, verdicts, now, "two")
    assert set(files_of(workspace)) == {"MEMORY.md", "memory/archive.md"}
    assert "alpha is first" not in workspace.longterm.read_text(errors="replace")
    done = undo(workspace, None, "hand", now)
    assert (done.run, set(done.files), done.changed, done.prevented) == (
        "two",
        {"MEMORY.md", "memory/archive.md"},
        (),
        (),
    )
    assert files_of(workspace) == before
    assert {one.text for one in state_of(workspace).entries.values()} == {"alpha is first", "beta is second"}


def test_m29_what_is_undone_does_not_return_by_the_same_lines(workspace: Workspace, now: datetime) -> None:
    """Turns red when the next window brings it back, in these words or in others."""
    before = workspace.longterm.read_bytes()
    post(workspace, [add("alpha is first")], now, "one")
    undo(workspace, "one", "hand", now)
    again = replace(add("alpha comes first"), sources=(replace(SOURCE, marks=("mark of alpha is first",)),))
    post(workspace, [add("alpha is first"), again], now, "two")
    assert workspace.longterm.read_bytes() == before
    memory = read_memory(workspace, now)
    assert memory.forgotten_lines == {"mark of alpha is first"}
    with pytest.raises(NothingToDoError, match="No run changed memory"):
        undo(workspace, None, "hand", now)


def test_what_a_person_wrote_since_stays_and_the_rest_is_taken_back(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first"), add("beta is second"), add("gamma is third")], now, "one")
    text = workspace.longterm.read_text().replace("beta is second", "beta is second, or so they say")
    workspace.longterm.write_text(text + "\n## Mine\n- my own line\n")
    done = undo(workspace, None, "hand", now + timedelta(hours=1))
    entries = [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries]
    assert entries == ["beta is second, or so they say", "my own line"]
    assert (done.files, done.changed, done.operations) == ((), ("MEMORY.md",), 2)
    assert [(one.text, one.why) for one in done.prevented] == [
        ("beta is second", "was edited in MEMORY.md since; it stays as it is")
    ]


def test_an_entry_that_a_later_run_changed_names_that_run(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    post(workspace, [change(workspace, now, "revise", "alpha is first", "alpha is last")], now, "two")
    done = undo(workspace, "one", "hand", now)
    assert [one.why for one in done.prevented] == ["was changed again by run two (revise); undo that run first"]
    assert [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries] == ["alpha is last"]
    assert undo(workspace, "two", "hand", now).prevented == ()
    assert undo(workspace, "one", "hand", now).prevented == ()
    assert longterm.parse(workspace.longterm.read_bytes()).entries == ()


def test_a_retired_entry_comes_back_from_the_archive_though_the_file_was_edited(
    workspace: Workspace, now: datetime
) -> None:
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n- typed since\n")
    done = undo(workspace, None, "hand", now)
    assert (done.files, done.changed, done.prevented) == (("memory/archive.md",), ("MEMORY.md",), ())
    texts = [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries]
    assert sorted(texts) == ["alpha is first", "beta is second", "typed since"]
    assert not workspace.archive.exists()
    assert {one.text for one in state_of(workspace).entries.values()} == {"alpha is first", "beta is second"}


def test_a_name_that_fits_two_runs_or_none_is_a_sentence(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first")], now, "ab1")
    post(workspace, [add("beta is second")], now, "ab2")
    with pytest.raises(NothingToDoError, match="ab begins more than one run: ab1, ab2"):
        undo(workspace, "ab", "hand", now)
    with pytest.raises(NothingToDoError, match="No run zz changed memory"):
        undo(workspace, "zz", "hand", now)
