"""Running a program that is not ours to trust: no shell, a small environment, bounded time and output."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from daybook.guard.cleaning import clean
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

PASSED_ON = ("PATH", "HOME", "LANG", "TZ")
TERM_GRACE_S = 2.0
DRAIN_S = 0.5
POLL_S = 0.1
CHUNK_BYTES = 65_536
COMPLAINT_CHARS = 120
# Colours and cursor moves, for a terminal that is not there.
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


@dataclass(frozen=True)
class Ended:
    """
    How a program ended.

    Attributes:
        stdout: At most the bytes asked for; what came after them was dropped.
        stderr: Likewise.
        code: Its exit code, negative for a signal.
        timed_out: Whether it was ended because its time was over.
        cut: Whether output was dropped.
    """

    stdout: bytes
    stderr: bytes
    code: int
    timed_out: bool
    cut: bool


def small_environment() -> dict[str, str]:
    """Environment for programs: where to find things and how to write them; no key, no setting of ours."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return passed | {"PYTHONSAFEPATH": "1"}


def expanded(argv: Sequence[str]) -> tuple[str, ...]:
    """Put the user's home folder for a `~` that begins an argument, as a shell would: none does it for us."""
    # Not by a Path, which would drop a slash at the end.
    home = os.path.expanduser("~")  # noqa: PTH111 - likewise
    return tuple(home + each[1:] if each == "~" or each.startswith("~/") else each for each in argv)


def lines_of(data: bytes, secrets: Iterable[str] = ()) -> list[str]:
    """Read the lines of an output that hold anything; redacted before, since a private key has many of them."""
    text = redact(ESCAPES.sub("", data.decode("utf-8", "replace")), tuple(secrets))
    return [line for line in text.splitlines() if line.strip()]


def complaint(stderr: bytes, secrets: Iterable[str] = ()) -> str:
    """Give the last line of an error output, fit for a sentence of ours: harmless, short, without its full stop."""
    known = tuple(secrets)
    lines = lines_of(stderr, known)
    return clean(lines[-1], limit=COMPLAINT_CHARS, secrets=known).rstrip(" .;") if lines else ""


async def run(
    argv: Sequence[str],
    *,
    cwd: Path | str,
    timeout_s: float,
    output_bytes: int,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> Ended:
    """
    Run a program in a process group of its own, which ends with it: when its time is over, and when it is done.

    Args:
        argv: Program and arguments.
        cwd: Its current folder; never one in a workspace.
        timeout_s: Seconds it may take.
        output_bytes: Bytes kept of each of its outputs.
        stdin: What it gets to read.
        env: Its whole environment; `small_environment()` when left out.

    Raises:
        OSError: It cannot be started.
    """
    process = await _started(argv, cwd, dict(small_environment() if env is None else env))
    out, err = _Kept(output_bytes), _Kept(output_bytes)
    streams = [
        asyncio.create_task(_feed(process, stdin)),
        asyncio.create_task(out.read(process.stdout)),
        asyncio.create_task(err.read(process.stderr)),
    ]
    timed_out = False
    try:
        try:
            async with asyncio.timeout(timeout_s):
                await _until_ended(process, streams)
        except TimeoutError:
            timed_out = process.returncode is None
    finally:
        code = await _end(process, streams)
    return Ended(bytes(out.data), bytes(err.data), code, timed_out, out.cut or err.cut)


async def _started(argv: Sequence[str], cwd: Path | str, env: dict[str, str]) -> asyncio.subprocess.Process:
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    )
    # Cancelled half-way, asyncio would end the program alone and leave the rest of its group.
    cancelled = await _through(starting)
    if cancelled is None:
        return starting.result()
    if starting.exception() is None:
        await _end(starting.result(), [])
    raise cancelled


class _Kept:
    """The first bytes of a stream; the rest is read too, so that its writer does not stand still."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.cut = False
        self._limit = limit

    async def read(self, stream: asyncio.StreamReader | None) -> None:
        while stream is not None and (chunk := await stream.read(CHUNK_BYTES)):
            room = self._limit - len(self.data)
            self.data += chunk[:room]
            self.cut = self.cut or len(chunk) > room


async def _feed(process: asyncio.subprocess.Process, data: bytes) -> None:
    if process.stdin is None:
        return
    # A program that does not read its input is no fault of ours to report.
    with suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()


async def _until_ended(process: asyncio.subprocess.Process, streams: list[asyncio.Task[None]]) -> None:
    # process.wait() may wait for the pipes too, which a grandchild in the background keeps open.
    waiting = set(streams)
    while waiting and process.returncode is None:
        _, waiting = await asyncio.wait(waiting, timeout=POLL_S)
    if waiting:
        await asyncio.wait(waiting, timeout=DRAIN_S)
    if process.returncode is None:
        await process.wait()


async def _end(process: asyncio.subprocess.Process, streams: list[asyncio.Task[None]]) -> int:
    ending = asyncio.create_task(_ended(process, streams))
    # Whoever cancels us again is in a hurry; all the same, what was started never outlives the run.
    cancelled = await _through(ending, lambda: _signal_group(process.pid, signal.SIGKILL))
    if cancelled is not None:
        raise cancelled
    return ending.result()


async def _through(task: asyncio.Task[Any], hurry: Callable[[], None] = lambda: None) -> asyncio.CancelledError | None:
    """Wait until a task is done, whoever cancels us meanwhile; give the last of these cancellations, to be raised."""
    cancelled = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            hurry()
            cancelled = error
    return cancelled


async def _ended(process: asyncio.subprocess.Process, streams: list[asyncio.Task[None]]) -> int:
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGTERM)
        await _wait_ended(process, TERM_GRACE_S)
    # Also where the program has ended: what it left in the background is not to outlive it.
    _signal_group(process.pid, signal.SIGKILL)
    await _wait_ended(process, None)
    for stream in streams:
        stream.cancel()
    await asyncio.gather(*streams, return_exceptions=True)
    # There is no public way to let go of pipes that a grandchild still holds.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
    return process.returncode if process.returncode is not None else -signal.SIGKILL


async def _wait_ended(process: asyncio.subprocess.Process, seconds: float | None) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while process.returncode is None:  # noqa: ASYNC110 - process.wait() may wait for the pipes too
                await asyncio.sleep(POLL_S / 10)


def _signal_group(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
