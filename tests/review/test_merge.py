"""Only our own lines change, the ledger goes before and after, and the caps hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from daybook import files
from daybook.curation.entries import Known
from daybook.curation.known import read_memory
from daybook.curation.settling import settle
from daybook.errors import ChangedFileError, UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.record import Done, Intent
from daybook.ledger.replay import replay
from daybook.memory import longterm
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Kind, Operation
from daybook.review.verify import Verdict
from daybook.review.window import Evidence

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

AUTHOR = Author("run", "review", "extractive")
SOURCE = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m1",))


def add(text: str, section: str = "Lessons Learned") -> Verdict:
    return Verdict("apply", Operation(kind="add", text=text, section=section, sources=(1,)), (SOURCE,))


def change(kind: Kind, old: str, text: str = "") -> Verdict:
    entry = Known("e1", "MEMORY.md", "Lessons Learned", old, owned=True)
    return Verdict("apply", Operation(kind=kind, text=text, entry="e1", sources=(1,)), (SOURCE,), entry)


def test_adds_go_under_their_heading_and_every_other_byte_stays(workspace: Workspace, now: datetime) -> None:
    theirs = b"\xef\xbb\xbf# Mine\r\n\r\n## Lessons Learned\r\n* one \xff\r\n\r\n## Other\r\n- x"
    workspace.longterm.write_bytes(theirs)
    (result,) = merge.apply(workspace, [add("two")], AUTHOR, now).results
    assert result.file == "MEMORY.md"
    assert workspace.longterm.read_bytes() == theirs.replace(b"one \xff\r\n", b"one \xff\r\n* two\r\n")


def test_an_applied_operation_is_owned_with_its_sources(workspace: Workspace, now: datetime) -> None:
    merge.apply(workspace, [add("two")], AUTHOR, now)
    (intent,) = replay(ledger.read(workspace).records).operations.values()
    assert (intent.sources[0].text, intent.run, intent.model) == ("said", "run", "extractive")
    assert intent.after == versions.sha_of(workspace.longterm.read_bytes())
    assert [entry.owned for entry in read_memory(workspace, now).entries] == [True]


def test_revise_retire_and_confirm_do_what_they_say(workspace: Workspace, now: datetime) -> None:
    merge.apply(workspace, [add("one"), add("two"), add("three")], AUTHOR, now)
    changes = [change("revise", "one", "one, better"), change("retire", "two"), change("confirm", "three")]
    merge.apply(workspace, changes, AUTHOR, now)
    entries = [entry.text for entry in longterm.parse(workspace.longterm.read_bytes()).entries]
    assert entries == ["one, better", "three"]
    assert set(replay(ledger.read(workspace).records).of("MEMORY.md")) == {"one, better", "three"}


def test_m14_what_a_person_deleted_is_not_added_again_from_the_same_line(workspace: Workspace, now: datetime) -> None:
    """Turns red when a deletion is not remembered, and the same line brings the fact back."""
    empty = workspace.longterm.read_bytes()
    merge.apply(workspace, [add("one")], AUTHOR, now)
    workspace.longterm.write_bytes(empty)
    (again,) = merge.apply(workspace, [add("one")], AUTHOR, now).results
    assert (again.verdict.fate, again.verdict.code) == ("refuse", "forgotten")
    assert workspace.longterm.read_bytes() == empty


def test_an_entry_that_vanished_meanwhile_is_a_conflict(workspace: Workspace, now: datetime) -> None:
    (result,) = merge.apply(workspace, [change("retire", "never there")], AUTHOR, now).results
    assert (result.verdict.fate, result.verdict.code, result.file) == ("refuse", "conflict", "")


def test_a_second_change_of_one_entry_in_one_answer_is_a_conflict(workspace: Workspace, now: datetime) -> None:
    merge.apply(workspace, [add("one")], AUTHOR, now)
    first, second = merge.apply(
        workspace, [change("revise", "one", "one, better"), change("revise", "one", "one, worse")], AUTHOR, now
    ).results
    assert (first.file, second.verdict.code) == ("MEMORY.md", "conflict")
    assert "- one, better\n" in workspace.longterm.read_text()


def test_m05_what_a_person_did_while_the_review_waited_is_looked_at_again(workspace: Workspace, now: datetime) -> None:
    """Turns red when the merge applies what was judged on an older file."""
    merge.apply(workspace, [add("one")], AUTHOR, now)
    text = workspace.longterm.read_text().replace("- one", "- one <!-- pin -->\n- typed by hand")
    workspace.longterm.write_text(text.replace("## Decisions\n", "## Decisions\n<!-- mine -->\n"))
    verdicts = [change("revise", "one", "one, better"), add("typed by hand"), add("three", "Decisions")]
    assert [one.verdict.code for one in merge.apply(workspace, verdicts, AUTHOR, now).results] == ["conflict"] * 3


def test_a_second_try_at_the_cap_does_not_put_an_entry_into_a_topic_too(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.longterm.write_text("# Memory\n## Lessons Learned\n" + "".join(f"- fact {n}\n" for n in range(77)))
    replace, tried = files.replace, []

    def changed_once(path: Path, data: bytes, **options: object) -> None:
        if "topics" in str(path) and not tried:
            tried.append(path)
            raise ChangedFileError("changed")
        replace(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", changed_once)
    results = merge.apply(workspace, [add("first new"), add("second new")], AUTHOR, now).results
    assert [one.file for one in results] == ["MEMORY.md", "memory/topics/lessons-learned.md"]
    assert workspace.topic("lessons-learned").read_text() == "# Lessons Learned\n\n- second new\n"
    assert workspace.longterm.read_text().count("first new") == 1


def test_a_confirm_writes_nothing_into_the_file(workspace: Workspace, now: datetime) -> None:
    merge.apply(workspace, [add("one")], AUTHOR, now)
    before = workspace.longterm.stat()
    merge.apply(workspace, [change("confirm", "one")], AUTHOR, now)
    after = workspace.longterm.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_m22_over_the_cap_nothing_is_removed_and_adds_go_to_topics(workspace: Workspace, now: datetime) -> None:
    """Turns red when a full file grows or loses a line."""
    full = "# Memory\n\n## Lessons Learned\n" + "".join(f"- fact {n}\n" for n in range(1180))
    workspace.longterm.write_text(full)
    (result,) = merge.apply(workspace, [add("new")], AUTHOR, now).results
    assert workspace.longterm.read_text() == full
    assert result.file == "memory/topics/lessons-learned.md"
    assert workspace.topic("lessons-learned").read_text() == "# Lessons Learned\n\n- new\n"


def test_the_cap_is_reached_exactly_and_not_passed(workspace: Workspace, now: datetime) -> None:
    workspace.longterm.write_text("# Memory\n## Lessons Learned\n" + "".join(f"- fact {n}\n" for n in range(75)))
    results = merge.apply(workspace, [add(f"new {n}") for n in range(5)], AUTHOR, now).results
    assert [one.file for one in results] == ["MEMORY.md"] * 3 + ["memory/topics/lessons-learned.md"] * 2
    assert longterm.count_lines(longterm.parse(workspace.longterm.read_bytes())) == 80


@pytest.mark.parametrize("empty", [False, True])
def test_a_missing_or_empty_memory_means_that_nothing_is_written(
    workspace: Workspace, now: datetime, empty: bool
) -> None:
    workspace.longterm.unlink()
    if empty:
        workspace.longterm.touch()
    with pytest.raises(UnreadableFileError, match=r"MEMORY\.md is missing or empty, so nothing was written"):
        merge.apply(workspace, [add("one")], AUTHOR, now)
    assert workspace.longterm.exists() is empty
    assert not empty or workspace.longterm.read_bytes() == b""
    assert ledger.read(workspace).records == ()


def test_m05_an_edit_between_read_and_replace_is_kept_and_the_operations_too(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when the file is replaced without looking again."""
    replace, edited = files.replace, []

    def edit_then_replace(path: object, data: bytes, **options: object) -> None:
        if path == workspace.longterm and not edited:
            edited.append(True)
            with workspace.longterm.open("ab") as stream:
                stream.write(b"\n- a person's words\n")
        replace(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(files, "replace", edit_then_replace)
    (result,) = merge.apply(workspace, [add("ours")], AUTHOR, now).results
    assert result.file == "MEMORY.md"
    text = workspace.longterm.read_text()
    assert "- a person's words\n" in text
    assert text.count("- ours\n") == 1
    assert replay(ledger.read(workspace).records).owns("MEMORY.md", "ours")


@pytest.mark.parametrize(("written", "owned"), [(False, False), (True, True)])
def test_m07_a_start_after_a_crash_settles_the_intent_by_what_the_file_holds(
    workspace: Workspace, now: datetime, written: bool, owned: bool
) -> None:
    """Turns red when an open intent is taken for done, or for nothing."""
    merge.apply(workspace, [add("one")], AUTHOR, now)
    done = [record for record in ledger.read(workspace).records if not isinstance(record, Done)]
    for path in (workspace.private_ledger, workspace.ledger):
        path.unlink()
    if not written:
        workspace.longterm.write_text("# Memory\n")
    ledger.append(workspace, done)
    settle(workspace, ledger.read(workspace).records, now)
    assert replay(ledger.read(workspace).records).owns("MEMORY.md", "one") is owned
    assert ledger.open_intents(ledger.read(workspace).records) == []


def test_m20_undo_and_why_will_find_all_they_need_in_an_intent(workspace: Workspace, now: datetime) -> None:
    """Turns red when the ledger's format loses what later commands need."""
    merge.apply(workspace, [add("one")], AUTHOR, now)
    merge.apply(workspace, [change("revise", "one", "one, better")], AUTHOR, now)
    intents = [record for record in ledger.read(workspace).records if isinstance(record, Intent)]
    assert [(one.op, one.old, one.old_raw, one.text, one.section) for one in intents] == [
        ("add", "", "", "one", "Lessons Learned"),
        ("revise", "one", "- one\n", "one, better", "Lessons Learned"),
    ]
    assert intents[0].after == intents[1].before


def test_m17_the_same_words_retire_again_when_they_were_said_again(workspace: Workspace, now: datetime) -> None:
    """Turns red when what was retired once, by its date and no line, stays for ever when another year brings it."""
    undated = Verdict("apply", change("retire", "permit by March 3").operation, (), None, reason="its date has passed")
    for mark in ("this year", "next year"):
        verdict = replace(add("permit by March 3"), sources=(replace(SOURCE, marks=(mark,)),))
        merge.apply(workspace, [verdict], AUTHOR, now)
        entry = next(one for one in read_memory(workspace, now).entries if one.text == "permit by March 3")
        (result,) = merge.apply(workspace, [replace(undated, entry=entry)], AUTHOR, now).results
        assert (result.verdict.fate, result.verdict.code, result.file) == ("apply", None, "memory/archive.md")
    assert longterm.parse(workspace.longterm.read_bytes()).entries == ()
    assert len(longterm.parse(workspace.archive.read_bytes()).entries) == 2


@pytest.mark.parametrize("kind", ["retire", "revise"])
def test_m35_of_equal_entries_ours_is_changed_and_a_persons_own_stays(
    workspace: Workspace, now: datetime, kind: Kind
) -> None:
    """Turns red when the copy in a section that is marked as theirs is taken for ours, or keeps ours from changing."""
    merge.apply(workspace, [add("one")], AUTHOR, now)
    text = workspace.longterm.read_text()
    mine = "## Of My Own\n<!-- mine -->\n- one\n\n## Lessons Learned\n"
    workspace.longterm.write_text(text.replace("## Lessons Learned\n", mine))
    (result,) = merge.apply(workspace, [change(kind, "one", "one, better" * (kind == "revise"))], AUTHOR, now).results
    assert result.verdict.fate == "apply"
    entries = [(one.section, one.text) for one in longterm.parse(workspace.longterm.read_bytes()).entries]
    assert entries == [("Of My Own", "one"), *([("Lessons Learned", "one, better")] if kind == "revise" else [])]
