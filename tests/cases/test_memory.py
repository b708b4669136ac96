"""Memory that can be trusted, from the note to MEMORY.md and back, through the functions that the flows call."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import adoption, settings
from daybook.clock import slot_date
from daybook.curation.known import read_memory
from daybook.errors import UnreadableFileError
from daybook.ledger import append as ledger
from daybook.ledger.record import Intent, encode
from daybook.ledger.replay import State, replay
from daybook.memory import journal, longterm, notes, shown, staging
from daybook.review import extract, flush, posting, reviewing
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.upkeep import compact, rebuild, why
from daybook.upkeep.restore import restore
from daybook.upkeep.undo import undo

if TYPE_CHECKING:
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

DAY = timedelta(days=1)
WORDS = (
    "keep copies of keys|never send on Fridays|label every cable|read the log first|turn the valve slowly|"
    "charge the drill outside|write addresses down|test backups in March|pay by card|water the figs at dawn"
)
LESSONS = WORDS.split("|")


def note(workspace: Workspace, moment: datetime, *lines: str) -> None:
    notes.append(workspace, moment.date(), [notes.note_line(line, moment) for line in lines])


def review(workspace: Workspace, now: datetime, *operations: Operation) -> Posted:
    """Review once: by the rules, or with these operations as a model's answer to its first call."""
    chosen, today, run = settings.Settings(), now.date(), f"run{now:%m%d%H%M}"
    seen = reviewing.look(workspace, chosen, today, now)

    async def decided() -> reviewing.Decision:
        got = await extract.extract(workspace, chosen, seen.calls, seen.memory, today, now)
        if operations:
            (call,) = seen.calls
            got = extract.Extraction([extract.Batch(call, operations, "some:model", "prompt", 7)])
        return await reviewing.decide(workspace, chosen, seen, reviewing.judge(seen, got, today), now)

    return reviewing.carry_out(workspace, seen, asyncio.run(decided()).judged, waiting=False, run=run, now=now)


def line_of(workspace: Workspace, now: datetime, text: str) -> int:
    seen = reviewing.look(workspace, settings.Settings(), now.date(), now)
    return next(one.number for one in seen.window.lines if text in one.text)


def learn(workspace: Workspace, now: datetime, *lessons: str) -> None:
    """Note lessons and review them into MEMORY.md, five a review."""
    note(workspace, now, *(f"Lesson: {one}" for one in lessons))
    for turn in range(0, len(lessons), 5):
        review(workspace, now + timedelta(minutes=1 + turn))
    assert set(lessons) <= set(standing(workspace))


def standing(workspace: Workspace, name: str = "MEMORY.md") -> list[str]:
    return [entry.text for entry in longterm.parse((workspace.root / name).read_bytes()).entries]


def state_of(workspace: Workspace) -> State:
    return replay(ledger.read(workspace).records)


def test_m01_an_append_keeps_what_the_day_holds_already(workspace: Workspace, now: datetime) -> None:
    """A note is only ever appended to. Turns red if a note is written whole, from what we remember of it."""
    note(workspace, now, "first")
    workspace.daily_note(now.date()).write_bytes(workspace.daily_note(now.date()).read_bytes() + b"typed by hand\n")
    note(workspace, now + timedelta(hours=1), "second")
    text = workspace.daily_note(now.date()).read_text()
    assert text == "# 2026-02-07\n\n## Afternoon\n- 14:30 - first\ntyped by hand\n- 15:30 - second\n"


def test_m03_a_line_of_midnight_is_saved_once_whoever_tries_again(workspace: Workspace) -> None:
    """The slot names the note, and a key is written once. Turns red if the clock names it, or the key is not kept."""
    slot = datetime(2026, 2, 8, tzinfo=UTC)
    early, late = slot - timedelta(seconds=0.4), slot + timedelta(seconds=5)
    for moment in (early, late, late):
        entry = journal.Entry("feed:1", slot_date(slot, UTC), "Night", "- 00:00 - [news] once", own=False)
        assert moment.tzinfo is UTC
        with workspace.lock():
            journal.write(workspace, [entry])
    assert not workspace.daily_note(date(2026, 2, 7)).exists()
    assert workspace.daily_note(date(2026, 2, 8)).read_text().count("[news] once") == 1


