"""
What a sentence is made of: content tokens, and polarity words.

Nothing here measures likeness. Two texts are the same statement only if nothing that could change the meaning differs:
signs, tense, order, punctuation between words, and case that tells words apart all count.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from daybook.language.clauses import border_offsets
from daybook.language.identifiers import identifiers
from daybook.language.polarity import LANGUAGES, SIGNS
from daybook.language.tokens import CJK, Word, code_spans, split_words, tokens_of

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["content_tokens", "identifiers", "polarity_words", "statement_key"]


def content_tokens(text: str) -> tuple[str, ...]:
    """
    Split into tokens that carry meaning, in order.

    The zero of a two-digit number goes (`03:00` is `3:00`); `007` is a code, not a number, and stays.
    """
    return tokens_of(split_words(text))


def polarity_words(text: str) -> tuple[str, ...]:
    """
    Give the polarity words of all languages, in order, each as its base form; a question counts as one.

    `doesn't` gives `not`; a check box gives its state.
    """
    return tuple(_polarity(split_words(text)))


def statement_key(text: str) -> Hashable:
    """
    Give a key that two texts share when they are the same statement.

    It holds the content tokens, where punctuation stands between them ("pardon, not hang" and "pardon not, hang" have
    the same words in the same order), the polarity words, which tell a question, and code spans that hold capitals.
    """
    cased = tuple(span for span in code_spans(text) if span != span.lower())
    return content_tokens(text), border_offsets(text), polarity_words(text), cased


def _polarity(words: tuple[Word, ...]) -> list[str]:
    """Base form of each polarity word; the longest phrase wins."""
    lexicon = _lexicon(frozenset(word.core.casefold() for word in words))
    folded = [word.core.casefold() for word in words]
    found = _check_box(words)
    index = 0
    while index < len(words):
        for length in (3, 2, 1):
            phrase = " ".join(folded[index : index + length])
            if len(folded) - index >= length and phrase in lexicon:
                found.append(lexicon[phrase])
                break
        else:
            length = 1
            found += _within(folded[index], lexicon)
        if "?" in words[index + length - 1].after:
            found.append("?")
        index += length
    return found


def _within(token: str, lexicon: dict[str, str]) -> list[str]:
    """Polarity words that are written as a part of another word."""
    if token.endswith("n't"):
        return [*([lexicon[token[:-3]]] if token[:-3] in lexicon else []), "not"]
    if token.startswith("n'"):
        return ["ne"]
    if CJK.search(token):
        return [match[0] for match in SIGNS.finditer(token)]
    if "-" in token.strip("-"):
        return [lexicon[part] for part in token.split("-") if lexicon.get(part) in _COMPOUNDING] + (
            ["not"] if token.startswith("non-") else []
        )
    return []


_MARKS = tuple(frozenset(language.marks.split()) for language in LANGUAGES)
_COMPOUNDING = frozenset({"not", "never", "no", "only", "off", "on", "nicht", "nur"})


def _check_box(words: tuple[Word, ...]) -> list[str]:
    if not words:
        return []
    first = words[0]
    if first.before == "[" and first.core in {"x", "X"} and first.after == "]":
        return ["[x]"]
    return ["[ ]"] if not first.core and first.before == "[" else []


@lru_cache(maxsize=256)
def _lexicon_for(present: tuple[bool, ...]) -> dict[str, str]:
    lexicon: dict[str, str] = {}
    for language, here in zip(LANGUAGES, present, strict=True):
        for item in (language.words + " " + (language.doubtful if here else "")).split():
            base, _, forms = item.replace("_", " ").partition("=")
            for form in (base, *filter(None, forms.split(","))):
                lexicon.setdefault(form.casefold(), base)
    return lexicon


def _lexicon(folded: frozenset[str]) -> dict[str, str]:
    return _lexicon_for(tuple([not folded.isdisjoint(marks) for marks in _MARKS]))
