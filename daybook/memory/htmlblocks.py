"""What HTML blocks look like, as CommonMark has them (https://spec.commonmark.org/0.31.2/#html-blocks)."""

from __future__ import annotations

import re

_TAGS = (
    rb"address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    rb"fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    rb"menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    rb"track|ul"
)
_ATTRIBUTE = rb"(?:\s+[A-Za-z_:][\w.:-]*+(?:\s*=\s*(?:[^\s\"'=<>`]++|'[^']*'|\"[^\"]*\"))?)"
BLANK_LINE = re.compile(rb"^[ \t]*$")
# How an HTML block begins, what its last line holds, and whether it may cut into a paragraph.
HTML_BLOCKS = (
    (re.compile(rb"<!--"), re.compile(rb"-->"), True),
    (
        re.compile(rb"<(?:script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE),
        re.compile(rb"</(?:script|pre|style|textarea)>", re.IGNORECASE),
        True,
    ),
    (re.compile(rb"<\?"), re.compile(rb"\?>"), True),
    (re.compile(rb"<![A-Za-z]"), re.compile(rb">"), True),
    (re.compile(rb"<!\[CDATA\["), re.compile(rb"\]\]>"), True),
    (re.compile(rb"</?(?:" + _TAGS + rb")(?:\s|/?>|$)", re.IGNORECASE), BLANK_LINE, True),
    (re.compile(rb"(?:<[A-Za-z][\w-]*+" + _ATTRIBUTE + rb"*+\s*/?>|</[A-Za-z][\w-]*\s*>)\s*$"), BLANK_LINE, False),
)
