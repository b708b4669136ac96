"""
Lists of feeds as other readers write and read them: OPML 2.0.

Read in the child, with a parser that stops at the first DOCTYPE or entity; only the standard library, as in `jsonfeed`.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 5_000
CHARS = 2_000
# What XML cannot hold, not even escaped (https://www.w3.org/TR/xml/#charsets).
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
DECLARES = "declares a DOCTYPE or entities, which no list of feeds needs"


class _DeclaredError(Exception):
    """A DOCTYPE or an entity was declared."""


def read(document: bytes) -> dict[str, object]:
    """
    Read every outline that has an address, however deep it stands.

    Returns:
        `outlines`, each with `url` and `title`, and `beyond`, how many more there are than are read; or `error`, the
        rest of a sentence.
    """
    found: list[dict[str, str]] = []
    beyond = 0
    root: list[str] = []
    parser = expat.ParserCreate()

    def declared(*_: object) -> None:
        raise _DeclaredError

    def started(name: str, attributes: dict[str, str]) -> None:
        nonlocal beyond
        root.append(name.casefold())
        given = {key.casefold(): value.strip() for key, value in attributes.items()}
        if name.casefold() == "outline" and given.get("xmlurl"):
            if len(found) == MOST:
                beyond += 1
                return
            title = given.get("title") or given.get("text") or ""
            found.append({"url": given["xmlurl"][:CHARS], "title": title[:CHARS]})

    parser.StartDoctypeDeclHandler = declared
    parser.EntityDeclHandler = declared
    parser.StartElementHandler = started
    try:
        parser.Parse(document.strip(), True)  # noqa: FBT003 - expat takes it by position alone
    except _DeclaredError:
        return {"error": DECLARES}
    except expat.ExpatError as error:
        return {"error": f"is no OPML: {expat.ErrorString(error.code)} in line {error.lineno}"}
    except (ValueError, LookupError):
        return {"error": "is written in an encoding that is not known"}
    if root[:1] != ["opml"]:
        return {"error": "is no OPML"}
    return {"outlines": found, "beyond": beyond}


def write(feeds: Iterable[tuple[str, str]], title: str) -> str:
    """
    Write a list of feeds.

    Args:
        feeds: Name and address of each.
        title: Of the list.
    """
    rows = [(_written(name), _written(url)) for name, url in feeds]
    outlines = "".join(f'    <outline type="rss" text="{name}" title="{name}" xmlUrl="{url}"/>\n' for name, url in rows)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n'
        f"  <head>\n    <title>{_written(title)}</title>\n  </head>\n  <body>\n{outlines}  </body>\n</opml>\n"
    )


def _written(text: str) -> str:
    return html.escape(NO_XML.sub("", text))