def test_m04_the_same_review_again_makes_no_second_entry(workspace: Workspace, now: datetime) -> None:
    """An operation is named by what it does and rests on. Turns red if it gets a new name at every run."""
    learn(workspace, now, LESSONS[0])
    for turn in range(1, 4):
        review(workspace, now + turn * DAY)
    assert standing(workspace) == [LESSONS[0]]
    assert len(state_of(workspace).entries) == 1


def test_m05_an_edit_while_the_model_is_asked_and_its_operations_are_both_there(
    workspace: Workspace, now: datetime
) -> None:
    """The merge looks again under the lock. Turns red if it writes what the review had read two minutes ago."""
    learn(workspace, now, *LESSONS[:2])
    note(workspace, now, f"Lesson: {LESSONS[2]}")
    seen = reviewing.look(workspace, settings.Settings(), now.date(), now)
    number = next(one.number for one in seen.window.lines if LESSONS[2] in one.text)
    add = Operation(kind="add", text=LESSONS[2], section="Lessons Learned", sources=(number,))
    got = extract.Extraction([extract.Batch(seen.calls[0], (add,), "some:model", "prompt", 7)])
    judged = reviewing.judge(seen, got, now.date())
    edited = workspace.longterm.read_text().replace(LESSONS[0], f"{LESSONS[0]}, always")
    workspace.longterm.write_text(edited + "\n## Mine\n- typed meanwhile\n")
    later = now + timedelta(seconds=120)
    reviewing.carry_out(workspace, seen, judged, waiting=False, run="slow", now=later)
    assert set(standing(workspace)) == {f"{LESSONS[0]}, always", LESSONS[1], LESSONS[2], "typed meanwhile"}


def test_m06_an_old_copy_saved_by_an_editor_loses_neither_side(workspace: Workspace, now: datetime) -> None:
    """An old copy is known by its entries. Turns red if what it lacks counts as deleted, or wins over new words."""
    learn(workspace, now, *LESSONS[:2])
    old = workspace.longterm.read_text()
    learn(workspace, now + DAY, *LESSONS[2:7])
    workspace.longterm.write_text(old.replace("## Deadlines\n", "## Deadlines\n\n- typed into the old window\n"))
    note(workspace, now + 2 * DAY, f"Lesson: {LESSONS[7]}")
    review(workspace, now + 2 * DAY)
    review(workspace, now + 3 * DAY)
    assert set(standing(workspace)) == {*LESSONS[:8], "typed into the old window"}
    assert read_memory(workspace, now).forgotten == frozenset()


def test_m13_what_was_shown_and_is_noted_back_ten_times_makes_nothing_grow(workspace: Workspace, now: datetime) -> None:
    """An echo confirms nothing and adds nothing. Turns red if each repeat is an entry, or counts as one more date."""
    learn(workspace, now, LESSONS[0])
    for turn in range(1, 11):
        moment = now + turn * DAY
        shown.remember(workspace, moment.date())
        staging.stage(str(workspace.root), f"Lesson: {LESSONS[0]}")
        flush.to_note(workspace, moment, moment)
        flush.to_memory(workspace, f"flush{turn}", moment)
        note(workspace, moment, LESSONS[0])
        review(workspace, moment)
    assert standing(workspace) == [LESSONS[0]]
    (entry,) = state_of(workspace).entries.values()
    assert entry.dates == {f"{now:%Y-%m-%d}"}


