from __future__ import annotations

import asyncio
import ipaddress
from typing import Any

import pytest

from daybook.errors import SourceError
from daybook.guard.outside import flatten
from daybook.network.addresses import exported, is_public, resolve, safe_link, secrets_of, shown, without_user


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.org/feed.xml", "example.org/feed.xml"),
        ("https://me:pass@example.org:8443/f?token=x", "example.org:8443/f"),
        ("https://example.org/u/a1b2c3d4e5f6a7b8c9/atom", "example.org/u/…/atom"),
        ("https://example.org/2026/my-long-article-title/feed", "example.org/2026/my-long-article-title/feed"),
        ("https://[broken/", "an unreadable address"),
        ("https://e.org:x/", "an unreadable address"),
        ("https://e.org/f;token=abcdef12345/x;a=1", "e.org/f/x"),
        ("https://e.org/\x1b]0;p\x07/\u202e\u200bx\nok  fine", "e.org/]0/xok fine"),
        ("https://e.org/<b>@everyone", "e.org/‹b>(at)everyone"),
        (f"https://e.org/{'a' * 90_000}", f"e.org/{'a' * 193}…"),
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, expected: Any) -> None:
    assert shown(url) == expected


def test_the_secrets_of_an_address_are_found() -> None:
    url = "https://me:pass-1@e.org/a1b2c3d4e5f6a7b8c9/f?q=climate&api_key=k-1"
    assert secrets_of(url) == ("pass-1", "k-1", "a1b2c3d4e5f6a7b8c9")


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("https://e.org/f#access_token=abcdef12345", ("abcdef12345",)),
        ("https://e.org/f;token=abcdef12345/rss", ("abcdef12345",)),
        ("https://e.org/f?9f8e7d6c5b4a3f2e1d0c", ("9f8e7d6c5b4a3f2e1d0c",)),
        ("https://e.org/f?k=9f8e7d6c5b4a3f2e1d0c&u=bob", ("9f8e7d6c5b4a3f2e1d0c",)),
        ("https://e.org/f?PHPSESSID=abc", ("abc",)),
        ("https://e.org/f?a=1;api%5Fkey=x%2Fy+z", ("x/y z", "x%2Fy%20z", "x%2Fy+z")),
        ("https://me:p%40ss@e.org/f", ("p%40ss", "p@ss")),
        ("https://a1b2c3d4e5f6a7b8c9@e.org/f", ("a1b2c3d4e5f6a7b8c9",)),
        ("https://bob@e.org/category/web3-news-24h-daily/feed?keyword=climate&author=bob#top", ()),
        ("https://e.org/videos.xml?channel_id=UCa1B2c3D4e5F6g7H8i9J0kl", ()),
        ("https://[x/?token=abcdef", ()),
    ],
)
def test_a_secret_is_found_wherever_an_address_has_it_and_words_are_none(url: str, found: tuple[str, ...]) -> None:
    assert secrets_of(url) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" https://example.org/a \n", "https://example.org/a"),
        ("HTTPS://EXAMPLE.org/a", "https://example.org/a"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://example.org/a)[x](http://evil", "https://example.org/a%29%5Bx%5D%28http://evil"),
        ("https://example.org/<b>*_`", "https://example.org/%3Cb%3E%2A_%60"),
        ("https://example.org/@everyone", "https://example.org/%40everyone"),
        ("https://example.org/?utm_source=x&a=1&fbclid=2#top", "https://example.org/?a=1"),
        ("https://example.org/%2F%20x", "https://example.org/%2F%20x"),
        ("https://bank.example@evil.example/", ""),
        ("javascript:alert(1)", ""),
        ("file:///etc/passwd", ""),
        ("//example.org/a", ""),
        ("https://example.org:port/", ""),
        ("https://example.org/" + "a" * 300, ""),
        ("", ""),
    ],
)
def test_a_link_is_made_fit_for_a_line(text: str, expected: Any) -> None:
    link = safe_link(text)
    assert (link, flatten(link)) == (expected, expected)


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("0.0.0.0", False),  # noqa: S104 - looked at, not listened on
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("192.0.0.8", False),
        ("198.18.0.1", False),
        ("240.0.0.1", False),
        ("fec0::1", False),
        ("::127.0.0.1", False),
        ("::8.8.8.8", False),
        ("64:ff9b::808:808", True),
        ("64:ff9b:1::7f00:1", False),
        ("::ffff:0:7f00:1", False),
        ("::ffff:0:808:808", False),
        ("::ffff:8.8.8.8", True),
        ("5f00::1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fc00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
        ("ff02::1", False),
    ],
)
def test_only_addresses_of_the_public_internet_are_public(address: str, expected: Any) -> None:
    assert is_public(ipaddress.ip_address(address)) is expected


def test_a_private_host_is_found_when_it_was_named() -> None:
    assert asyncio.run(resolve("127.0.0.1", 80, ["127.0.0.1"])) == ("127.0.0.1",)
    with pytest.raises(SourceError, match="private address"):
        asyncio.run(resolve("localhost", 80, ["127.0.0.1"]))


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://me:pass@e.org:8443/f?a=1#x", "https://e.org:8443/f?a=1#x"),
        ("https://e.org/f", "https://e.org/f"),
        ("http://[x/", "http://[x/"),
    ],
)
def test_the_user_part_of_an_address_can_be_left_off(url: str, bare: str) -> None:
    assert without_user(url) == bare


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("https://me:pass@e.org/f?token=abc&a=1&b=%C3%A4", "https://e.org/f?a=1&b=%C3%A4"),
        ("https://e.org/f?a=1&b=x+y", "https://e.org/f?a=1&b=x+y"),
        ("https://e.org/abcdef123456abcdef123456/feed", ""),
        ("https://e.org/u/AbCdEfGhIjKlMnOpQrStUv/rss", ""),
        ("https://e.org/private/8F3KQ2ZP7L/", ""),
        ("https://e.org/podcast-2024-season-12.xml", "https://e.org/podcast-2024-season-12.xml"),
        ("https://e.org/f;token=abcdef12345#access_token=abcdef12345", "https://e.org/f"),
        ("https://e.org/f?k=9f8e7d6c5b4a3f2e1d0c&u=bob", "https://e.org/f?u=bob"),
        ("https://e.org/f?9f8e7d6c5b4a3f2e1d0c", "https://e.org/f"),
        ("https://e.org/f?PHPSESSID=abc&hash=abc&a=1;token=x", "https://e.org/f?a=1"),
        ("https://e.org/f?who=anybody&q=heat+pumps&lang=en", "https://e.org/f?q=heat+pumps&lang=en"),
        ("https://e.org/f?channel_id=UCa1B2c3D4e5F6g7H8i9J0kl", "https://e.org/f?channel_id=UCa1B2c3D4e5F6g7H8i9J0kl"),
        ("http://[bad/x", ""),
    ],
)
def test_an_address_leaves_without_its_secrets(url: str, left: str) -> None:
    assert exported(url) == left
