"""Notes as people's folders have them: what of each becomes evidence, and that a flush and a review change no byte."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from daybook import settings
from daybook.errors import UnreadableFileError, UnsafeFileError
from daybook.guard import register
from daybook.memory import inbox, journal, notes, synced
from daybook.memory.reading import read_lines
from daybook.review import extract, flush, marks, reviewing, window
from daybook.schedule import published
from daybook.schedule.published import CheckState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from daybook.review.window import Evidence
    from daybook.workspace import Workspace

DAY = date(2026, 2, 7)
NOTE = f"{DAY}.md"


def put(workspace: Workspace, name: str, data: bytes | str) -> Path:
    path = workspace.memory_dir / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def review(workspace: Workspace, now: datetime, *, since: date | None = None) -> reviewing.Look:
    """Review by the rules, from the look to the marks; gives what was seen."""

    async def run() -> reviewing.Look:
        chosen, today = settings.Settings(), now.date()
        seen = reviewing.look(workspace, chosen, today, now, since=since)
        got = await extract.extract(workspace, chosen, seen.calls, seen.memory, today, now)
        decision = await reviewing.decide(workspace, chosen, seen, reviewing.judge(seen, got, today), now)
        reviewing.carry_out(workspace, seen, decision.judged, waiting=False, run=f"review {now}", now=now)
        return seen

    return asyncio.run(run())


def flush_and_review(workspace: Workspace, now: datetime) -> tuple[Evidence, ...]:
    """Flush the inbox and review; nothing but today's note, which may grow, is another file afterwards."""
    theirs = [path for path in workspace.root.rglob("*") if is_theirs(workspace, path)]
    before = {path: path.read_bytes() for path in theirs}
    flush.to_note(workspace, now, now)
    flush.to_memory(workspace, "flush", now)
    seen = review(workspace, now)
    for path, data in before.items():
        after = path.read_bytes()
        assert after.startswith(data) if path == workspace.daily_note(now.date()) else after == data, path
    return seen.window.lines


def is_theirs(workspace: Workspace, path: Path) -> bool:
    ours = path == workspace.longterm or workspace.own in path.parents or ".inbox-claimed" in path.name
    return path.is_file() and not path.is_symlink() and not ours and not path.name.startswith("_inbox")


def said(lines: Sequence[Evidence]) -> list[tuple[int, str, str, str]]:
    """Line number, time, heading and text of evidence that is trusted."""
    assert {line.origin for line in lines} <= {"trusted"}
    return [(line.line, line.time, line.heading, line.text) for line in lines]


def entries(workspace: Workspace) -> list[str]:
    return [line[2:] for line in workspace.longterm.read_text("utf-8").splitlines() if line.startswith("- ")]


def test_w01_a_session_dump_is_no_evidence_and_stays(workspace: Workspace, now: datetime) -> None:
    """
    A session that was dumped into memory is not what the agent noted.

    Turns red if a dialogue is read as note lines, or a dump is told by its turns alone.
    """
    put(
        workspace,
        f"{DAY}-0800.md",
        "# Session: 2026-03-01 08:00:00 UTC\n\n- **Session Key**: main\n- **Session ID**: 7f\n\n"
        "## Conversation Summary\n\nuser: hi\nassistant: Lesson: dumped lessons are none.\n",
    )
    put(
        workspace,
        f"{DAY}-0900.md",
        "\ufeff# Session: 2026-03-01 09:00:00 UTC\r\n\r\n- Lesson: its bullets are none.\r\n",
    )
    put(workspace, NOTE, "## Morning\n- 08:00 - Lesson: kept lessons are short.\n")
    assert said(flush_and_review(workspace, now)) == [(2, "08:00", "Morning", "Lesson: kept lessons are short.")]
    assert entries(workspace) == ["kept lessons are short."]


def test_w02_an_envelope_of_a_message_is_no_evidence(workspace: Workspace, now: datetime) -> None:
    """
    What a channel wraps around a message was written by nobody.

    Turns red if the fenced JSON or the line above it becomes evidence, or the line below it does not.
    """
    put(
        workspace,
        NOTE,
        "## Afternoon\nConversation info (untrusted metadata):\n```json\n"
        '{"text": "Lesson: envelopes are opened."}\n```\nSender (untrusted metadata):\n```json\n{"id": 7}\n```\n'
        "- 14:00 - Decision: envelopes are kept for a year.\n",
    )
    expected = [(10, "14:00", "Afternoon", "Decision: envelopes are kept for a year.")]
    assert said(flush_and_review(workspace, now)) == expected
    assert entries(workspace) == ["envelopes are kept for a year."]


