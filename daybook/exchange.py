"""
Put a written file in another's place in one step, so that what stood there can be looked at afterwards.

What a kill leaves in between has a name that says what it may hold: our own content, the one it was to replace, or, in
the worst case, what somebody saved in just that moment.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress

# Not typing's: that module alone would take a tenth of `daybook note`'s time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

AT_FDCWD = -100
RENAME_EXCHANGE = 2
MARK = ".daybook-tmp-"
SUM_CHARS = 16
# File systems without a second name for a file.
NO_LINKS = frozenset({errno.EPERM, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK})


def exchange(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """
    Swap two names; False where the system or the file system cannot, and nothing was done.

    Linux's renameat2 since 3.15, through the C library, which has no wrapper in Python.
    """
    if not sys.platform.startswith("linux"):
        return False
    import ctypes  # noqa: PLC0415 - start-up time

    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    names = (os.fsencode(first), os.fsencode(second))
    return bool(call(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0)


def swap(temporary: str, name: str, data: bytes, expected: bytes, holds: Callable[[str, bytes], bool]) -> bool:
    """
    Put a written file in another's place, if that holds what we read.

    Args:
        temporary: The written file; it is gone afterwards.
        name: The other.
        data: What the written one holds.
        expected: What was read of the other.
        holds: Whether a file has this content.

    Returns:
        False if somebody has saved or removed it since: what they saved stands in its place again, or beside it.
    """
    out = swapped_name(temporary, data, expected)
    os.rename(temporary, out)
    if not exchange(out, name):
        return _over(out, name)
    if holds(out, expected):
        discard(out)
        return True
    exchange(out, name)
    _let_go(out, name, missed=not holds(out, data))
    return False


def take_out(name: str, temporary: str, expected: bytes, holds: Callable[[str, bytes], bool]) -> bool:
    """Remove a file if it holds what we read; False if somebody has saved since: that is in its place, or beside it."""
    out = swapped_name(temporary, expected, expected)
    os.rename(name, out)
    if holds(out, expected):
        discard(out)
        return True
    _let_go(out, name, missed=not place_new(out, name))
    return False


def _let_go(out: str, name: str, *, missed: bool) -> None:
    """Discard a file of ours, or keep it beside its place, if somebody would miss it."""
    if not missed:
        discard(out)
        return
    with suppress(OSError):  # under the name it has, the next sweep keeps it, too
        os.rename(out, kept_name(name))


def _over(out: str, name: str) -> bool:
    """Replace without a look afterwards, where the system cannot swap; False if there is nothing to replace."""
    try:
        there = os.path.lexists(name)
        if there:
            os.replace(out, name)
    finally:
        discard(out)
    return there


def discard(temporary: str) -> None:
    """Remove a file of ours that nobody misses; where that fails, the next sweep does it."""
    with suppress(OSError):
        os.unlink(temporary)


def place_new(temporary: str, name: str) -> bool:
    """Give a written file its name, if that is free; False if somebody has made a file there."""
    try:
        os.link(temporary, name)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        os.replace(temporary, name)
    return True


def temporary_name(name: str) -> str:
    """Name a file of ours beside another; nobody misses it if it is left."""
    folder, base = os.path.split(name)
    return os.path.join(folder, f"{MARK}{base}-{os.urandom(4).hex()}")


def swapped_name(temporary: str, *known: bytes) -> str:
    """Name a file to be swapped: it ends with the sums of what it may hold without anybody missing it."""
    return ".".join([temporary, *map(_sum, known)])


def kept_name(name: str) -> str:
    """Name under which a save that came in between is kept beside its file."""
    return f"{name}.kept-{os.urandom(4).hex()}"


def swapped_base(name: str) -> str | None:
    """Give the name of the file that one named by `swapped_name` was swapped with; None if it is not so named."""
    parts = name.removeprefix(MARK).rsplit(".", 2)
    sums = parts[1:] if len(parts) == 3 else []  # noqa: PLR2004 - the base and two sums
    if not sums or any(len(one) != SUM_CHARS or not set(one) <= set("0123456789abcdef") for one in sums):
        return None
    return parts[0].rpartition("-")[0]


def missed_by_nobody(name: str, content: bytes) -> bool:
    """Whether a file named by `swapped_name` holds what its name says."""
    return _sum(content) in name.split(".")[-2:]


def _sum(content: bytes) -> str:
    import hashlib  # noqa: PLC0415 - start-up time

    return hashlib.sha256(content).hexdigest()[:SUM_CHARS]
