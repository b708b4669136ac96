"""What can be done to an entry of MEMORY.md or a topic, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from daybook.memory.markdown import Entry

DEFAULT_LEVEL = 2


@dataclass(frozen=True, slots=True)
class Add:
    """Add an entry at the end of a section, which is made at the end of the file when it is missing."""

    section: str
    text: str
    new_heading_level: int = DEFAULT_LEVEL


@dataclass(frozen=True, slots=True)
class Revise:
    """Replace an entry's lines by one; bullet, indentation, line end and pin stay, and text below stays apart."""

    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Take an entry's lines out; what they kept apart is kept apart by a blank line or an empty comment."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Insert:
    """
    Put an entry back into a section, which is made at the end of the file when it is missing.

    Attributes:
        raw: The entry's own lines, as they were cut out. Their line ends become the document's.
        section: Title of its heading; empty for what stands above the first one.
        after: Text of the entry it goes below, which may be one that an earlier Insert of the same edits puts back;
            empty to go above the section's first entry. For None, or if no such entry stands there, it goes to the
            section's end.
    """

    raw: bytes
    section: str
    after: str | None = None
    new_heading_level: int = DEFAULT_LEVEL


Edit = Add | Revise | Remove | Insert