def test_w03_a_captured_prompt_and_its_answer_are_no_evidence(workspace: Workspace, now: datetime) -> None:
    """
    A prompt that was caught with its answer says nothing that was learned.

    Turns red if turns are told only by a heading, or in one spelling.
    """
    put(workspace, f"{DAY}-a.md", "user: Read HEARTBEAT.md and follow it: Lesson: no.\nassistant: HEARTBEAT_OK\n")
    put(workspace, f"{DAY}-b.md", "**User:** Lesson: neither is this one.\n\n**Assistant:** HEARTBEAT_OK\n")
    put(workspace, NOTE, "User: the operator asked for tea.\n- 08:00 - one\n")
    # A single line that begins like a turn may be prose.
    assert [text for *_, text in said(flush_and_review(workspace, now))] == ["User: the operator asked for tea.", "one"]


def test_w04_twenty_lines_alike_but_for_the_time_are_one(workspace: Workspace, now: datetime) -> None:
    """
    A beat that is noted twenty times is one line with a count.

    Turns red if noise fills the window, or its lines do not all count as read.
    """
    beats = "".join(f"- {n // 2:02}:{n % 2 * 30:02} - Heartbeat ran in {n + 3} ms, all fine.\n" for n in range(20))
    put(workspace, NOTE, f"## Morning\n{beats}- 12:00 - Lesson: noise is quiet.\n")
    lines = flush_and_review(workspace, now)
    assert [line.text for line in lines] == [
        "Heartbeat ran in 3 ms, all fine. (and 19 more alike)",
        "Lesson: noise is quiet.",
    ]
    assert set(lines[0].marks) < set(marks.read(workspace))
    assert entries(workspace) == ["noise is quiet."]


def test_w05_lines_under_repeated_headings_are_read_each_with_its_own(workspace: Workspace, now: datetime) -> None:
    """
    Two equal headings are two places.

    Turns red if headings are a dictionary.
    """
    put(workspace, NOTE, "# Day\n\n# Day\n\n## Notes\n- 10:00 - first\n\n## Notes\n- 11:00 - second\n\n## Notes\n")
    assert said(flush_and_review(workspace, now)) == [(6, "10:00", "Notes", "first"), (9, "11:00", "Notes", "second")]


@pytest.mark.parametrize(
    ("heading", "time"),
    [
        ("Garden plan (~14:30 UTC)", "14:30"),
        ("Garden plan", ""),
        ("Release 1.2:30", ""),
        ("Psalm 3:16", ""),
        ("2026-02-07 08:05", "08:05"),
        ("25:30 of something", ""),
    ],
)
def test_w06_a_heading_that_tells_a_time_tells_it_to_its_lines(
    workspace: Workspace, now: datetime, heading: str, time: str
) -> None:
    """
    A line without a time of its own has that of its heading, if it tells one.

    Turns red if the time is lost, or a number is taken for one.
    """
    put(workspace, NOTE, f"## {heading}\n- roses go south\n- 16:00 - and lilies\n")
    assert said(flush_and_review(workspace, now)) == [
        (2, time, heading, "roses go south"),
        (3, "16:00", heading, "and lilies"),
    ]


@pytest.mark.parametrize(
    ("line", "time", "text"),
    [
        ("### 9:15 PM – 10:40 PM CST\n- watered all", "21:15", "watered all"),
        ("### 12:05 a.m.\n- watered all", "00:05", "watered all"),
        ("- 9:15 PM – 10:40 PM CST: watered all", "21:15", "watered all"),
        ("- **09:15** - watered all", "09:15", "watered all"),
        ("- **12:15 pm:** watered all", "12:15", "watered all"),
        ("- [9:15] watered all", "09:15", "watered all"),
        ("- **9:15 - watered** all", "", "**9:15 - watered** all"),
        ("- (~9:15) watered all", "09:15", "watered all"),
        ("- 99:15 watered all", "", "99:15 watered all"),
        ("- 9:15 Amsterdam calls", "09:15", "Amsterdam calls"),
    ],
)
def test_w07_times_of_twelve_hours_are_read(
    workspace: Workspace, now: datetime, line: str, time: str, text: str
) -> None:
    """
    `9:15 PM` is 21:15.

    Turns red if it is read as a quarter past nine in the morning, or stays in the text.
    """
    put(workspace, NOTE, f"{line}\n")
    assert [(one.time, one.text) for one in flush_and_review(workspace, now)] == [(time, text)]


