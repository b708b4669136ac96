"""
Read JSON5: comments, trailing commas, bare keys, quotes of both kinds (https://spec.json5.org).

It is turned into JSON token by token and nothing in it is ever run; the standard library judges what comes out.
"""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

TOKEN = re.compile(
    r"(?P<space>\s+|\ufeff|//[^\n]*|/\*.*?\*/)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')"
    r"|(?P<sign>[{}\[\]:,])"
    r"|(?P<word>[^\s{}\[\]:,\"'/]+)",
    re.DOTALL,
)
ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|\r\n|.)", re.DOTALL)
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
LINE_ENDS = ("\n", "\r", "\r\n", "\u2028", "\u2029")
PLAIN = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


def parse(text: str) -> Any:
    """
    Read a JSON5 text.

    Raises:
        ValueError: It is none; the message holds nothing of it.
    """
    tokens: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            raise ValueError(f"sign {at + 1} is not understood")
        at = found.end()
        if found.lastgroup != "space":
            tokens.append((str(found.lastgroup), found[0]))
    pairs = pairwise([*tokens, ("", "")])
    written = [_json(kind, sign, after) for (kind, sign), (_, after) in pairs]
    try:
        return json.loads(" ".join(written))
    except (ValueError, RecursionError):
        pass
    raise ValueError("its brackets, commas or values do not fit together")


def _json(kind: str, sign: str, after: str) -> str:
    if kind == "string":
        return json.dumps(ESCAPE.sub(_unescaped, sign[1:-1]))
    if kind == "word" and (after == ":" or not PLAIN.fullmatch(sign)):
        # A number as only JSON5 writes it (0x1F, .5, +1) comes as text, which is as good to us.
        return json.dumps(sign)
    return "" if sign == "," and after in {"}", "]"} else sign


def _unescaped(found: re.Match[str]) -> str:
    what = found[1]
    if what in LINE_ENDS:
        return ""
    return chr(int(what[1:], 16)) if what[0] in "ux" and len(what) > 1 else ESCAPED.get(what, what)
