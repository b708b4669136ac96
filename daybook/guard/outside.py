"""Text from outside (mail, news, command output): made one harmless line, and tagged with its channel."""

from __future__ import annotations

import html
import re
import unicodedata

MAX_CHARS = 300
EVERYTHING_CHARS = 16_000
TAG = re.compile(r"\[(?:mail|news|cmd:[\w.-]+)\]", re.IGNORECASE)
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
# What ends a text that a reader may meet by itself: lines, tags, comments, and the value of an attribute.
PART_END = re.compile(r"[<>\"]|='|\\n")


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


def everything(text: str) -> str:
    """
    Give all that a text says to whoever opens it otherwise than we do, a line for each part: for the register alone.

    Comments and attributes of markup are a part of it, and what a style hides.
    """
    parts = (
        flatten(part, limit=EVERYTHING_CHARS) for line in text[:EVERYTHING_CHARS].splitlines() for part in _parts(line)
    )
    return "\n".join(part for part in parts if part)


def _parts(line: str) -> list[str]:
    return PART_END.split(html.unescape(line))


def inert_markdown(text: str) -> str:
    """Flatten *text* and escape it for a cell of a Markdown table or artifact."""
    return re.sub(r"([\\`*_{}\[\]()#+!|<>~])", r"\\\1", flatten(text))


def is_visible(char: str) -> bool:
    """Whether a character is seen, or makes a space that is."""
    # Cc control, Cf format (bidi, zero-width, tags), Co private, Cs surrogate, Zl/Zp line breaks.
    return unicodedata.category(char) not in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}
