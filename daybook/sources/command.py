"""Checks of the operator's own: a command, run without a shell and without keys, whose output is outside text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.guard.outside import MAX_CHARS
from daybook.sources.process import run as run_program

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.settings import CheckSettings
    from daybook.workspace import Workspace

OUTPUT_BYTES = 65_536
NAME_CHARS = 60
NOT_IN_A_TAG = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class CommandResult:
    """
    What a command came to.

    Attributes:
        name: The check's name, fit for a tag.
        line: Its output as one flat line without secrets; its error output when it failed silently.
        exit_code: Negative for a signal.
        timed_out: Whether it was ended because its time was over.
    """

    name: str
    line: str
    exit_code: int
    timed_out: bool

    @property
    def ok(self) -> bool:
        """Whether it did what it was asked."""
        return self.exit_code == 0 and not self.timed_out

    @property
    def note(self) -> str:
        """The line for the daily note, tagged as outside; empty when there is nothing to say."""
        return f"{_tag(self.name)} {self.line}" if self.line else ""

    @property
    def problem(self) -> str:
        """What went wrong, in our own words; empty when nothing did."""
        if self.timed_out:
            return f"Check {self.name} was ended because its time was over; raise checks.{self.name}.timeout."
        return "" if self.ok else f"Check {self.name} ended with exit code {self.exit_code}; run its command by hand."


async def run(workspace: Workspace, name: str, check: CheckSettings, secrets: Iterable[str] = ()) -> CommandResult:
    """
    Run the command of one check.

    Args:
        workspace: Its private state is the command's current folder.
        name: The check's name in daybook.toml.
        check: Its settings, with a command.
        secrets: Secrets known by value, to be redacted.

    Raises:
        SourceError: The check has no command, or it cannot be started.
    """
    tag = NOT_IN_A_TAG.sub("-", name)[:NAME_CHARS] or "command"
    if not check.command:
        raise SourceError(f"checks.{tag} has no command; add one or remove the check.", transient=False)
    reason = None
    try:
        ended = await run_program(
            check.command,
            cwd=workspace.private,
            timeout_s=check.timeout.total_seconds(),
            output_bytes=OUTPUT_BYTES,
        )
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "its arguments cannot be passed on"
    # Raised out here so that no chained exception holds the command line.
    if reason is not None:
        raise SourceError(f"checks.{tag}.command cannot be started: {reason}; check its path.", transient=False)
    output = ended.stdout if ended.stdout.strip() or ended.code == 0 else ended.stderr
    room = MAX_CHARS - len(_tag(tag)) - 1
    line = clean(output.decode("utf-8", "replace"), limit=room, secrets=secrets)
    return CommandResult(tag, line, ended.code, ended.timed_out)


def _tag(name: str) -> str:
    return f"[cmd:{name}]"
