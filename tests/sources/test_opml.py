from __future__ import annotations

import asyncio

import pytest

from daybook.errors import SourceError
from daybook.sources import opml
from daybook.sources.parsing import Link, outlines

LIST = """<?xml version="1.0" encoding="{encoding}"?>
<opml version="1.1"><head><title>Mine</title></head><body>
  <outline text="Tech"><outline text="Näher &amp; dran" title="" xmlUrl=" https://e.org/1 "/>
    <outline text="Deep"><outline TYPE="rss" Title="Two" XMLURL="https://e.org/2?a=1&amp;b=2"/></outline></outline>
  <outline text="A link" type="link" url="https://e.org/page"/>
</body></opml>"""
BOMB = '<!DOCTYPE opml [<!ENTITY a "x">{}]><opml><body><outline text="&b9;" xmlUrl="https://e.org/"/></body></opml>'


def read(document: bytes) -> tuple[Link, ...]:
    return asyncio.run(outlines(document, "The list"))[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_nested_outlines_are_read_in_their_order(encoding: str) -> None:
    assert read(LIST.format(encoding=encoding).encode(encoding)) == (
        Link(url="https://e.org/1", title="Näher & dran"),
        Link(url="https://e.org/2?a=1&b=2", title="Two"),
    )


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_o15_a_declaration_is_refused_in_any_encoding(encoding: str) -> None:
    entities = "".join(f'<!ENTITY b{n} "{"&a;" * 10}">' for n in range(10))
    for text in (BOMB.format(entities), '<!DOCTYPE opml SYSTEM "file:///etc/passwd"><opml/>'):
        with pytest.raises(SourceError, match="The list declares a DOCTYPE or entities"):
            read(text.encode(encoding))


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (b"", "is no OPML: no element found in line 1"),
        (b"<rss/>", "is no OPML"),
        (b"<opml><body>", "is no OPML: no element found"),
        (b"<opml>\n<a></b></opml>", "is no OPML: mismatched tag in line 2"),
        (b'<?xml version="1.0" encoding="klingon"?><opml/>', "encoding"),
        (b"\xff\x00 not xml", "is no OPML"),
    ],
)
def test_what_is_no_list_is_said_to_be_none(document: bytes, why: str) -> None:
    with pytest.raises(SourceError, match=why):
        read(document)


def test_depth_costs_nothing() -> None:
    deep = "<outline>" * 50_000 + '<outline xmlUrl="https://e.org/"/>' + "</outline>" * 50_000
    assert len(read(f"<opml>{deep}</opml>".encode())) == 1


def test_those_beyond_the_most_that_are_read_are_counted() -> None:
    rows = '<outline xmlUrl="https://e.org/"/><outline/>' * (opml.MOST + 7)
    found, beyond = asyncio.run(outlines(f"<opml>{rows}</opml>".encode(), "The list"))
    assert (len(found), beyond) == (opml.MOST, 7)


def test_what_xml_cannot_hold_is_left_out() -> None:
    (one,) = read(opml.write([("a\n\x1b[31mb\0\uffff😀", "https://e.org/\x07x")], "\x1b").encode())
    assert (one.title, one.url) == ("a [31mb😀", "https://e.org/x")


def test_what_is_written_is_read_again() -> None:
    feeds = [('A "b" <c> & d', "https://e.org/?a=1&b='2'"), ("名", "http://e.org/")]
    text = opml.write(feeds, "Mine & yours")
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<opml version="2.0">\n')
    assert [(one.title, one.url) for one in read(text.encode())] == feeds
