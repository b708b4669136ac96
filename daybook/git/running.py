"""
Run git so that nothing which a repository's configuration or attributes name can run with it.

Only plumbing that needs no filter, merge, diff, pager, editor or signature is ever asked for; what is left that could
start a program is switched off for each call.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.guard.outside import flatten
from daybook.guard.secrets import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

TIMEOUT_S = 20.0
TERM_GRACE_S = 2.0
SAID_CHARS = 200
PASSED_ON = ("HOME", "XDG_CONFIG_HOME")
OFF = (
    ("core.hooksPath", "/dev/null"),
    # Empty and not `false`: an older git takes the value for a program's name.
    ("core.fsmonitor", ""),
    ("core.alternateRefsCommand", ""),
    ("commit.gpgSign", "false"),
    ("submodule.recurse", "false"),
    ("safe.bareRepository", "explicit"),
    ("i18n.commitEncoding", "UTF-8"),
)
ENVIRONMENT = {
    "LC_ALL": "C",
    # A partial clone fetches what it lacks, by a program that its configuration names.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}


class GitError(Exception):
    """A call of git failed; `commit` makes a value of it, so it never reaches a user."""


@dataclass(frozen=True)
class Git:
    """
    The git program, for one folder.

    Attributes:
        program: Absolute path of the program.
        root: The folder it runs in.
        hooks: Names of hooks that the configuration defines; `core.hooksPath` does not switch those off.
    """

    program: str
    root: Path
    hooks: tuple[str, ...] = ()

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        index: Path | None = None,
        environment: Mapping[str, str] | None = None,
        fine: Collection[int] = (0,),
    ) -> bytes:
        """
        Run one command and give its output.

        Args:
            arguments: Command and arguments.
            stdin: What it gets to read.
            index: An index of ours, to use in place of the repository's.
            environment: More variables.
            fine: Exit codes that are no failure.

        Raises:
            GitError: It failed, could not be started, or took too long.
        """
        off = [*OFF, *([("core.splitIndex", "false")] if index else [])]
        given = [part for name, value in off for part in ("-c", f"{name}={value}")]
        more = {"GIT_INDEX_FILE": str(index)} if index else {}
        argv = [self.program, "--no-pager", *given, *arguments]
        code, out, err = _run(argv, self.root, self._environment() | more | dict(environment or {}), stdin)
        if code not in fine:
            said = next((line for line in err.decode("utf-8", "replace").splitlines() if line.strip()), f"exit {code}")
            raise GitError(
                f"git {arguments[0]} failed in {self.root}: {flatten(redact(said), limit=SAID_CHARS)}; "
                "run `git status` there to see why."
            )
        return out

    def _environment(self) -> dict[str, str]:
        # None of the shell's own GIT_ variables: they may name another repository, index or program.
        passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        here = {"PATH": _search_path(self.root), "GIT_CEILING_DIRECTORIES": str(self.root.parent)}
        # As variables and not as `-c`: a name may hold a sign of equality.
        hooks = {"GIT_CONFIG_COUNT": str(len(self.hooks))}
        for number, name in enumerate(self.hooks):
            hooks |= {f"GIT_CONFIG_KEY_{number}": f"hook.{name}.enabled", f"GIT_CONFIG_VALUE_{number}": "false"}
        return passed | ENVIRONMENT | here | hooks


def find_program(root: Path) -> str | None:
    """Find git on the search path; what lies in the workspace itself is passed over."""
    return shutil.which("git", path=_search_path(root))


def _search_path(root: Path) -> str:
    folders = [Path(name) for name in os.environ.get("PATH", os.defpath).split(os.pathsep)]
    kept = [name for name in folders if name.is_absolute() and not name.resolve().is_relative_to(root)]
    return os.pathsep.join(map(str, kept))


def _run(argv: list[str], cwd: Path, environment: dict[str, str], stdin: bytes) -> tuple[int, bytes, bytes]:
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the program is git and the arguments are ours
            argv,
            cwd=cwd,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ctrl-C at the terminal is ours to answer, not git's in the middle of a write.
            start_new_session=True,
        )
    except OSError as error:
        raise GitError(f"git cannot be started in {cwd}: {error.strerror}; check that it is installed.") from error
    with process:
        try:
            out, err = process.communicate(stdin, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            _end(process)
            raise GitError(f"git did not end within {TIMEOUT_S:g} s in {cwd}; run `git status` there.") from None
    return process.returncode, out, err


def _end(process: subprocess.Popen[bytes]) -> None:
    # SIGTERM lets git remove the locks it holds.
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(TERM_GRACE_S)
