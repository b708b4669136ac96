"""
Make folders, and keep them tidy: what killed writers left, and what is damaged.

Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import os
import stat

from daybook.errors import ChangedFileError, UnreadableFileError, UnsafeFileError
from daybook.exchange import kept_name, missed_by_nobody, swapped_base, take_out, temporary_name
from daybook.files import TEMPORARY_MARK, changed, holds, look, read_bytes, sentence, sync_folder

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


def listed(folder: Name) -> list[str]:
    """Names in a folder, in order; a missing one has none."""
    try:
        return sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UnreadableFileError(sentence("list", folder, error)) from error


def holds_file(path: Name) -> bool:
    """Whether a regular file stands there: no link, folder or device."""
    seen = look(path)
    return seen is not None and stat.S_ISREG(seen.st_mode)


def sweep_temporary(folder: Name, now_s: float) -> list[str]:
    """
    Remove what a killed `replace` left in *folder*; what somebody saved in just that moment is kept beside its file.

    Args:
        folder: Which; a missing one has nothing.
        now_s: Seconds since the epoch; a file of the last hour may belong to a `replace` at work.

    Returns:
        Where each save was kept.
    """
    kept: list[str] = []
    for path in [path for path, changed_s in _temporary(folder) if now_s - changed_s > OLD_S]:
        base = swapped_base(os.path.basename(path))
        if base is None or missed_by_nobody(path, read_bytes(path)):
            remove(path)
        else:
            kept.append(kept_name(os.path.join(folder, base)))
            rename(path, kept[-1])
    return kept


def _temporary(folder: Name) -> list[tuple[str, float]]:
    """Our temporary files, and since when they have had their name or content."""
    found = []
    for name in (one for one in listed(folder) if one.startswith(TEMPORARY_MARK)):
        path = os.path.join(folder, name)
        if (seen := look(path)) is not None and stat.S_ISREG(seen.st_mode):
            # What was swapped out has the time of its last save, which may be long past.
            found.append((path, seen.st_mtime if swapped_base(name) is None else seen.st_ctime))
    return found


def remove(path: Name) -> None:
    """Remove a file, if it is there."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnreadableFileError(sentence("remove", path, error)) from error


def take_away(path: Name, *, expected: bytes) -> None:
    """
    Remove a file, if it still holds what we read.

    Raises:
        ChangedFileError: Somebody saved it since, or removed it; what they saved stands.
        UnreadableFileError: It cannot be removed.
    """
    name = os.fspath(path)
    try:
        if not (holds(name, expected) and take_out(name, temporary_name(name), expected, holds)):
            raise ChangedFileError(changed(name))
    except OSError as error:
        raise UnreadableFileError(sentence("remove", path, error)) from error
    sync_folder(os.path.dirname(name) or ".")


def rename(path: Name, target: Name) -> None:
    """Give a file another name, which is free."""
    try:
        os.rename(path, target)
    except OSError as error:
        raise UnreadableFileError(sentence("rename", path, error)) from error


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
    rename(name, target)
    return f"{os.path.basename(name)} was damaged; it was set aside as {os.path.basename(target)} and built anew."
