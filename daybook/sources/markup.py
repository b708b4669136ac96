"""
Lines of text out of a mail's HTML, in time that grows with its length and no faster, whatever it is.

Tags, comments and raw text end where a browser ends them. Block elements make lines, quoted text gets `> ` in front,
and what a reader would not see is left out, as far as the element itself says so: a style sheet or white ink can still
hide text from a reader that stands here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from daybook.guard.outside import unescaped

BLOCK = re.compile(
    "address|article|aside|blockquote|body|br|center|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer"
    "|form|h[1-6]|header|hr|html|li|main|menu|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul"
)
CELLS = frozenset(("td", "th"))
NEVER_CLOSED = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
# Their contents are no markup; `title` and the like are no part of the text either.
RAW = frozenset(("iframe", "noembed", "noframes", "script", "style", "textarea", "title", "xmp"))
UNSEEN = frozenset(("audio", "canvas", "datalist", "object", "svg", "template", "video"))
# Starting any other block ends a paragraph that nobody ended.
WITHIN_A_PARAGRAPH = frozenset(("br", "body", "html"))
# The next one of its kind ends it, and text behind these is read on.
ENDED_BY_THE_NEXT = frozenset(("dd", "dt", "li", "option", "tr")) | CELLS
NEVER_ENDED = frozenset(("body", "html"))

NAME = re.compile(r"[A-Za-z][^\s/>]*")
# A quotation mark that is never closed takes the rest of the page with it.
TAG_END = re.compile(r"""=\s*+(?:"[^"]*+"|'[^']*+'|(["']))|>""")
ATTRIBUTE = re.compile(r"""([^\s=/"'<>]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]*+)))?""")
MAY_HIDE = re.compile("style|hidden", re.IGNORECASE)
HIDING_STYLE = re.compile(
    r"(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|mso-hide:all"
    r"|(?:font-size|max-height|opacity):(?:0+(?:\.0*)?|\.0+)(?:[a-z]{1,4}|%)?)(?:!important)?(?=;|$)"
)
QUOTED = "> "


def text_of(markup: str) -> str:
    """Give a page as lines of text; a quoted line begins with `> `."""
    page = _Page()
    at = 0
    while (begin := markup.find("<", at)) >= 0:
        page.text(markup[at:begin])
        at = _past(page, markup, begin)
    page.text(markup[at:])
    page.end_line()
    return "\n".join(page.lines)


@dataclass(frozen=True)
class _Open:
    name: str
    hidden: bool


@dataclass
class _Page:
    """
    A page as far as it was read.

    Attributes:
        lines: Finished ones.
        line: Parts of the one that is being read.
        stack: Elements that are open, outermost first.
        count: How many of each name.
        hidden: How many of them hide what they hold.
    """

    lines: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    hidden: int = 0

    def text(self, raw: str) -> None:
        """Read text between tags."""
        if not raw or self.hidden:
            return
        shown = unescaped(raw)
        if not self.count["pre"]:
            self.line.append(shown)
            return
        first, *others = shown.split("\n")
        self.line.append(first)
        for other in others:
            self.end_line()
            self.line.append(other)

    def start(self, name: str, tag: str) -> None:
        """Read a start tag."""
        if self.count["p"] and name not in WITHIN_A_PARAGRAPH and BLOCK.fullmatch(name):
            self.close("p")
        if name in ENDED_BY_THE_NEXT and self.stack and self.stack[-1].name in ENDED_BY_THE_NEXT:
            open_one = self.stack[-1].name
            if open_one == name or {open_one, name} <= CELLS:
                self.close(open_one)
        self._break(name)
        if name not in NEVER_CLOSED:
            hidden = name in UNSEEN or _hides(tag)
            self.stack.append(_Open(name, hidden))
            self.count[name] += 1
            self.hidden += hidden

    def end(self, name: str) -> None:
        """Read an end tag."""
        # Before it is closed, since the line still belongs into it.
        self._break(name)
        if self.count[name] and name not in NEVER_ENDED:
            self.close(name)

    def close(self, name: str) -> None:
        """Close the innermost open element of a name, and those within."""
        self._break(name)
        while True:
            last = self.stack.pop()
            self.count[last.name] -= 1
            self.hidden -= last.hidden
            if last.name == name:
                return

    def end_line(self) -> None:
        """Finish the line."""
        words = "".join(self.line).split()
        self.line.clear()
        if words:
            self.lines.append((QUOTED if self.count["blockquote"] else "") + " ".join(words))

    def _break(self, name: str) -> None:
        if BLOCK.fullmatch(name):
            self.end_line()
        elif name in CELLS:
            self.line.append(" ")


def _past(page: _Page, markup: str, begin: int) -> int:
    """Read what begins with `<`, and give where it ends; a comment or tag without an end goes to the page's."""
    if markup.startswith("<!--", begin):
        # From its own dashes on, since `<!-->` is a whole one.
        return _behind(markup, markup.find("-->", begin + 2), 3)
    closing = markup.startswith("</", begin)
    name = NAME.match(markup, begin + (2 if closing else 1))
    if name is None:
        if closing or markup.startswith(("<!", "<?"), begin):
            return _behind(markup, markup.find(">", begin), 1)
        page.text("<")
        return begin + 1
    end = _tag_end(markup, name.end())
    if end < 0:
        return len(markup)
    if closing:
        page.end(name[0].casefold())
        return end + 1
    return _started(page, markup, name, end)


def _started(page: _Page, markup: str, name: re.Match[str], end: int) -> int:
    word = name[0].casefold()
    page.start(word, markup[name.end() : end])
    if word not in RAW:
        return end + 1
    page.close(word)
    found = re.compile(rf"</{word}(?=[\s/>])", re.IGNORECASE).search(markup, end)
    return found.start() if found else len(markup)


def _behind(markup: str, found: int, length: int) -> int:
    return found + length if found >= 0 else len(markup)


def _tag_end(markup: str, at: int) -> int:
    while (found := TAG_END.search(markup, at)) is not None:
        if found[0] == ">":
            return found.start()
        if found[1]:
            break
        at = found.end()
    return -1


def _hides(tag: str) -> bool:
    if MAY_HIDE.search(tag) is None:
        return False
    # A repeated attribute does not count, as in a browser.
    given: dict[str, str] = {}
    for found in ATTRIBUTE.finditer(tag):
        given.setdefault(found[1].casefold(), found[2] or found[3] or found[4] or "")
    style = "".join(unescaped(given.get("style", "")).casefold().split())
    hidden = "hidden" in given or given.get("aria-hidden", "").casefold() == "true"
    return hidden or HIDING_STYLE.search(style) is not None
