"""Web addresses: how they are named without their secrets, and which of them may be connected to."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, quote_plus, unquote, unquote_plus, urlencode, urlsplit

from daybook.errors import SourceError
from daybook.guard.outside import flatten
from daybook.network.tokens import is_harmless, is_secret, is_token

if TYPE_CHECKING:
    from collections.abc import Iterable

    IP = ipaddress.IPv4Address | ipaddress.IPv6Address

TRACKING_PARAMETER = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id", re.IGNORECASE)
NAT64 = ipaddress.ip_network("64:ff9b::/96")
# Besides what the standard library counts as such, which differs from one Python to the next.
NOT_PUBLIC = tuple(
    ipaddress.ip_network(text)
    for text in (
        *("192.0.0.0/24", "192.88.99.0/24", "198.18.0.0/15", "240.0.0.0/4"),
        # IPv4 as IPv6 once wrapped it, the translation within one network, and what has no place on the internet.
        *("::/96", "::ffff:0:0:0/96", "64:ff9b:1::/48", "100::/64", "2001:db8::/32", "3fff::/20", "5f00::/16"),
        *("fc00::/7", "fe80::/10", "fec0::/10"),
    )
)
LINK_CHARS = 230
SHOWN_CHARS = 200
HOST_CHARS = 80
# Nothing in here can end a Markdown link, begin emphasis or a mention, or open a tag.
LINK_SAFE = "/:?#&=+,;$!~.-%"


def shown(url: str) -> str:
    """
    Name a web address in messages: host and path on one harmless line, without user, password, query or token.

    The same for ever: feeds are known by it in files.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an unreadable address"
    path = "/".join("…" if is_token(part) else part for part in _bare(parts.path).split("/"))
    return flatten(f"{host}:{port}{path}" if port else f"{host}{path}", limit=SHOWN_CHARS)


def secrets_of(url: str) -> tuple[str, ...]:
    """Give the secrets in a web address: its password, and whatever is named like one, or looks like one."""
    try:
        parts = urlsplit(url)
        password, user = parts.password, parts.username or ""
    except ValueError:
        return ()
    given = [pair for text in (parts.query, *_parameters(parts.path), parts.fragment) for pair in _pairs(text)]
    values = [form for name, value in given if is_secret(name, value) for form in _forms(value or name)]
    segments = [part for part in _bare(parts.path).split("/") if is_token(part)]
    user_part = [
        form for part in (password, user if is_token(user) else None) if part for form in (part, unquote(part))
    ]
    return tuple(dict.fromkeys(filter(None, [*user_part, *values, *segments])))


def without_secrets(url: str) -> str:
    """Give a web address without user, password, query and fragment, as a base for relative links."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def without_user(url: str) -> str:
    """Give a web address without its user part; one that cannot be read stays as it is."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def exported(url: str) -> str:
    """
    Give a web address with nothing in it that may be secret: host, path, and parameters known to be harmless.

    Returns:
        Empty where its path itself is the secret, or nobody can read it.
    """
    try:
        parts = urlsplit(without_user(url))
    except ValueError:
        return ""
    path = _bare(parts.path)
    if any(is_token(part) for part in path.split("/")):
        return ""
    given = [one for one in re.split("[&;]", parts.query) if one]
    query = "&".join(one for one in given if all(is_harmless(*pair) for pair in _pairs(one)))
    return parts._replace(path=path, query=query, fragment="").geturl()


def _bare(path: str) -> str:
    """Give a path without the parameters that stand behind ";" in it."""
    return "/".join(part.partition(";")[0] for part in path.split("/"))


def _parameters(path: str) -> list[str]:
    return [part.partition(";")[2] for part in path.split("/")]


def _pairs(text: str) -> list[tuple[str, str]]:
    """Read names and values, also one without the other."""
    found = (one.partition("=") for one in re.split("[&;]", text) if one)
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in found]


def _forms(value: str) -> tuple[str, ...]:
    """Give a value as it may be met in a text, and in another address."""
    return value, quote(value, safe=""), quote_plus(value)


def safe_link(text: str) -> str:
    """
    Make a link from outside fit to stand in a Markdown line.

    Returns:
        An http(s) address of at most 230 characters in which nothing can act; empty when there is none.
        Addresses with a user part are dropped: they are made to look like another host.
    """
    text = "".join(char for char in text.strip() if char.isprintable() and not char.isspace())
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").encode("idna").decode("ascii"), parts.port
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or ":" in host or "@" in parts.netloc:
        return ""
    kept = [(n, v) for n, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING_PARAMETER.fullmatch(n)]
    query = parts.query if len(kept) == len(parts.query.split("&")) else urlencode(kept)
    bare = parts._replace(netloc=f"{host}:{port}" if port else host, query=query, fragment="")
    link = quote(bare.geturl(), safe=LINK_SAFE)
    return link if len(link) <= LINK_CHARS else ""


def is_public(address: IP) -> bool:
    """Whether an address is one of the public internet, also as another address that is wrapped in it."""
    if not address.is_global or address.is_multicast or any(address in network for network in NOT_PUBLIC):
        return False
    if isinstance(address, ipaddress.IPv4Address):
        return True
    wrapped = address.ipv4_mapped or address.sixtofour
    if address in NAT64:
        wrapped = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return (wrapped is None or is_public(wrapped)) and address.teredo is None


async def resolve(host: str, port: int, allow_hosts: Iterable[str]) -> tuple[str, ...]:
    """
    Find the addresses of a host that may be connected to.

    The caller connects to one of these and never to the name, so a name that changes its mind between
    the check and the connection gains nothing.

    Args:
        host: Name or address as it stands in the web address.
        port: TCP port.
        allow_hosts: Hosts that may be private, compared with *host* itself.

    Raises:
        SourceError: The name is unknown, or every address of it is private.
    """
    found = None
    with suppress(OSError, UnicodeError):
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    # A redirect may have brought it.
    told = flatten(host, limit=HOST_CHARS)
    if not found:
        raise SourceError(f"The host {told} is not known; check the address or the network.", transient=True)
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.casefold() in {name.strip("[]").casefold() for name in allow_hosts}:
        return addresses
    public = tuple(text for text in addresses if is_public(ipaddress.ip_address(text.partition("%")[0])))
    if not public:
        raise SourceError(
            f"{told} is a private address, which is not fetched from; "
            f'if that is meant, add "{told}" to network.allow_hosts and run `daybook trust`.',
            transient=False,
        )
    return public
