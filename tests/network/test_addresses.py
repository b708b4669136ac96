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
    ],
)
def test_an_address_is_shown_without_its_secrets(url: str, expected: Any) -> None:
    assert shown(url) == expected


def test_the_secrets_of_an_address_are_found() -> None:
    url = "https://me:pass-1@e.org/a1b2c3d4e5f6a7b8c9/f?q=climate&api_key=k-1"
    assert secrets_of(url) == ("pass-1", "k-1", "a1b2c3d4e5f6a7b8c9")


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
    ],
)
def test_an_address_leaves_without_its_secrets(url: str, left: str) -> None:
    assert exported(url) == left
