"""The entry point: what a user sees when a command ends otherwise than it meant to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybook import wording
from daybook.cli import entry

if TYPE_CHECKING:
    from daybook.workspace import Workspace

DEADLINE_S = 60


def test_ctrl_c_ends_a_command_with_one_word(workspace: Workspace) -> None:
    """Turns red when Ctrl-C says nothing, or a traceback."""
    # Whoever runs the tests in the background may have it ignored.
    script = "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    script += "from daybook.cli import note, entry\n"
    script += "note.run = lambda *_: os.kill(os.getpid(), signal.SIGINT)\nsys.exit(entry.main(['note', 'x']))\n"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=workspace.root,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_interruption_within_a_library_is_one_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, wrapped: bool
) -> None:
    def interrupted(_: list[str]) -> int:
        raise RuntimeError("KeyboardInterrupt") if wrapped else KeyboardInterrupt

    monkeypatch.setattr(entry, "_dispatch", interrupted)
    assert entry.main(["status"]) == 130
    assert capsys.readouterr() == ("", "Interrupted.\n")


def test_a_number_and_its_word_agree() -> None:
    assert [wording.entries(number) for number in (0, 1, 2)] == ["0 entries", "1 entry", "2 entries"]


def test_no_command_writes_one_with_a_plural() -> None:
    """Turns red when a count is put before a plural without `counted` or `entries`."""
    root = Path(entry.__file__).parent
    found = [
        f"{path.name}: {line.strip()}"
        for path in sorted(root.glob("*.py"))
        for line in path.read_text().splitlines()
        if "} entries" in line or "} operations" in line or "} records" in line
    ]
    assert found == []
