"""Files as lines and bullets, as bench/survival.py sees them: nothing here is Daybook's own reading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truths import folded

if TYPE_CHECKING:
    from pathlib import Path

BOM = b"\xef\xbb\xbf"
PIN = b" <!-- pin -->"
MEMORY = "MEMORY.md"
BULLET = re.compile(r"^[-*+] (?P<text>.*)$")
COMMENT = re.compile(r"<!--.*?-->")


def split(data: bytes) -> list[bytes]:
    """Lines without their ends and without a byte order mark."""
    lines = [line.removesuffix(b"\r") for line in data.removeprefix(BOM).split(b"\n")]
    return lines[:-1] if lines and not lines[-1] else lines


def lines_of(path: Path) -> list[bytes]:
    """Lines of a file; none if it is not there."""
    return split(path.read_bytes()) if path.exists() else []


def text_of(line: bytes) -> str:
    """Folded text of a bullet, without the pin."""
    match = BULLET.match(COMMENT.sub("", line.decode("utf-8", "replace")).rstrip())
    return folded(match["text"] if match else line.decode("utf-8", "replace"))


def bullets_of(path: Path) -> list[str]:
    """Folded texts of the top-level bullets of a file."""
    return [text_of(line) for line in lines_of(path) if BULLET.match(line.decode("utf-8", "replace"))]


def memory_files(root: Path) -> list[Path]:
    """MEMORY.md, the topics and the archive, as far as they are there."""
    memory = root / "memory"
    paths = [root / MEMORY, *sorted((memory / "topics").glob("*.md")), memory / "archive.md"]
    return [path for path in paths if path.exists()]
