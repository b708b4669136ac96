"""Many writers at once: every line stands once, whoever wrote it and however."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.review import flush

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace

pytestmark = pytest.mark.faults
LINES = 1000
WRITER = """
import sys
from datetime import datetime
from daybook.memory import notes, staging
from daybook.workspace import open_workspace
workspace, name, moment = open_workspace(sys.argv[1]), sys.argv[2], datetime.fromisoformat(sys.argv[3])
for number in range(int(sys.argv[4])):
    notes.append(workspace, moment.date(), [notes.note_line(f"note {name} {number}", moment)])
    staging.stage(sys.argv[1], f"inbox {name} {number}")
"""
ECHO = """
number=0
while [ $number -lt "$4" ]; do
    echo "- 14:30 - note $2 $number" >> "$1/memory/2026-02-07.md"
    echo "- inbox $2 $number" >> "$1/memory/_inbox.md"
    number=$((number + 1))
done
"""


def test_m02_m23_eight_writers_a_note_an_inbox_and_a_flush_in_a_loop(workspace: Workspace, now: datetime) -> None:
    """Turns red when an append is not one locked write, or a claimed inbox is read only once."""
    arguments = [str(workspace.root), "", now.isoformat(), str(LINES)]
    commands = {f"python{n}": [sys.executable, "-c", WRITER] for n in range(4)}
    commands |= {f"echo{n}": ["sh", "-c", ECHO, "sh"] for n in range(4)}
    writers = [subprocess.Popen([*command, arguments[0], name, *arguments[2:]]) for name, command in commands.items()]
    turn = 0
    while any(writer.poll() is None for writer in writers):
        turn += 1
        flush.to_note(workspace, now, now + timedelta(microseconds=turn))
    assert [writer.returncode for writer in writers] == [0] * 8
    flush.to_note(workspace, now, now + timedelta(seconds=1))
    found = Counter(workspace.daily_note(now.date()).read_text().splitlines())
    wanted = [f"- 14:30 - {kind} {name} {n}" for kind in ("note", "inbox") for name in commands for n in range(LINES)]
    assert {line: found[line] for line in wanted if found[line] != 1} == {}
    assert turn > 1
