"""
Make folders, and keep them tidy: what killed writers left, and what is damaged.

Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import os

from daybook.errors import UnreadableFileError, UnsafeFileError
from daybook.files import TEMPORARY_MARK, sentence

# Not typing's: that module alone would take a tenth of `daybook note`'s time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from daybook.files import Name

PRIVATE_DIR_MODE = 0o700
OLD_S = 3600


def make_private_dir(path: Name) -> None:
    """Make a folder, and those above it that are missing, for this user alone."""
    name = os.fspath(path)
    if os.path.isdir(name):
        return
    if parent := os.path.dirname(name):
        make_private_dir(parent)
    try:
        os.mkdir(name, PRIVATE_DIR_MODE)
    except FileExistsError:
        if not os.path.isdir(name):
            raise UnsafeFileError(f"{name} is no folder; move it away and try again.") from None
    except OSError as error:
        raise UnreadableFileError(sentence("make the folder", name, error)) from error


def make_dir(path: Name) -> None:
    """
    Make a folder inside the workspace, if it is missing; those above it are there.

    Raises:
        UnsafeFileError: Something else stands there.
        UnreadableFileError: It cannot be made.
    """
    name = os.fspath(path)
    try:
        os.mkdir(name)
    except FileExistsError:
        if not os.path.isdir(name):
            raise UnsafeFileError(f"{name} is no folder; move it away and try again.") from None
    except OSError as error:
        raise UnreadableFileError(sentence("make the folder", name, error)) from error


def sweep_temporary(folder: Name, now_s: float) -> list[str]:
    """
    Remove what a killed `replace` left in *folder*.

    Args:
        folder: Which; a missing one has nothing.
        now_s: Seconds since the epoch; a file of the last hour may belong to a `replace` at work.

    Returns:
        The names removed.
    """
    if not os.path.isdir(folder):
        return []
    with os.scandir(folder) as entries:
        named = [entry for entry in entries if entry.name.startswith(TEMPORARY_MARK)]
        marked = [entry for entry in named if entry.is_file(follow_symlinks=False)]
        stray = sorted(entry.path for entry in marked if now_s - entry.stat(follow_symlinks=False).st_mtime > OLD_S)
    for path in stray:
        os.unlink(path)
    return stray


def set_aside(path: Name, when: str) -> str:
    """
    Rename a damaged file to `<name>.corrupt-<when>`, so that it can be rebuilt and is not lost.

    Args:
        path: The file.
        when: An instant as it may stand in a file name; a number follows where that name is taken.

    Returns:
        The sentence that reports it.
    """
    name = os.fspath(path)
    target = f"{name}.corrupt-{when}"
    number = 1
    while os.path.lexists(target):
        number += 1
        target = f"{name}.corrupt-{when}-{number}"
    os.rename(name, target)
    return f"{os.path.basename(name)} was damaged; it was set aside as {os.path.basename(target)} and built anew."
