"""Which parts of a web address are secrets: by the name that a parameter bears, and by what words never look like."""

from __future__ import annotations

import re

MIN_CHARS = 16
MIN_RUN_CHARS = 10
# In names of words a part of several kinds of signs has about four of each; in a token not half so many.
RUN_SIGNS_A_PART = 2.4
LETTERS_A_PART = 3
# "decade2020" has two.
HEX = re.compile("[0-9a-f]+|[0-9A-F]+")
HEX_PARTS = 3
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
MIXED = re.compile(r"(?=(?:.*\d){2})(?=(?:.*[A-Za-z]){2})[\w~.=+-]+", re.DOTALL)
RUN = re.compile(r"[^\W_]+")
# "season", "web3", "NEWS24", "24h", "2026", and what is too short to be more than a part: "e2e", "i18n".
WORD = re.compile(
    r"[A-Za-z]?[a-z]{0,13}\d{0,4}|[A-Z]{1,14}\d{0,4}|[A-Za-z]?[a-z]*|\d+[A-Za-z]{0,3}|[A-Za-z]{1,6}\d{0,2}|\w{1,5}"
)
PART = re.compile(r"\d+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
SECRET_NAME = re.compile(
    r"token|secret|passw|pwd|credential|sess|signature|hmac|jwt"
    r"|(?:key|hash|auth|pass|sig|sid)$|^(?:key|auth|pass|sig|sid)(?:[_-]|ori[sz]ation)",
    re.IGNORECASE,
)
# They look like tokens, and stand in every address of the channel they name.
PUBLIC_NAME = re.compile(r"(?:channel|playlist)_id", re.IGNORECASE)
PLAIN_NAME = re.compile(
    r"alt|blog|cat(?:egory|egories)?|channel|city|count(?:ry)?|days|dept|feed|format|forum|group|hl|gl|ceid|id|keywords?"
    r"|lang(?:uage)?|limit|locale|max(?:_results)?|mode|num|orderby|output|page|per_page|podcast|q|query|region|rss"
    r"|search|section|show|site|sort|subject|subreddit|tags?|term|topics?|type|v|version|view",
    re.IGNORECASE,
)
# A secret that is so short keeps nobody out.
HARMLESS_CHARS = 4


def is_token(text: str) -> bool:
    """
    Whether a part of an address is one of the tokens that some services put into a path.

    Words joined by signs are none, also with numbers among them.
    """
    if UUID.fullmatch(text):
        return True
    runs = RUN.findall(text)
    if len(text) >= MIN_CHARS and not all(map(WORD.fullmatch, runs)):
        joined = "".join(runs)
        if MIXED.fullmatch(text) or len(joined) < RUN_SIGNS_A_PART * len(PART.findall(joined)):
            return True
    return any(_is_random(run) for run in runs)


def is_secret(name: str, value: str) -> bool:
    """Whether a parameter of an address is a secret: named like one, or looking like one."""
    if PUBLIC_NAME.fullmatch(name):
        return False
    return SECRET_NAME.search(name) is not None or is_token(name) or is_token(value)


def is_harmless(name: str, value: str) -> bool:
    """Whether a parameter, or a name alone, is surely no secret; of most nobody can tell."""
    plain = any(names.fullmatch(name) for names in (PLAIN_NAME, PUBLIC_NAME))
    return (plain or len(value or name) <= HARMLESS_CHARS) and not is_secret(name, value)


def _is_random(run: str) -> bool:
    if len(run) < MIN_RUN_CHARS or not run.isascii():
        return False
    parts = len(PART.findall(run))
    if any(char.isdigit() for char in run):
        return len(run) < RUN_SIGNS_A_PART * parts or (HEX.fullmatch(run) is not None and parts >= HEX_PARTS)
    return len(run) >= MIN_CHARS and len(run) < LETTERS_A_PART * parts
