from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from daybook.doctor.examined import Examined
    from daybook.workspace import Workspace

    Rows = Callable[[str], list[Examined]]


def write(home: Path, text: str, name: str = ".openclaw/openclaw.json") -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def levels(rows: Rows) -> list[str]:
    return [row.level for row in rows("openclaw")]


def test_no_configuration_is_nothing_to_warn_of(rows: Rows) -> None:
    (row,) = rows("openclaw")
    assert (row.level, row.sentence) == ("ok", "There is no configuration of OpenClaw on this machine.")


def test_two_heartbeats_on_one_folder_are_a_warning_that_says_what_to_do(
    home: Path, workspace: Workspace, rows: Rows
) -> None:
    path = write(home, f"// mine\n{{ agents: {{ defaults: {{ workspace: '{workspace.root}', }}, }}, }}")
    (row,) = rows("openclaw")
    assert row.level == "warning"
    assert row.sentence == (
        f"OpenClaw's agent main has a heartbeat of its own on this folder (every 30m, {path}), so two heartbeats work "
        "on it: mail and news may be looked at, noted and told twice."
    )
    assert '`heartbeat.every` to "0m"' in row.remedy
    assert "`heartbeat = false` under [schedule]" in row.remedy


@pytest.mark.parametrize("every", ["0m", "0", "0h", "never", ""])
def test_a_heartbeat_that_is_off_is_fine(home: Path, workspace: Workspace, rows: Rows, every: str) -> None:
    write(home, f'{{agents: {{defaults: {{workspace: "{workspace.root}", heartbeat: {{every: "{every}"}}}}}}}}')
    assert levels(rows) == ["ok"]


def test_daybooks_own_heartbeat_may_be_the_one_that_is_off(home: Path, workspace: Workspace, rows: Rows) -> None:
    write(home, f'{{agents: {{defaults: {{workspace: "{workspace.root}"}}}}}}')
    workspace.settings.write_text("[schedule]\nheartbeat = false\n")
    assert levels(rows) == ["ok"]


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        # The first agent is the default one, and it alone beats.
        ("[{id: 'a', workspace: '%s'}, {id: 'b'}]", "warning"),
        ("[{id: 'b'}, {id: 'a', workspace: '%s'}]", "ok"),
        ("[{id: 'b'}, {id: 'a', default: true, workspace: '%s'}]", "warning"),
        # As soon as one agent has a block of its own, only those that have one beat.
        ("[{id: 'a', workspace: '%s'}, {id: 'b', heartbeat: {every: '1h'}}]", "ok"),
        ("[{id: 'b'}, {id: 'a', workspace: '%s', heartbeat: {every: '1h'}}]", "warning"),
        ("[{id: 'a', workspace: '%s', heartbeat: {every: '0m'}}]", "ok"),
        # A block is laid over the defaults.
        ("[{id: 'a', workspace: '%s', heartbeat: {target: 'last'}}]", "ok"),
    ],
)
def test_an_agents_own_heartbeat_counts_before_the_defaults(
    home: Path, workspace: Workspace, rows: Rows, listed: str, expected: str
) -> None:
    off = "heartbeat: {every: '0m'}" if "target" in listed else ""
    write(home, f"{{agents: {{defaults: {{{off}}}, list: {listed % workspace.root}}}}}")
    assert levels(rows) == [expected]


def test_agents_by_name_and_their_default_folders_are_known(home: Path, workspace: Workspace, rows: Rows) -> None:
    write(home, f"{{agents: {{entries: {{ops: {{workspace: '{workspace.root}', heartbeat: {{every: '2h'}}}}}}}}}}")
    assert [row.sentence[:58] for row in rows("openclaw")] == [
        "OpenClaw's agent ops has a heartbeat of its own on this fo"
    ]
    write(home, "{}")
    (home / ".openclaw" / "workspace").symlink_to(workspace.root)
    assert levels(rows) == ["warning"]
    write(home, "{agents: {list: [{id: 'b'}, {id: 'ops', heartbeat: {every: '2h'}}]}}")
    assert levels(rows) == ["ok"]
    (home / ".openclaw" / "workspace-ops").symlink_to(workspace.root)
    assert levels(rows) == ["warning"]


def test_the_configuration_is_found_where_openclaw_looks_for_it(
    home: Path, workspace: Workspace, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = f"{{agents: {{defaults: {{workspace: '{workspace.root}'}}}}}}"
    write(home, here, ".clawdbot/clawdbot.json")
    assert levels(rows) == ["warning"]
    write(home, "{}")
    assert levels(rows) == ["ok"]
    write(home, here, ".openclaw-work/openclaw.json")
    assert levels(rows) == ["ok", "warning"]
    write(home, here, "state/openclaw.json")
    monkeypatch.setenv("OPENCLAW_STATE_DIR", "~/state")
    assert levels(rows) == ["warning"]
    monkeypatch.setenv(
        "OPENCLAW_CONFIG_PATH", str(write(home, "{agents: {defaults: {workspace: '${MINE}'}}}", "c.json5"))
    )
    assert levels(rows) == ["ok"]
    monkeypatch.setenv("MINE", str(workspace.root))
    assert levels(rows) == ["warning"]


@pytest.mark.parametrize("text", ["{agents: ", "[]", "\x00\x01", '{key: "sk-proj-abcdefghijklmnopqrstuvwxyz012345'])
def test_a_configuration_that_cannot_be_read_is_a_note_that_names_it(home: Path, rows: Rows, text: str) -> None:
    path = write(home, text)
    (row,) = rows("openclaw")
    assert (row.level, str(path) in row.sentence, "sk-proj" in row.sentence) == ("note", True, False)


def test_m33_a_pipe_in_its_place_is_a_note_and_no_hang(home: Path, rows: Rows) -> None:
    (home / ".openclaw").mkdir()
    os.mkfifo(home / ".openclaw" / "openclaw.json")
    assert levels(rows) == ["note"]


@pytest.mark.parametrize(
    "text", ["{agents: 1}", "{agents: {list: [1, null], defaults: []}}", "{agents: {entries: {a: 2}}}"]
)
def test_other_shapes_than_openclaws_do_no_harm(home: Path, rows: Rows, text: str) -> None:
    write(home, text)
    assert levels(rows) == ["ok"]