def test_w08_headings_and_labels_in_chinese_are_read(workspace: Workspace, now: datetime) -> None:
    """
    A heading, a time and a label may stand in any script.

    Turns red if a part of the day in Chinese is lost, or the label is not known.
    """
    put(workspace, NOTE, "## 下午 3:20 整理\n- 决定：每周五备份照片。\n## 早上 7:05\n- 浇花\n")
    assert said(flush_and_review(workspace, now)) == [
        (2, "15:20", "下午 3:20 整理", "决定：每周五备份照片。"),
        (4, "07:05", "早上 7:05", "浇花"),
    ]
    assert entries(workspace) == ["每周五备份照片。"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```\n# in\n- Lesson: in\n```\n- out\n", ["out"]),
        ("~~~ sh\n- Lesson: in\n```\n~~~\n- out\n", ["out"]),
        ("````\n```\n- Lesson: in\n````\n- out\n", ["out"]),
        ("```\n```json\n- Lesson: in\n```\n- out\n", ["out"]),
        ("- one\n```\n- Lesson: never closed\n", ["one"]),
        ("- one\n  ```\n  - Lesson: in\n  ```\n- out\n", ["one", "out"]),
        ("- one\n  ```\n  - Lesson: in\n- out, since the item ended\n", ["one", "out, since the item ended"]),
        ("```inline code``` begins a line\n- out\n", ["```inline code``` begins a line", "out"]),
    ],
)
def test_w09_what_stands_in_a_fence_is_no_evidence(
    workspace: Workspace, now: datetime, text: str, found: list[str]
) -> None:
    """
    Code is no note, in fences of every kind, and what is no fence hides nothing.

    Turns red if a fence is closed by the wrong signs, or code in a line swallows the rest of the note.
    """
    path = put(workspace, NOTE, text)
    assert [line.text for line in flush_and_review(workspace, now)] == found
    # A fence that is never closed is not taken for the place of a heading.
    notes.append(workspace, DAY, [notes.note_line("ours", now)])
    assert path.read_text().startswith(text)


def test_w10_bullets_keep_their_wrapped_text_and_nested_ones_are_lines(workspace: Workspace, now: datetime) -> None:
    """
    Wrapped text belongs to its bullet, and a nested bullet is a line of its own.

    Turns red if a sentence is cut where it wraps, or joined to what stands above a heading.
    """
    put(
        workspace,
        NOTE,
        "- **Kitchen** lead-in:\n  - nested bullet\n  - Lesson: the oven runs ten degrees\n"
        "    hotter than its dial says.\n\n## Later\n  indented prose\n",
    )
    assert said(flush_and_review(workspace, now)) == [
        (1, "", "", "**Kitchen** lead-in:"),
        (2, "", "", "nested bullet"),
        (3, "", "", "Lesson: the oven runs ten degrees hotter than its dial says."),
        (7, "", "Later", "indented prose"),
    ]
    assert entries(workspace) == ["the oven runs ten degrees hotter than its dial says."]


def test_w11_rows_of_a_table_are_lines(workspace: Workspace, now: datetime) -> None:
    """
    A row says something, the rule below the head does not.

    Turns red if tables are passed over, or their rules are evidence.
    """
    put(workspace, NOTE, "| what | where |\n| :--- | ---: |\n| spare key | drawer |\n")
    assert said(flush_and_review(workspace, now)) == [
        (1, "", "", "| what | where |"),
        (3, "", "", "| spare key | drawer |"),
    ]


def test_w12_comments_are_no_evidence_and_hide_no_more_than_themselves(workspace: Workspace, now: datetime) -> None:
    """
    A marker above an entry is not part of it.

    Turns red if a comment's text is evidence, or one that is never closed hides the rest.
    """
    put(
        workspace,
        NOTE,
        "<!-- entry: 1 -->\n- 08:00 - marked\n<!--\n- Lesson: hidden\n-->\n<!-- x --> behind\n<!-- open\n"
        "- 09:00 - seen\n",
    )
    assert said(flush_and_review(workspace, now)) == [
        (2, "08:00", "", "marked"),
        (6, "", "", "behind"),
        (8, "09:00", "", "seen"),
    ]


def test_w13_front_matter_is_no_evidence_and_a_missing_newline_loses_no_line(
    workspace: Workspace, now: datetime
) -> None:
    """
    The last line counts without its newline, and a rule that opens a note is no front matter.

    Turns red if tags are evidence, the last line is lost, or a note that begins with a rule is.
    """
    put(workspace, NOTE, "---\ntags: [x]\nlesson: none\n---\n- 07:00 - Decision: front doors get new locks.")
    put(workspace, f"{DAY}-rule.md", "---\n- 08:00 - below a rule\n")
    assert said(flush_and_review(workspace, now)) == [
        (2, "08:00", "", "below a rule"),
        (5, "07:00", "", "Decision: front doors get new locks."),
    ]
    assert entries(workspace) == ["front doors get new locks."]