def test_m14_the_only_fact_of_the_last_review_stays_deleted(workspace: Workspace, now: datetime) -> None:
    """A deletion is a person's word. Turns red if bytes of an earlier version alone make it a stale save."""
    before = workspace.longterm.read_bytes()
    learn(workspace, now, LESSONS[0])
    workspace.longterm.write_bytes(before)
    number = line_of(workspace, now, LESSONS[0])
    paraphrase = Operation(kind="add", text=f"always {LESSONS[0]}", section="Lessons Learned", sources=(number,))
    verbatim = Operation(kind="add", text=LESSONS[0], section="Lessons Learned", sources=(number,))
    posted = review(workspace, now + DAY, verbatim, paraphrase)
    assert [(one.verdict, one.code) for one in posted.results] == [("refused", "forgotten")] * 2
    assert workspace.longterm.read_bytes() == before


def test_m14_a_line_that_held_more_than_was_deleted_says_none_of_it_again(workspace: Workspace, now: datetime) -> None:
    """What was deleted blocks the lines it rested on. Turns red if only its own words are looked for."""
    whole, part = "keep copies of keys, also of the cellar", "keep copies of keys"
    before = workspace.longterm.read_bytes()
    note(workspace, now, whole)
    (line,) = reviewing.look(workspace, settings.Settings(), now.date(), now).window.lines
    agreed = Operation(kind="add", text=part, section="Lessons Learned", sources=(line.number,))
    posting.post(workspace, [Verdict("apply", agreed, (line,))], Author("run", "review", "some:model"), now)
    assert standing(workspace) == [part]
    workspace.longterm.write_bytes(before)
    number = line_of(workspace, now + DAY, whole)
    again = [
        Operation(kind="add", text=text, section="Lessons Learned", sources=(number,))
        for text in (whole, "spare keys belong into the drawer")
    ]
    posted = review(workspace, now + DAY, *again)
    assert [(one.verdict, one.code) for one in posted.results] == [("refused", "forgotten")] * 2
    assert workspace.longterm.read_bytes() == before


def test_m19_six_hundred_fresh_entries_do_not_push_out_a_confirmed_one(workspace: Workspace, now: datetime) -> None:
    """Confirming dates outweigh age. Turns red if the oldest entry leaves first, or a fresh one always gets in."""
    learn(workspace, now, LESSONS[0])
    for turn in (1, 2):
        note(workspace, now + turn * DAY, f"Lesson: {LESSONS[0]}")
        review(workspace, now + turn * DAY)
    assert len(next(iter(state_of(workspace).entries.values())).dates) == 3
    for batch in range(20):
        moment = now + (10 + batch) * DAY
        lines = [f"Lesson: valve {batch}-{n} of house {n * 7 + batch} is {'abcdefghij'[n % 10]}{n}" for n in range(30)]
        (workspace.inbox).write_text("".join(f"- {line}\n" for line in lines))
        flush.to_note(workspace, moment, moment)
        for _ in range(6):
            flush.to_memory(workspace, f"flush{batch}", moment)
    assert LESSONS[0] in standing(workspace)
    assert longterm.count_lines(longterm.parse(workspace.longterm.read_bytes())) <= longterm.MAX_LINES
    assert rebuild.check(workspace) == []


def test_m19_in_a_full_file_a_fresh_entry_leaves_before_an_old_confirmed_one(
    workspace: Workspace, now: datetime
) -> None:
    """What two dates say outlasts what one says, however fresh. Turns red if a date only adds days to a score."""
    learn(workspace, now, LESSONS[0])
    for turn in (1, 2):
        note(workspace, now + turn * DAY, f"Lesson: {LESSONS[0]}")
        review(workspace, now + turn * DAY)
    room = longterm.MAX_LINES - longterm.count_lines(longterm.parse(workspace.longterm.read_bytes()))
    theirs = "".join(f"- mine {number}\n" for number in range(room - 2))
    workspace.longterm.write_text(f"{workspace.longterm.read_text()}\n## Me\n{theirs}")
    for turn in (1, 2, 3):
        moment = now + (300 + turn) * DAY
        note(workspace, moment, f"Lesson: {LESSONS[turn]}")
        review(workspace, moment)
    assert {LESSONS[0], LESSONS[3]} <= set(standing(workspace))
    assert standing(workspace, "memory/topics/lessons-learned.md") == [LESSONS[1], LESSONS[2]]


