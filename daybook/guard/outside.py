"""Text from outside (mail, news, command output): made one harmless line, and tagged with its channel."""

from __future__ import annotations

import html
import re
import unicodedata

MAX_CHARS = 300
EVERYTHING_CHARS = 16_000
SENT_CHARS = 64_000
TAG = re.compile(r"\[(?:mail|news|cmd:[\w.-]+)\]", re.IGNORECASE)
CHAT_TOKENS = re.compile(
    r"<\|[^|<>]{0,40}\|>|</?(?:s|system|user|assistant|human|tool|function_calls?|im_start|im_end)>"
    r"|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>",
    re.IGNORECASE,
)
LOOKS_LIKE_A_LINE = re.compile(
    r"^(?:[-*+](?:\s+|$)|#{1,6}(?:\s+|$)|[>|]+\s*|={2,}\s*|[-_*`~]{3,}\s*|\d{1,9}[.)](?:\s+|$)|\[[ xX]?\]\s*)+"
)
ROLE = re.compile(r"^(system|user|assistant|human|tool|developer)\s*:", re.IGNORECASE)
MARKUP = (
    *(("![", "! ["), ("](", "] ("), ("][", "] ["), ("[[", "[ ["), ("]]", "] ]"), ("<!--", "<!- -"), ("```", "'''")),
    # What Obsidian hides, sets as a formula, or hands to its plug-ins to run.
    *(("%%", "% %"), ("$$", "$ $"), ("`=", "` ="), ("`$=", "` $=")),
)
MENTION = re.compile(r"@(?=everyone\b|here\b|channel\b|all\b)", re.IGNORECASE)
HTML_OPEN = re.compile(r"<(?=[A-Za-z/!?%])")
# Nested deeper than this, tokens are not taken out one by one, which took as many passes.
TOKEN_DEPTH = 3
TOKEN_OPEN = re.compile(r"<(?=\||/?\w|<)|\[(?=/?INST)", re.IGNORECASE)
# What ends a text that a reader may meet by itself: lines, tags, comments, and the value of an attribute.
PART_END = re.compile(r"[<>\"]|='|\\n")
# Two words, or two signs where words are not spaced.
WORDS = re.compile(r"\w\s+\S*\w|[^\x00-\u2fff]{2}")
# html.unescape asks for the number, and Python refuses to read one of thousands of digits.
HUGE_ENTITY = re.compile(r"&#(?:[0-9]{9,}|[xX][0-9a-fA-F]{9,});?")


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
    text = "".join(" " if c.isspace() else c for c in text if c.isspace() or is_visible(c))
    text = _without_tokens(text)
    for live, inert in MARKUP:
        text = text.replace(live, inert)
    text = HTML_OPEN.sub("‹", MENTION.sub("(at)", text))
    text = " ".join(text.split())
    text = LOOKS_LIKE_A_LINE.sub("", text)
    text = ROLE.sub(r"\1 -", text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def _without_tokens(text: str) -> str:
    """Take chat tokens out; taking one out can make another of what was around it."""
    for _ in range(TOKEN_DEPTH):
        shorter = CHAT_TOKENS.sub("", text)
        if shorter == text:
            return text
        text = shorter
    return TOKEN_OPEN.sub("‹", text) if CHAT_TOKENS.search(text) else text


def tagged(source: str, text: str) -> str:
    """Flatten *text* and put its channel's tag in front: `[mail] …`."""
    return f"[{source}] {flatten(text)}"


def everything(text: str) -> str:
    """
    Give all that a text says to whoever opens it otherwise than we do, a line for each part: for the register alone.

    Comments and attributes of markup are a part of it, and what a style hides. What is no word of anything is left out.

    Args:
        text: As it was sent; read up to 64,000 characters of it.

    Returns:
        At most 16,000 characters.
    """
    plain = unescaped(text[:SENT_CHARS])
    parts = (part for line in plain.splitlines() for part in PART_END.split(line) if WORDS.search(part))
    lines = [flatten(part, limit=EVERYTHING_CHARS) for part in parts]
    return "\n".join(filter(None, lines))[:EVERYTHING_CHARS]


def unescaped(text: str) -> str:
    """Resolve a text's entities; numbers of more digits than any character's go."""
    return html.unescape(HUGE_ENTITY.sub("", text))


def inert_markdown(text: str) -> str:
    """Flatten *text* and escape it for a cell of a Markdown table or artifact."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~])", r"\\\1", flatten(text))


def is_visible(char: str) -> bool:
    """Whether a character is seen, or makes a space that is."""
    # Cc control, Cf format (bidi, zero-width, tags), Co private, Cs surrogate, Zl/Zp line breaks.
    return unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
