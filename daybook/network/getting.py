"""
One bounded GET: to public addresses only, with limits on time, bytes and redirects.

The address that was checked is the one connected to; the host's name goes into Host and SNI.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.network.addresses import resolve, secrets_of

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Iterable, Mapping

    import httpx

MAX_REDIRECTS = 5
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 20.0
MAX_ADDRESSES = 3
USER_AGENT = "Daybook (feed reader)"
PORTS = {"http": 80, "https": 443}
PERMANENT = frozenset({301, 308})
REDIRECTS = PERMANENT | {302, 303, 307}
FIRST_WITHOUT_BODY = 300
# httpx and httpcore write whole addresses, with their tokens, at INFO and DEBUG.
LOGGERS_WITH_ADDRESSES = ("httpx", "httpcore")


@dataclass(frozen=True)
class Answer:
    """
    What a server answered in the end.

    Attributes:
        status: Of the last answer; a redirect only where it does not say where to.
        headers: By lower-case name.
        body: Decoded and whole; empty for a status of 300 and more.
        url: The final address, without its user part.
        moved_to: Where the leading run of permanent redirects ended, without a user part; None without one.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    url: str
    moved_to: str | None


@dataclass(frozen=True)
class _Target:
    url: httpx.URL
    auth: tuple[str, str] | None
    moved_to: str | None = None
    # Whether all redirects up to here were permanent.
    lasting: bool = True


@dataclass(frozen=True)
class _Limits:
    name: str
    headers: Mapping[str, str]
    allow_hosts: tuple[str, ...]
    max_bytes: int


async def get(
    url: str,
    name: str,
    allow_hosts: Iterable[str],
    *,
    headers: Mapping[str, str] | None = None,
    max_bytes: int,
    timeout_s: float,
) -> Answer:
    """
    Ask for what stands at a web address; any status is an answer, the caller decides.

    A password in the address goes to its own host alone.

    Args:
        url: An http(s) address.
        name: Begins every sentence of an error; without secrets.
        allow_hosts: Hosts that may be private.
        headers: Sent along, to redirects too: nothing secret.
        max_bytes: Longest decoded body.
        timeout_s: Seconds for everything together.

    Raises:
        SourceError: There was no answer. The sentence and all that hangs on it hold no secret of the address.
    """
    for logger in LOGGERS_WITH_ADDRESSES:
        logging.getLogger(logger).setLevel(logging.WARNING)
    limits = _Limits(name, dict(headers or {}), tuple(allow_hosts), max_bytes)
    try:
        async with asyncio.timeout(timeout_s):
            answer = await _attempt(url, limits)
    except TimeoutError:
        answer = SourceError(f"{name} took longer than {timeout_s:.0f} s; it is tried again later.", transient=True)
    # Raised out here so that no chained exception holds the address.
    if isinstance(answer, SourceError):
        raise answer
    return answer


@cache
def _certificates() -> ssl.SSLContext:
    # Reading all certificates takes longer than a fetch does.
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    return httpx.create_ssl_context(trust_env=False)


async def _attempt(text: str, limits: _Limits) -> Answer | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    name = limits.name
    try:
        return await _follow(text, limits)
    except SourceError as error:
        return SourceError(f"{name}: {error}", transient=error.transient, retry_after_s=error.retry_after_s)
    except httpx.TimeoutException:
        return SourceError(f"{name} did not answer in time; it is tried again later.", transient=True)
    except httpx.InvalidURL:
        return SourceError(f"{name} has, or redirects to, what is no web address; check it.", transient=False)
    except (httpx.HTTPError, UnicodeError) as error:
        why = clean(str(error), limit=120, secrets=(text, *secrets_of(text))) or type(error).__name__
        return SourceError(f"{name} cannot be fetched ({why}); it is tried again later.", transient=True)


