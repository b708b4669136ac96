"""
Cut a line into clauses, bounded by punctuation, dashes and brackets.

A colon in `03:00`, a hyphen in a word and a dot in a host or a decimal bound nothing: a border stands at a word's edge.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from daybook.language.dates import MONTHS
from daybook.language.tokens import DASHES, Word, aligned_tokens, is_border, split_words

Border = Literal["", ",", "-", ":", ".", "?"]

SHORT_FORMS = frozenset(
    {"dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "vs", "etc", "approx", "ca", "bzw", "inc", "ltd", "sr", "sra"}
)


@dataclass(frozen=True, slots=True)
class Clause:
    """
    A stretch of words without a border in it; an aside in brackets is one clause, with all that is in it.

    Attributes:
        tokens: Its content tokens.
        borders: Where borders stand within an aside, as indexes into its tokens.
        words: The words as written.
        before: What separates it from the clause before; for an aside, what would if it were left out.
        after: Likewise behind it.
        aside: Whether it stands in brackets.
    """

    tokens: tuple[str, ...]
    borders: frozenset[int]
    words: tuple[Word, ...]
    before: Border
    after: Border
    aside: bool


def clauses(text: str) -> tuple[Clause, ...]:
    """Cut a text into its clauses, in order; those without a content token are left out."""
    words = split_words(text)
    aligned = aligned_tokens(words)
    cuts = [0, *_cuts(words), len(words)]
    depths = _depths(words)
    found: list[Clause] = []
    for start, end in pairwise(cuts):
        tokens = tuple(filter(None, aligned[start:end]))
        if tokens:
            inner = _inner(words[start:end], aligned[start:end])
            before = _border(words, start) if found else ""
            aside = depths[start][0] > 0
            found.append(Clause(tokens, inner, words[start:end], before, _border(words, end), aside))
    return tuple(found)


def border_offsets(text: str) -> frozenset[int]:
    """Where in a text's content tokens a border stands, edges left out."""
    words = split_words(text)
    return _inner(words, aligned_tokens(words))


def _inner(words: tuple[Word, ...], aligned: tuple[str, ...]) -> frozenset[int]:
    counts = [0, *accumulate(1 if token else 0 for token in aligned)]
    offsets = (counts[at] for at in range(1, len(words)) if _bounds(words, at))
    return frozenset(offset for offset in offsets if 0 < offset < counts[-1])


def _cuts(words: tuple[Word, ...]) -> list[int]:
    depths = _depths(words)
    return [at for at in range(1, len(words)) if _bounds(words, at) and depths[at - 1][1] == 0]


def _bounds(words: tuple[Word, ...], at: int) -> bool:
    """Whether a clause ends before the word at *at*; the point of `Dr.` ends none."""
    return is_border(words, at) and not (words[at - 1].after == "." and not _ends_sentence(words, at))


def _depths(words: tuple[Word, ...]) -> list[tuple[int, int]]:
    """Per word, how many brackets are open at it and behind it; one that is never closed is open to the end."""
    depth, found = 0, []
    for word in words:
        inside = depth + sum(sign in "([{" for sign in word.before)
        depth = max(0, inside - sum(sign in ")]}" for sign in word.after))
        found.append((inside, depth))
    return found


def _border(words: tuple[Word, ...], at: int) -> Border:
    """Kind of border between the words before and at *at*, brackets not counted."""
    last = words[at - 1] if at else None
    if last:
        for sign in reversed(last.after):
            if sign == "?":
                return "?"
            if sign in "!;…" or (sign == "." and _ends_sentence(words, at)):
                return "."
            if sign in ",:":
                return "," if sign == "," else ":"
    beside = [word.core for word in words[max(0, at - 1) : at + 1]]
    return "-" if any(core in DASHES for core in beside) else ""


def _ends_sentence(words: tuple[Word, ...], at: int) -> bool:
    last, following = words[at - 1].core.casefold(), words[at].core if at < len(words) else ""
    if last in SHORT_FORMS or "." in last:
        return not following
    return not (last.isdigit() and following.casefold() in MONTHS)
