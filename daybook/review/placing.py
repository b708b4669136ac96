"""Choose the heading an Add goes under: one that is there and fits, else one new heading for a whole review."""

from __future__ import annotations

from typing import TYPE_CHECKING

from daybook.language.themes import general_heading, section_for, theme_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.review.operations import Operation
    from daybook.review.window import Evidence


class Places:
    """
    The headings of MEMORY.md during one review.

    All Adds that fit under none of them share the first one's new heading.
    """

    def __init__(self, sections: Sequence[str], closed: Iterable[str] = ()) -> None:
        """
        Begin a review.

        Args:
            sections: Headings that may be added to, in order.
            closed: Headings marked as the person's own.
        """
        self._sections = tuple(sections)
        self._by_name = {name.casefold(): name for name in reversed(sections)}
        self._closed = frozenset(name.casefold() for name in closed)
        self._new = ""

    def choose(self, operation: Operation, cited: Sequence[Evidence], *, dated: bool) -> str:
        """
        Give the heading for an Add, new or not, without making it.

        Args:
            operation: The Add; a heading it names counts if there is one.
            cited: The lines it rests on.
            dated: Whether it is a dated one-off, which stands with the deadlines.
        """
        named = operation.section.strip().casefold()
        if named and named in self._by_name:
            return self._by_name[named]
        theme = next((theme for line in cited if (theme := theme_of(line.text, line.heading))), None)
        if theme is None and dated:
            theme = "deadline"
        if theme is None and (general := general_heading(self._sections)) is not None:
            return general
        usual = section_for(theme or "lesson", self._sections)
        if usual in self._sections or self.is_closed(usual):
            return usual
        return self._new or usual

    def is_closed(self, section: str) -> bool:
        """Whether a heading is the person's own."""
        return section.casefold() in self._closed

    def take(self, section: str) -> None:
        """Note that an Add goes there: if the heading is new, it is this review's new one."""
        if section.casefold() not in self._by_name and not self._new:
            self._new = section
