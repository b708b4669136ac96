"""
Checks of the operator's own: a command, run without a shell and without keys, whose output is outside text.

Where the check has `when`, that is run first, in the same way: exit code 0 lets the command run, another one holds it
back. What is no answer but a failure is told, so that no check is held back for ever by a name misspelt: a signal, the
exit codes 2 and from 126 on, which programs and shells keep for what went wrong, and any failure that complains.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.guard.outside import MAX_CHARS
from daybook.sources.process import complaint, expanded, lines_of
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
# What grep, test and diff end with when they could not look, and what a shell does when it found nothing to run.
TROUBLE = 2
SHELL_TROUBLE = 126


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
        limit_s: Seconds that it had.
        held_back: Whether `when` said that there is nothing to do; nothing was run then.
    """

    name: str
    lines: tuple[str, ...]
    output: str
    exit_code: int
    timed_out: bool
    limit_s: float = 0.0
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
            return f"Check {self.name} {_took_long(self.limit_s)}; raise checks.{self.name}.timeout."
        return "" if self.ok else f"Check {self.name} {_ended(self.exit_code)}; run its command by hand."


async def run(workspace: Workspace, name: str, check: CheckSettings, secrets: Iterable[str] = ()) -> CommandResult:
    """
    Run the command of one check, if its `when` agrees.

    Args:
        workspace: Its private state is the command's current folder.
        name: The check's name in daybook.toml.
        check: Its settings, with a command.
        secrets: Secrets known by value, to be redacted.

    Raises:
        SourceError: The check has no command, or it cannot be started; or `when` did not answer.
    """
    tag = NOT_IN_A_TAG.sub("-", name)[:NAME_CHARS] or "command"
    if not check.command:
        raise SourceError(f"checks.{tag} has no command; add one or remove the check.", transient=False)
    known, limit_s = tuple(secrets), check.timeout.total_seconds()
    if check.when:
        asked = await _started(workspace, check, check.when, f"checks.{tag}.when")
        if problem := _no_answer(asked, tag, limit_s, known):
            raise SourceError(problem, transient=False)
        if asked.code != 0:
            return CommandResult(tag, (), "", asked.code, timed_out=False, held_back=True)
    ended = await _started(workspace, check, check.command, f"checks.{tag}.command")
    failed = ended.code != 0 or ended.timed_out
    printed = [*lines_of(ended.stderr if failed else b"", known), *lines_of(ended.stdout, known)]
    told = _few(printed, MAX_CHARS - len(_tag(tag)) - 1, cut=ended.cut, secrets=known)
    return CommandResult(tag, told, _whole(printed, known), ended.code, ended.timed_out, limit_s)


def _no_answer(asked: Ended, tag: str, limit_s: float, secrets: tuple[str, ...]) -> str:
    """Say why what `when` came to is neither yes nor no; nothing where it is."""
    if asked.timed_out:
        return f"checks.{tag}.when {_took_long(limit_s)}; raise checks.{tag}.timeout or ask less of it."
    why = complaint(asked.stderr, secrets)
    is_no = 0 < asked.code < SHELL_TROUBLE and asked.code != TROUBLE and not why
    if asked.code == 0 or is_no:
        return ""
    return f"checks.{tag}.when {_ended(asked.code)}{why and f': {why}'}; run it by hand."


def _took_long(limit_s: float) -> str:
    return f"took longer than {limit_s:g} s and was ended"


def _ended(code: int) -> str:
    return f"ended with exit code {code}" if code >= 0 else f"was ended by signal {-code}"


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
