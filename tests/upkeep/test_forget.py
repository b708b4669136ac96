"""What is forgotten is gone from all that Daybook keeps, by lineage, and nothing else goes with it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import adoption
from daybook.curation.entries import statement_hash
from daybook.curation.known import read_memory
from daybook.curation.observing import observe
from daybook.errors import NothingToDoError
from daybook.ledger import append as ledger
from daybook.ledger import versions
from daybook.ledger.replay import replay
from daybook.memory import inbox, journal, longterm, pending, proposals
from daybook.memory.pending import Proposal
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.schedule import record
from daybook.schedule.record import OperationResult
from daybook.upkeep import rebuild, why
from daybook.upkeep.forget import find, forget
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

DAY = timedelta(days=1)
LINE = Evidence(1, date(2026, 2, 7), "memory/2026-02-07.md", 3, "08:00", "said", "Morning", "trusted", ("m",))
CLINIC = "the clinic in Wuppertal opens at nine"


def add(text: str, said: str = "") -> Verdict:
    line = replace(LINE, text=said or text, marks=(f"mark {text[:9]}",))
    return Verdict("apply", Operation(kind="add", text=text, section="Lessons Learned", sources=(1,)), (line,))


def change(workspace: Workspace, now: datetime, kind: str, old: str, text: str = "", said: str = "it moved") -> Verdict:
    entry = next(one for one in read_memory(workspace, now).entries if one.text == old)
    operation = Operation.model_validate({"kind": kind, "text": text, "entry": entry.id, "sources": (1,)})
    line = replace(LINE, text=said, marks=(f"{kind} {old[:9]}",))
    return Verdict("apply", operation, (line,), entry, reason="a newer line says so")


def post(workspace: Workspace, now: datetime, *verdicts: Verdict, run: str = "one") -> None:
    with workspace.lock():
        merge.apply(workspace, verdicts, Author(run, "review", "extractive"), now)


def look(workspace: Workspace, now: datetime) -> None:
    with workspace.lock():
        observe(workspace, "look", now)


def standing(path: Path) -> list[str]:
    return [entry.text for entry in longterm.parse(path.read_bytes()).entries]


def holding(workspace: Workspace, word: str) -> list[str]:
    """Files of the folder and of private state that hold a word, in any notation of JSON."""
    forms = {word.encode(), json.dumps(word)[1:-1].encode(), json.dumps(word, ensure_ascii=False)[1:-1].encode()}
    found = [
        path
        for top in (workspace.root, workspace.private)
        for path in top.rglob("*")
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    ]
    return sorted(path.name for path in found)


def test_an_archived_entry_goes_from_ledger_and_versions_too(workspace: Workspace, now: datetime) -> None:
    """Turns red when the note that stands below it in the archive counts as its words."""
    post(workspace, now, add(CLINIC, f"Lesson: {CLINIC}, Jana says"), add("keep copies of keys"))
    post(workspace, now + DAY, change(workspace, now, "retire", CLINIC), run="two")
    match = find(workspace, "wuppertal")
    assert (match.text, match.files) == (CLINIC, ("memory/archive.md",))
    gone = forget(workspace, match, "F", now + 2 * DAY)
    assert (gone.files, gone.left) == (("memory/archive.md",), ())
    assert holding(workspace, "Wuppertal") == []
    assert CLINIC not in str(replay(ledger.read(workspace).records))
    assert standing(workspace.longterm) == ["keep copies of keys"]


def test_a_wrapped_entry_goes_from_every_version(workspace: Workspace, now: datetime) -> None:
    """Turns red when versions are searched for the joined text, which no raw bytes hold."""
    workspace.longterm.write_text(
        "# Memory\n\n## Notes\n- the clinic in Wuppertal knows\n  about my <!-- pin --> illness\n- another\n"
    )
    adoption.curate(workspace, "all", now)
    look(workspace, now)
    gone = forget(workspace, find(workspace, "Wuppertal"), "F", now + DAY)
    assert gone.files == ("MEMORY.md",)
    assert holding(workspace, "Wuppertal") == []
    assert holding(workspace, "illness") == []
    assert standing(workspace.longterm) == ["another"]
    assert rebuild.check(workspace) == []


def test_every_wording_it_had_goes_and_none_of_them_returns(workspace: Workspace, now: datetime) -> None:
    """
    Revised and edited wordings leave ledger and versions, and the file without them is a version itself.

    Turns red when one stays, or when what stands afterwards is not remembered.
    """
    post(workspace, now, add(CLINIC))
    new = "the surgery in Wuppertal opens at ten"
    post(workspace, now + DAY, change(workspace, now, "revise", CLINIC, new, f"Jana: {new}"), run="two")
    edited = "the practice in Wuppertal opens at eleven"
    workspace.longterm.write_text(workspace.longterm.read_text().replace(new, edited))
    look(workspace, now + DAY)
    gone = forget(workspace, find(workspace, "at eleven"), "F", now + 2 * DAY)
    assert gone.records == 6, "three records in two copies"
    assert holding(workspace, "Wuppertal") == []
    memory = read_memory(workspace, now)
    assert {statement_hash(one) for one in (CLINIC, new, edited)} <= memory.forgotten
    assert {f"mark {CLINIC[:9]}", f"revise {CLINIC[:9]}"} <= memory.forgotten_lines
    assert why.explain(workspace, "Wuppertal") == []
    last = versions.latest(workspace, "MEMORY.md")
    assert last is not None
    assert (last.by, last.run, versions.content(workspace, last)) == ("written", "F", workspace.longterm.read_bytes())


def test_an_undo_afterwards_keeps_the_rest(workspace: Workspace, now: datetime) -> None:
    """Turns red when an undo finds no earlier version, and takes the file away."""
    workspace.longterm.write_text("# Memory\n\n## Mine\n- a line of mine\n")
    post(workspace, now, add(CLINIC))
    verdicts = (add("keep copies of keys"), change(workspace, now, "retire", CLINIC))
    post(workspace, now + DAY, *verdicts, run="two")
    forget(workspace, find(workspace, CLINIC), "F", now + 2 * DAY)
    undo(workspace, "two", "U", now + 3 * DAY)
    assert standing(workspace.longterm) == ["a line of mine"]
    assert holding(workspace, "Wuppertal") == []


def test_a_short_text_is_not_taken_out_of_what_only_speaks_of_it(workspace: Workspace, now: datetime) -> None:
    """Turns red when forgetting `tea` blanks every line, operation or entry that has the letters in it."""
    post(workspace, now, add("tea"), add("steam tea over coffee"), add("tea is better cold"))
    lines = ["- 08:00 - tea", "- 08:01 - Lesson: Tea.", "- 08:02 - steamed the tea pot", "- 08:03 - [mail] tea"]
    entries = [journal.Entry(f"k:{n}", now.date(), "Morning", one, own=False) for n, one in enumerate(lines)]
    with workspace.lock():
        journal.write(workspace, entries)
    run = record.begin(workspace, "review", now, trigger="hand", now=now, run_id="tea")
    run.operations = [
        OperationResult(op="add", text=text, verdict="applied", entry="tea", section="tea")
        for text in ("tea", "tea is better cold")
    ]
    run.note_lines, run.diff = ["memory/2026-02-07.md: - 08:00 - tea"], ["+ - tea", "+ - tea is better cold"]
    path = record.write(workspace, run)
    forget(workspace, find(workspace, "tea"), "F", now)
    kept = [one.text for one in journal.unread(workspace, "k:")]
    assert kept == ["- 08:02 - steamed the tea pot"]
    assert journal.written(workspace, "k:") == {"k:0", "k:1", "k:2", "k:3"}
    after = record.RunRecord.model_validate_json(path.read_bytes())
    assert (after.id, [(one.text, one.entry, one.section) for one in after.operations]) == (
        "tea",
        [("(forgotten)", "(forgotten)", "tea"), ("tea is better cold", "(forgotten)", "tea")],
    )
    assert (after.note_lines, after.diff) == (["(forgotten)"], ["(forgotten)", "+ - tea is better cold"])
    assert standing(workspace.longterm) == ["steam tea over coffee", "tea is better cold"]
    assert [one.steps[0].text for one in why.explain(workspace, "tea is better cold")] == ["tea is better cold"]
    assert rebuild.check(workspace) == []


@pytest.mark.parametrize(
    "text", ['say "no" to C:\\temp\\Wuppertal', "猫はウッパータールが好き", "Überraschung für Jürgen — 🌱 Wuppertal"]
)
def test_quotes_backslashes_and_other_scripts_are_found_in_every_notation(
    workspace: Workspace, now: datetime, text: str
) -> None:
    """Turns red when a store is searched for one JSON notation of the words alone."""
    post(workspace, now, add(text, f"Lesson: {text}"), add("keep copies of keys"))
    with workspace.lock():
        entry = journal.Entry("k:1", now.date(), "Morning", f"- 08:00 - Lesson: {text}", own=False)
        journal.write(workspace, [entry])
        wanted = Proposal("0" * 16, "add", "MEMORY.md", "Notes", text, "", "ungrounded", (), "r", "m", None)
        pending.propose(workspace, [wanted], now)
    run = record.begin(workspace, "review", now, trigger="hand", now=now, run_id="r")
    run.operations, run.diff = [OperationResult(op="add", text=text, verdict="applied")], [f"+ - {text}"]
    record.write(workspace, run)
    gone = forget(workspace, find(workspace, text), "F", now)
    assert gone.left == ("memory/2026-02-07.md:4",)
    assert holding(workspace, text) == ["2026-02-07.md"]
    assert [one.fate for one in proposals.read(workspace).kept.values()] == ["refused"]


def test_a_line_of_the_inbox_that_says_it_is_not_offered_to_memory_any_more(
    workspace: Workspace, now: datetime
) -> None:
    """Turns red when what is left of the line is read as a new fact by the next flush."""
    post(workspace, now, add(CLINIC))
    key = f"{inbox.KEY_PREFIX}x:1:1"
    with workspace.lock():
        journal.write(workspace, [journal.Entry(key, now.date(), "Morning", f"- 08:00 - {CLINIC}", own=False)])
    assert len(journal.unread(workspace, inbox.KEY_PREFIX)) == 1
    forget(workspace, find(workspace, CLINIC), "F", now)
    assert journal.unread(workspace, inbox.KEY_PREFIX) == []
    assert journal.written(workspace, inbox.KEY_PREFIX) == {key}


def test_where_the_words_still_stand_is_said(workspace: Workspace, now: datetime) -> None:
    """Turns red when a set-aside copy, a claimed inbox or wrapped prose keeps the words without a word about it."""
    post(workspace, now, add(CLINIC))
    (workspace.root / "MEMORY.md.kept-20260207T143000Z").write_text(f"# Old\n- {CLINIC}\n")
    (workspace.root / "USER.md").write_text("- the clinic in Wuppertal\n  opens at nine\n- another\n")
    (workspace.memory_dir / f"{inbox.CLAIMED_PREFIX}1.md").write_text(f"- {CLINIC}, and more\n")
    gone = forget(workspace, find(workspace, CLINIC), "F", now)
    assert gone.left == ("MEMORY.md.kept-20260207T143000Z:2", "USER.md:1", "memory/.inbox-claimed-1.md:1")


def test_another_entry_that_has_an_earlier_wording_now_keeps_it(workspace: Workspace, now: datetime) -> None:
    """Turns red when forgetting one entry breaks the ledger of another that came to the same words."""
    post(workspace, now, add("tea at nine"), add("supper in the garden"))
    post(workspace, now, change(workspace, now, "revise", "tea at nine", "cocoa at ten"), run="two")
    post(workspace, now, change(workspace, now, "revise", "supper in the garden", "tea at nine"), run="three")
    forget(workspace, find(workspace, "cocoa at ten"), "F", now)
    assert standing(workspace.longterm) == ["tea at nine"]
    assert rebuild.check(workspace) == []
    assert {one.text for one in replay(ledger.read(workspace).records).entries.values()} == {"tea at nine"}
    assert read_memory(workspace, now).forgotten == {statement_hash("cocoa at ten")}


def test_what_somebody_deleted_by_hand_can_still_be_forgotten(workspace: Workspace, now: datetime) -> None:
    """Turns red when the ledger keeps for ever what stands nowhere any more."""
    before = workspace.longterm.read_bytes()
    post(workspace, now, add(CLINIC))
    workspace.longterm.write_bytes(before)
    look(workspace, now)
    match = find(workspace, "in wuppertal")
    assert (match.text, match.files) == (CLINIC, ())
    forget(workspace, match, "F", now)
    assert holding(workspace, "Wuppertal") == []
    with pytest.raises(NothingToDoError, match="No entry of memory holds these words"):
        find(workspace, "Wuppertal")