def test_m20_what_left_for_a_topic_is_found_there_and_in_the_ledger_and_undo_brings_it_back(
    workspace: Workspace, now: datetime
) -> None:
    """Demoted is not lost. Turns red if an entry leaves MEMORY.md without a copy, a record or a way back."""
    learn(workspace, now, LESSONS[0])
    full = workspace.longterm.read_text() + "".join(f"- mine {number}\n" for number in range(73))
    workspace.longterm.write_text(full)
    assert longterm.count_lines(longterm.parse(full.encode())) == 80
    note(workspace, now + 90 * DAY, f"Lesson: {LESSONS[1]}")
    review(workspace, now + 90 * DAY)
    assert LESSONS[0] not in standing(workspace)
    assert LESSONS[1] in standing(workspace)
    assert standing(workspace, "memory/topics/lessons-learned.md") == [LESSONS[0]]
    (story,) = why.explain(workspace, LESSONS[0])
    assert (story.file, [one.what for one in story.steps]) == ("memory/topics/lessons-learned.md", ["add", "demote"])
    undo(workspace, None, "hand", now + 91 * DAY)
    assert workspace.longterm.read_text() == full


CRLF = (
    b"# Memory\r\n\r\n## Lessons Learned\r\n\r\n-   The cellar key is blue\r\n\r\n\r\n*  second\r\n\r\n## Last\r\n\r\n"
)
NO_END = b"\xef\xbb\xbf# Memory\n## Lessons Learned\n-\tThe cellar key is blue  \n\n\n\n## Last\ntext\n- no end \xff"
WRAPPED = b"# Memory\n\n\n\n## Lessons Learned\n\n- The cellar key\n   is blue\n\n\n-  third <!-- pin -->\n\n\n\n\n"


@pytest.mark.parametrize("full", [CRLF, NO_END, WRAPPED])
def test_m20_undo_brings_back_every_byte_of_odd_spacing_and_takes_a_made_heading_along(
    workspace: Workspace, now: datetime, full: bytes
) -> None:
    """Bytes are what they were. Turns red if undo takes each operation back for itself where nobody wrote since."""
    workspace.longterm.write_bytes(full)
    adoption.curate(workspace, "all", now)
    review(workspace, now)
    later, new = now + DAY, "The cellar key is blue and hangs in the hall"
    note(workspace, later, f"Decision: {LESSONS[1]}", new, LESSONS[2])
    numbers = [line_of(workspace, later, one) for one in (LESSONS[1], new, LESSONS[2])]
    entry = next(one for one in read_memory(workspace, later).entries if "cellar" in one.text)
    posted = review(
        workspace,
        later,
        Operation(kind="add", text=LESSONS[1], section="Decisions", sources=(numbers[0],)),
        Operation(kind="revise", text=new, entry=entry.id, sources=(numbers[1],)),
        Operation(kind="add", text=LESSONS[2], section="Last", sources=(numbers[2],)),
    )
    assert [one.verdict for one in posted.results] == ["applied"] * 3
    assert b"## Decisions" in workspace.longterm.read_bytes()
    undo(workspace, None, "hand", later + DAY)
    assert workspace.longterm.read_bytes() == full


