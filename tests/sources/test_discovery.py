from __future__ import annotations

import pytest

from daybook.sources.discovery import MOST, links

RSS = 'rel="alternate" type="application/rss+xml"'


def urls(page: str, base: str = "https://example.org/a/b") -> list[str]:
    return [one["url"] for one in links(page.encode(), "text/html", base)]


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/f.xml", "https://example.org/f.xml"),
        ("f.xml", "https://example.org/a/f.xml"),
        ("//cdn.example.net/f", "https://cdn.example.net/f"),
        ("?feed=rss&amp;x=1", "https://example.org/a/b?feed=rss&x=1"),
        ("http://example.net/f", "http://example.net/f"),
    ],
)
def test_an_address_is_made_whole(href: str, url: str) -> None:
    assert urls(f'<link {RSS} href="{href}">') == [url]


def test_the_first_base_counts_for_what_comes_behind_it() -> None:
    page = f'<base href="https://e.net/x/"><base href="https://no.example/"><link {RSS} href="f">'
    assert urls(page) == ["https://e.net/x/f"]


@pytest.mark.parametrize(
    "page",
    [
        f"<!-- <link {RSS} href='f'> -->",
        f"<script>'<link {RSS} href=\"f\">'</script>",
        '<link rel="alternate" type="text/html" href="f">',
        '<link rel="stylesheet" type="application/rss+xml" href="f">',
        f'<link {RSS} href="">',
        f"<link {RSS}>",
        f'<link {RSS} href="file:///etc/passwd">',
        f'<link {RSS} href="http://[x/">',
        "",
        "<" * 10_000,
    ],
)
def test_what_is_no_feeds_link_is_left_alone(page: str) -> None:
    assert urls(page) == []


def test_each_address_is_named_once_and_at_most_twenty_are() -> None:
    assert urls(f'<link {RSS} href="f">' * 3) == ["https://example.org/a/f"]
    assert len(urls("".join(f'<link {RSS} href="{n}">' for n in range(99)))) == MOST


@pytest.mark.parametrize(
    ("content_type", "meta", "encoding"),
    [
        ("text/html; charset=iso-8859-1", "", "iso-8859-1"),
        ("text/html", '<meta charset="windows-1252">', "windows-1252"),
        ("text/html", "", "utf-8"),
        ("text/html; charset=klingon", "", "utf-8"),
        ("text/html", "<meta charset=idna>", "utf-8"),
        ("text/html", "<meta charset=undefined>", "utf-8"),
        ("text/html; charset=hex", "", "utf-8"),
    ],
)
def test_a_title_is_read_in_the_encoding_of_the_page(content_type: str, meta: str, encoding: str) -> None:
    page = f'{meta}<link {RSS} title="Grün &amp; Co" href="f">'.encode(encoding)
    assert [one["title"] for one in links(page, content_type, "https://e.org/")] == ["Grün & Co"]


def test_what_no_sink_can_write_is_taken_out_of_a_title() -> None:
    page = f'<meta charset=unicode_escape><link {RSS} title="a\\ud800b" href="f">'.encode()
    assert [one["title"] for one in links(page, "", "https://e.org/")] == ["a?b"]