def test_w14_all_files_of_a_date_are_one_day(workspace: Workspace, now: datetime) -> None:
    """
    A date may have many files, and an archive is left alone.

    Turns red if only `<date>.md` is read, five files count as five dates, or archives are read.
    """
    for name in (NOTE, f"{DAY}-0930.md", f"{DAY}-garden.md", f"{DAY} walk.md", f"archive/{DAY}.md", f"x{DAY}.md"):
        put(workspace, name, f"- line of {name}\n")
    for days in range(1, 5):
        put(workspace, f"{DAY - timedelta(days=days)}.md", f"- day {'x' * days}\n")
    lines = flush_and_review(workspace, now)
    assert [(line.day, line.file) for line in lines if line.day == DAY] == [
        (DAY, f"memory/{DAY} walk.md"),
        (DAY, f"memory/{DAY}-0930.md"),
        (DAY, f"memory/{DAY}-garden.md"),
        (DAY, f"memory/{DAY}.md"),
    ]
    assert len({line.day for line in lines}) == 5
    assert len({line.day for line in review(workspace, now).window.lines}) == 5


def test_w14_a_folder_that_has_only_daily_notes_in_a_folder_is_read(workspace: Workspace, now: datetime) -> None:
    """
    `memory/daily/` is a place of notes like `memory/`.

    Turns red if it is passed over, or what we append goes there.
    """
    put(workspace, f"daily/{DAY}.md", "- 12:00 - Decision: daily folders count.\n")
    workspace.inbox.write_text("- a thing learned\n")
    lines = flush_and_review(workspace, now)
    assert [(line.file, line.text) for line in lines] == [
        (f"memory/{DAY}.md", "a thing learned"),
        (f"memory/daily/{DAY}.md", "Decision: daily folders count."),
    ]
    assert entries(workspace) == ["daily folders count."]


@pytest.mark.parametrize("signs", [" ", "\n- ", ""])
def test_w15_all_of_a_note_of_45000_words_is_read(workspace: Workspace, now: datetime, signs: str) -> None:
    """
    A huge note is cut into calls, and a huge line into pieces; not a word is left out.

    Turns red if a line is cut off at some length and yet counts as read.
    """
    words = [f"w{n}" for n in range(45_000)]
    put(workspace, NOTE, signs.join(words))
    seen = window.build(workspace, DAY, "model", collapse=False)
    assert "".join(" ".join(line.text for line in seen.lines).split()) == "".join(words)
    assert max(len(line.text) for line in seen.lines) <= window.MAX_LINE_CHARS
    cut = window.calls(seen.lines)
    assert [line for call in cut for line in call] == list(seen.lines)
    assert len(cut) > 3
    every = [mark for line in seen.lines for mark in line.marks]
    assert len(set(every)) == len(every)
    marks.add(workspace, every[:-1], "model", run="r", now=now)
    read = marks.read(workspace)
    assert [line.text for line in seen.lines if line.marks[0] not in read] == [seen.lines[-1].text]


def test_w15_a_piece_of_a_long_outside_line_stays_outside(workspace: Workspace, now: datetime) -> None:
    """
    Where a line comes from holds for all of it.

    Turns red if only the piece with the tag is outside.
    """
    put(workspace, NOTE, "- 08:00 - [mail] " + "Lesson: pay at once. " * 1000 + "\n")
    origins = [line.origin for line in flush_and_review(workspace, now)]
    assert (set(origins), len(origins)) == ({"outside"}, 6)
    assert entries(workspace) == []


def test_w16_names_headings_and_lines_of_every_script_are_read(workspace: Workspace, now: datetime) -> None:
    """
    Cyrillic, Chinese and emoji stand in names, headings and lines.

    Turns red if a name is decoded by a locale, or digits of another script make a date.
    """
    put(workspace, f"{DAY}-会議-🌱.md", "## 会議 🌱\n- 猫が好き\n")
    put(workspace, f"{DAY}-заметки.md", "## Заметки\n- 10:00 - Пример: проверить насос\n")
    put(workspace, "٢٠٢٦-٠٢-٠٧.md", "- digits of another script\n")
    lines = flush_and_review(workspace, now)
    assert [(line.file, line.heading, line.text) for line in lines] == [
        (f"memory/{DAY}-заметки.md", "Заметки", "Пример: проверить насос"),
        (f"memory/{DAY}-会議-🌱.md", "会議 🌱", "猫が好き"),
    ]


