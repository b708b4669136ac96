"""
Text from outside (mail, news, command output): made one harmless line, tagged, and remembered by hash.

Removing the tag does not help: a line whose words are in the register stays outside.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.guard import strangers

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from daybook.workspace import Workspace

MAX_CHARS = 300
TAG = re.compile(r"\[(?:mail|news|cmd:[\w.-]+)\]", re.IGNORECASE)
# Labels that would make a line worth remembering: without its label a title says the same.
MARKER = re.compile(
    r"^(?:lessons?(?: learned)?|learned|decisions?|decided|preferences?|deadline|due|rule|remember|note|important"
    r"|lektion|gelernt|entscheidung|präferenz|frist|regel|leçon|décision|préférence|échéance|lección|decisión"
    r"|preferencia|plazo|lezione|decisione|preferenza|scadenza|lição|decisão|preferência|prazo|les|besluit|voorkeur"
    r"|教训|决定|偏好|截止)\s*[:：]\s*",
    re.IGNORECASE,
)
LABEL = re.compile(r"^[^\W\d_][\w ]{0,30}[:：]\s*")
LEADING_TIME = re.compile(r"^\W*\d{1,2}:\d{2}(?:\s*[ap]m)?\W+", re.IGNORECASE)
BEHIND = re.compile(r"\s*\(https?://\S*\)\s*$")
CHAT_TOKENS = re.compile(
    r"<\|[^|<>]{0,40}\|>|</?(?:s|system|user|assistant|human|tool|function_calls?|im_start|im_end)>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
LOOKS_LIKE_A_LINE = re.compile(
    r"^(?:[-*+](?:\s+|$)|#{1,6}(?:\s+|$)|[>|]+\s*|={2,}\s*|[-_*`~]{3,}\s*|\d{1,9}[.)](?:\s+|$)|\[[ xX]?\]\s*)"
)
ROLE = re.compile(r"^(system|user|assistant|human|tool|developer)\s*:", re.IGNORECASE)
MARKUP = (("![", "! ["), ("](", "] ("), ("][", "] ["), ("[[", "[ ["), ("]]", "] ]"), ("<!--", "<!- -"), ("```", "'''"))
MENTION = re.compile(r"@(?=everyone\b|here\b|channel\b|all\b)", re.IGNORECASE)
HTML_OPEN = re.compile(r"<(?=[A-Za-z/!?])")
# Fewer words than these may well be somebody else's too.
OWN_WORDS = 3
# So many words of one clause are hardly somebody else's too.
PIECE_WORDS = 7
MAX_PIECES = 20
CLAUSE_END = re.compile(r"(?<=[,;:.!?])\s+|\s[-–—]\s")
MARKS = " |>*-•"
EDGE = ".,;:!?\"'()[]{}<>*_`-–—… "


def flatten(text: str, *, limit: int = MAX_CHARS) -> str:
    """
    Make text from outside one line that cannot act, and cannot look like another line.

    Control, bidi and zero-width characters, chat-template tokens, live Markdown and HTML, mass mentions,
    and whatever would make the line a heading, list item, check box, quote, table or role go.

    Args:
        text: Anything.
        limit: Characters kept; a cut is marked with `…`.
    """
    text = unicodedata.normalize("NFC", text[: limit * 20])
    text = "".join(" " if c.isspace() else c for c in text if c.isspace() or _visible(c))
    # Taking one token out can make another of what was around it.
    while (shorter := CHAT_TOKENS.sub("", text)) != text:
        text = shorter
    for live, inert in MARKUP:
        text = text.replace(live, inert)
    text = HTML_OPEN.sub("‹", MENTION.sub("(at)", text))
    text = " ".join(text.split())
    while (shorter := LOOKS_LIKE_A_LINE.sub("", text)) != text:
        text = shorter
    text = ROLE.sub(r"\1 -", text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def tagged(source: str, text: str) -> str:
    """Flatten *text* and put its channel's tag in front: `[mail] …`."""
    return f"[{source}] {flatten(text)}"


