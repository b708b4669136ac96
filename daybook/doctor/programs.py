"""Whether the programs that the operator named are there, and the files that they are given. None is run."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from daybook.doctor.examined import Examined, Site
from daybook.guard.cleaning import clean
from daybook.sources.process import expanded, small_environment
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

# What stands in patterns and scripts, and hardly in the name of a file.
NO_NAME = re.compile(r"[*?\[\](){}|^$\\<>;&\n]")


def examine_commands(site: Site) -> Iterator[Examined]:
    """Look whether the programs of the operator's own checks are found, and the files that they name."""
    own = {name: check for name, check in site.settings.checks.items() if check.command and check.enabled}
    lines = [
        (f"checks.{name}.{setting}", argv)
        for name, check in own.items()
        for setting, argv in (("command", check.command), ("when", check.when))
        if argv
    ]
    missing = [row for setting, argv in lines for row in program("commands", setting, argv, site)]
    yield from missing
    if own and not missing:
        yield Examined("commands", "ok", f"The programs of {counted(len(own), 'check')} of yours are found.")
    for setting, argv in lines:
        yield from _named(setting, argv)


def program(name: str, setting: str, argv: tuple[str, ...], site: Site) -> Iterator[Examined]:
    """Look whether the program of a command line is found; *setting* is where it stands, for the sentence."""
    if argv and not _is_found(expanded(argv)[0], site.workspace.private):
        sentence = f"The program {argv[0]} of {setting} is not found."
        yield Examined(name, "wrong", sentence, "Install it, or write its whole path.")


def _named(setting: str, argv: tuple[str, ...]) -> Iterator[Examined]:
    for given, whole in zip(argv[1:], expanded(argv)[1:], strict=True):
        if whole.startswith("/") and NO_NAME.search(whole) is None and _is_missing(whole):
            sentence = f"{setting} names {clean(given)}, which is not there now."
            yield Examined("commands", "note", sentence, "Correct it, unless it comes later or its absence is meant.")


def _is_missing(name: str) -> bool:
    try:
        return not Path(name).exists()
    except OSError:
        # Behind a folder that we may not look into; the program may.
        return False


def _is_found(name: str, private: Path) -> bool:
    # Commands run in private state, with the search path alone of this environment.
    if os.sep in name:
        path = private / name
        return path.is_file() and os.access(path, os.X_OK)
    return shutil.which(name, path=small_environment().get("PATH", os.defpath)) is not None
