"""Tell which language a line is in, by its frequent small words; in doubt none, which is no mistake."""

from __future__ import annotations

import re

from daybook.language.polarity import DUTCH, FRENCH, GERMAN, ITALIAN, PORTUGUESE, SPANISH
from daybook.language.tokens import CJK

WORDS = re.compile(r"[^\W\d_]+")
CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_ENGLISH = "the is are was were and of with for to will we they that this it has have by from at"
_MORE_GERMAN = "am um vom zum eine einen einer auf aus"
FREQUENT = {
    "english": frozenset(_ENGLISH.split()),
    "german": frozenset(f"{GERMAN.marks} {_MORE_GERMAN}".split()),
    "french": frozenset(FRENCH.marks.split()),
    "spanish": frozenset(SPANISH.marks.split()),
    "italian": frozenset(ITALIAN.marks.split()),
    "portuguese": frozenset(PORTUGUESE.marks.split()),
    "dutch": frozenset(DUTCH.marks.split()),
}


def language_of(text: str) -> str:
    """Name the language of a text; empty when two are as likely, or none is."""
    if CJK.search(text):
        return "chinese or japanese"
    if CYRILLIC.search(text):
        return "russian"
    words = WORDS.findall(text.casefold())
    counts = sorted(((sum(word in known for word in words), name) for name, known in FREQUENT.items()), reverse=True)
    return counts[0][1] if counts[0][0] > counts[1][0] else ""