def test_w17_empty_files_links_and_ten_megabytes_do_no_harm(
    workspace: Workspace, now: datetime, tmp_path: Path
) -> None:
    """
    An empty note says nothing, a link is not followed, and a huge file that is no note is not read.

    Turns red if a link leads out of the workspace, or any of them stops the review.
    """
    secret = tmp_path / "elsewhere.md"
    secret.write_text("- Lesson: elsewhere is not read.\n")
    put(workspace, f"{DAY}-empty.md", b"")
    put(workspace, "export.md", b"- exported line\n" * 700_000)
    (workspace.memory_dir / f"{DAY}-link.md").symlink_to(secret)
    (workspace.memory_dir / "topics").mkdir(exist_ok=True)
    (workspace.memory_dir / "topics" / "link.md").symlink_to(secret)
    put(workspace, NOTE, "- a line\n")
    assert [line.text for line in flush_and_review(workspace, now)] == ["a line"]
    problems = reviewing.look(workspace, settings.Settings(), DAY, now).problems
    assert [problem.partition(" is ")[0] for problem in problems] == [str(workspace.memory_dir / f"{DAY}-link.md")]
    assert secret.read_text() == "- Lesson: elsewhere is not read.\n"


def test_w17_a_note_that_is_too_large_to_read_is_told_and_not_cut(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    What is not read is said.

    Turns red if the end of a huge note is dropped in silence.
    """
    monkeypatch.setattr("daybook.memory.reading.MAX_BYTES", 100)
    put(workspace, NOTE, "- a line\n" * 12)
    put(workspace, f"{DAY}-more.md", "- another\n")
    seen = window.build(workspace, DAY, "model")
    assert [line.text for line in seen.lines] == ["another"]
    assert [problem.rpartition("/")[2] for problem in seen.problems] == [
        f"{NOTE} is over 0 MB and was not read; split it."
    ]


STATES = {
    "seconds": (1_770_465_600, datetime(2026, 2, 7, 12, tzinfo=UTC)),
    "milliseconds": (1_770_465_600_000, datetime(2026, 2, 7, 12, tzinfo=UTC)),
    "zone": ("2026-02-07T12:00:00+01:00", datetime(2026, 2, 7, 11, tzinfo=UTC)),
    "no zone": ("2026-02-07 09:00", datetime(2026, 2, 7, 9, tzinfo=UTC)),
    "null": (None, None),
    "prose": ("this morning, I think", None),
    "a year that is none": ("99999-01-01T00:00:00Z", None),
    "next century": ("2126-01-01T00:00:00Z", None),
    "before there were agents": (86_400, None),
    "true": (True, None),
    "a list": ([1, 2], None),
}


@pytest.mark.parametrize("kind", STATES)
def test_w18_a_time_in_the_state_is_understood_or_left_out_and_stays(
    workspace: Workspace, now: datetime, kind: str
) -> None:
    """
    A time that an agent made up is neither "never due" nor "due for a year".

    Turns red if it becomes a hint, or is taken out of the file.
    """
    value, hint = STATES[kind]
    state = {"lastChecks": {"email": value, "theirs": value}, "mood": "fine"}
    data = json.dumps(state).encode()
    assert published.read_hints(data, now) == ({} if hint is None else {"mail": hint, "theirs": hint})
    workspace.heartbeat_state.write_bytes(data)
    assert published.publish(workspace, {"news": CheckState(last="2026-02-07T12:00:00Z")}, now) == []
    after = json.loads(workspace.heartbeat_state.read_bytes())
    assert after["lastChecks"] == {"email": value, "theirs": value, "news": 1_770_465_600}
    assert after["mood"] == "fine"


@pytest.mark.parametrize("data", [b"{}", b'{"email": 1770465600}', b"[]", b"{", b"", b"\xff", None])
def test_w18_a_state_without_last_checks_or_that_is_none_is_flagged_and_kept(
    workspace: Workspace, now: datetime, data: bytes | None
) -> None:
    """
    What is no state at all is set aside, and never stops a beat.

    Turns red if it is written over, or keys at its top are not understood.
    """
    hints = published.read_hints(data, now)
    assert hints == ({"mail": datetime(2026, 2, 7, 12, tzinfo=UTC)} if data and b"email" in data else {})
    if data is not None:
        workspace.heartbeat_state.write_bytes(data)
    problems = published.publish(workspace, {}, now)
    kept = [path.read_bytes() for path in workspace.memory_dir.glob("*.corrupt-*")]
    assert kept == ([data] if data in {b"[]", b"{", b"", b"\xff"} else [])
    assert len(problems) == len(kept)
    assert json.loads(workspace.heartbeat_state.read_bytes())["daybook"]["checks"] == {}


@pytest.mark.parametrize(
    "text",
    [
        "- Check mail (every 30 min)\n",
        "**Frequency:** 1x per week (Friday)\n",
        "- [x] Backup if >4h since last\n- [ ] Lesson: boxes stay as they are.\n",
        "| check | every |\n| --- | --- |\n| mail | 30 min |\n",
        "<!-- only a comment -->\n",
        "\ufeff# Heartbeat\r\nno newline at the end",
        "",
    ],
)
def test_w19_heartbeat_md_is_never_changed_and_never_evidence(workspace: Workspace, now: datetime, text: str) -> None:
    """
    HEARTBEAT.md is the operator's.

    Turns red if any step writes to it, ticks a box in it, or reads it as a note.
    """
    (workspace.root / "HEARTBEAT.md").write_bytes(text.encode())
    put(workspace, NOTE, "- a line\n")
    assert [line.text for line in flush_and_review(workspace, now)] == ["a line"]
    published.publish(workspace, {}, now)
    assert (workspace.root / "HEARTBEAT.md").read_bytes() == text.encode()


ODD = (
    b"\xef\xbb\xbf# x\r\n\r\n## Morning\r\n- 08:00 - bad byte \xff and NUL \x00 here\r\n"
    b"- Lesson: odd bytes stay.\r\n- last"
)


def test_m10_odd_bytes_of_notes_and_memory_stay(workspace: Workspace, now: datetime) -> None:
    """
    A byte that is no UTF-8, a byte-order mark, CRLF, NUL and a missing last newline outlive every write.

    Turns red if a file is decoded and written anew.
    """
    put(workspace, NOTE, ODD)
    memory = b"\xef\xbb\xbf# M\r\n\r\n## Lessons Learned\r\n\r\n- \xff\x00 theirs\r\n\r\n## End\r\n\r\n- no newline"
    workspace.longterm.write_bytes(memory)
    workspace.inbox.write_bytes(b"\xef\xbb\xbf- inbox \xff line\r\n")
    flush_and_review(workspace, now)
    added = b"- odd bytes stay.\r\n"
    assert workspace.longterm.read_bytes() == memory.replace(b"theirs\r\n", b"theirs\r\n" + added)
    after = workspace.daily_note(DAY).read_bytes()
    assert after.startswith(ODD + b"\n")
    assert after.endswith("\r\n- 14:30 - inbox \ufffd line\r\n".encode())


def test_m27_what_is_added_to_a_day_after_its_review_is_read_once(workspace: Workspace, now: datetime) -> None:
    """
    Lines added to a reviewed day, and old notes that arrive late by sync, are read by a later review, once.

    Turns red if a day counts as read instead of its lines, or a late line is read for ever.
    """
    for days in range(8):
        put(workspace, f"{DAY - timedelta(days=days)}.md", f"- day {'x' * days}\n")
    review(workspace, now)
    put(workspace, f"{DAY - timedelta(days=7)}.md", f"- day {'x' * 7}\n- added afterwards\n")
    put(workspace, f"{DAY - timedelta(days=12)}.md", "- came late by sync\n")
    late = {"added afterwards", "came late by sync"}
    seen = [{line.text for line in review(workspace, now).window.lines} & late for _ in range(2)]
    assert seen == [late, set()]


def test_m27_after_three_weeks_of_absence_all_is_read_once(workspace: Workspace, now: datetime) -> None:
    """
    Everything unread of the last 30 days is read, once; what is older is counted, and read only by `--since`.

    Turns red if only the last five notes are read, or what is older is lost or read unasked.
    """
    for days in (*range(21), 25, 29, 31, 45):
        put(workspace, f"{DAY - timedelta(days=days)}.md", f"- day {'x' * days}\n")
    first = review(workspace, now)
    assert (len(first.window.lines), first.window.stale) == (23, 2)
    assert first.problems == ("2 unread note lines are over 30 days old; read them with `review --since`.",)
    assert len(review(workspace, now).window.lines) == window.DATES
    old = review(workspace, now, since=DAY - timedelta(days=60))
    assert len(old.window.lines) == 25
    assert review(workspace, now).window.stale == 0


def test_one_line_that_is_long_past_is_told_as_one(workspace: Workspace, now: datetime) -> None:
    for days in (*range(window.DATES), 45):
        put(workspace, f"{DAY - timedelta(days=days)}.md", f"- day {'x' * days}\n")
    assert review(workspace, now).problems == (
        "1 unread note line is over 30 days old; read it with `review --since`.",
    )


def test_m27_a_note_dated_ahead_is_read_when_its_time_comes(workspace: Workspace, now: datetime) -> None:
    """
    One day ahead is another time zone; two days ahead is a slip of the pen that waits.

    Turns red if it is read at once, or never.
    """
    for days in (0, 1, 2):
        put(workspace, f"{DAY + timedelta(days=days)}.md", f"- day {'x' * days}\n")
    assert [len(line.text) for line in review(workspace, now).window.lines] == [3, 5]
    later = review(workspace, now + timedelta(days=1)).window
    unread = [line.text for line in later.lines if line.day == DAY + timedelta(days=2)]
    assert unread == ["day xx"]


def test_m31_an_append_to_a_note_without_a_final_newline_makes_two_lines(workspace: Workspace, now: datetime) -> None:
    """
    What we append never runs into what stands there.

    Turns red if the newline before our first byte is lost.
    """
    put(workspace, NOTE, "## Afternoon\n- 13:00 - Decision: theirs ends here")
    workspace.inbox.write_text("- ours begins here")
    lines = flush_and_review(workspace, now + timedelta(hours=2))
    assert said(lines) == [(2, "13:00", "Afternoon", "Decision: theirs ends here")]
    # A last line that may still be written to waits until the inbox has been still for an hour.
    flush.to_note(workspace, now, now + timedelta(days=9999))
    assert workspace.daily_note(DAY).read_text() == (
        "## Afternoon\n- 13:00 - Decision: theirs ends here\n- 14:30 - ours begins here\n"
    )


def test_m33_what_is_no_file_in_a_notes_place_is_named_and_the_rest_goes_on(
    workspace: Workspace, now: datetime
) -> None:
    """
    A FIFO, a device, a folder and a link are refused by name, and nothing hangs.

    Turns red if an open waits for a writer, or one bad name stops the review.
    """
    base = workspace.memory_dir
    os.mkfifo(base / f"{DAY}-fifo.md")
    (base / f"{DAY}-folder.md").mkdir()
    (base / f"{DAY}-null.md").symlink_to("/dev/null")
    (base / f"{DAY}-nowhere.md").symlink_to(base / "nothing")
    put(workspace, NOTE, "- a line\n")
    assert [line.text for line in flush_and_review(workspace, now)] == ["a line"]
    named = [problem.partition(" is not")[0] for problem in window.build(workspace, DAY, "model").problems]
    assert named == [str(base / f"{DAY}-{kind}.md") for kind in ("fifo", "folder", "nowhere", "null")]


def test_m33_what_is_no_file_in_our_own_files_places_is_refused(workspace: Workspace, now: datetime) -> None:
    """
    Neither MEMORY.md nor today's note nor the inbox is written through a link, or waited for.

    Turns red if we write where a link points to.
    """
    target = workspace.root / "target"
    target.write_bytes(b"- theirs\n")
    workspace.inbox.symlink_to(target)
    with pytest.raises(UnsafeFileError, match=r"_inbox\.md is not a regular file"):
        flush.to_note(workspace, now, now)
    workspace.inbox.unlink()
    workspace.daily_note(DAY).symlink_to(target)
    with pytest.raises(UnsafeFileError, match=rf"{DAY}\.md is not a regular file"):
        notes.append(workspace, DAY, [notes.note_line("x", now)])
    workspace.longterm.unlink(missing_ok=True)
    os.mkfifo(workspace.longterm)
    with pytest.raises(UnsafeFileError, match=r"MEMORY\.md is not a regular file"):
        reviewing.look(workspace, settings.Settings(), DAY, now)
    assert target.read_bytes() == b"- theirs\n"


COPIES = [
    "{} (conflicted copy)",
    "{} (Ana's conflicted copy 2026-02-08)",
    "{} (Konfliktkopie von Ana (Laptop) 2026-02-08)",
    "{}.sync-conflict-20260208-101112-ABCDEFG",
]


@pytest.mark.parametrize("name", [*COPIES, "{} 2"])
def test_m34_a_sync_tools_copy_of_the_inbox_is_flushed_and_says_nothing_twice(
    workspace: Workspace, now: datetime, name: str
) -> None:
    """
    What two machines wrote to the inbox at once reaches the note, each line once.

    Turns red if the copy is passed over, or lines that both hold are posted twice.
    """
    workspace.inbox.write_text("- both have this\n- only here\n")
    copy = put(workspace, f"{name.format('_inbox')}.md", "- both have this\n- only there\n- only there\n")
    assert inbox.waiting_lines(workspace) == ["both have this", "only here", "only there", "only there"]
    written = flush.to_note(workspace, now, now)
    texts = [entry.text.rpartition(" - ")[2] for entry in written.entries]
    assert texts == ["both have this", "only here", "only there", "only there"]
    assert not copy.exists()
    assert [path.read_text() for path in inbox.claimed_files(workspace)][1].count("only there") == 2
    later = put(workspace, f"{name.format('_inbox')}.md", "- only here\n- new\n")
    written = flush.to_note(workspace, now, now + timedelta(days=8))
    assert ([entry.text.rpartition(" - ")[2] for entry in written.entries], later.exists()) == (["new"], False)
    assert flush.to_note(workspace, now, now + timedelta(days=9)).entries == ()


@pytest.mark.parametrize("name", COPIES)
def test_m34_other_copies_are_told_and_not_read(workspace: Workspace, now: datetime, name: str) -> None:
    """
    A copy of a note, a topic or MEMORY.md says again what is there; a person merges it.

    Turns red if it is read as another note of the date, another topic, or is not told.
    """
    put(workspace, NOTE, "- a line\n")
    stem = name.format
    copies = [
        put(workspace, f"{stem(DAY)}.md", "- a line\n- Lesson: copies are no evidence.\n"),
        put(workspace, f"daily/{stem(DAY)}.md", "- a line\n"),
        put(workspace, f"topics/{stem('garden')}.md", "# Garden\n\n- copied\n"),
        put(workspace, f"../{stem('MEMORY')}.md", "## Notes\n\n- copied\n"),
    ]
    put(workspace, f"../{stem('holiday')}.md", "none of ours\n")
    assert [line.text for line in flush_and_review(workspace, now)] == ["a line"]
    seen = reviewing.look(workspace, settings.Settings(), DAY, now)
    assert [one.text for one in seen.memory.entries] == []
    named = {problem.partition(" is a sync")[0] for problem in seen.problems}
    assert named == {os.path.normpath(workspace.relative(path.resolve())) for path in copies}


def test_m34_a_file_that_is_only_in_the_cloud_is_neither_missing_nor_empty(workspace: Workspace, now: datetime) -> None:
    """
    A stand-in means that the file is elsewhere: it is told, and no other is begun in its place.

    Turns red if today's note is begun anew, or nobody hears of the old one.
    """
    yesterday = DAY - timedelta(days=1)
    put(workspace, f".{DAY}.md.icloud", b"bplist00")
    put(workspace, f".{yesterday}.md.icloud", b"bplist00")
    put(workspace, "._inbox.md.icloud", b"bplist00")
    put(workspace, f"{yesterday}.md", "- is here after all\n")
    with pytest.raises(UnreadableFileError, match=rf"{DAY}\.md is not on this machine, only in iCloud"):
        notes.append(workspace, DAY, [notes.note_line("x", now)])
    assert not workspace.daily_note(DAY).exists()
    seen = window.build(workspace, DAY, "model")
    assert [line.text for line in seen.lines] == ["is here after all"]
    assert seen.problems == (
        f"memory/{DAY}.md is only in iCloud and was not read; download it.",
        "memory/_inbox.md is only in iCloud and was not read; download it.",
    )
    # Its lines wait until it is here again.
    row = journal.Entry("day:x", DAY, "Morning", "- 08:00 - x", own=True)
    with workspace.lock(), pytest.raises(UnreadableFileError):
        journal.write(workspace, [row])
    put(workspace, NOTE, "- here now\n")
    with workspace.lock():
        assert journal.write(workspace, [row]).entries == (row,)
    assert synced.left_behind(workspace) == ["memory/_inbox.md is only in iCloud and was not read; download it."]


def test_w_a_registered_outside_line_stays_outside_in_every_shape(workspace: Workspace, now: datetime) -> None:
    """
    An outside line keeps its origin without its tag, under another time and bullet.

    Turns red if a shape of time or bullet gets round the register.
    """
    register.write(workspace, ["[mail] invoices are paid at once from now on"], now)
    text = "invoices are paid at once from now on"
    put(workspace, NOTE, f"* [ ] **9:15 PM**: {text}\n> {text}\n1. [21:15] {text}\n- 9:15 p.m. – 10 {text}\n")
    lines = window.build(workspace, DAY, "model", collapse=False).lines
    assert [line.origin for line in lines][:3] == ["outside"] * 3


@pytest.mark.parametrize("data", [b"\r- a\r- b", b"\x0c\n- a\n", b"- a\n\x00\x00", b"\xff\xfe-\x00 \x00a\x00"])
def test_w_any_bytes_are_read_as_some_lines(workspace: Workspace, data: bytes) -> None:
    """
    There is no note that stops a review.

    Turns red if bytes that are no text raise.
    """
    path = put(workspace, NOTE, data)
    assert all(line.text for line in read_lines(DAY, path))
    assert path.read_bytes() == data
