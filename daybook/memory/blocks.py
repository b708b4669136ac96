r"""
The line-by-line scan behind `daybook.memory.markdown`: which line is a heading, and which belongs to which bullet.

Fences, HTML blocks and comments, list items and wrapped text are followed as CommonMark says
(https://spec.commonmark.org/0.31.2/); quotes are not looked into. Only spaces and tabs are white space.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from daybook.memory.htmlblocks import BLANK_LINE, HTML_BLOCKS

BOM = b"\xef\xbb\xbf"
BLANK = b" \t\r\n"
CODE_INDENT = 4
PLAIN_OFFSET = 2
TAB_STOP = 4
# Deeper lists on one line are read as text: each level costs a look at the rest of the line.
MAX_NESTING = 32

HEADING = re.compile(rb"(#{1,6})(?:[ \t]+(.*))?$", re.DOTALL)
FENCE = re.compile(rb"(`{3,})[^`]*$|(~{3,})", re.DOTALL)
BULLET = re.compile(rb"[-*+](?=[ \t]|$)")
NUMBER = re.compile(rb"(\d{1,9})[.)](?=[ \t]|$)")
UNDERLINE = re.compile(rb"(?:=+|-+)[ \t]*$")
# A bullet at the margin whose text cannot begin a block: what most lines of a memory are, so they are read at once.
PLAIN = re.compile(rb"- (?:[A-Za-z\x80-\xff\"'(\[]|\*\*[^*\s]|`[^`]|\d++[^\d.)])")
NESTED = re.compile(rb"( +)" + PLAIN.pattern)


def scan(lines: tuple[bytes, ...], first: int) -> Scan:
    """
    Scan lines with their ends, from index *first* on.

    What stands before *first* (front matter) is neither heading nor bullet.
    """
    state = Scan(lines)
    plain, nested = PLAIN.match, NESTED.match
    for number in range(first, len(lines)):
        if state.leaf is not None or not number:
            _read_line(state, number)
        elif plain(lines[number]):
            _read_plain(state, number)
        elif state.items and (match := nested(lines[number])):
            _read_nested(state, number, match.end(1))
        else:
            _read_line(state, number)
    _close_items(state, 0)
    return state


def _read_plain(state: Scan, number: int) -> None:
    """Come to what `_read_line` comes to for a plain bullet when no leaf is open."""
    if state.items and state.top.bullet:
        state.bullets.append(state.top)
    state.top = Top(number, True, state.section, number + 1)  # noqa: FBT003 - keywords cost a tenth of a parse
    state.items = [PLAIN_ITEM]
    state.paragraph, state.quoted = True, False


def _read_nested(state: Scan, number: int, indent: int) -> None:
    """Come to what `_read_line` comes to for a plain bullet below another one when no leaf is open."""
    depth = sum(1 for item in state.items if indent >= item.offset)
    if not depth or indent - _margin(state, depth) >= CODE_INDENT:
        _read_line(state, number)
        return
    state.items[depth:] = [_Item(indent + PLAIN_OFFSET, empty=False)]
    state.top.end = number + 1
    state.paragraph, state.quoted = True, False


def _read_line(state: Scan, number: int) -> None:
    line = state.lines[number]
    body = (line.removeprefix(BOM) if number == 0 else line).rstrip(b"\r\n")
    if not body.strip(BLANK):
        _read_blank(state)
        return
    indent, rest = _indentation(body, 0)
    depth = sum(1 for item in state.items if indent >= item.offset)
    if state.leaf and depth >= state.leaf.depth:
        _extend(state, number)
        if state.leaf.closed_by(rest, indent - _margin(state, state.leaf.depth)):
            state.leaf = None
        return
    state.leaf = None
    _open_blocks(state, number, indent, rest, depth)


def _read_blank(state: Scan) -> None:
    if state.leaf and not state.leaf.ends_at_blank:
        return
    state.leaf = None
    state.paragraph = False
    if state.items and state.items[-1].empty:
        _close_items(state, len(state.items) - 1)


def _open_blocks(state: Scan, number: int, indent: int, rest: bytes, depth: int) -> None:
    # Each round opens one list item on this line; the last one finds what stands in it.
    for _ in range(MAX_NESTING):
        relative = indent - _margin(state, depth)
        if relative >= CODE_INDENT:
            _read_text(state, number, depth, lazy=state.paragraph, paragraph=state.paragraph)
            return
        if _read_leaf(state, number, rest, depth):
            return
        marker = _list_marker(state, rest, depth)
        if not marker:
            break
        _close_items(state, depth)
        state.paragraph = False
        after, content = _indentation(rest[len(marker) :], indent + len(marker))
        gap = after - indent - len(marker)
        offset = indent + len(marker) + (gap if content and gap <= CODE_INDENT else 1)
        if depth == 0:
            state.top = Top(number, marker in b"-*+", state.section)
        state.items.append(_Item(offset, empty=not content))
        _extend(state, number, content=bool(content))
        depth, indent, rest = depth + 1, after, content
        if not content:
            return
    quote, table_row = rest.startswith(b">"), rest.startswith(b"|") and depth < len(state.items)
    lazy = state.paragraph and not (quote or table_row)
    # What is quoted is not looked into, but text after it may go on with it.
    state.quoted = quote or (lazy and state.quoted)
    _read_text(state, number, depth, lazy=lazy, paragraph=rest.strip(b"> \t") != b"")


def _read_leaf(state: Scan, number: int, rest: bytes, depth: int) -> bool:
    """Take a heading, fence, HTML block, underline or rule; whether it was one."""
    if heading := HEADING.match(rest):
        if depth == 0:
            state.section = number
            state.headings.append((number, len(heading[1]), heading_title(heading[2] or b"")))
        _read_text(state, number, depth, lazy=False, paragraph=False)
        return True
    if leaf := _leaf_start(state, number, rest, depth):
        _read_text(state, number, depth, lazy=False, paragraph=False)
        state.leaf = None if leaf.end and leaf.end.search(rest) and not leaf.ends_at_blank else leaf
        return True
    underline = state.paragraph and not state.quoted and depth == len(state.items) and UNDERLINE.match(rest)
    if underline or _is_rule(rest):
        _read_text(state, number, depth, lazy=False, paragraph=False)
        return True
    return False


def _leaf_start(state: Scan, number: int, rest: bytes, depth: int) -> _Leaf | None:
    if fence := FENCE.match(rest):
        return _Leaf(number, depth, sign=fence[1] or fence[2])
    if rest.startswith(b"<"):
        for start, end, interrupts in HTML_BLOCKS:
            if start.match(rest) and (interrupts or not state.paragraph):
                return _Leaf(number, depth, end=end)
    return None


def _list_marker(state: Scan, rest: bytes, depth: int) -> bytes:
    """Bullet or number with its sign; empty when the line opens no item."""
    marker = BULLET.match(rest) or NUMBER.match(rest)
    if not marker:
        return b""
    if state.paragraph and not state.quoted and depth == len(state.items):
        # Only an item with content, and a numbered one only as the first, may cut into a paragraph.
        number = marker[1] if marker.re is NUMBER else b"1"
        if int(number) != 1 or not rest[marker.end() :].strip():
            return b""
    return marker[0]


def _read_text(state: Scan, number: int, depth: int, *, lazy: bool, paragraph: bool) -> None:
    if not lazy:
        _close_items(state, depth)
    state.paragraph = paragraph
    _extend(state, number)


def _extend(state: Scan, number: int, *, content: bool = True) -> None:
    if state.items:
        state.top.end = number + 1
        if content and state.items[-1].empty:
            state.items[-1] = _Item(state.items[-1].offset, empty=False)


def _close_items(state: Scan, depth: int) -> None:
    if depth == 0 and state.items and state.top.bullet:
        state.bullets.append(state.top)
    if depth < len(state.items):
        state.paragraph = False
    del state.items[depth:]


def _margin(state: Scan, depth: int) -> int:
    return state.items[depth - 1].offset if depth else 0


def _indentation(body: bytes, column: int) -> tuple[int, bytes]:
    """Column at which text begins, tabs counted, and the text from there."""
    rest = body.lstrip(b" \t")
    for sign in body[: len(body) - len(rest)]:
        column += TAB_STOP - column % TAB_STOP if sign == ord("\t") else 1
    return column, rest


def _is_rule(rest: bytes) -> bool:
    bare = rest.replace(b" ", b"").replace(b"\t", b"")
    return len(bare) >= 3 and bare[:1] in b"-_*" and bare == bare[:1] * len(bare)  # noqa: PLR2004 - a rule has three


def unclosed_line(state: Scan) -> int | None:
    """Index of the line that opens a fence or comment at the margin which the file's end leaves open."""
    leaf = state.leaf
    return leaf.line if leaf and leaf.depth == 0 and not leaf.ends_at_blank else None