def inert_markdown(text: str) -> str:
    """Flatten *text* and escape it for a cell of a Markdown table or artifact."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~])", r"\\\1", flatten(text))


def line_hash(text: str) -> str:
    """Hash of a line's words, independent of tag, case, spacing and edge punctuation."""
    return _hash(_words(text))


def register(workspace: Workspace, texts: Iterable[str], now: datetime) -> None:
    """Remember lines as outside text, before they are written anywhere; each also without what may be left off."""
    texts = list(texts)
    strangers.register(workspace, texts, now)
    hashes: dict[str, None] = {}
    for text in texts:
        # A tagged line is known without its tag however short it is.
        whole = {line_hash(text)} if TAG.search(text) and _words(text) else set()
        own = _hashes(_forms(text, (LEADING_TIME, MARKER, BEHIND)))
        hashes |= dict.fromkeys(sorted(whole | own | _pieces(text)))
    rows = [json.dumps({"at": stamp(now), "line": digest}) for digest in hashes]
    if rows:
        files.append(_path(workspace), ("\n".join(rows) + "\n").encode(), mode=files.PRIVATE_FILE_MODE)


def registered(workspace: Workspace) -> frozenset[str]:
    """Hashes of all outside lines seen so far."""
    data = files.read_if_exists(_path(workspace)) or b""
    return frozenset(filter(None, map(_row_hash, data.splitlines())))


def is_outside(text: str, known: frozenset[str]) -> bool:
    """
    Whether a note line's text is outside: by a tag anywhere in it, or because its words are in the register.

    A label, a time or a link that somebody put around them, or took off, does not help.
    """
    folded = _folded(text)
    if TAG.search(folded) is not None:
        return True
    if not known:
        return False
    words = _split(folded)
    if words and _hash(words) in known:
        return True
    # Almost every line has no other form than its own.
    others = _forms(text, (LEADING_TIME, LABEL, BEHIND)) - {text}
    return bool(others) and not known.isdisjoint(_hashes(others))


def _folded(text: str) -> str:
    shown = unicodedata.normalize("NFKC", text)
    # Almost every line is printable whole, and looking at each of its characters is slow.
    if not shown.isprintable():
        shown = "".join(char for char in shown if char.isspace() or _visible(char))
    return shown.casefold()


def _forms(text: str, patterns: tuple[re.Pattern[str], ...]) -> set[str]:
    """Give a text without its marks, and what is left of it without what the patterns find, which holds a colon."""
    whole = TAG.sub(" ", text).strip(MARKS)
    forms, left = {whole}, [whole]
    while left:
        form = left.pop()
        if ":" in form or "：" in form:
            cut = {pattern.sub("", form).strip(MARKS) for pattern in patterns} - forms
            forms |= cut
            left += cut
    return forms


def _hashes(forms: set[str]) -> set[str]:
    """Hashes of texts; too little of one is no text's own."""
    return {_hash(words) for words in map(_words, forms) if len(words) >= OWN_WORDS}


def _pieces(text: str) -> set[str]:
    """Hashes of a text's clauses, and of all from each on: somebody may put half of it on a line of its own."""
    parts = CLAUSE_END.split(TAG.sub(" ", _folded(text)))
    tails = (" ".join(parts[at:]) for at in range(1, min(len(parts), MAX_PIECES)))
    return {_hash(words) for words in map(_words, (*parts[:MAX_PIECES], *tails)) if len(words) >= PIECE_WORDS}


def _hash(words: list[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def _words(text: str) -> list[str]:
    return _split(TAG.sub(" ", _folded(text)))


def _split(folded: str) -> list[str]:
    return [word for raw in folded.split() if (word := raw.strip(EDGE))]


def _row_hash(row: bytes) -> str | None:
    # Lines are registered before they are written anywhere, so a row torn by a crash stands for no line.
    try:
        return str(json.loads(row)["line"])
    except (ValueError, KeyError, TypeError):
        return None


def _visible(char: str) -> bool:
    # Cc control, Cf format (bidi, zero-width, tags), Co private, Cs surrogate, Zl/Zp line breaks.
    return unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "outside.jsonl")
