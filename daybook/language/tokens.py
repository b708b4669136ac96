"""
Split text into words, and words into the tokens that carry meaning.

Only sentence punctuation at a word's edges is taken off. In doubt a sign stays: two texts that differ in nothing but a
sign may still mean two things (`-5` and `5`, `C++` and `C`, `.env` and `env`, `5"` and `5'`).
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

ARTICLES = frozenset({"a", "an", "the"})
# Tense is meaning: `was` and `were` stay. German articles stay because they alone say who does what to whom; those of
# other languages because they are other words elsewhere.
TO_BE = frozenset({"is", "are", "be", "ist", "sind", "sont", "está", "están", "è", "é", "são", "estão"})
# Written in capitals these are names: data stays in the US, not in us.
CASE_TELLS = frozenset({"us", "it", "who", "or", "in", "me", "as", "aids", "led", "no", "on", "is", "be", "an"})
BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
OPENERS = "([{<\"'“”‘’„‚«‹»›¿¡`"
CLOSERS = ")]}>\"'“”‘’«»‹›`.,;:!?…"
DASHES = frozenset({"-", "--", "---", "–", "—"})
VANISHING = DASHES | {"*", "•", "·", "|", "_", "**"}
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

_LINK = re.compile(r"!?\[([^\[\]]*)\]\(\s*<?([^\s()<>]*)>?\s*\)")
_STRONG = re.compile(r"(\*{1,3})(?=\S)([^*]*[^\s*])\1")
_EMPHASIS = re.compile(r"(?<![\w_])_(?=[^\s_])([^_]++)(?<=\S)_(?![\w_])")
_EM_DASH = re.compile(r"(?<=[^\W\d])[—–](?=[^\W\d])|(?<=\d)—(?=[^\W\d])|(?<=[^\W\d])—(?=\d)")
_WIDE = str.maketrans(
    {"，": ", ", "。": ". ", "、": ", ", "；": "; ", "：": ": ", "！": "! ", "？": "? "}
    | {
        "（": " (",
        "）": ") ",
        "【": " [",
        "】": "] ",
        "「": ' "',
        "」": '" ',
        "『": ' "',
        "』": '" ',
        "《": ' "',
        "》": '" ',
    }
    | {"−": "-", "‐": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "\u00ad": None}
)
_TWO_DIGITS = re.compile(r"([-+$€£¥~<>≤≥#]*)0(\d)(?!\d)([\d.:,/%°-]*)")


def split_words(text: str) -> tuple[Word, ...]:
    """Split at white space and take edge punctuation off; signs that touch a letter or digit stay."""
    text = unicodedata.normalize("NFC", text).translate(_WIDE)
    text = _EM_DASH.sub(" — ", _LINK.sub(r"\1 (\2)", text))
    text = _EMPHASIS.sub(_plain, _STRONG.sub(r"\2", text))
    return tuple(map(_word, text.split()))


def _plain(emphasis: re.Match[str]) -> str:
    # One word between underscores is more likely a name, such as `_private_`.
    return emphasis[1] if " " in emphasis[1] else emphasis[0]


def code_spans(text: str) -> tuple[str, ...]:
    """Contents of code spans, in order; their case counts."""
    return tuple(" ".join(span.split()) for span in re.findall(r"`++([^`]++)`++", text))


def tokens_of(words: tuple[Word, ...]) -> tuple[str, ...]:
    """Content tokens of words that are split already."""
    return tuple(token for token in aligned_tokens(words) if token)


def aligned_tokens(words: tuple[Word, ...]) -> tuple[str, ...]:
    """Content token of each word, in its place; empty for a word that carries no meaning."""
    shouted = not any(word.core.upper() != word.core for word in words)
    return tuple(_token(words, index, shouted=shouted) for index in range(len(words)))


def _token(words: tuple[Word, ...], index: int, *, shouted: bool) -> str:
    core = words[index].core
    if not core or _vanishes(words, index) or _is_filler(words, index):
        return ""
    tells = not shouted and core.isupper() and core.casefold() in CASE_TELLS
    token = core if tells else core.casefold()
    zero = _TWO_DIGITS.fullmatch(token)
    return f"{zero[1]}{zero[2]}{zero[3]}" if zero else token


def is_border(words: tuple[Word, ...], index: int) -> bool:
    """Whether punctuation, a bracket or a dash stands between this word and the one before it."""
    word, last = words[index], words[index - 1]
    return _lone_dash(words, index) or _lone_dash(words, index - 1) or _parts(word.before) or _parts(last.after)


def _parts(signs: str) -> bool:
    return any(sign in "([{)]},;:.!?…" for sign in signs)


def _word(raw: str) -> Word:
    start, end = 0, len(raw)
    while start < end and raw[start] in OPENERS and not _balanced_start(raw[start:end]):
        start += 1
    while start < end and raw[end - 1] in CLOSERS and not _belongs(raw[start:end]):
        end -= 1
    if start < end and raw[start] in "–—" and end - start > 1:
        start += 1
    return Word(raw[start:end], raw[:start], raw[end:])


def _balanced_start(raw: str) -> bool:
    # `(a)b` keeps its bracket, `(a)` and `(a).` lose it; `<5` has no closer and is a sign.
    closer = BRACKETS.get(raw[0])
    if closer is None:
        return False
    if raw[0] == "<":
        return closer not in raw
    return closer in raw and raw.rstrip("\"'.,;:!?…")[-1:] != closer


def _belongs(core: str) -> bool:
    last = core[-1]
    if last in "\"'":
        return core[-2:-1].isdigit()
    if last == ">":
        return "<" not in core
    opener = next((o for o, c in BRACKETS.items() if c == last), None)
    return opener is not None and opener in core


def _lone_dash(words: tuple[Word, ...], index: int) -> bool:
    return words[index].core in DASHES and not _between_numbers(words, index)


def _vanishes(words: tuple[Word, ...], index: int) -> bool:
    return words[index].core in VANISHING and not _between_numbers(words, index)


def _between_numbers(words: tuple[Word, ...], index: int) -> bool:
    if not 0 < index < len(words) - 1:
        return False
    last, following = words[index - 1], words[index + 1]
    return not last.after and last.core[-1:].isdigit() and following.core[:1].isdigit()


def _is_filler(words: tuple[Word, ...], index: int) -> bool:
    core = words[index].core
    if core.casefold() in TO_BE:
        return not (core.isupper() and core.casefold() in CASE_TELLS)
    if core.casefold() not in ARTICLES or index + 1 == len(words) or words[index].after:
        return False
    # `plan A`, `option a is` and `team A` name something; an article has a noun after it.
    named = core == "A" and index > 0 and not _parts(words[index - 1].after)
    return not named and words[index + 1].core.casefold() not in TO_BE


class Word(NamedTuple):
    """
    A word with what stood at its edges.

    Attributes:
        core: The word as written; empty for punctuation alone.
        before: Opening signs taken off.
        after: Closing signs taken off.
    """

    core: str
    before: str
    after: str
