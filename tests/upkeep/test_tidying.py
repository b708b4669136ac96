"""What is past keeping goes, what still decides something stays, and a day without either writes nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import notify
from daybook.curation.observing import observe
from daybook.guard import register, strangers
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.replay import replay
from daybook.memory import journal, longterm, pending, proposals, shown
from daybook.memory.pending import Proposal
from daybook.notify import Notice
from daybook.review import marks, merge, reviewing
from daybook.review.extract import Batch, Call
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.settings import Notify
from daybook.upkeep.tidying import tidy

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

DAY = timedelta(days=1)
LINE = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m",))
ROUTER = "the router sits in the hall"


def post(workspace: Workspace, now: datetime, text: str) -> None:
    operation = Operation(kind="add", text=text, section="Lessons Learned", sources=(1,))
    with workspace.lock():
        author = Author("one", "review", "extractive")
        merge.apply(workspace, [Verdict("apply", operation, (replace(LINE, text=text),))], author, now)


def look(workspace: Workspace, now: datetime) -> None:
    with workspace.lock():
        observe(workspace, "look", now)


def rows(workspace: Workspace, name: str) -> list[bytes]:
    return (workspace.private / name).read_bytes().splitlines()


def snapshot(workspace: Workspace) -> dict[Path, tuple[int, int]]:
    paths = [path for top in (workspace.root, workspace.private) for path in top.rglob("*") if path.is_file()]
    return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in paths if path.suffix != ".lock"}


def test_a_day_on_which_nothing_is_past_keeping_writes_nothing(workspace: Workspace, now: datetime) -> None:
    """Turns red when a file is replaced by itself."""
    post(workspace, now, ROUTER)
    marks.add(workspace, ["a", "b"], "model", run="r", now=now)
    register.write(workspace, ["[mail] write to jana@example.org today"], now)
    shown.remember(workspace, now.date())
    tidy(workspace, now)
    before = snapshot(workspace)
    assert tidy(workspace, now + DAY) == 0
    assert snapshot(workspace) == before


def test_marks_stay_for_ever_and_only_once(workspace: Workspace, now: datetime) -> None:
    """Turns red when an old mark goes, whose line would be read again, or when the first reader wins over the last."""
    marks.add(workspace, ["a", "b"], "extractive", run="r", now=now)
    for turn in range(3):
        marks.add(workspace, ["a"], "model", run=f"r{turn}", now=now + DAY)
    with (workspace.private / "marks.jsonl").open("ab") as stream:
        stream.write(b'{"line": "torn')
    assert tidy(workspace, now + 500 * DAY) == 4
    assert (marks.read(workspace), len(rows(workspace, "marks.jsonl"))) == ({"a": "model", "b": "extractive"}, 2)


def test_strangers_of_the_last_fourteen_days_stay(workspace: Workspace, now: datetime) -> None:
    """Turns red when a name that is met again is let go with its first row, or an expired one stays."""
    strangers.register(workspace, ["write to old@example.org", "write to jana@example.net"], now)
    strangers.register(workspace, ["write to jana@example.net"], now + 10 * DAY)
    later = now + 15 * DAY
    before, written = strangers.registered(workspace, later), len(rows(workspace, "strangers.jsonl"))
    assert tidy(workspace, later) == written - len(before) > len(before)
    assert strangers.registered(workspace, later) == before == strangers.known_by(["write to jana@example.net"])
    assert len(rows(workspace, "strangers.jsonl")) == len(before)


def test_answered_calls_and_days_shown_are_known_for_sixty_days(workspace: Workspace, now: datetime) -> None:
    call = Call((replace(LINE, marks=("m9",)),), "trusted", "digest")
    for moment in (now, now + 50 * DAY):
        judged = [reviewing.Judged(Batch(replace(call, digest=f"{moment:%m}"), (), "some:model", None, 0), ())]
        seen = reviewing.Look(reviewing.window.Window((), ()), reviewing.read_memory(workspace, now), (), ())
        reviewing.carry_out(workspace, seen, judged, waiting=False, run="r", now=moment)
        shown.remember(workspace, moment.date())
    later = now + 70 * DAY
    tidy(workspace, later)
    assert [json.loads(row)["digest"] for row in rows(workspace, "reviews.jsonl")] == [f"{now + 50 * DAY:%m}"]
    assert shown.days(workspace) == {(now + 50 * DAY).date().isoformat()}


def test_a_refusal_outlives_what_was_accepted_or_lapsed(workspace: Workspace, now: datetime) -> None:
    """Turns red when what the operator refused is proposed again after a year."""
    wanted = [
        Proposal(f"{n}" * 16, "add", "MEMORY.md", "Notes", f"fact {n}", "", "ungrounded", (), "r", "m", None, f"s{n}")
        for n in range(4)
    ]
    with workspace.lock():
        pending.propose(workspace, wanted, now)
        for one, fate in zip(wanted, ("accepted", "refused", "lapsed"), strict=False):
            proposals.settle(workspace, [one.id], fate, "r", now)  # type: ignore[arg-type] # the three fates
    assert tidy(workspace, now + 399 * DAY) == 0
    assert tidy(workspace, now + 401 * DAY) == 2
    kept = proposals.read(workspace).kept
    assert [(name[0], one.fate) for name, one in kept.items()] == [("1", "refused"), ("3", None)]
    assert pending.settled(workspace, wanted[1:2], now + 401 * DAY) == {wanted[1].id: "refused"}


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # by a library of Apprise's
def test_what_was_told_keeps_its_key_and_not_its_text(
    workspace: Workspace, now: datetime, httpserver: HTTPServer
) -> None:
    """Turns red when a notice is told again after a tidying, or its text is kept for good."""
    httpserver.expect_request("/told").respond_with_data("ok")
    settings = Notify(urls=[f"json://{httpserver.host}:{httpserver.port}/told"])
    notice = Notice("mail:1", "the boss wrote", urgent=True)
    assert asyncio.run(notify.send(workspace, settings, [notice], now, quiet=False)) == [notify.Sent("mail:1")]
    assert b"the boss wrote" in (workspace.private / notify.JOURNAL).read_bytes()
    assert tidy(workspace, now + 6 * DAY) == 0
    assert tidy(workspace, now + 8 * DAY) == 1
    assert b"the boss wrote" not in (workspace.private / notify.JOURNAL).read_bytes()
    again = asyncio.run(notify.send(workspace, settings, [notice], now + 9 * DAY, quiet=False))
    assert again == [notify.AlreadyTold("mail:1")]
    assert tidy(workspace, now + 401 * DAY) == 1


def test_old_versions_and_journal_rows_go(workspace: Workspace, now: datetime) -> None:
    """Turns red when versions only grow."""
    for number in range(25):
        workspace.longterm.write_text(f"# Memory\n\n- number {number}\n")
        look(workspace, now + timedelta(minutes=number))
    with workspace.lock():
        journal.write(workspace, [journal.Entry("k", now.date(), "Morning", "- 08:00 - x", own=False)])
    assert len(versions.history(workspace, "MEMORY.md")) >= 25
    tidy(workspace, now + 91 * DAY)
    history = versions.history(workspace, "MEMORY.md")
    assert len(history) == versions.KEPT_AT_LEAST
    assert versions.content(workspace, history[-1]) == workspace.longterm.read_bytes()
    assert journal.written(workspace, "k") == frozenset()


def test_a_secret_that_was_typed_into_an_entry_and_removed_leaves_the_ledger(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when the ledger keeps it for ever, or forgets which entry it was in while it stands there."""
    post(workspace, now, ROUTER)
    whole = workspace.longterm.read_text()
    workspace.longterm.write_text(whole.replace("in the hall", "in the hall, password = hunter2x9z"))
    look(workspace, now + DAY)
    tidy(workspace, now + DAY)
    (entry,) = replay(ledger.read(workspace).records).entries.values()
    assert entry.text == longterm.parse(workspace.longterm.read_bytes()).entries[0].text
    workspace.longterm.write_text(whole)
    look(workspace, now + 2 * DAY)
    tidy(workspace, now + 2 * DAY)
    assert [path.name for path in ledger.copies(workspace) if b"hunter2x9z" in path.read_bytes()] == []
    (entry,) = replay(ledger.read(workspace).records).entries.values()
    assert (entry.text, entry.edited) == (ROUTER, True)