def test_m21_the_replay_of_the_ledger_is_what_stands_in_the_files(workspace: Workspace, now: datetime) -> None:
    """
    Every owned entry is in the ledger and the other way round.

    Turns red if a move, an edit or a confirm is not, or if what is missing from a topic is not found out.
    """
    learn(workspace, now, *LESSONS[:6])
    staging.stage(str(workspace.root), "the blue bin goes out on odd weeks")
    flush.to_note(workspace, now + DAY, now + DAY)
    flush.to_memory(workspace, "flush", now + DAY)
    workspace.longterm.write_text(workspace.longterm.read_text().replace(LESSONS[0], f"{LESSONS[0]} twice"))
    review(workspace, now + 2 * DAY)
    assert rebuild.check(workspace) == []
    owned = {(one.file, one.text) for one in state_of(workspace).entries.values()}
    stands = {(one.file, one.text) for one in read_memory(workspace, now).entries if one.owned}
    assert owned == stands
    assert len(owned) == 7
    (topic,) = [file for file, _ in owned if file != "MEMORY.md"]
    whole = (workspace.root / topic).read_bytes()
    (workspace.root / topic).unlink()
    assert [(one.file, one.text) for one in rebuild.check(workspace)] == [(topic, "the blue bin goes out on odd weeks")]
    rebuild.rebuild(workspace, "hand", now + 2 * DAY)
    assert (workspace.root / topic).read_bytes() == whole


def test_m22_a_file_of_1180_lines_loses_nothing_at_first_contact(workspace: Workspace, now: datetime) -> None:
    """Only `compact` makes a full file smaller. Turns red if the first review demotes, in either mode."""
    full = "# Memory\n\n## Lessons\n" + "".join(f"- old fact {number} of {number * 3}\n" for number in range(1176))
    for mode in ("ours", "all"):
        workspace.longterm.write_text(full)
        adoption.curate(workspace, mode, now)
        note(workspace, now, f"Lesson: {LESSONS[0] if mode == 'ours' else LESSONS[1]}")
        review(workspace, now)
        assert workspace.longterm.read_text() == full
    assert standing(workspace, "memory/topics/lessons.md") == LESSONS[:2]


def test_m25_daily_notes_are_byte_for_byte_the_same_after_any_review(workspace: Workspace, now: datetime) -> None:
    """A review only reads notes. Turns red if it marks, tidies or completes them."""
    odd = b"\xef\xbb\xbf## Lessons\r\n- keep \xff copies\r\n\r\n- [ ] Lesson: label every cable\n\n\n- no end"
    workspace.daily_note(now.date()).write_bytes(odd)
    (workspace.memory_dir / "daily").mkdir()
    (workspace.memory_dir / "daily" / "2026-02-06.md").write_bytes(b"Lesson: read the log first")
    for turn in range(3):
        review(workspace, now + turn * DAY)
    assert workspace.daily_note(now.date()).read_bytes() == odd
    assert (workspace.memory_dir / "daily" / "2026-02-06.md").read_bytes() == b"Lesson: read the log first"
    assert "read the log first" in standing(workspace)


def test_m26_after_a_rewrite_nothing_is_written_until_the_operator_restores(
    workspace: Workspace, now: datetime
) -> None:
    """A wipe is no deletion. Turns red if the vanished entries count as forgotten, or a review writes over it."""
    learn(workspace, now, *LESSONS)
    whole = workspace.longterm.read_bytes()
    workspace.longterm.write_text("# Memory\n\nAll of it in one sentence.\n")
    note(workspace, now + DAY, "Lesson: a new one about figs")
    with pytest.raises(UnreadableFileError, match="`daybook restore`"):
        review(workspace, now + DAY)
    assert workspace.longterm.read_text() == "# Memory\n\nAll of it in one sentence.\n"
    restore(workspace, "hand", now + DAY, keep=False)
    assert workspace.longterm.read_bytes() == whole
    review(workspace, now + 2 * DAY)
    assert "a new one about figs" in standing(workspace), "its line had stayed unread"


def test_m28_what_is_over_a_reviews_quota_is_added_by_the_next_ones(workspace: Workspace, now: datetime) -> None:
    """A line counts as read once its operation is settled. Turns red if what waits is marked as read with the rest."""
    note(workspace, now, *(f"Lesson: {one}" for one in LESSONS))
    first = review(workspace, now + timedelta(minutes=1))
    assert (first.count("applied", "add"), first.count("later")) == (5, 5)
    for turn in range(1, 7):
        # Of notes before the last five a review reads only what no review has read.
        note(workspace, now + turn * DAY, "nothing much")
    second = review(workspace, now + 6 * DAY)
    assert (second.count("applied", "add"), second.count("later")) == (5, 0)
    assert sorted(standing(workspace)) == sorted(LESSONS)
    assert review(workspace, now + 7 * DAY).results == ()


