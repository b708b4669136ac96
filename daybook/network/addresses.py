"""Web addresses: how they are named without their secrets, and which of them may be connected to."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from daybook.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Iterable

    IP = ipaddress.IPv4Address | ipaddress.IPv6Address

SECRET_SEGMENT = re.compile(r"(?=(?:[^/]*\d){2})(?=(?:[^/]*[A-Za-z]){2})[\w~.=+-]{16,}")
SECRET_PARAMETER = re.compile(r"token|key|secret|pass|auth|sig", re.IGNORECASE)
TRACKING_PARAMETER = re.compile(r"utm_\w+|fbclid|gclid|mc_[ce]id", re.IGNORECASE)
NAT64 = ipaddress.ip_network("64:ff9b::/96")
LINK_CHARS = 230
# Nothing in here can end a Markdown link, begin emphasis or a mention, or open a tag.
LINK_SAFE = "/:?#&=+,;$!~.-%"


def shown(url: str) -> str:
    """Name a web address in messages: host and path, without user, password, query or token."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "an unreadable address"
    path = "/".join("…" if SECRET_SEGMENT.fullmatch(part) else part for part in parts.path.split("/"))
    return f"{host}:{port}{path}" if port else f"{host}{path}"


def secrets_of(url: str) -> tuple[str, ...]:
    """Give the secrets in a web address: its password, and the values of parameters named like one."""
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return ()
    values = [value for name, value in parse_qsl(parts.query) if _secret(name)]
    segments = [part for part in parts.path.split("/") if SECRET_SEGMENT.fullmatch(part)]
    return tuple(filter(None, [password, *values, *segments]))


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
    """Give a web address without password and secret parameters; empty where its path itself is the secret."""
    parts = urlsplit(without_user(url))
    if any(SECRET_SEGMENT.fullmatch(part) for part in parts.path.split("/")):
        return ""
    kept = [(name, value) for name, value in parse_qsl(parts.query, keep_blank_values=True) if not _secret(name)]
    query = parts.query if not any(_secret(name) for name, _ in parse_qsl(parts.query)) else urlencode(kept)
    return parts._replace(query=query).geturl()


def _secret(parameter: str) -> bool:
    return SECRET_PARAMETER.search(parameter) is not None


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
    if not address.is_global or address.is_multicast:
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
    if not found:
        raise SourceError(f"The host {host} is not known; check the address or the network.", transient=True)
    addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    if host.casefold() in {name.strip("[]").casefold() for name in allow_hosts}:
        return addresses
    public = tuple(text for text in addresses if is_public(ipaddress.ip_address(text.partition("%")[0])))
    if not public:
        raise SourceError(
            f"{host} is a private address, which is not fetched from; "
            f'if that is meant, add "{host}" to network.allow_hosts.',
            transient=False,
        )
    return public
