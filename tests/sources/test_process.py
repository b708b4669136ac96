from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.sources import process

if TYPE_CHECKING:
    import pytest


def run(script: str, seconds: float = 20) -> process.Ended:
    return asyncio.run(process.run(["sh", "-c", script], cwd="/", timeout_s=seconds, output_bytes=1_000))


def is_gone(file: Path) -> bool:
    """Whether the process that wrote its id there ends: one that was killed is gone when the system gets to it."""
    pid, end = int(file.read_text()), time.monotonic() + 10
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
    os.kill(pid, 9)
    return False


def test_what_a_program_leaves_in_the_background_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns red when only a program that is still there has its group ended."""
    monkeypatch.setattr(process, "DRAIN_S", 0.05)
    pid = tmp_path / "pid"
    ended = run(f"sleep 61 & echo $! > {pid}")
    assert (ended.code, ended.timed_out, is_gone(pid)) == (0, False, True)


def test_so_does_what_has_let_go_of_its_pipes_and_takes_no_hint(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = f"(trap '' TERM HUP; sleep 61; sleep 61) </dev/null >/dev/null 2>&1 & echo $! > {pid}; exit 3"
    ended = run(script)
    assert (ended.code, ended.timed_out, is_gone(pid)) == (3, False, True)
