"""
Keys and addresses of providers: the process's environment, over the file keys.env of this user alone.

The file is for schedules, which start without a shell's environment. What it holds is given to the providers by
value; it never enters `os.environ`, which child processes inherit. Imports stay few: every beat looks here.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError, SettingsError
from daybook.guard.secrets import remember
from daybook.models.choice import SECRET_NAME, secret_values

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = Path("daybook") / "keys.env"
OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO
LINE = re.compile(r"(?:export +)?(?P<name>[A-Za-z_]\w*)=(?P<value>.*)", re.ASCII)
# Whole, in a pair of quotes that does not occur inside it, or without any quote or space.
VALUE = re.compile(r"""'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<bare>[^\s'"]*)""")


def environment() -> Mapping[str, str]:
    """
    Give every variable by its name.

    The process's own environment wins, also with an empty value: that is how one run does without a key. What
    the file holds under the name of a key, token or password is redacted everywhere from now on.

    Raises:
        SettingsError: The file is not of this user alone, or a line of it cannot be understood.
        UnreadableFileError: It cannot be read.
    """
    kept = _read(path())
    remember(value for name, value in kept.items() if SECRET_NAME.search(name))
    whole = kept | dict(os.environ)
    # A key with the line end of the file that it was read from is refused, and would pass redaction.
    return {name: value.strip() if SECRET_NAME.search(name) else value for name, value in whole.items()}


def remember_all() -> list[str]:
    """Have every secret of the environment and of the file redacted from now on; what is wrong with the file."""
    problems = []
    known: Mapping[str, str] = os.environ
    try:
        known = environment()
    except DaybookError as error:
        problems.append(str(error))
    remember(secret_values(known))
    return problems


def path() -> Path:
    """Where the file is: `$XDG_CONFIG_HOME/daybook/keys.env`, by default in ~/.config; it need not exist."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if Path(base).is_absolute() else Path("~/.config").expanduser()
    return folder / FILE


def _read(file: Path) -> dict[str, str]:
    found = files.look(file)
    if found is None:
        return {}
    if not stat.S_ISREG(found.st_mode):
        raise SettingsError(f"{file} is not a regular file; put a file of mode 600 in its place.")
    if found.st_uid != os.geteuid():
        raise SettingsError(f"{file} belongs to another user; run `chown {os.geteuid()} {file}`.")
    if stat.S_IMODE(found.st_mode) & OTHERS_MAY:
        raise SettingsError(f"{file} can be read or written by others; run `chmod 600 {file}`.")
    data = files.read_if_exists(file) or b""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = None
    # Raised out here because a decoding error carries the bytes it could not read.
    if text is None:
        raise SettingsError(f"{file} is no UTF-8 text; write lines of the form NAME=value.")
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    return dict(_parse(file, number, line) for number, line in lines if line and not line.startswith("#"))


def _parse(file: Path, number: int, line: str) -> tuple[str, str]:
    """Read one line; an error tells its number and never a part of it, which may be a key."""
    named = LINE.fullmatch(line)
    value = named and VALUE.fullmatch(named["value"])
    if named is None or value is None or not line.isprintable():
        raise SettingsError(
            f"{file}, line {number} cannot be understood; write NAME=value, in quotes if the value has a space."
        )
    return named["name"], value["single"] or value["double"] or value["bare"] or ""
