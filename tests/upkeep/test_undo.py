"""Undo brings bytes back, or says exactly which later change prevents what."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.curation import writing
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.curation.writing import Plan
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.ledger.replay import State, replay
from daybook.memory import longterm
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verify import Verdict
from daybook.review.window import Evidence
from daybook.upkeep import forget
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


def test_m20_an_archive_that_was_there_before_keeps_what_a_person_kept_in_it(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when undo takes a file for its own, because Daybook had never looked at it."""
    workspace.archive.write_text("# Old stuff\n\n- a note of mine from 2019\n")
    before = workspace.archive.read_bytes()
    post(workspace, [add("alpha is first")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    assert undo(workspace, "two", "hand", now).prevented == ()
    assert workspace.archive.read_bytes() == before


def test_m20_a_line_typed_into_the_archive_between_two_runs_stays(workspace: Workspace, now: datetime) -> None:
    """Turns red when undo goes back to what the earlier run had left, not to what the later one found."""
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    workspace.archive.write_text(workspace.archive.read_text() + "\n- typed into the archive\n")
    found = workspace.archive.read_bytes()
    post(workspace, [change(workspace, now, "retire", "beta is second")], now, "three")
    undo(workspace, "three", "hand", now)
    assert workspace.archive.read_bytes() == found


def test_an_empty_file_that_was_there_is_not_no_file(workspace: Workspace, now: datetime) -> None:
    workspace.archive.write_bytes(b"")
    post(workspace, [add("alpha is first")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    undo(workspace, "two", "hand", now)
    assert workspace.archive.read_bytes() == b""


def test_m20_what_a_person_saved_between_two_writes_of_one_run_stays(workspace: Workspace, now: datetime) -> None:
    """Turns red when one run's flush and review count as one write, and what was typed in between goes with them."""
    post(workspace, [add("alpha is first")], now, "beat")
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n## Mine\n- typed in between\n")
    post(workspace, [add("beta is second")], now, "beat")
    done = undo(workspace, "beat", "hand", now)
    assert (done.files, done.changed, done.operations) == ((), ("MEMORY.md",), 2)
    assert [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries] == ["typed in between"]


def demote(workspace: Workspace, now: datetime, text: str, run: str) -> None:
    with workspace.lock():
        plan = Plan(workspace, observe(workspace, run, now), Author(run, "hand", "hand"), now)
        entry = plan.find("MEMORY.md", text)
        assert entry is not None
        writing.demote(plan, entry, "compact")
        writing.write(plan)


def test_m20_bytes_go_back_only_where_every_operation_does(workspace: Workspace, now: datetime) -> None:
    """Turns red when an entry that a later run retired returns with the bytes, and stands twice."""
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    demote(workspace, now, "alpha is first", "two")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "three")
    before = files_of(workspace)
    done = undo(workspace, "two", "hand", now)
    assert (done.files, done.changed, done.operations) == ((), (), 0)
    assert [one.why for one in done.prevented] == ["was changed again by run three (retire); undo that run first"]
    assert files_of(workspace) == before
    assert {one.text for one in state_of(workspace).entries.values()} == {"beta is second"}


def test_m20_what_was_forgotten_since_does_not_return_with_older_bytes(workspace: Workspace, now: datetime) -> None:
    """Turns red when a version that was let go counts as one that never was."""
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    demote(workspace, now, "alpha is first", "two")
    before = workspace.longterm.read_bytes()
    forget.forget(workspace, forget.find(workspace, "alpha is first"), "forgetting", now)
    done = undo(workspace, "two", "hand", now)
    assert [one.why for one in done.prevented] == ["was forgotten since; nothing of it is left to bring back"]
    assert workspace.longterm.read_bytes() == before
    assert undo(workspace, "one", "hand", now).changed == ("MEMORY.md",)
    assert "alpha is first" not in workspace.longterm.read_text()


def test_m20_another_archived_entry_that_begins_alike_stays(workspace: Workspace, now: datetime) -> None:
    """Turns red when undo of a retire takes the first entry of the archive that begins with its words."""
    workspace.archive.write_text("# Archive\n\n- alpha is first in the row\n- alpha is first - or so\n")
    post(workspace, [add("alpha is first")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    workspace.archive.write_text(workspace.archive.read_text() + "\n- typed since\n")
    undo(workspace, "two", "hand", now)
    texts = [one.text for one in longterm.parse(workspace.archive.read_bytes()).entries]
    assert texts == ["alpha is first in the row", "alpha is first - or so", "typed since"]


def type_mine(workspace: Workspace, text: str) -> None:
    mine = f"## Of My Own\n<!-- mine -->\n- {text}\n\n"
    present = workspace.longterm.read_text()
    workspace.longterm.write_text(present.replace("## Lessons Learned\n", f"{mine}## Lessons Learned\n"))


def test_m35_undo_takes_our_entry_and_not_a_persons_own_copy(workspace: Workspace, now: datetime) -> None:
    """Turns red when the copy in a section that is marked as theirs is taken for ours."""
    post(workspace, [add("alpha is first")], now, "one")
    type_mine(workspace, "alpha is first")
    assert undo(workspace, "one", "hand", now).operations == 1
    entries = longterm.parse(workspace.longterm.read_bytes()).entries
    assert [(one.section, one.text) for one in entries] == [("Of My Own", "alpha is first")]


def test_m35_what_a_person_took_among_their_own_stays_and_is_said(workspace: Workspace, now: datetime) -> None:
    """Turns red when undo reaches into a section that is marked as theirs."""
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    workspace.longterm.write_text(workspace.longterm.read_text().replace("- alpha is first\n", ""))
    type_mine(workspace, "alpha is first")
    done = undo(workspace, "one", "hand", now)
    assert [one.why for one in done.prevented] == ["stands in MEMORY.md among what is marked as yours; it stays there"]
    assert [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries] == ["alpha is first"]


def test_m35_what_left_comes_back_though_a_persons_own_copy_stands(workspace: Workspace, now: datetime) -> None:
    """Turns red when a person's copy counts as the entry that is to return."""
    post(workspace, [add("alpha is first")], now, "one")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "two")
    type_mine(workspace, "alpha is first")
    undo(workspace, "two", "hand", now)
    entries = longterm.parse(workspace.longterm.read_bytes()).entries
    assert [one.section for one in entries] == ["Of My Own", "Lessons Learned"]


def test_an_entry_that_a_person_moved_to_another_file_stays_there(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    demote(workspace, now, "alpha is first", "two")
    topic = workspace.topic("lessons-learned")
    workspace.topic("garden").write_text(topic.read_text())
    topic.write_text("# Lessons Learned\n\n- my own\n")
    before = files_of(workspace)
    done = undo(workspace, "two", "hand", now)
    assert [one.why for one in done.prevented] == ["was moved to memory/topics/garden.md since; it stays there"]
    assert files_of(workspace) == before


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_demotion_between_other_runs_is_taken_back_alone(workspace: Workspace, now: datetime, newline: str) -> None:
    text = workspace.longterm.read_text().replace("\n", newline)
    workspace.longterm.write_bytes(text.encode())
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    entry = f"- alpha is first{newline}  with more of it{newline}"
    text = workspace.longterm.read_bytes().decode().replace(f"- alpha is first{newline}", entry)
    workspace.longterm.write_bytes(text.encode())
    demote(workspace, now, "alpha is first with more of it", "two")
    post(workspace, [add("gamma is third")], now, "three")
    demote(workspace, now, "beta is second", "four")
    done = undo(workspace, "two", "hand", now)
    assert (set(done.changed), done.prevented) == ({"MEMORY.md", "memory/topics/lessons-learned.md"}, ())
    assert entry in workspace.longterm.read_bytes().decode()
    where = {one.text: one.file for one in state_of(workspace).entries.values()}
    assert where == {
        "alpha is first with more of it": "MEMORY.md",
        "beta is second": "memory/topics/lessons-learned.md",
        "gamma is third": "MEMORY.md",
    }
    topic = longterm.parse(workspace.topic("lessons-learned").read_bytes()).entries
    assert [one.text for one in topic] == ["beta is second"]


def test_a_promotion_between_other_runs_is_taken_back_alone(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    demote(workspace, now, "alpha is first", "two")
    entry = next(one for one in read_memory(workspace, now).entries if one.text == "alpha is first")
    operation = Operation(kind="add", text=entry.text, section="Preferences", sources=(1,))
    post(workspace, [Verdict("apply", operation, (SOURCE,), entry, promotes=True)], now, "three")
    post(workspace, [add("gamma is third")], now, "four")
    assert undo(workspace, "three", "hand", now).prevented == ()
    assert [one.text for one in longterm.parse(workspace.longterm.read_bytes()).entries] == [
        "beta is second",
        "gamma is third",
    ]
    owned = {one.text: (one.file, one.section) for one in state_of(workspace).entries.values()}
    assert owned["alpha is first"] == ("memory/topics/lessons-learned.md", "Lessons Learned")
    topic = longterm.parse(workspace.topic("lessons-learned").read_bytes()).entries
    assert [one.text for one in topic] == ["alpha is first"]


def test_words_that_stood_in_the_topic_already_stay_there(workspace: Workspace, now: datetime) -> None:
    topic = workspace.topic("lessons-learned")
    topic.parent.mkdir(exist_ok=True)
    topic.write_text("# Lessons Learned\n\n- alpha is first\n")
    post(workspace, [add("beta is second")], now, "one")
    text = workspace.longterm.read_text().replace("- beta is second\n", "- beta is second\n- alpha is first\n")
    workspace.longterm.write_text(text)
    ledger.append(workspace, [Curate(at="2026-02-07T14:30:00Z", mode="all")])
    demote(workspace, now, "alpha is first", "two")
    workspace.longterm.write_text(workspace.longterm.read_text() + "\n- typed since\n")
    topic.write_text(topic.read_text() + "- typed here\n")
    undo(workspace, "two", "hand", now)
    assert [one.text for one in longterm.parse(topic.read_bytes()).entries] == ["alpha is first", "typed here"]
    assert "alpha is first" in workspace.longterm.read_text()


def test_m35_what_stood_above_the_first_heading_returns_there(workspace: Workspace, now: datetime) -> None:
    """Turns red when undo makes a heading of the name that its topic has."""
    workspace.longterm.write_text("- alpha is first\n\n# Memory\n\n- beta is second\n")
    ledger.append(workspace, [Curate(at="2026-02-07T14:30:00Z", mode="all")])
    demote(workspace, now, "alpha is first", "two")
    workspace.longterm.write_text(workspace.longterm.read_text() + "- typed since\n")
    assert undo(workspace, "two", "hand", now).prevented == ()
    entries = longterm.parse(workspace.longterm.read_bytes()).entries
    assert [(one.section, one.text) for one in entries] == [
        ("", "alpha is first"),
        ("Memory", "beta is second"),
        ("Memory", "typed since"),
    ]
    demote(workspace, now, "alpha is first", "three")
    before = workspace.longterm.read_bytes()
    undo(workspace, "three", "hand", now)
    demote(workspace, now, "alpha is first", "four")
    assert workspace.longterm.read_bytes() == before


def test_a_confirm_is_not_taken_back_from_an_entry_that_left_since(workspace: Workspace, now: datetime) -> None:
    post(workspace, [add("alpha is first"), add("beta is second")], now, "one")
    confirm = replace(change(workspace, now, "confirm", "alpha is first"), counts=True)
    post(workspace, [confirm, replace(change(workspace, now, "confirm", "beta is second"), counts=True)], now, "two")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "three")
    done = undo(workspace, "two", "hand", now)
    assert (done.operations, [one.text for one in done.prevented]) == (1, ["alpha is first"])
    assert {one.text for one in state_of(workspace).entries.values()} == {"beta is second"}


def test_what_one_run_added_and_retired_is_taken_back_whole(workspace: Workspace, now: datetime) -> None:
    before = files_of(workspace)
    post(workspace, [add("alpha is first")], now, "beat")
    post(workspace, [change(workspace, now, "retire", "alpha is first")], now, "beat")
    done = undo(workspace, "beat", "hand", now)
    assert (done.operations, done.prevented) == (2, ())
    assert files_of(workspace) == before


def test_m06_undo_does_not_go_back_to_an_old_copy_that_its_run_had_mended(workspace: Workspace, now: datetime) -> None:
    """Turns red when the bytes that a run found in a stale save count as those before its operations."""
    post(workspace, [add("alpha is first")], now, "one")
    old = workspace.longterm.read_bytes()
    post(workspace, [add(f"fact number {number} of many") for number in range(5)], now, "two")
    whole = workspace.longterm.read_bytes()
    workspace.longterm.write_bytes(old)
    post(workspace, [add("gamma is third")], now, "three")
    undo(workspace, "three", "hand", now)
    assert workspace.longterm.read_bytes() == whole
