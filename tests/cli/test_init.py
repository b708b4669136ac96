from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from daybook.ledger import append as ledger
from daybook.ledger.record import Curate

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]
    Terminal = Callable[..., tuple[int, str]]

QUESTION = "Did an agent write them"


def modes(workspace: Workspace) -> list[str]:
    return [record.mode for record in ledger.read(workspace).records if isinstance(record, Curate)]


@pytest.fixture
def written(workspace: Workspace) -> Workspace:
    """Give a workspace with an entry that Daybook did not write."""
    workspace.longterm.write_text("# Memory\n\n- theirs\n")
    return workspace


@pytest.mark.parametrize(("answer", "mode"), [("y\n", "all"), ("\n", "ours")])
def test_m35_at_a_terminal_it_is_asked_once_whose_the_entries_are(
    at_a_terminal: Terminal, written: Workspace, answer: str, mode: str
) -> None:
    """Turns red when the answer is not kept, or nothing is asked where entries stand already."""
    code, said = at_a_terminal("init", ".", answer=answer)
    assert code == 0
    assert (QUESTION in said, modes(written)) == (True, [mode])
    assert QUESTION not in at_a_terminal("init", ".")[1]
    assert modes(written) == [mode]


def test_without_entries_nothing_is_asked(at_a_terminal: Terminal, workspace: Workspace) -> None:
    assert QUESTION not in at_a_terminal("init", ".")[1]
    assert modes(workspace) == []


def test_without_a_terminal_the_entries_are_the_operators_and_an_option_says_otherwise(
    written: Workspace, daybook: Daybook
) -> None:
    done = daybook("init", ".", input="y\n")
    assert (done.returncode, modes(written)) == (0, [])
    hint = f"Agent-written? Say `daybook init {written.root} --curate all`."
    assert f"Daybook curates its own entries alone. {hint}" in done.stdout
    assert json.loads(daybook("init", ".", "--json").stdout) == {
        "workspace": str(written.root),
        "id": written.id,
        "made": [],
        "waits_for_trust": [],
        "curate": "ours",
    }
    said = daybook("init", ".", "--curate", "all").stdout
    assert ("Daybook may curate every entry" in said, "Agent-written?" in said) == (True, False)
    assert json.loads(daybook("init", ".", "--json", "--curate", "all").stdout)["curate"] == "all"
    assert json.loads(daybook("init", ".", "--json").stdout)["curate"] == "all"
    assert modes(written) == ["all"]
    assert json.loads(daybook("init", ".", "--curate", "ours", "--json").stdout)["curate"] == "ours"


def test_another_word_is_wrong_usage(daybook: Daybook) -> None:
    assert daybook("init", ".", "--curate", "some").returncode == 2


def test_a_workspace_that_is_there_is_named_and_nothing_is_made(workspace: Workspace, daybook: Daybook) -> None:
    assert daybook("init", ".").stdout == f"{workspace.root} is a workspace.\n"
