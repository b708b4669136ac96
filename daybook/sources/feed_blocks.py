"""
`[[feeds]]` blocks in the text of daybook.toml: one is put behind it or cut out, and every other byte stays.

Each edit is checked by reading the result: it must hold just the values that were meant, else nothing is edited.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

from daybook.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.settings import Feed

# Strings and comments whole, so that no bracket or line break within them counts.
TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)
HEADER = re.compile(r"[ \t]*\[")
FEEDS_HEADER = re.compile(r"""[ \t]*\[\[[ \t]*(?:feeds|"feeds"|'feeds')[ \t]*\]\][ \t]*(?:#[^\n]*)?\r?$""")
NOTHING = re.compile(r"[ \t]*(?:#[^\n]*)?\r?$")
BOM = "\ufeff"
BY_HAND = "daybook.toml writes its feeds in a way that this command does not edit; edit them there by hand"


def with_feeds(text: str, feeds: Sequence[Feed]) -> str:
    """
    Put feeds behind everything that stands in daybook.toml.

    Raises:
        SettingsError: Its feeds are written in another way than as `[[feeds]]`.
    """
    end = "\r\n" if "\r\n" in text else "\n"
    blocks = ["\n".join(_block(feed)) + "\n" for feed in feeds]
    before = text if not text.strip(BOM) or text.endswith("\n") else f"{text}{end}"
    new = before
    for block in blocks:
        gap = end if new.strip(BOM) else ""
        new += gap + block.replace("\n", end)
    added = [one for block in blocks for one in tomllib.loads(block)["feeds"]]
    old = values(text)
    return _checked(new, old | {"feeds": [*old.get("feeds", []), *added]})


def without_feed(text: str, number: int) -> str:
    """
    Cut one feed's block out, and the blank line before it where one follows; comments behind it stay.

    Args:
        text: Of daybook.toml.
        number: Which, from 0.

    Raises:
        SettingsError: Its feeds are written in another way than as `[[feeds]]`.
    """
    old = values(text)
    mark = BOM if text.startswith(BOM) else ""
    text = text.removeprefix(BOM)
    starts = _line_starts(text)
    lines = [text[begin:end] for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    first = [line.partition("\n")[0] for line in lines]
    headers = [at for at, line in enumerate(first) if FEEDS_HEADER.match(line)]
    if len(headers) != len(old.get("feeds", [])):
        raise SettingsError(f"{BY_HAND}.")
    begin = headers[number]
    after = next((at for at in range(begin + 1, len(lines)) if HEADER.match(first[at])), len(lines))
    end = max(at for at in range(begin, after) if not NOTHING.match(first[at])) + 1
    if begin and not first[begin - 1].strip() and (end == len(lines) or not first[end].strip()):
        begin -= 1
    new = "".join((mark, *lines[:begin], *lines[end:]))
    feeds = [feed for at, feed in enumerate(old["feeds"]) if at != number]
    return _checked(new, {**old, "feeds": feeds} if feeds else {k: v for k, v in old.items() if k != "feeds"})


def lines(text: str, count: int) -> list[int]:
    """
    List the line of each feed's `[[feeds]]`, from 1.

    Args:
        text: Of daybook.toml.
        count: How many feeds it names; nothing is listed where they are written in another way.
    """
    starts = [start for start in _line_starts(text) if FEEDS_HEADER.match(text[start:].partition("\n")[0])]
    return [text.count("\n", 0, start) + 1 for start in starts] if len(starts) == count else []


def _block(feed: Feed) -> list[str]:
    # JSON's strings are TOML's, but for this one sign.
    lines = ["[[feeds]]", f"url = {_string(feed.url)}"]
    lines += [f"name = {_string(feed.name)}"] if feed.name else []
    return lines + ([f"weight = {feed.weight:g}"] if feed.weight != 1 else [])


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _line_starts(text: str) -> list[int]:
    """List where lines begin that begin outside of every value."""
    depth, starts = 0, [0]
    for token in TOKEN.finditer(text):
        sign = token[0]
        depth += (sign in {"[", "{"}) - (sign in {"]", "}"})
        if sign == "\n" and depth == 0:
            starts.append(token.end())
    return starts if starts[-1] < len(text) or len(starts) == 1 else starts[:-1]


def values(text: str) -> dict[str, Any]:
    """Read plain values from the text of daybook.toml."""
    return tomllib.loads(text.removeprefix(BOM))


def _checked(new: str, expected: dict[str, Any]) -> str:
    try:
        if values(new) == expected:
            return new
    except ValueError:
        pass  # the sentence below says what to do
    raise SettingsError(f"{BY_HAND}.")
