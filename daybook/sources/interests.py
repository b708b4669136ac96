"""
What the operator is interested in: `interests` of daybook.toml, and what USER.md says under a heading of that name.

USER.md is theirs: it is read leniently and never written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError
from daybook.guard.cleaning import clean
from daybook.memory.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybook.settings import Settings
    from daybook.workspace import Workspace

USER_FILE = "USER.md"
MOST = 30
CHARS = 60
# More is a sentence, of which no title holds every word.
MOST_WORDS = 6
READ_CHARS = 100_000
NAMED = (
    r"interests?|interessen|interessengebiete|(?:centres? d['’]\s?)?intérêts?|intereses|interessi|interesses"
    r"|関心事?|興味|兴趣(?:爱好)?|興趣|관심사"
)
# "My interests", "Interests & hobbies", but not "No interest in".
TITLE = re.compile(
    rf"(?:\W*(?:my|main|current|meine|mes|mis|os meus|mijn)\s+)?(?:{NAMED})(?!\w)(?P<rest>.*)", re.IGNORECASE
)
HEADING = re.compile(r"(?P<level>#{1,6})\s+(?P<text>.*?)\s*#*\s*")
BULLET = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)")
BETWEEN = re.compile(r"[,;:、，；：()（）]|\s[-–—]\s")
EMPHASIS = re.compile(r"[*_`~]+")
COMMA = re.compile(r"[,;、，；]")


def of(workspace: Workspace, settings: Settings) -> tuple[str, ...]:
    """
    List the operator's interests: those of daybook.toml first, then those of USER.md.

    USER.md gives at most 30, each of at most 60 characters; one that is missing or cannot be read gives none.
    """
    own = settings.interests
    known = {text.casefold() for text in own}
    found: dict[str, str] = {}
    for text in _said(_lines(workspace)):
        if len(found) < MOST and text.casefold() not in known:
            found.setdefault(text.casefold(), text)
    return (*own, *found.values())


def problems(workspace: Workspace) -> tuple[str, ...]:
    """Say what keeps USER.md from being read, if anything does: a link or a FIFO in its place, say."""
    try:
        files.read_if_exists(workspace.root / USER_FILE)
    except DaybookError as error:
        return (str(error),)
    return ()


def _lines(workspace: Workspace) -> list[str]:
    try:
        data = files.read_if_exists(workspace.root / USER_FILE)
    except DaybookError:
        # Told by `problems`; the news can be ranked without it.
        return []
    return (data or b"").decode("utf-8-sig", "replace")[:READ_CHARS].splitlines()


def _said(lines: list[str]) -> Iterator[str]:
    """Give each interest: of a section of that name, of a line that begins so, of bullets below such a line."""
    level, below = 0, None
    for _, line in visible(lines):
        if heading := HEADING.fullmatch(line):
            depth = len(heading["level"])
            named = TITLE.fullmatch(_plain(heading["text"]))
            # A deeper heading stays within the section.
            level, below = level if 0 < level < depth else depth if named else 0, None
            continue
        bullet = BULLET.fullmatch(line)
        text, here = _plain(bullet["text"] if bullet else line), len(bullet["indent"]) if bullet else -1
        if not text:
            continue
        inside = bullet is not None and below is not None and here > below
        labelled = TITLE.fullmatch(text)
        if labelled and labelled["rest"].lstrip().startswith((":", "：")):
            yield from _parts(labelled["rest"])
            below = here
        elif inside or (level and (bullet or COMMA.search(text))):
            yield from _parts(text)
        below = below if inside or labelled else None


def _parts(text: str) -> Iterator[str]:
    for part in BETWEEN.split(text):
        said = clean(part.strip(" .·"), limit=CHARS + 1)
        if said and len(said) <= CHARS and len(said.split()) <= MOST_WORDS:
            yield said


def _plain(text: str) -> str:
    return EMPHASIS.sub("", text).strip()
