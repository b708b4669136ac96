"""`why`, `undo`, `restore`, `forget`, `rebuild`, `compact`: for the operator, and never past them."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from daybook.memory import staging
from daybook.review import flush

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]
    Terminal = Callable[..., tuple[int, str]]

LESSON = "ask before sending mail to customers"
RUN = "abcdef012345"


@pytest.fixture
def before(workspace: Workspace) -> bytes:
    """A lesson was flushed to MEMORY.md; what stood in it before."""
    text = workspace.longterm.read_bytes()
    staging.stage(str(workspace.root), f"Lesson: {LESSON}")
    now = datetime.now(UTC)
    flush.to_note(workspace, now, now)
    flush.to_memory(workspace, RUN, now)
    assert LESSON in workspace.longterm.read_text()
    return text


@pytest.mark.parametrize("command", [("undo",), ("restore",), ("forget", LESSON), ("compact",)])
@pytest.mark.parametrize("flags", [(), ("--yes",)])
def test_o18_without_a_person_at_a_terminal_nothing_is_changed(
    workspace: Workspace, daybook: Daybook, before: bytes, command: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    """Turns red when an agent can undo, restore, forget or compact."""
    if command == ("restore",):
        workspace.longterm.write_text("")
    if command == ("compact",):
        workspace.longterm.write_text(workspace.longterm.read_text() + "- x\n" * 80)
    present = workspace.longterm.read_bytes()
    done = daybook(*command, *flags, input="y\n")
    assert (done.returncode, done.stderr) == (2, "daybook: This needs a person at a terminal; run it in one.\n")
    assert (workspace.longterm.read_bytes(), before == present) == (present, False)


def test_why_names_note_line_run_and_channel_and_shows_words_only_to_the_operator(
    daybook: Daybook, before: bytes
) -> None:
    assert before
    shown = daybook("why", "ask", "before", "--main").stdout
    assert shown.splitlines()[:2] == [LESSON, "  MEMORY.md, under Lessons Learned"]
    assert f"add by inbox through flush, run {RUN}" in shown
    assert f'(trusted, {datetime.now(UTC):%Y-%m-%d}): "Lesson: {LESSON}"' in shown
    entries = json.loads(daybook("why", "ask before", "--json").stdout)["entries"]
    assert (entries[0]["file"], entries[0]["steps"][0]["run"], entries[0]["text"]) == ("MEMORY.md", RUN, "")
    hidden = daybook("why", "ask before").stdout
    assert hidden.splitlines()[:2] == [f"entry {entries[0]['lineage']} (`--main` shows its words)", "  MEMORY.md"]
    assert f"    <- memory/{datetime.now(UTC):%Y-%m-%d}.md:" in hidden
    assert [word for word in (LESSON, "Lessons Learned") if word in hidden + json.dumps(entries)] == []
    missing = daybook("why", "never said")
    assert (missing.returncode, missing.stdout) == (1, "No entry of memory holds these words, and none ever did.\n")


def test_undo_asks_and_brings_the_bytes_back(workspace: Workspace, at_a_terminal: Terminal, before: bytes) -> None:
    code, text = at_a_terminal("undo", answer="n\n")
    asked = f"Take back what run {RUN} did to memory (1 operation)?"
    assert (code, asked in text, "Nothing was undone." in text) == (1, True, True)
    code, text = at_a_terminal("undo", RUN[:4], answer="y\n")
    assert (code, f"Run {RUN} is undone." in text) == (0, True)
    assert workspace.longterm.read_bytes() == before


@pytest.mark.parametrize("main", [False, True])
def test_undo_tells_an_entrys_words_only_to_the_operator(
    workspace: Workspace, at_a_terminal: Terminal, before: bytes, main: bool
) -> None:
    """Turns red when `--json` prints text of memory where the sentence does not."""
    edited = f"{LESSON}, always"
    workspace.longterm.write_text(workspace.longterm.read_text().replace(LESSON, edited))
    code, text = at_a_terminal("undo", "--json", "--yes", *(["--main"] if main else []))
    (prevented,) = json.loads(text)["prevented"]
    assert (code, prevented["text"], prevented["why"].partition(" in ")[0]) == (1, LESSON * main, "was edited")
    assert (LESSON in text, edited in workspace.longterm.read_text(), before) == (main, True, before)


def test_rebuild_names_what_differs_without_its_words(workspace: Workspace, daybook: Daybook, before: bytes) -> None:
    """Turns red when a heading or an entry is shown without `--main`, or one entry is `1 entries`."""
    workspace.longterm.write_bytes(before)
    done = daybook("rebuild", "--check")
    assert (done.returncode, done.stdout) == (1, "Memory: 1 entry missing.\n  MEMORY.md (missing)\n")
    (entry,) = json.loads(daybook("rebuild", "--check", "--json").stdout)["entries"]
    assert entry == {"file": "MEMORY.md", "what": "missing", "line": None}
    shown = daybook("rebuild", "--check", "--main").stdout
    assert shown == f"Memory: 1 entry missing.\n  MEMORY.md (missing), under Lessons Learned: {LESSON}\n"


def test_what_keeps_a_commit_from_being_made_is_told_beside_the_output(
    workspace: Workspace, daybook: Daybook, before: bytes
) -> None:
    """Turns red when a command says nothing of a commit that it could not make."""
    subprocess.run(["git", "init", "-q", workspace.root], check=True)
    (workspace.root / ".git" / "MERGE_HEAD").write_text("0" * 40)
    workspace.longterm.unlink()
    done = daybook("rebuild")
    assert (done.returncode, done.stdout, before == workspace.longterm.read_bytes()) == (
        0,
        "Memory: 1 entry brought back from the ledger.\n  MEMORY.md (missing)\n",
        False,
    )
    assert (done.stderr.startswith("daybook: "), "merge" in done.stderr) == (True, True)


def test_forget_and_rebuild_at_a_terminal(
    workspace: Workspace, daybook: Daybook, at_a_terminal: Terminal, before: bytes
) -> None:
    assert (daybook("rebuild", "--check").returncode, before) == (0, before)
    code, text = at_a_terminal("forget", "ask before", "--yes")
    assert (code, "Forgotten in MEMORY.md" in text, "still holds these words" in text) == (0, True, True)
    assert LESSON not in workspace.longterm.read_text()
    assert daybook("rebuild").stdout == "Memory holds what the ledger says.\n"
    assert LESSON not in workspace.longterm.read_text()


def test_restore_brings_back_an_emptied_file(workspace: Workspace, at_a_terminal: Terminal, before: bytes) -> None:
    whole = workspace.longterm.read_bytes()
    workspace.longterm.write_text("")
    code, text = at_a_terminal("restore", answer="y\n")
    assert "Bring back MEMORY.md (1 entry)?" in text
    assert (code, "MEMORY.md: 1 entry is back." in text) == (0, True)
    assert workspace.longterm.read_bytes() == whole != before


def test_compact_shows_its_plan_and_what_is_not_ours_to_move(daybook: Daybook, workspace: Workspace) -> None:
    fits = daybook("compact", "--dry-run", "--json")
    assert (fits.returncode, json.loads(fits.stdout)["fits"]) == (0, True)
    workspace.longterm.write_text("# Memory\n" + "".join(f"- mine {number}\n" for number in range(90)))
    done = daybook("compact", "--dry-run")
    assert done.returncode == 1
    assert "MEMORY.md: 91 lines, 272 words; it may have" in done.stdout
    assert "90 entries are yours and stay; shorten them, or" in done.stdout
