"""Swap two files in one step, where the system can: then what stood there can be looked at after the swap."""

from __future__ import annotations

import os
import sys

AT_FDCWD = -100
RENAME_EXCHANGE = 2


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
