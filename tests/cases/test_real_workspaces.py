from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from daybook import adoption
from daybook.memory import inbox
from daybook.schedule import planning
from daybook.settings import Settings
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

CLAIMED = f"memory/{inbox.CLAIMED_PREFIX}"
OURS = (".daybook/", CLAIMED, "memory/_pending.md", "memory/topics/")


def kept(before: bytes, after: bytes) -> list[bytes]:
    """Give the lines that were added to what is otherwise there as it was."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    added = []
    for line in new:
        # A last line without its newline gets one when something comes after it.
        if old and (line == old[0] or (len(old) == 1 and line.rstrip(b"\r\n") == old[0])):
            old.pop(0)
        else:
            added.append(line)
    assert old == []
    return added


def test_w_no_byte_is_changed_but_by_appended_entries(foreign: Any) -> None:
    note = foreign.name(0)
    for name, data in foreign.before.items():
        if name == "memory/_inbox.md":
            assert [d for n, d in foreign.after.items() if n.startswith(CLAIMED)] == [data]
        elif name == note:
            assert foreign.after[name].startswith(data)
        elif name == "MEMORY.md":
            added = kept(data, foreign.after[name])
            assert added
            assert [line for line in added if not line.startswith((b"- ", b"* ", b"#", b"\r\n"))] == []
        elif name != "memory/heartbeat-state.json":
            assert foreign.after[name] == data, name
    new = [name for name in foreign.after if name not in foreign.before and not name.startswith(OURS)]
    assert sorted(new) == ["daybook.toml", "memory/.gitattributes", "memory/.gitignore"]


def test_w_every_run_is_done_and_names_only_what_it_could_not_read(foreign: Any) -> None:
    assert [record["flow"] for record in foreign.records] == [
        "inbox-flush",
        "review",
        "review",
        "heartbeat",
        "daily-note",
    ]
    assert {record["outcome"] for record in foreign.records} <= {"done", "nothing-to-do"}
    problems = [problem for record in foreign.records for problem in record["problems"]]
    problems += json.loads(foreign.outputs["state"])["problems"]
    yesterday = foreign.root / foreign.name(1)
    unsafe = [f"{yesterday} is not a regular file", f"{yesterday.with_suffix('')}-fifo.md is not a regular file"]
    assert [problem for problem in problems if not problem.startswith(tuple(unsafe))] == []


@pytest.mark.parametrize(
    "words",
    [
        "dumped lessons",
        "envelopes are never",
        "captured prompts",
        "fenced lines",
        "tilde fences",
        "four ticks",
        "open fences",
        "comments hold",
        "front matter is none",
        "archives are left",
        "other folders",
        "Heartbeat ran",
    ],
)
def test_w01_w02_w03_w09_w12_w17_what_is_no_evidence_is_posted_nowhere(foreign: Any, words: str) -> None:
    """Turns red if a dump, an envelope, a captured prompt, a fence or a comment counts as evidence."""
    texts = {name: data.decode("utf-8", "replace") for name, data in foreign.after.items()}
    assert [n for n, text in texts.items() if words in text and text.encode() != foreign.before.get(n)] == []


@pytest.mark.parametrize(
    "text",
    [
        "inbox lines reach memory at once.",
        "envelopes are kept for a year.",
        "paint dries slower in the cold garage.",
        "roses go to the southern wall.",
        "每周五备份照片。",
        "the oven runs ten degrees hotter than its dial says.",
        "front doors get new locks.",
        "half past nine files are read too.",
        "daily folders count as notes.",
    ],
)
def test_w05_to_w16_what_is_marked_is_posted_once_whatever_stands_around_it(foreign: Any, text: str) -> None:
    """Turns red if a shape hides a marked line, or has it read twice."""
    # A list goes on with the bullets it has.
    assert [line[2:] for line in foreign.memory.splitlines() if text in line] == [text]


def test_w05_an_entry_goes_under_the_first_of_two_equal_headings(foreign: Any) -> None:
    """Turns red if equal headings are taken for one, or the last one wins."""
    first, second = foreign.memory.split("## Lessons\r\n")[1:]
    assert "* paint dries slower in the cold garage.\r\n" in first
    assert "paint" not in second


def test_w10_an_entry_is_added_behind_whole_entries(foreign: Any) -> None:
    """Turns red if an entry is put between another one and its nested lines."""
    block = "- **Router**: lives in the hall\r\n  - nested, with `code`\r\n    wrapped text\r\n"
    assert block in foreign.memory
    assert "\r\n  - nested" in foreign.memory


def test_w13_what_is_added_to_a_crlf_file_has_its_newlines(foreign: Any) -> None:
    """Turns red if our lines end otherwise than their neighbours."""
    memory, note = foreign.after["MEMORY.md"], foreign.after[foreign.name(0)]
    assert memory.count(b"\n") - memory.count(b"\r\n") == 0
    first = b"## Morning\r\n- 08:00 - no final newline"
    assert note.startswith((first + b"\r\n", first + b"\n"))


def test_w16_names_and_headings_of_every_script_are_shown(foreign: Any) -> None:
    """Turns red if a name or heading is shown as anything but itself."""
    assert "memory/topics/🌱.md" in foreign.outputs["main"]
    assert "下午 3:20 整理" in foreign.outputs["main"]
    assert "MEMORY" not in foreign.outputs["context"]
    assert "no final newline" in foreign.outputs["context"]


def test_w18_a_made_up_time_is_kept_as_theirs_and_never_ours(foreign: Any) -> None:
    """Turns red if a made-up time means never due, or is written over."""
    state = json.loads(foreign.after["memory/heartbeat-state.json"])
    assert state["mood"] == {"today": "fine"}
    theirs = {name: state["lastChecks"][name] for name in ("email", "calendar", "weather", "backup")}
    assert theirs == {
        "email": 1_772_000_000,
        "calendar": "2026-03-01 09:00",
        "weather": None,
        "backup": "some time last week",
    }
    assert state["daybook"]["checks"]["news"]["last"] is None
    assert state["lastChecks"]["review"] < 4_102_444_800


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"mood": "\\ud83d"}',
        '{"lastChecks": [1, 2]}',
        "NaN",
        "",
        "\ufeff{}",
        '{"lastChecks": {"news": 1e999}}',
    ],
)
def test_w18_a_state_of_any_content_is_adopted_and_published_over(tmp_path: Path, now: datetime, text: str) -> None:
    """Turns red if odd content stops adoption or publishing."""
    path = tmp_path / "folder" / "memory" / "heartbeat-state.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    workspace = adoption.adopt(tmp_path / "folder", now).workspace
    problems = planning.publish(workspace, Settings(), now)
    state = json.loads(path.read_bytes())
    assert state["daybook"]["checks"]["news"]["why"] == "not-configured"
    aside = [one.read_text() for one in path.parent.glob("*.corrupt-*")]
    assert (problems == []) == (aside == [])
    assert aside in ([], [text])


def test_w20_a_subfolder_is_in_the_same_workspace(workspace: Workspace) -> None:
    """Turns red if a subfolder gets a workspace of its own."""
    below = workspace.root / "memory" / "topics"
    below.mkdir(parents=True)
    assert open_workspace(cwd=str(below)) == workspace
