"""Cheap looks at a text before costly ones: what they say no to holds no date; what they say yes to may hold none."""

from __future__ import annotations

import re
import unicodedata

from daybook.language.dates import MONTHS, RELATIVE, WEEKDAYS
from daybook.language.tokens import CJK

_names = {piece for name in (*WEEKDAYS, *RELATIVE) for piece in re.findall(r"[^\W\d_]{3,}", name)}
DAY_NAMES = frozenset(_names | {f"{name}s" for name in _names})
MONTH_NAMES = frozenset(MONTHS)
# Every notation of a date without the name of a month holds this.
IN_NUMBERS = re.compile(r"\d\s*(?:[-./]\s*\d|月)")


def may_name_a_day(words: frozenset[str]) -> bool:
    """
    Whether a text can name a day without a digit.

    Args:
        words: Its runs of letters, in NFC and casefolded.
    """
    joined = "".join(words)
    return not words.isdisjoint(DAY_NAMES) or (not joined.isascii() and CJK.search(joined) is not None)


def may_name_a_date(text: str, words: frozenset[str]) -> bool:
    """
    Whether a text can name a date in any way.

    Args:
        text: Any text.
        words: As for `may_name_a_day`.
    """
    if may_name_a_day(words) or IN_NUMBERS.search(text):
        return True
    # Where signs are written in parts, the words here are not those that a month's name is looked for in.
    month = not words.isdisjoint(MONTH_NAMES) or not unicodedata.is_normalized("NFC", text)
    return month and any(map(str.isdigit, text))
