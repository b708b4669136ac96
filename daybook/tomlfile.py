"""
daybook.toml as plain values, and the one of them that everything with a date needs: the time zone.

`daybook context` and `daybook note --today` read no more than this: they start often, and a mistake in some
other setting must not keep a session from its memory.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from daybook import clock, files
from daybook.errors import SettingsError

if TYPE_CHECKING:
    from datetime import tzinfo

    from daybook.workspace import Workspace

RawSettings = dict[str, Any]


def read(workspace: Workspace) -> RawSettings:
    """
    Read daybook.toml as plain values; a missing file has none.

    Raises:
        SettingsError: It is no TOML.
    """
    data = files.read_if_exists(workspace.settings)
    if data is None:
        return {}
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{workspace.settings} is not UTF-8 (line {line}); save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:
        # Also numbers of thousands of digits, and thousands of brackets.
        raise SettingsError(f"{workspace.settings} is no valid TOML: {error}; mend that line.") from error


def zone(workspace: Workspace) -> tzinfo:
    """
    Give the workspace's time zone.

    Raises:
        SettingsError: It is no TOML, or names no zone.
    """
    named = read(workspace).get("timezone")
    if not isinstance(named, str | None):
        raise SettingsError(f'{workspace.settings}: timezone must be a name such as "Europe/Berlin".')
    return clock.zone(named)
