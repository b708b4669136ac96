"""
Run a module as a child that ends when its parent does, however the parent ends.

`python -m deployments.leash FD MODULE ARGUMENT…`: FD is one end of a socket pair whose other end only the
parent holds. Its end of file means that the parent is gone, even by SIGKILL, and this process and its group
follow. A socket rather than a death signal: that exists on Linux only, and is not inherited by grandchildren.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import runpy
import signal
import sys
import threading
import time

READY = b"ready\n"
LEASH_VARIABLE = "DAYBOOK_LEASH"
GRACE_S = 8.0


def tell_ready() -> None:
    """Tell the parent that this child does its work now; without a leash it tells nobody."""
    fd = os.environ.pop(LEASH_VARIABLE, None)
    if fd is not None:
        with contextlib.suppress(BrokenPipeError):
            os.write(int(fd), READY)


def main() -> None:
    """Watch the leash and become the module that is named."""
    fd, module, *arguments = sys.argv[1:]
    fcntl.fcntl(int(fd), fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    os.environ[LEASH_VARIABLE] = fd
    orphaned = threading.Event()
    threading.Thread(target=_follow_parent, args=(int(fd), orphaned), daemon=True).start()
    sys.argv = [module, *arguments]
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        if orphaned.is_set():
            os.killpg(os.getpgrp(), signal.SIGKILL)


def _follow_parent(fd: int, orphaned: threading.Event) -> None:
    with contextlib.suppress(ConnectionError):
        while os.read(fd, 1):
            pass
    orphaned.set()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_S)
    os.killpg(os.getpgrp(), signal.SIGKILL)


if __name__ == "__main__":
    main()
