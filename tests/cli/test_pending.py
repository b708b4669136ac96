"""`daybook pending` at a prompt, by an agent, and at a terminal."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.ledger.record import Source
from daybook.memory import pending, proposals
from daybook.memory.pending import Proposal

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]
    Terminal = Callable[..., tuple[int, str]]

TEXT = "the router needs a fixed address."


def proposal(name: str, text: str = TEXT) -> Proposal:
    source = Source(file="memory/2026-02-07.md", line=5, date="2026-02-07", hash=name, text="said", origin="outside")
    return Proposal(
        id=name.ljust(16, "0"),
        op="add",
        file="MEMORY.md",
        section="Lessons Learned",
        text=text,
        old="",
        code="outside-only",
        sources=(source,),
        run="r",
        model="extractive",
        prompt=None,
    )


@pytest.fixture
def made(workspace: Workspace) -> datetime:
    """Two proposals wait; when they were made."""
    now = datetime.now(UTC) - timedelta(hours=1)
    pending.propose(workspace, [proposal("abcd1"), proposal("abcd2", "second.")], now)
    return now


def fates(workspace: Workspace) -> list[str | None]:
    return [one.fate for one in proposals.read(workspace).kept.values()]


def test_the_list_has_text_of_memory_only_for_the_operators_own_session(daybook: Daybook, made: datetime) -> None:
    day, lapses = f"{made:%Y-%m-%d}", f"{made + timedelta(days=21):%Y-%m-%d}"
    plain = daybook("pending")
    assert (plain.returncode, plain.stderr) == (0, "")
    assert plain.stdout.splitlines() == [
        f"abcd100000000000  add     since {day}, lapses {lapses}: only text from outside says so",
        f"abcd200000000000  add     since {day}, lapses {lapses}: only text from outside says so",
        "Accept with `daybook pending accept ID`, refuse with `daybook pending refuse ID`.",
    ]
    main = daybook("pending", "--main").stdout.splitlines()
    assert main[1:3] == [
        f"  Lessons Learned: {TEXT}",
        '  from memory/2026-02-07.md:5 (outside): "said"',
    ]
    rows: list[dict[str, Any]] = json.loads(daybook("pending", "--json").stdout)["proposals"]
    assert [set(row) for row in rows] == [{"id", "op", "code", "why", "not_done", "since", "lapses"}] * 2
    rows = json.loads(daybook("pending", "--json", "--main").stdout)["proposals"]
    assert [(row["id"], row["text"], row["sources"][0]["origin"]) for row in rows] == [
        ("abcd100000000000", TEXT, "outside"),
        ("abcd200000000000", "second.", "outside"),
    ]


def test_an_empty_list_says_so(daybook: Daybook) -> None:
    assert daybook("pending").stdout == "No proposal waits.\n"
    assert json.loads(daybook("pending", "--json").stdout) == {"proposals": []}


@pytest.mark.usefixtures("made")
def test_o18_only_a_person_at_a_terminal_accepts_or_refuses(workspace: Workspace, daybook: Daybook) -> None:
    """Turns red when an agent's shell without a terminal can tick."""
    for action in ("accept", "refuse"):
        for flags in ([], ["--yes"], ["--yes", "--main", "--json"]):
            done = daybook("pending", action, "abcd1", *flags, input="y\n")
            assert (done.returncode, done.stderr) == (
                2,
                "daybook: This needs a person at a terminal; run it in one.\n",
            )
    assert fates(workspace) == [None, None]
    assert TEXT not in workspace.longterm.read_text()


@pytest.mark.usefixtures("made")
def test_at_a_terminal_it_asks_and_acts_at_once(at_a_terminal: Terminal, workspace: Workspace) -> None:
    code, text = at_a_terminal("pending", "accept", "abcd1", answer="n\n")
    assert (code, "Nothing was done." in text, TEXT in text) == (1, True, False)
    code, text = at_a_terminal("pending", "accept", "^ABCD1", "--main", answer="y\n")
    assert (code, text.rstrip().endswith("Accepted: it stands in MEMORY.md."), TEXT in text) == (0, True, True)
    assert f"- {TEXT}\n" in workspace.longterm.read_text()
    code, text = at_a_terminal("pending", "refuse", "abcd", "--yes", "--json")
    assert code == 0
    answer = json.loads(text)
    assert [(one["verdict"], one["code"], "text" in one) for one in answer["results"]] == [
        ("refused", "refused", False)
    ]
    assert workspace.pending.read_text() == pending.HEAD
    assert fates(workspace) == ["accepted", "refused"]


@pytest.mark.usefixtures("made")
def test_what_cannot_be_carried_out_is_not_done_and_says_why(at_a_terminal: Terminal, workspace: Workspace) -> None:
    workspace.longterm.unlink()
    code, text = at_a_terminal("pending", "accept", "abcd1", "--yes")
    assert (code, "MEMORY.md is missing or empty, so nothing was written" in text) == (1, True)
    assert fates(workspace) == [None, None]


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["accept"], "Name the proposal by at least 4 signs of its id; `daybook pending` lists them."),
        (["accept", "abc"], "Name the proposal by at least 4 signs of its id; `daybook pending` lists them."),
        (["accept", "abcd"], "2 proposals have an id that begins with 'abcd'; `daybook pending` lists them."),
        (
            ["refuse", "ffff"],
            "No proposal that waits has an id that begins with 'ffff'; `daybook pending` lists them.",
        ),
        (["drop", "abcd1"], "argument action: invalid choice: 'drop' (choose from 'accept', 'refuse'); see"),
    ],
)
def test_a_wrong_id_or_action_is_wrong_usage(daybook: Daybook, arguments: list[str], sentence: str) -> None:
    done = daybook("pending", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"daybook: {sentence}")


def test_away_from_home_nothing_is_accepted(
    workspace: Workspace, made: datetime, daybook: Daybook, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert made
    monkeypatch.setenv("DAYBOOK_MACHINE", "elsewhere")
    done = daybook("pending", "accept", "abcd1", "--yes")
    assert (done.returncode, "is at home on another machine" in done.stderr) == (1, True)
    assert fates(workspace) == [None, None]


@pytest.mark.usefixtures("made", "on_one_server")
def test_ticks_act_at_the_next_beat_and_its_record_says_so(workspace: Workspace, daybook: Daybook) -> None:
    text = workspace.pending.read_text()
    workspace.pending.write_text(text.replace("- [ ]", "- [x]", 1).replace("second.", "another."))
    done = daybook("heartbeat", "--json", "--main")
    record = json.loads(done.stdout)
    assert (done.returncode, record["outcome"]) == (0, "done")
    assert [(one["text"], one["verdict"], one["file"]) for one in record["operations"]] == [
        (TEXT, "applied", "MEMORY.md")
    ]
    assert [(one["check"], one["summary"]) for one in record["checks"] if one["check"] == "pending"] == [
        ("pending", "Proposals: 1 accepted.")
    ]
    assert f"- {TEXT}\n" in workspace.longterm.read_text()