def test_m29_what_was_undone_is_not_brought_back_by_the_next_window(workspace: Workspace, now: datetime) -> None:
    """
    An undo is remembered.

    Turns red if the same lines, read again, add the entry in other words, or another day's line that says it does.
    """
    before = workspace.longterm.read_bytes()
    learn(workspace, now, *LESSONS[:3])
    undo(workspace, None, "hand", now + timedelta(hours=1))
    assert workspace.longterm.read_bytes() == before
    number = line_of(workspace, now + timedelta(hours=2), LESSONS[0])
    again = [
        Operation(kind="add", text=text, section="Lessons Learned", sources=(number,))
        for text in (LESSONS[0], "spare keys belong into the drawer")
    ]
    posted = review(workspace, now + timedelta(hours=2), *again)
    assert [(one.verdict, one.code) for one in posted.results] == [("refused", "forgotten")] * 2
    for turn in range(1, 4):
        note(workspace, now + turn * DAY, f"Lesson: {LESSONS[turn - 1]}")
        assert {one.code for one in review(workspace, now + turn * DAY).results} <= {"forgotten"}
    assert workspace.longterm.read_bytes() == before


def test_m30_an_old_state_of_the_whole_folder_forgets_nothing(workspace: Workspace, now: datetime) -> None:
    """Private state cannot be rolled back. Turns red if the folder's old ledger and file are believed."""
    learn(workspace, now, *LESSONS[:2])
    old = {path: path.read_bytes() for path in (workspace.longterm, workspace.ledger)}
    learn(workspace, now + DAY, *LESSONS[2:4])
    for path, data in old.items():
        path.write_bytes(data)
    note(workspace, now + 2 * DAY, f"Lesson: {LESSONS[4]}")
    review(workspace, now + 2 * DAY)
    assert set(standing(workspace)) == set(LESSONS[:5])
    assert why.explain(workspace, LESSONS[3])[0].file == "MEMORY.md"


def test_m32_a_torn_ledger_line_is_told_and_swallows_nothing(workspace: Workspace, now: datetime) -> None:
    """Each line has a checksum and begins on its own. Turns red if a torn one hides the next, or is taken for true."""
    learn(workspace, now, LESSONS[0])
    torn = encode(Intent(id="x", at="t", run="r", op="add", file="MEMORY.md", text="half"))[:60]
    for path in (workspace.private_ledger, workspace.ledger):
        with path.open("ab") as stream:
            stream.write(torn)
    learn(workspace, now + DAY, LESSONS[1])
    found = ledger.read(workspace)
    assert len(found.torn) == 1
    assert {one.text for one in state_of(workspace).entries.values()} == set(LESSONS[:2])
    assert rebuild.check(workspace) == []


def test_m32_a_changed_ledger_line_is_told_and_is_not_believed(workspace: Workspace, now: datetime) -> None:
    """A line is whole or nothing. Turns red if its checksum is not compared: a flipped word would be memory's."""
    learn(workspace, now, *LESSONS[:2])
    for path in (workspace.private_ledger, workspace.ledger):
        path.write_bytes(path.read_bytes().replace(f'"text":"{LESSONS[0]}"'.encode(), b'"text":"lose copies of keys"'))
    found = ledger.read(workspace)
    assert (len(found.torn), "is torn and was passed over" in found.torn[0]) == (1, True)
    assert {one.text for one in state_of(workspace).entries.values()} == {LESSONS[1]}


