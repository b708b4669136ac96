"""
The text of a mail, out of its parts: whatever they claim to be, also where the mail was cut in the middle of one.

Attachments and mails within the mail are left out. Of alternatives the plain one is read, else the HTML.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from dataclasses import dataclass
from email.header import decode_header
from typing import TYPE_CHECKING

from daybook.sources.markup import text_of

if TYPE_CHECKING:
    from email.message import Message as Part

MAX_PARTS = 200
WHOLE_HEADER_CHARS = 64_000
PLAIN, HTML = ("text/plain", "text/"), "text/html"
NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
BASE64_CHARS = 4
# What these make of bytes is no text that anyone wrote, and the first takes ever longer over it.
NO_CHARSETS = frozenset(("punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"))
FALLBACK_CHARSET = "windows-1252"
CUT_CHAR = "\ufffd"


def text_of_mail(mail: Part) -> str:
    """Give the text that a reader of the mail would see; empty when it has none."""
    leaves = _leaves(mail)
    plain = Counter(leaf.choice for leaf in leaves if leaf.kind != HTML and leaf.choice and leaf.text.strip())
    return "\n".join(leaf.text for leaf in leaves if not (leaf.kind == HTML and plain[leaf.choice]) and leaf.text)


def every_text_of(mail: Part) -> str:
    """Give the text of every part, markup and all: what a reader sees that prefers another one."""
    return "\n".join(leaf.raw for leaf in _leaves(mail))


def header_of(mail: Part, name: str) -> str:
    """Give a header's text as far as it may be long, for the guard alone."""
    parts = decode_header(str(mail.get(name) or "")[:WHOLE_HEADER_CHARS])
    return "".join(part if isinstance(part, str) else _decoded(part, charset) for part, charset in parts)


@dataclass(frozen=True)
class _Leaf:
    """
    A part with text.

    Attributes:
        kind: Its content type.
        choice: Which set of alternatives it is one of; 0: none.
        text: As lines.
        raw: As it was sent.
    """

    kind: str
    choice: int
    text: str
    raw: str


def _leaves(mail: Part) -> list[_Leaf]:
    found: list[_Leaf] = []
    waiting: list[tuple[Part, int]] = [(mail, 0)]
    for number in range(1, MAX_PARTS + 1):
        if not waiting:
            break
        part, choice = waiting.pop()
        kind = part.get_content_type()
        if part.get_content_maintype() == "multipart":
            within = part.get_payload()
            if isinstance(within, list):
                choice = number if kind == "multipart/alternative" else choice
                waiting += [(each, choice) for each in reversed(within) if not isinstance(each, str)]
        elif (kind in PLAIN or kind == HTML) and not _is_attached(part):
            raw = _text(part)
            found.append(_Leaf(kind, choice, text_of(raw) if kind == HTML else raw, raw))
    return found


def _is_attached(part: Part) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _text(part: Part) -> str:
    encoding = str(part.get("content-transfer-encoding") or "").partition(";")[0].strip().lower()
    if encoding == "base64":
        data = _from_base64(str(part.get_payload()))
    else:
        # Named as it ought to be, the library decodes it.
        del part["content-transfer-encoding"]
        part["content-transfer-encoding"] = encoding
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
    return _decoded(data, part.get_content_charset())


def _from_base64(text: str) -> bytes:
    # The library gives up over a length that cannot be, as that of a mail that was cut has.
    letters = NOT_BASE64.sub("", text)
    whole = letters[: len(letters) - len(letters) % BASE64_CHARS] if len(letters) % BASE64_CHARS == 1 else letters
    return base64.b64decode(whole + "=" * (-len(whole) % BASE64_CHARS))


def _decoded(data: bytes, charset: str | None) -> str:
    for name in (charset, "utf-8"):
        if name is None or name.replace("_", "-") in NO_CHARSETS:
            continue
        try:
            text = data.decode(name, "replace")
        except (LookupError, UnicodeError):
            continue
        # A mail without a word about it is in UTF-8, but for the last character of one that was cut, or in neither.
        if charset is not None or CUT_CHAR not in text[:-1]:
            return text.rstrip(CUT_CHAR)
    return data.decode(FALLBACK_CHARSET, "replace")
