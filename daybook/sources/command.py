"""
Checks of the operator's own: a command, run without a shell and without keys, whose output is outside text.

Where the check has `when`, that is run first, in the same way: unless it ends with exit code 0, the command has
nothing to do this time.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.guard.outside import MAX_CHARS
from daybook.guard.secrets import redact
from daybook.sources.process import expanded
from daybook.sources.process import run as run_program

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.settings import CheckSettings
    from daybook.sources.process import Ended
    from daybook.workspace import Workspace

OUTPUT_BYTES = 65_536
OUTPUT_CHARS = 16_000
MAX_LINES = 10
NAME_CHARS = 60
NOT_IN_A_TAG = re.compile(r"[^\w.-]+")
# Colours and cursor moves, for a terminal that is not there.
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


@dataclass(frozen=True)
class CommandResult:
    """
    What a command came to.

    Attributes:
        name: The check's name, fit for a tag.
        lines: What it printed, each flat and without secrets, at most ten: the last one counts those left out.
            When it failed, its error output comes first.
        output: All it printed, line by line, as far as 4,000 characters reach: what the guard is to know.
        exit_code: Negative for a signal; that of `when` if it held the command back.
        timed_out: Whether it was ended because its time was over.
        held_back: Whether `when` said that there is nothing to do; nothing was run then.
    """

    name: str
    lines: tuple[str, ...]
    output: str
    exit_code: int
    timed_out: bool
    held_back: bool = False

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked, or was not asked."""
        return self.held_back or (self.exit_code == 0 and not self.timed_out)

    @property
    def notes(self) -> tuple[str, ...]:
        """The lines for the daily note, each tagged as outside; none when there is nothing to say."""
        return tuple(f"{_tag(self.name)} {line}" for line in self.lines)

    @property
    def problem(self) -> str:
        """What went wrong, in our own words; empty when nothing did."""
        if self.timed_out:
            return f"Check {self.name} was ended because its time was over; raise checks.{self.name}.timeout."
        return "" if self.ok else f"Check {self.name} ended with exit code {self.exit_code}; run its command by hand."


async def run(workspace: Workspace, name: str, check: CheckSettings, secrets: Iterable[str] = ()) -> CommandResult:
    """
    Run the command of one check, if its `when` agrees.

    Args:
        workspace: Its private state is the command's current folder.
        name: The check's name in daybook.toml.
        check: Its settings, with a command.
        secrets: Secrets known by value, to be redacted.

    Raises:
        SourceError: The check has no command, or it cannot be started; or `when` cannot, or does not end in time.
    """
    tag = NOT_IN_A_TAG.sub("-", name)[:NAME_CHARS] or "command"
    if not check.command:
        raise SourceError(f"checks.{tag} has no command; add one or remove the check.", transient=False)
    if check.when:
        asked = await _started(workspace, check, check.when, f"checks.{tag}.when")
        if asked.timed_out:
            raise SourceError(
                f"checks.{tag}.when was ended because its time was over; raise checks.{tag}.timeout or ask less of it.",
                transient=False,
            )
        if asked.code != 0:
            return CommandResult(tag, (), "", asked.code, timed_out=False, held_back=True)
    ended = await _started(workspace, check, check.command, f"checks.{tag}.command")
    failed = ended.code != 0 or ended.timed_out
    known = tuple(secrets)
    printed = [*_lines(ended.stderr if failed else b"", known), *_lines(ended.stdout, known)]
    told = _few(printed, MAX_CHARS - len(_tag(tag)) - 1, cut=ended.cut, secrets=known)
    return CommandResult(tag, told, _whole(printed, known), ended.code, ended.timed_out)


async def _started(workspace: Workspace, check: CheckSettings, argv: Sequence[str], setting: str) -> Ended:
    try:
        return await run_program(
            expanded(argv),
            cwd=workspace.private,
            timeout_s=check.timeout.total_seconds(),
            output_bytes=OUTPUT_BYTES,
        )
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "its arguments cannot be passed on"
    # Raised out here so that no chained exception holds the command line.
    raise SourceError(f"{setting} cannot be started: {reason}; check its path.", transient=False)


def _lines(data: bytes, secrets: tuple[str, ...]) -> list[str]:
    # Redacted before it is cut into lines, since a private key has many.
    text = redact(ESCAPES.sub("", data.decode("utf-8", "replace")), secrets)
    return [line for line in text.splitlines() if line.strip()]


def _few(lines: list[str], room: int, *, cut: bool, secrets: tuple[str, ...]) -> tuple[str, ...]:
    last = MAX_LINES if len(lines) <= MAX_LINES and not cut else MAX_LINES - 1
    told = tuple(clean(line, limit=room, secrets=secrets) for line in lines[:last])
    if left := len(lines) - len(told):
        told += (f"… and {'at least ' if cut else ''}{left} more line{'' if left == 1 else 's'}",)
    return tuple(filter(None, told))


def _whole(lines: list[str], secrets: tuple[str, ...]) -> str:
    text = ""
    for line in lines:
        if len(text) >= OUTPUT_CHARS:
            break
        text += clean(line, limit=OUTPUT_CHARS, secrets=secrets) + "\n"
    return text[:OUTPUT_CHARS].strip()


def _tag(name: str) -> str:
    return f"[cmd:{name}]"
