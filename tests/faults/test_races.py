"""Several processes at once, started together: nothing is lost, nothing doubled, and nobody waits for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybook.memory import longterm, staging, topics
from daybook.upkeep import rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from daybook.workspace import Workspace

pytestmark = pytest.mark.faults
ACTOR = Path(__file__).with_name("actor.py")
LINES = 40
PATIENCE_S = 120
BLOCKED_S = 1
# One a round, none like another.
LESSONS = (
    "Lesson: the gate squeaks without oil.",
    "Lesson: tomatoes rot in wet summers.",
    "Lesson: Anna answers letters on Mondays only.",
    "Lesson: the old printer jams with thick paper.",
    "Lesson: bread burns at 250 degrees.",
    "Lesson: the ferry leaves before sunrise.",
)
ROUNDS = len(LESSONS)
ECHO = """
while read go; do
    n=0
    while [ $n -lt 40 ]; do echo "- echoed $go $n" >> "$1/memory/_inbox.md"; n=$((n + 1)); done
    echo done
done
"""


class Actor:
    """A process that does what it is told, a line each; several can begin together."""

    def __init__(self, *command: str, ready: bool = True) -> None:
        """Start it, and wait until it has imported everything."""
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if ready:
            self._hear("ready")

    def start(self, command: str) -> None:
        """Tell it to begin."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def wait(self) -> None:
        """Wait until it is done."""
        self._hear("done")

    def do(self, command: str) -> None:
        """Tell it, and wait."""
        self.start(command)
        self.wait()

    def end(self) -> None:
        """Tell it that nothing comes any more, and let it end by itself."""
        self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0

    def _hear(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == word


@pytest.fixture
def actor(workspace: Workspace) -> Iterator[Callable[[], Actor]]:
    """Start actors on the workspace; those that live at the end are ended."""
    started: list[Actor] = []

    def begin() -> Actor:
        started.append(Actor(sys.executable, str(ACTOR), str(workspace.root)))
        return started[-1]

    yield begin
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.fixture
def echo(workspace: Workspace) -> Iterator[Actor]:
    """A shell that writes forty lines into the inbox when told."""
    shell = Actor("sh", "-c", ECHO, "sh", str(workspace.root), ready=False)
    yield shell
    shell.process.kill()
    shell.process.communicate()


def noted(workspace: Workspace, now: datetime) -> Counter[str]:
    lines = workspace.daily_note(now.date()).read_text().splitlines()
    return Counter(line.partition(" - ")[2] for line in lines if line.startswith("- "))


def entries(workspace: Workspace) -> Counter[str]:
    paths = [workspace.longterm, *topics.topic_files(workspace), workspace.archive]
    standing = [longterm.parse(path.read_bytes()) for path in paths if path.exists()]
    return Counter(entry.text for document in standing for entry in document.entries)


def learned(turn: int) -> list[str]:
    return [LESSONS[turn], *(f"box {turn} of shelf {n}" for n in range(LINES))]


def test_m23_two_flushes_at_once_and_writers_meanwhile(
    workspace: Workspace, now: datetime, actor: Callable[[], Actor], echo: Actor
) -> None:
    """Turns red when an inbox is claimed or posted outside the workspace lock."""
    first, second = actor(), actor()
    said = []
    for turn in range(ROUNDS):
        said += [*learned(turn), *(f"echoed {turn} {n}" for n in range(LINES))]
        workspace.inbox.write_text("".join(f"- {line}\n" for line in learned(turn)))
        first.start(f"flush {10 * turn}")
        second.start(f"flush {10 * turn + 1}")
        echo.do(str(turn))
        first.wait()
        second.wait()
        first.do(f"flush {10 * turn + 2}")
    first.end()
    second.end()
    assert noted(workspace, now) == Counter(said)
    assert max(entries(workspace).values()) == 1
    assert rebuild.check(workspace) == []


def test_a_flush_and_a_review_at_once_post_each_line_once(
    workspace: Workspace, now: datetime, actor: Callable[[], Actor]
) -> None:
    """Turns red when a review applies what it decided before the flush wrote, without looking again."""
    flusher, reviewer = actor(), actor()
    said = []
    for turn in range(ROUNDS):
        said += learned(turn)
        workspace.inbox.write_text("".join(f"- {line}\n" for line in learned(turn)))
        flusher.start(f"flush {10 * turn}")
        reviewer.start(f"review {10 * turn}")
        flusher.wait()
        reviewer.wait()
    flusher.do("flush 100")
    reviewer.do("review 101")
    flusher.end()
    reviewer.end()
    assert noted(workspace, now) == Counter(said)
    wanted = {line.removeprefix("Lesson: ") for line in said}
    assert entries(workspace) == Counter(wanted)
    assert rebuild.check(workspace) == []


@pytest.mark.parametrize("where", ["exchange", "rename", "write"])
def test_others_wait_for_a_suspended_owner_of_the_lock_and_nothing_doubles(
    workspace: Workspace, now: datetime, actor: Callable[[], Actor], where: str
) -> None:
    """Turns red when a lock has a lease, or is freed because its owner does not answer."""
    owner, other = actor(), actor()
    workspace.inbox.write_text("".join(f"- {line}\n" for line in learned(0)))
    owner.do(f"stop {where}")
    owner.start("flush 1")
    assert os.WIFSTOPPED(os.waitpid(owner.process.pid, os.WUNTRACED)[1])
    other.start("flush 2")
    # Noting does not wait for anybody.
    staging.stage(str(workspace.root), "noted meanwhile")
    with pytest.raises(subprocess.TimeoutExpired):
        other.process.wait(BLOCKED_S)
    owner.process.send_signal(signal.SIGCONT)
    owner.wait()
    other.wait()
    other.do("flush 3")
    owner.end()
    other.end()
    assert noted(workspace, now) == Counter([*learned(0), "noted meanwhile"])
    assert max(entries(workspace).values()) == 1
    assert rebuild.check(workspace) == []
