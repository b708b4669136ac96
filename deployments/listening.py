"""
Which process listens on a port of 127.0.0.1.

Our password is sent to a port only when the process we started is the one that listens there: a port is
free for anybody, also for another user of the machine.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from deployments.environment import HOST

LISTEN_STATE = "0A"
PROC = Path("/proc")
PROBE_TIMEOUT_S = 0.5
LSOF_TIMEOUT_S = 10


def is_free(port: int) -> bool:
    """Whether nobody listens on the port, so that a server of ours can."""
    with socket.socket() as probe:
        probe.settimeout(PROBE_TIMEOUT_S)
        # Binding alone is not enough: some systems allow it beside a listener on all addresses.
        if probe.connect_ex((HOST, port)) == 0:
            return False
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """Let the system choose a port that is free now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def listens(pid: int, port: int) -> bool:
    """Whether the process *pid* of this user listens on 127.0.0.1:*port*."""
    if (PROC / "net" / "tcp").exists():
        return _by_proc(pid, port)
    return _by_lsof(pid, port)


def _by_proc(pid: int, port: int) -> bool:
    # The kernel prints the address as the machine keeps the number.
    wanted = f"{int.from_bytes(socket.inet_aton(HOST), sys.byteorder):08X}:{port:04X}"
    rows = [line.split() for line in (PROC / "net" / "tcp").read_text(encoding="ascii").splitlines()[1:]]
    inodes = {f"socket:[{row[9]}]" for row in rows if row[1] == wanted and row[3] == LISTEN_STATE}
    try:
        open_files = list((PROC / str(pid) / "fd").iterdir())
    except OSError:
        return False
    return any(_target(found) in inodes for found in open_files)


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:
        # Closed since the folder was listed.
        return ""


def _by_lsof(pid: int, port: int) -> bool:
    command = ["/usr/sbin/lsof", "-nP", "-a", "-p", str(pid), f"-iTCP@{HOST}:{port}", "-sTCP:LISTEN", "-t"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=LSOF_TIMEOUT_S, check=False)  # noqa: S603 - our own words only
    except FileNotFoundError:
        # A system that cannot tell: that the port was free and our child lives must do.
        return True
    except (OSError, subprocess.TimeoutExpired):
        return False
    return str(pid) in found.stdout.split()
