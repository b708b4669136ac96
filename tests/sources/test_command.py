from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybook.errors import SourceError
from daybook.settings import CheckSettings
from daybook.sources import command, process

if TYPE_CHECKING:
    from daybook.sources.command import CommandResult
    from daybook.workspace import Workspace


def run(workspace: Workspace, *argv: str, seconds: float = 20, secrets: tuple[str, ...] = ()) -> CommandResult:
    check = CheckSettings(command=argv, timeout=timedelta(seconds=seconds))
    return asyncio.run(command.run(workspace, "weather", check, secrets))


def test_output_becomes_one_tagged_line(workspace: Workspace) -> None:
    result = run(workspace, "printf", "sunny\n# 20 degrees\n")
    assert (result.ok, result.note, result.problem) == (True, "[cmd:weather] sunny # 20 degrees", "")


def test_no_shell_stands_between(workspace: Workspace) -> None:
    assert run(workspace, "printf", "%s", "$HOME; `id`").line == "$HOME; `id`"


def test_o03_no_key_reaches_the_command_and_no_secret_leaves_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "AQ.0123456789abcdefghijklmn")
    result = run(workspace, sys.executable, "-c", "import os, json; print(json.dumps(sorted(os.environ)))")
    allowed = {"PATH", "HOME", "LANG", "TZ", "PYTHONSAFEPATH", "LC_CTYPE"}
    assert set(json.loads(result.line)) <= allowed
    assert run(workspace, "printf", "the pass is hunter-2-x", secrets=("hunter-2-x",)).line == (
        "the pass is [redacted:known]"
    )


def test_its_folder_is_private_state(workspace: Workspace) -> None:
    assert run(workspace, sys.executable, "-c", "import os; print(os.getcwd())").line == str(workspace.private)


def test_a_failure_is_a_value_with_its_error_output(workspace: Workspace) -> None:
    result = run(workspace, "sh", "-c", "echo broken >&2; exit 3")
    assert (result.exit_code, result.ok, result.line) == (3, False, "broken")
    assert result.problem == "Check weather ended with exit code 3; run its command by hand."


def test_a_command_over_its_time_is_ended_with_its_children(workspace: Workspace, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 60 & echo $! > {pids}; echo $$ >> {pids}; echo begun; trap '' TERM; sleep 60 & wait; sleep 60"
    result = run(workspace, "sh", "-c", script, seconds=0.5)
    assert (result.timed_out, result.line, result.ok) == (True, "begun", False)
    assert [pid for pid in pids.read_text().split() if _alive(int(pid))] == []


def test_a_child_left_in_the_background_does_not_hold_it_up(workspace: Workspace) -> None:
    result = run(workspace, "sh", "-c", "sleep 3 & echo done", seconds=20)
    assert (result.ok, result.line) == (True, "done")


def test_long_output_and_its_tag_fit_a_line(workspace: Workspace) -> None:
    assert len(run(workspace, sys.executable, "-c", "print('x' * 1000)").note) == 300


def test_endless_output_is_cut() -> None:
    ended = asyncio.run(process.run(["yes"], cwd="/", timeout_s=0.3, output_bytes=1000))
    assert (len(ended.stdout), ended.cut, ended.timed_out) == (1000, True, True)


@pytest.mark.parametrize("argv", [("no-such-program-here",), ("bad\0name",)])
def test_what_cannot_be_started_is_an_error_without_the_command_line(
    workspace: Workspace, argv: tuple[str, ...]
) -> None:
    with pytest.raises(SourceError) as caught:
        run(workspace, *argv, "--password=hunter2")
    assert (caught.value.transient, "hunter2" in str(caught.value)) == (False, False)
    assert "checks.weather.command cannot be started" in str(caught.value)


def test_a_check_without_a_command_is_an_error(workspace: Workspace) -> None:
    with pytest.raises(SourceError, match="has no command"):
        asyncio.run(command.run(workspace, "weather", CheckSettings()))


def test_a_name_that_does_not_fit_a_tag_is_made_to(workspace: Workspace) -> None:
    check = CheckSettings(command=("printf", "x"))
    assert asyncio.run(command.run(workspace, "my check]", check)).note == "[cmd:my-check-] x"


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")