async def _follow(text: str, limits: _Limits) -> Answer | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    url = httpx.URL(text)
    if url.scheme not in PORTS or not url.host:
        raise httpx.InvalidURL("not of the web")
    auth = (url.username, url.password) if url.userinfo else None
    target = _Target(url.copy_with(userinfo=b""), auth)
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    async with httpx.AsyncClient(
        verify=_certificates(), trust_env=False, follow_redirects=False, timeout=timeout
    ) as client:
        for _ in range(MAX_REDIRECTS + 1):
            answer = await _ask(client, target, limits)
            if not isinstance(answer, _Target):
                return answer
            target = answer
    sentence = f"{limits.name} redirects more than {MAX_REDIRECTS} times; check its address."
    return SourceError(sentence, transient=False)


async def _ask(client: httpx.AsyncClient, target: _Target, limits: _Limits) -> Answer | _Target | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    url = target.url
    host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
    headers = {"User-Agent": USER_AGENT, **limits.headers}
    headers |= {"Host": url.netloc.decode("ascii"), "Accept-Encoding": "gzip, deflate"}
    auth = httpx.BasicAuth(*target.auth) if target.auth else None
    addresses = (await resolve(host, port, limits.allow_hosts))[:MAX_ADDRESSES]
    for position, address in enumerate(addresses, 1):
        direct = url.copy_with(host=address, port=port, fragment=None)
        try:
            async with client.stream(
                "GET", direct, headers=headers, auth=auth, extensions={"sni_hostname": host}
            ) as response:
                return await _read(response, target, limits)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if position == len(addresses):
                raise
    return SourceError(f"{limits.name} has no address; check its host.", transient=True)


async def _read(response: httpx.Response, target: _Target, limits: _Limits) -> Answer | _Target | SourceError:
    status = response.status_code
    if status in REDIRECTS and response.headers.get("location"):
        return _redirected(target, status, response.headers["location"], limits.name)
    body: bytes | SourceError = b""
    if status < FIRST_WITHOUT_BODY:
        body = await _decoded(response.aiter_raw(), response.headers.get("content-encoding", ""), limits)
    if isinstance(body, SourceError):
        return body
    headers = {key.lower(): value for key, value in response.headers.items()}
    return Answer(status, headers, body, str(target.url), target.moved_to)


def _redirected(target: _Target, status: int, location: str, name: str) -> _Target | SourceError:
    url = target.url.join(location)
    if url.scheme not in PORTS or not url.host:
        return SourceError(f"{name} redirects to what is no web address; check it.", transient=False)
    # A password goes to the host it was given for, and a redirect cannot bring one along.
    before, url = target.url, url.copy_with(userinfo=b"")
    same = (before.scheme, before.host, before.port) == (url.scheme, url.host, url.port)
    lasting = target.lasting and status in PERMANENT
    moved_to = str(url.copy_with(fragment=None)) if lasting else target.moved_to
    return _Target(url, target.auth if same else None, moved_to, lasting)


async def _decoded(chunks: AsyncIterator[bytes], encoding: str, limits: _Limits) -> bytes | SourceError:
    """
    Read a body up to the cap.

    Done here and not by httpx, which decodes a chunk whole, and nested encodings too, before it can be
    counted: 64 kB can become gigabytes.
    """
    name, most = limits.name, limits.max_bytes
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        return SourceError(f"{name} is sent in an encoding that was not asked for.", transient=False)
    # 32 + 15: the zlib or gzip header tells which of the two it is.
    inflate = None if encoding in {"", "identity"} else zlib.decompressobj(47)
    size = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1_000} kB"  # noqa: PLR2004 - a million
    too_long = SourceError(f"{name} is longer than {size}; remove it.", transient=False)
    body = bytearray()
    try:
        async for chunk in chunks:
            body += chunk if inflate is None else inflate.decompress(chunk, most + 1 - len(body))
            if len(body) > most:
                return too_long
            if inflate is not None and inflate.eof:
                break
    except zlib.error:
        return SourceError(f"{name} is compressed wrongly; it is tried again later.", transient=True)
    if inflate is not None and not inflate.eof:
        return SourceError(f"{name} ends in the middle; it is tried again later.", transient=True)
    return bytes(body)
