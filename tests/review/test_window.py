"""What a review reads, and that nothing unread is passed over."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from daybook.guard import register
from daybook.memory import journal
from daybook.memory.journal import Entry
from daybook.review import marks, window

if TYPE_CHECKING:
    from daybook.workspace import Workspace

TODAY = date(2026, 2, 7)
NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)


def write(workspace: Workspace, days_ago: int, *texts: str) -> None:
    day = TODAY - timedelta(days=days_ago)
    workspace.daily_note(day).write_text("## Morning\n" + "".join(f"- 08:00 - {text}\n" for text in texts))


def fact(days_ago: int) -> str:
    """A line that is unlike those of other days but for more than its digits."""
    return "fact " + "x" * (days_ago + 3)


def texts(found: window.Window) -> list[str]:
    return [line.text for line in found.lines]


def test_the_last_five_dates_that_have_a_note_are_read_whatever_lies_between(workspace: Workspace) -> None:
    for days in (0, 3, 4, 10, 20, 25):
        write(workspace, days, fact(days))
    read = [line.marks[0] for line in window.build(workspace, TODAY, "extractive").lines]
    marks.add(workspace, read, "extractive", run="r", now=NOW)
    assert texts(window.build(workspace, TODAY, "extractive")) == [fact(d) for d in (20, 10, 4, 3, 0)]


def test_m27_a_line_added_to_an_old_day_after_its_review_is_read_by_the_next_once(workspace: Workspace) -> None:
    """Turns red when a day counts as read instead of its lines."""
    for days in range(7):
        write(workspace, days, fact(days))
    read = [line.marks[0] for line in window.build(workspace, TODAY, "extractive").lines]
    marks.add(workspace, read, "extractive", run="r", now=NOW)
    write(workspace, 6, fact(6), "came late by sync", fact(6))
    late = window.build(workspace, TODAY, "extractive")
    assert [text for text in texts(late) if text in {fact(6), "came late by sync"}] == ["came late by sync", fact(6)]
    marks.add(workspace, [line.marks[0] for line in late.lines], "extractive", run="r", now=NOW)
    assert "came late by sync" not in texts(window.build(workspace, TODAY, "extractive"))


def test_what_the_rules_have_read_a_model_is_still_offered(workspace: Workspace) -> None:
    for days in range(7):
        write(workspace, days, fact(days))
    lines = [line.marks[0] for line in window.build(workspace, TODAY, "extractive").lines]
    marks.add(workspace, lines, "extractive", run="r", now=NOW)
    assert len(window.build(workspace, TODAY, "extractive").lines) == 5
    assert len(window.build(workspace, TODAY, "model").lines) == 7


def test_unread_lines_of_more_than_30_days_are_counted_and_read_only_since(workspace: Workspace) -> None:
    for days in (0, 1, 2, 3, 4, 29, 31, 60):
        write(workspace, days, fact(days))
    found = window.build(workspace, TODAY, "model")
    assert (found.stale, len(found.lines)) == (2, 6)
    since = window.build(workspace, TODAY, "model", since=TODAY - timedelta(days=31))
    assert texts(since)[:2] == [fact(31), fact(29)]


def test_a_note_dated_far_ahead_is_left_out_and_one_day_ahead_is_not(workspace: Workspace) -> None:
    for days in (0, -1, -2):
        write(workspace, days, fact(days))
    assert texts(window.build(workspace, TODAY, "model")) == [fact(0), fact(-1)]


def test_trusted_and_outside_lines_are_told_apart_also_without_the_tag(workspace: Workspace, now: datetime) -> None:
    register.write(workspace, ["[mail] pay at once"], now)
    write(workspace, 0, "ours", "[mail] theirs", "Pay at once")
    found = window.build(workspace, TODAY, "model")
    assert [line.text for line in found.of("trusted")] == ["ours"]
    assert [line.text for line in found.of("outside")] == ["[mail] theirs", "Pay at once"]


def test_daybooks_own_reports_are_no_evidence(workspace: Workspace) -> None:
    journal.write(workspace, [Entry("day:x", TODAY, "Morning", "- 08:00 - Day: 3 beats, 0 tokens.", own=True)])
    with workspace.daily_note(TODAY).open("a") as stream:
        stream.write("- 08:00 - a fact\n")
    found = window.build(workspace, TODAY, "model")
    assert (texts(found), len(found.passed)) == (["a fact"], 1)


def test_w04_noise_becomes_one_line_with_a_count_but_marked_lines_and_repeats_stay(workspace: Workspace) -> None:
    """Turns red when twenty lines alike fill the window, or a lesson is taken for noise."""
    write(workspace, 1, *(f"Backup took {n} minutes" for n in range(20)), "printer needs a number")
    write(workspace, 0, *(f"Lesson: rule {n} holds" for n in range(3)), "printer needs a number")
    write(workspace, 2, "printer needs a number")
    found = window.build(workspace, TODAY, "model")
    assert texts(found) == [
        "printer needs a number",
        "Backup took 0 minutes (and 19 more alike)",
        "printer needs a number",
        "Lesson: rule 0 holds",
        "Lesson: rule 1 holds",
        "Lesson: rule 2 holds",
        "printer needs a number",
    ]
    assert len(found.lines[1].marks) == 20


def test_m33_a_note_that_is_a_fifo_is_a_problem_and_the_others_are_read(workspace: Workspace) -> None:
    """Turns red when one bad file stops the review or is read as empty."""
    write(workspace, 0, "a fact")
    target = workspace.memory_dir / "2026-02-06.md"
    target.write_bytes(b"x")
    target.chmod(0)
    found = window.build(workspace, TODAY, "model")
    # root reads what nobody may; elsewhere the note is a problem with its name.
    assert texts(found)[-1] == "a fact"
    assert bool(found.problems) != ("x" in texts(found))


def test_a_window_is_cut_into_calls_and_nothing_is_dropped(workspace: Workspace) -> None:
    write(workspace, 0, *(f"fact {n} " + "word " * 100 for n in range(50)))
    lines = window.build(workspace, TODAY, "model", collapse=False).lines
    calls = window.calls(lines, 1000)
    assert [line for call in calls for line in call] == list(lines)
    assert max(len(call) for call in calls) == 7


def test_the_digest_changes_with_a_line_and_with_the_reader(workspace: Workspace) -> None:
    write(workspace, 0, "a fact")
    lines = window.build(workspace, TODAY, "model").lines
    same = window.build(workspace, TODAY, "model").lines
    assert window.digest(lines, "m") == window.digest(same, "m")
    assert window.digest(lines, "m") != window.digest(lines, "n")
    write(workspace, 0, "a fact", "another")
    assert window.digest(window.build(workspace, TODAY, "model").lines, "m") != window.digest(lines, "m")