def heading_title(rest: bytes) -> str:
    """Title of an ATX heading, given what follows its opening signs."""
    title = rest.strip(BLANK)
    bare = title.rstrip(b"#")
    closed = not bare or bare[-1:] in BLANK
    return (bare if closed else title).strip(BLANK).decode(errors="replace")


@dataclass(frozen=True, slots=True)
class _Item:
    """An open list item: the column its content begins at, and whether it has none yet."""

    offset: int
    empty: bool


PLAIN_ITEM = _Item(PLAIN_OFFSET, empty=False)


@dataclass(slots=True)
class Top:
    """
    A top-level list item.

    Attributes:
        start: Index of its first line.
        bullet: Whether it has a bullet; else it has a number.
        section: Index of the heading line above it; -1 when there is none.
        end: Index one after its last line that is not blank.
    """

    start: int
    bullet: bool
    section: int
    end: int = 0


@dataclass(frozen=True, slots=True)
class _Leaf:
    """An open fence (its signs) or HTML block (what ends it), and the number of items it stands in."""

    line: int
    depth: int
    sign: bytes = b""
    end: re.Pattern[bytes] | None = None

    @property
    def ends_at_blank(self) -> bool:
        """Whether a blank line ends it."""
        return self.end is BLANK_LINE

    def closed_by(self, rest: bytes, indent: int) -> bool:
        """Whether this line, indented so far within its item, is the last one of the block."""
        if self.end:
            return not self.ends_at_blank and self.end.search(rest) is not None
        run = len(rest) - len(rest.lstrip(self.sign[:1]))
        return indent < CODE_INDENT and run >= len(self.sign) and not rest[run:].strip(BLANK)


@dataclass(slots=True)
class Scan:
    """
    What was found, and where the scan stands.

    Attributes:
        headings: (index of the line, level, title) of each.
        bullets: Top-level bullets that have ended.
    """

    lines: tuple[bytes, ...]
    items: list[_Item] = field(default_factory=list)
    top: Top = field(default_factory=lambda: Top(0, bullet=False, section=-1))
    section: int = -1
    headings: list[tuple[int, int, str]] = field(default_factory=list)
    bullets: list[Top] = field(default_factory=list)
    leaf: _Leaf | None = None
    paragraph: bool = False
    quoted: bool = False
