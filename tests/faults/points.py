"""
Count what Daybook asks of the operating system, and let any one of these calls go wrong.

Stands between Daybook and `os` in a forked child alone. A call counts if a frame of the package `daybook` made it,
through `pathlib` or not. What it shall come to is a `Plan`: killed before, in the middle or after, an error, a short
write, or somebody else who saves the file in just that moment.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import socket
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import daybook
from daybook import exchange

if TYPE_CHECKING:
    from collections.abc import Callable

    Name = str | os.PathLike[str]

PACKAGE = str(Path(daybook.__file__).parent) + os.sep
# The rooms through which every call goes; a call site is what called them.
FILES = frozenset({"files.py", "folders.py", "exchange.py"})
LEDGER = "ledger/append.py"
ERRORS = {name: getattr(errno, name) for name in ("ENOSPC", "EACCES", "EIO", "ECONNRESET")}
KILLS = ("kill-before", "kill-after")
# What each kind of call can come to. `full` is a disk that takes nothing more from there on; `short` takes half.
KINDS: dict[str, tuple[str, ...]] = {
    "create": (*KILLS, "ENOSPC", "EACCES", "EIO", "full"),
    "open": ("EACCES", "EIO"),
    "read": ("EIO",),
    "write": (
        *KILLS,
        "kill-half",
        "ENOSPC",
        "EIO",
        "short",
        "short+kill-after",
        "short+EIO",
        "full",
    ),
    "fsync": ("kill-before", "EIO", "ENOSPC"),
    "rename": (*KILLS, "ENOSPC", "EACCES", "EIO"),
    "exchange": (*KILLS, "unsupported"),
    "link": (*KILLS, "ENOSPC", "EACCES", "EIO"),
    "unlink": (*KILLS, "EACCES", "EIO"),
    "mkdir": (*KILLS, "ENOSPC", "EACCES"),
    "chmod": ("kill-before", "EIO"),
    "list": ("EACCES", "EIO"),
    "stat": ("EACCES", "EIO"),
    "connect": ("kill-before", "ECONNRESET"),
    "send": (*KILLS, "kill-half", "ECONNRESET"),
    "receive": (*KILLS, "ECONNRESET"),
}
# Somebody else saves the file just before the call.
SAVES = ("save-in-place", "save-by-rename", "save-in-place+kill-after", "save-by-rename+kill-after")
TYPED = b"- typed by hand just then\n"
# Calls after which a file has another content.
SETTLES = frozenset({"exchange", "rename", "link", "write"})
GROWS = frozenset({"create", "write", "mkdir"})
# Instead of a file's name, for what goes over the network.
NETWORK = "the network"
SENDING = "notify/delivering.py"
TEMPORARY = re.compile(rf"{re.escape(exchange.MARK)}(?P<base>.+)-[0-9a-f]{{8}}(?:\.[0-9a-f]+){{0,2}}")


@dataclass(frozen=True)
class Point:
    """
    One counted call.

    Attributes:
        op: Its kind, a key of KINDS.
        site: `file:line` of the frames of Daybook that led to it, without those that all calls share.
        inner: The frame that made it.
        file: Name of the file it is about; that of the file itself for its temporary one.
        temporary: Whether it is about the temporary one.
    """

    op: str
    site: str
    inner: str
    file: str
    temporary: bool


@dataclass
class Plan:
    """
    What shall go wrong.

    Attributes:
        index: Number of the call, from 0; -1 for none.
        op: Instead of a number: the first call of this kind.
        kind: What it comes to.
    """

    index: int = -1
    op: str = ""
    kind: str = ""


@dataclass
class Shim:
    """Stands between Daybook and the system, once `install` was called; in a process of its own."""

    plan: Plan
    root: str
    points: list[Point] = field(default_factory=list)
    states: dict[str, list[bytes]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    then: str = ""
    is_full: bool = False
    real: dict[str, Any] = field(default_factory=dict)

    def install(self) -> None:
        """Take the place of the calls that are counted."""
        for name in (
            "open",
            "write",
            "pread",
            "fdopen",
            "dup",
            "fsync",
            "ftruncate",
            "fchmod",
            "rename",
            "replace",
            "link",
        ):
            self.real[name] = getattr(os, name)
            setattr(os, name, getattr(self, f"_{name}"))
        for name in ("unlink", "mkdir", "listdir", "scandir", "stat", "lstat"):
            self.real[name] = getattr(os, name)
            setattr(os, name, self._plain(name))
        self.real["exchange"] = exchange.exchange
        exchange.exchange = self._exchange
        for name in ("connect", "sendall", "recv_into"):
            self.real[name] = getattr(socket.socket, name)
        socket.socket.connect = self._connects()  # type: ignore[method-assign]
        socket.socket.sendall = self._sends()  # type: ignore[method-assign]
        socket.socket.recv_into = self._receives()  # type: ignore[method-assign]

    def told(self) -> dict[str, Any]:
        """Tell what was counted, for another process."""
        return {
            "points": [asdict(point) for point in self.points],
            "states": {name: [data.decode("latin-1") for data in seen] for name, seen in self.states.items()},
        }

    def _do(self, op: str, file: str, call: Callable[[], Any], half: Callable[[], Any] | None = None) -> Any:
        """Count one call; carry it out, or let it come to what is planned."""
        # Apprise sends from a thread of its own, where no frame of Daybook stands.
        site = _site() or ((SENDING, SENDING) if file == NETWORK else None)
        if site is None:
            return call()
        self.points.append(Point(op, *site, _bare(file), temporary=_bare(file) != file))
        kind = self._kind(op)
        if kind.startswith("save"):
            self._save(_bare(file), kind)
            kind = kind.partition("+")[2]
        if kind == "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        if kind in {"kill-before", "kill-half"}:
            if kind == "kill-half" and half is not None:
                half()
            os.kill(os.getpid(), signal.SIGKILL)
        if kind in ERRORS:
            raise OSError(ERRORS[kind], os.strerror(ERRORS[kind]), file)
        if kind == "unsupported":
            return False
        if kind.startswith("short") and half is not None:
            self.then = kind.partition("+")[2]
            return half()
        try:
            return call()
        finally:
            if kind == "kill-after":
                os.kill(os.getpid(), signal.SIGKILL)

    def _save(self, name: str, kind: str) -> None:
        """Be the person who types a line into the file and saves, as an editor does: in place, or by a rename."""
        old = Path(name).read_bytes() if Path(name).exists() else b""
        new = old + (b"" if old.endswith(b"\n") or not old else b"\n") + TYPED
        into = name if "in-place" in kind else f"{name}.swp"
        Path(into).write_bytes(new)
        if into != name:
            self.real["replace"](into, name)

    def _kind(self, op: str) -> str:
        if len(self.points) - 1 == self.plan.index or op == self.plan.op:
            self.plan.op = ""
            self.is_full = self.plan.kind == "full"
            return "ENOSPC" if self.is_full else self.plan.kind
        if self.is_full and op in GROWS:
            return "ENOSPC"
        if self.then and op == "truncate":
            kind, self.then = self.then, ""
            return kind
        return ""

    def _open(self, path: Name, flags: int, mode: int = 0o777, **more: Any) -> int:
        name = os.fspath(path)
        new = bool(flags & os.O_CREAT) and not _exists(self.real["lstat"], name)
        fd: int = self._do("create" if new else "open", name, lambda: self.real["open"](path, flags, mode, **more))
        self.names[fd] = name
        return fd

    def _dup(self, fd: int) -> int:
        twin: int = self.real["dup"](fd)
        self.names[twin] = self.names.get(fd, "")
        return twin

    def _write(self, fd: int, data: bytes) -> int:
        def some(part: bytes) -> int:
            written: int = self.real["write"](fd, part)
            return written

        cut = bytes(data)[: max(len(data) // 2, 1)]
        count: int = self._do("write", self.names.get(fd, ""), lambda: some(data), lambda: some(cut))
        return count

    def _fdopen(self, fd: int, mode: str = "r", *more: Any, **named: Any) -> Any:
        if mode not in {"rb", "wb"} or _site() is None:
            return self.real["fdopen"](fd, mode, *more, **named)
        return _Stream(self, fd)

    def read_all(self, fd: int) -> bytes:
        """Read to the end, as one call."""

        def whole() -> bytes:
            parts = []
            while part := os.read(fd, 1 << 20):
                parts.append(part)
            return b"".join(parts)

        data: bytes = self._do("read", self.names.get(fd, ""), whole)
        return data

    def _pread(self, fd: int, count: int, offset: int) -> bytes:
        data: bytes = self._do("read", self.names.get(fd, ""), lambda: self.real["pread"](fd, count, offset))
        return data

    def _fsync(self, fd: int) -> None:
        # A kill loses nothing that a write has handed over; what fsync really does takes most of the time.
        self._do("fsync", self.names.get(fd, ""), lambda: None)

    def _ftruncate(self, fd: int, length: int) -> None:
        self._do("truncate", self.names.get(fd, ""), lambda: self.real["ftruncate"](fd, length))

    def _fchmod(self, fd: int, mode: int) -> None:
        self._do("chmod", self.names.get(fd, ""), lambda: self.real["fchmod"](fd, mode))

    def _rename(self, first: Name, second: Name, **more: Any) -> None:
        self._do("rename", os.fspath(second), lambda: self.real["rename"](first, second, **more))

    def _replace(self, first: Name, second: Name, **more: Any) -> None:
        self._do("rename", os.fspath(second), lambda: self.real["replace"](first, second, **more))
        self._remember(os.fspath(second))

    def _link(self, first: Name, second: Name, **more: Any) -> None:
        self._do("link", os.fspath(second), lambda: self.real["link"](first, second, **more))
        self._remember(os.fspath(second))

    def _exchange(self, first: Name, second: Name) -> bool:
        done: bool = self._do("exchange", os.fspath(second), lambda: self.real["exchange"](first, second))
        self._remember(os.fspath(second))
        return done

    def _connects(self) -> Callable[..., None]:
        def connect(peer: socket.socket, address: Any) -> None:
            self._do("connect", NETWORK, lambda: self.real["connect"](peer, address))

        return connect

    def _sends(self) -> Callable[..., None]:
        def send(peer: socket.socket, data: Any, *more: Any) -> None:
            cut = memoryview(data)[: max(len(data) // 2, 1)]
            self._do(
                "send",
                NETWORK,
                lambda: self.real["sendall"](peer, data, *more),
                lambda: self.real["sendall"](peer, cut, *more),
            )

        return send

    def _receives(self) -> Callable[..., int]:
        def receive(peer: socket.socket, *more: Any) -> int:
            count: int = self._do("receive", NETWORK, lambda: self.real["recv_into"](peer, *more))
            return count

        return receive

    def _plain(self, name: str) -> Callable[..., Any]:
        op = {"listdir": "list", "scandir": "list", "lstat": "stat"}.get(name, name)

        def call(path: Any = ".", *more: Any, **named: Any) -> Any:
            if not isinstance(path, str | os.PathLike):
                return self.real[name](path, *more, **named)
            return self._do(op, os.fspath(path), lambda: self.real[name](path, *more, **named))

        return call

    def _remember(self, name: str) -> None:
        if name.startswith(self.root):
            fd = self.real["open"](name, os.O_RDONLY)
            self.states.setdefault(os.path.relpath(name, self.root), []).append(os.read(fd, 1 << 24))
            os.close(fd)


class _Stream:
    """What `os.fdopen` gives for a whole read or a whole write, unbuffered, so that each is one call."""

    def __init__(self, shim: Shim, fd: int) -> None:
        self._shim, self._fd = shim, fd

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def read(self) -> bytes:
        return self._shim.read_all(self._fd)

    def write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            count = self._shim._write(self._fd, bytes(left))
            if count < len(left):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            left = left[count:]

    def flush(self) -> None:
        """Nothing waits."""

    def fileno(self) -> int:
        return self._fd


def _site() -> tuple[str, str] | None:
    """Give the frames of Daybook that led here, and the innermost of them; None if there is none."""
    frames = []
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(PACKAGE):
            frames.append(f"{name.removeprefix(PACKAGE)}:{frame.f_lineno}")
        frame = frame.f_back  # type: ignore[assignment] # the outermost has none
    if not frames:
        return None
    callers = [one for one in frames if one.partition(":")[0] not in FILES]
    # A ledger step is told by who takes it.
    site = " < ".join(callers[: 2 if callers and callers[0].startswith(LEDGER) else 1]) or frames[-1]
    return site, frames[0]


def _bare(file: str) -> str:
    folder, name = os.path.split(file)
    if found := TEMPORARY.fullmatch(name):
        return f"{folder}{os.sep}{found['base']}"
    return file


def _exists(lstat: Callable[[str], object], name: str) -> bool:
    try:
        lstat(name)
    except OSError:
        return False
    return True
