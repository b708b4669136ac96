"""
Reading and writing files that others edit at any time.

Only regular files, never through a symlink; appends are locked and begin on a line of their own;
replacements are atomic and keep the mode. Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from contextlib import contextmanager

from daybook.errors import ChangedFileError, UnreadableFileError, UnsafeFileError
from daybook.exchange import MARK, discard, place_new, swap, temporary_name

# Not typing's: that module alone would take a tenth of `daybook note`'s time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Name = str | os.PathLike[str]

READ_TRIES = 4
PAUSE_S = 0.01
UPDATE_TRIES = 5
NEW_FILE_MODE = 0o644
PRIVATE_FILE_MODE = 0o600
TEMPORARY_MARK = MARK


def read_bytes(path: Name) -> bytes:
    """
    Read a regular file whole, as one consistent state.

    An editor that truncates and then writes is given a moment: the read is repeated when the file was
    empty or changed under it.

    Raises:
        FileNotFoundError: Nothing is there.
        UnsafeFileError: A symlink, FIFO, device or folder is there.
        UnreadableFileError: It is there and cannot be read, or does not stand still.
    """
    for turn in range(READ_TRIES):
        if turn:
            time.sleep(PAUSE_S * turn)
        fd = _open(path, os.O_RDONLY)
        try:
            before = os.fstat(fd)
            with os.fdopen(os.dup(fd), "rb") as stream:
                data = stream.read()
            after = os.fstat(fd)
        except OSError as error:
            raise UnreadableFileError(sentence("read", path, error)) from error
        finally:
            os.close(fd)
        still = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
        if still and (data or turn == READ_TRIES - 1):
            return data
    raise UnreadableFileError(f"{os.fspath(path)} is being written by someone else; try again in a moment.")


def look(path: Name) -> os.stat_result | None:
    """Look at a name itself, not at what a link leads to; None when nothing is there."""
    try:
        return os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableFileError(sentence("look at", path, error)) from error


def read_if_exists(path: Name) -> bytes | None:
    """Read like `read_bytes`; None when nothing is there."""
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return None


def append(
    path: Name,
    data: bytes | Callable[[bytes], bytes],
    *,
    mode: int = NEW_FILE_MODE,
    follow: bool = False,
    own_line: bool = True,
) -> int:
    """
    Append *data* in one write, under a lock on the file, on a line of its own.

    Args:
        path: Created with *mode* when missing.
        data: What to add, or a function that gets the present content and returns what to add;
            nothing is written when that is empty.
        mode: Mode of a new file.
        follow: Append again if an editor replaced the file under us, and what we wrote went into the old one.
        own_line: False continues a last line that has no end.

    Returns:
        The file's size in bytes before the append.

    Raises:
        UnsafeFileError: A symlink, FIFO, device or folder is there.
        UnreadableFileError: It cannot be opened or written; a torn write is taken back.
    """
    fd = _open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, mode)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        size = os.fstat(fd).st_size
        new = data if isinstance(data, bytes) else data(os.pread(fd, size, 0))
        if not new:
            return size
        if own_line and size and os.pread(fd, 1, size - 1) != b"\n":
            new = b"\n" + new
        _write_whole(fd, size, new)
        standing = look(path) if follow else None
        replaced = standing is not None and standing.st_ino != os.fstat(fd).st_ino
        # The editor's copy may hold what we wrote already.
        replaced = replaced and new.rstrip(b"\n").rpartition(b"\n")[2] not in (read_if_exists(path) or b"").split(b"\n")
    except OSError as error:
        raise UnreadableFileError(sentence("append to", path, error)) from error
    finally:
        os.close(fd)
    return append(path, data, mode=mode, follow=follow, own_line=own_line) if replaced else size


def replace(path: Name, data: bytes, *, expected: bytes | None, mode: int = NEW_FILE_MODE) -> None:
    """
    Replace a file atomically, if it still holds what we read.

    Args:
        path: The file; a new one gets *mode*, an old one keeps its own.
        data: The new content.
        expected: The content that was read; None for "there was no file".
        mode: Mode of a new file.

    Raises:
        ChangedFileError: The file no longer holds *expected*; nothing was written.
        UnsafeFileError: A symlink, FIFO, device or folder is there.
        UnreadableFileError: It cannot be written; the old content stands.
    """
    name = os.fspath(path)
    temporary = temporary_name(name)
    seen = look(name)
    kept = stat.S_IMODE(seen.st_mode) if seen else None
    try:
        _write_new(temporary, data, mode, kept)
        ready = read_if_exists(name) == expected
        if expected is None:
            ready = ready and place_new(temporary, name)
        else:
            ready = ready and swap(temporary, name, data, expected, holds)
        if not ready:
            raise ChangedFileError(changed(name))
    except OSError as error:
        raise UnreadableFileError(sentence("replace", path, error)) from error
    finally:
        discard(temporary)
    sync_folder(os.path.dirname(name) or ".")


def update(path: Name, make: Callable[[bytes | None], bytes], *, mode: int = NEW_FILE_MODE) -> None:
    """
    Read, change and replace a file that others write too; tried again when one of them came between.

    Args:
        path: The file.
        make: Gets the present content, None for "no file", and returns the new one.
        mode: Mode of a new file.

    Raises:
        ChangedFileError: Others write it without pause.
    """
    for left in range(UPDATE_TRIES - 1, -1, -1):
        before = read_if_exists(path)
        after = make(before)
        if after == before:
            return
        try:
            replace(path, after, expected=before, mode=mode)
        except ChangedFileError:
            if not left:
                raise
        else:
            return


@contextmanager
def locked(path: Name) -> Iterator[None]:
    """Hold an exclusive lock on the private file *path*; waits for it, freed by the kernel on a kill."""
    fd = _open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE_MODE)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def try_lock(path: Name) -> int | None:
    """
    Try to take an exclusive lock on the private file *path*.

    Returns:
        The open file descriptor that holds the lock until it is closed; None when another holds it.
    """
    fd = _open(path, os.O_RDWR | os.O_CREAT, PRIVATE_FILE_MODE)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def _open(path: Name, flags: int, mode: int = NEW_FILE_MODE) -> int:
    # O_NONBLOCK keeps a FIFO from hanging us; on a regular file it changes nothing.
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    except FileNotFoundError:
        if flags & os.O_CREAT:
            raise UnreadableFileError(f"{os.fspath(path)} cannot be made: its folder is missing.") from None
        raise
    except OSError as error:
        if os.path.islink(path) or not (os.path.isfile(path) or not os.path.lexists(path)):
            raise UnsafeFileError(_unsafe(path)) from error
        raise UnreadableFileError(sentence("open", path, error)) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UnsafeFileError(_unsafe(path))
    return fd


def _write_whole(fd: int, size: int, new: bytes) -> None:
    written = os.write(fd, new)
    try:
        if written == len(new):
            os.fsync(fd)
            return
    except OSError:
        _take_back(fd, size, written)
        raise
    _take_back(fd, size, written)
    raise OSError(errno.ENOSPC, "the disk took only a part of it")


def _take_back(fd: int, size: int, written: int) -> None:
    # Only our own bytes; if another writer came after them, they stay.
    if os.fstat(fd).st_size == size + written:
        os.ftruncate(fd, size)


def _write_new(path: str, data: bytes, mode: int, kept: int | None) -> None:
    # A new file's mode goes through the umask; one that is replaced keeps its own.
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    with os.fdopen(fd, "wb") as stream:
        stream.write(data)
        stream.flush()
        if kept is not None:
            os.fchmod(fd, kept)
        os.fsync(fd)


def sync_folder(folder: str) -> None:
    """Have the disk confirm the names in a folder."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        raise UnreadableFileError(
            f"The new content stands in {folder}, but the disk did not confirm it: {error.strerror}; check the disk."
        ) from error


def changed(name: str) -> str:
    """Tell that somebody came between our look and our write."""
    return f"{name} was changed by someone else meanwhile; run the command again."


def holds(path: str, content: bytes | None) -> bool:
    """Whether a file can be read and has this content."""
    try:
        return read_if_exists(path) == content
    except (UnsafeFileError, UnreadableFileError):
        return False


def sentence(verb: str, path: Name, error: OSError) -> str:
    """Tell what an error of the operating system kept us from."""
    return f"Cannot {verb} {os.fspath(path)}: {error.strerror or error}; nothing of it was changed."


def _unsafe(path: Name) -> str:
    return f"{os.fspath(path)} is not a regular file (a link, FIFO, device or folder); move it away and try again."