def test_m35_what_is_pinned_or_marked_as_ones_own_never_leaves(workspace: Workspace, now: datetime) -> None:
    """
    Entries of ours that a person has protected since stay, the least valuable or not.

    Turns red if room is made, or a file compacted, with a pinned entry or one under a heading that is marked `mine`.
    """
    note(workspace, now, f"Lesson: {LESSONS[0]}", f"Decision: {LESSONS[1]}")
    review(workspace, now)
    note(workspace, now + DAY, f"Lesson: {LESSONS[2]}")
    review(workspace, now + DAY)
    text = workspace.longterm.read_text().replace(f"- {LESSONS[0]}\n", f"- {LESSONS[0]} <!-- pin -->\n")
    text = text.replace("## Decisions\n", "## Decisions\n<!-- mine -->\n")
    workspace.longterm.write_text(text)
    room = longterm.MAX_LINES - longterm.count_lines(longterm.parse(text.encode()))
    workspace.longterm.write_text(text + "\n## Me\n" + "".join(f"- mine {number}\n" for number in range(room - 1)))
    assert longterm.count_lines(longterm.parse(workspace.longterm.read_bytes())) == longterm.MAX_LINES
    for turn in (3, 4, 5):
        note(workspace, now + turn * 30 * DAY, f"Lesson: {LESSONS[turn]}")
        review(workspace, now + turn * 30 * DAY)
    assert standing(workspace, "memory/topics/lessons-learned.md") == [LESSONS[2], LESSONS[3], LESSONS[4]]
    workspace.longterm.write_text(workspace.longterm.read_text() + "".join(f"- more {n}\n" for n in range(9)))
    plan = compact.compact(workspace, "hand", now + 200 * DAY, dry_run=False)
    assert [moved for moved, _ in plan.moves] == [LESSONS[5]]
    assert {LESSONS[0], LESSONS[1]} <= set(standing(workspace))


def test_m35_what_is_protected_is_not_even_asked_about(workspace: Workspace, now: datetime) -> None:
    """Protected is the person's to retire. Turns red if a past date, or a newer line, retires it or asks to."""
    note(workspace, now, "Deadline: the report is due by 2026-02-10", f"Lesson: {LESSONS[0]}")
    review(workspace, now)
    (deadline,) = [one for one in standing(workspace) if "report" in one]
    text = workspace.longterm.read_text()
    for old in (deadline, LESSONS[0]):
        text = text.replace(f"- {old}\n", f"- {old} <!-- pin -->\n")
    workspace.longterm.write_text(text)
    later = now + 5 * DAY
    note(workspace, later, f"no longer {LESSONS[0]}")
    assert reviewing.look(workspace, settings.Settings(), later.date(), later).over == ()
    entry = next(one for one in read_memory(workspace, later).entries if one.text == LESSONS[0])
    number = line_of(workspace, later, "no longer")
    (result,) = review(workspace, later, Operation(kind="retire", entry=entry.id, sources=(number,))).results
    assert (result.verdict, result.code) == ("proposed", "foreign")
    assert workspace.longterm.read_text() == text


def test_m35_an_agents_own_folder_is_curated_but_for_what_is_marked(workspace: Workspace, now: datetime) -> None:
    """`--curate all` gives all but protected entries. Turns red if one is foreign, or a marked section is touched."""
    text = (
        "# Memory\n\n## Facts\n\n* The router stands in the hall\n* The cellar key is blue\n\n"
        "## About me\n<!-- mine -->\n\n* The router stands in the hall since May\n"
    )
    workspace.longterm.write_text(text)
    adoption.curate(workspace, "all", now)
    note(workspace, now + DAY, "The cellar key is blue and hangs in the hall")
    number = line_of(workspace, now + DAY, "cellar key")
    entry = next(one for one in read_memory(workspace, now).entries if "cellar" in one.text)
    new = "The cellar key is blue and hangs in the hall"
    posted = review(workspace, now + DAY, Operation(kind="revise", text=new, entry=entry.id, sources=(number,)))
    assert [(one.verdict, one.op) for one in posted.results] == [("applied", "revise")]
    assert workspace.longterm.read_text() == text.replace("The cellar key is blue", new)
    undo(workspace, None, "hand", now + DAY)
    assert workspace.longterm.read_text() == text
