"""Topic files: `memory/topics/<section>.md`, what does not fit MEMORY.md or was never meant for it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from daybook import files, folders
from daybook.memory import longterm, synced

if TYPE_CHECKING:
    from pathlib import Path

    from daybook.workspace import Workspace

NOTES = "Notes"
MAX_SLUG_CHARS = 60


class Topic(NamedTuple):
    """A topic and how many entries it holds."""

    title: str
    path: Path
    entries: int


def slug(section: str) -> str:
    """Name of a section's topic file: its words in lower case, joined by hyphens."""
    words = re.findall(r"\w+", unicodedata.normalize("NFC", section).casefold())
    name = "-".join(words)[:MAX_SLUG_CHARS].strip("-")
    return name or hashlib.sha256(section.encode()).hexdigest()[:8]


def file_of(workspace: Workspace, section: str) -> str:
    """Name of a section's topic, inside the workspace."""
    return _file_of(workspace, section or NOTES)


@lru_cache(maxsize=256)
def _file_of(workspace: Workspace, section: str) -> str:
    return workspace.relative(workspace.topic(slug(section)))


def topic_files(workspace: Workspace) -> list[Path]:
    """Topic files in the order of their names; links, and the copies that sync tools make, are left out."""
    folder = workspace.topics_dir
    names = (name for name in folders.listed(folder) if name.endswith(".md") and synced.copy_of(name) is None)
    return [folder / name for name in names if folders.holds_file(folder / name)]


def topic_list(workspace: Workspace) -> list[Topic]:
    """Titles and sizes of the topics, for a session to know what else there is."""
    found = []
    for path in topic_files(workspace):
        document = longterm.parse(files.read_bytes(path))
        title = document.sections[0].title if document.sections else path.stem
        found.append(Topic(title, path, len(document.entries)))
    return found
