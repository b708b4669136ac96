from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("OPENCLAW_CONFIG_PATH", "OPENCLAW_STATE_DIR", "OPENCLAW_HOME"):
        monkeypatch.delenv(name, raising=False)


def test_doctor_ends_with_0_when_nothing_is_wrong_and_with_1_when_something_is(
    workspace: Workspace, daybook: Daybook
) -> None:
    done = daybook("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == "Nothing is wrong, 1 warning."
    workspace.settings.write_text("quite = 1\n")
    done = daybook("doctor", "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, done.stderr, found["ok"]) == (1, "", False)
    assert set(found) == {"ok", "checks", "heartbeat_rules"}
    assert {frozenset(row) for row in found["checks"]} == {frozenset({"name", "level", "sentence", "remedy"})}
    assert [row["name"] for row in found["checks"] if row["level"] == "wrong"] == ["settings"]


def test_doctor_outside_a_workspace_is_one_sentence(daybook: Daybook, tmp_path: Path) -> None:
    done = daybook("doctor", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("daybook: There is no folder ")
