"""
One bounded GET: to public addresses only, with limits on time, bytes and redirects.

The address that was checked is the one connected to; the host's name goes into Host and SNI.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.guard.outside import flatten
from daybook.network.addresses import HOST_CHARS, resolve
from daybook.network.decoding import decoded

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterable, Mapping

    import httpx

MAX_REDIRECTS = 5
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 20.0
MAX_ADDRESSES = 3
USER_AGENT = "Daybook (feed reader)"
PORTS = {"http": 80, "https": 443}
MAX_PORT = 65_535
PERMANENT = frozenset({301, 308})
REDIRECTS = PERMANENT | {302, 303, 307}
FIRST_WITHOUT_BODY = 300
# httpx and httpcore write whole addresses, with their tokens, at INFO and DEBUG.
LOGGERS_WITH_ADDRESSES = ("httpx", "httpcore")
# How a sentence ends whose reader has nothing to do.
LATER = "; it is tried again later."


class HostError(SourceError):
    """A host does not answer in time, or wants to be asked less: no other try at once, nor of what else it has."""


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
        answer = HostError(f"{name} took longer than {timeout_s:.0f} s{LATER}", transient=True)
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
    except httpx.TimeoutException:
        return HostError(f"{name} did not answer in time{LATER}", transient=True)
    except httpx.InvalidURL:
        return SourceError(f"{name} has, or redirects to, what is no web address; check it.", transient=False)
    except (httpx.HTTPError, UnicodeError, OverflowError, ExceptionGroup) as error:
        return SourceError(f"{name} cannot be fetched ({_why(error)}){LATER}", transient=True)


def _why(error: BaseException) -> str:
    """Say in our own words what went wrong: an error's own may be the server's, or hold the address."""
    import ssl  # noqa: PLC0415 - an idle beat never needs it

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return "its certificate is not valid"
        cause = cause.__cause__ or cause.__context__
    return type(error).__name__


def _is_of_tls(error: BaseException) -> bool:
    import ssl  # noqa: PLC0415 - an idle beat never needs it

    causes: list[BaseException] = [error]
    while following := causes[-1].__cause__ or causes[-1].__context__:
        causes.append(following)
    return any(isinstance(cause, ssl.SSLError) for cause in causes)


def _at_host(name: str, host: str, sentence: str, *, transient: bool) -> SourceError:
    """Say what is wrong at a host; a feed that is called by its address has named it."""
    said = sentence if name.casefold().startswith(host.casefold()) else f"{name}: {sentence}"
    return SourceError(said, transient=transient)


def _is_of_web(url: httpx.URL) -> bool:
    # A port beyond the last is an address for httpx, and none for the system.
    return url.scheme in PORTS and bool(url.host) and (url.port is None or 0 < url.port <= MAX_PORT)


async def _follow(text: str, limits: _Limits) -> Answer | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    url = httpx.URL(text)
    if not _is_of_web(url):
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
    try:
        addresses = (await resolve(host, port, limits.allow_hosts))[:MAX_ADDRESSES]
    except SourceError as error:
        return _at_host(limits.name, host, str(error), transient=error.transient)
    for position, address in enumerate(addresses, 1):
        direct = url.copy_with(host=address, port=port, fragment=None)
        try:
            async with client.stream(
                "GET", direct, headers=headers, auth=auth, extensions={"sni_hostname": host}
            ) as response:
                return await _read(response, target, limits)
        except httpx.ConnectTimeout:
            if position == len(addresses):
                raise
        except httpx.ConnectError as error:
            if position < len(addresses):
                continue
            if _is_of_tls(error):
                raise
            sentence = f"Nothing answers at {flatten(host, limit=HOST_CHARS)}:{port}{LATER}"
            return _at_host(limits.name, host, sentence, transient=True)
    return SourceError(f"{limits.name} has no address; check its host.", transient=True)


async def _read(response: httpx.Response, target: _Target, limits: _Limits) -> Answer | _Target | SourceError:
    status = response.status_code
    if status in REDIRECTS and response.headers.get("location"):
        return _redirected(target, status, response.headers["location"], limits.name)
    body: bytes | SourceError = b""
    if status < FIRST_WITHOUT_BODY:
        encoding = response.headers.get("content-encoding", "")
        body = await decoded(response.aiter_raw(), encoding, limits.name, limits.max_bytes)
    if isinstance(body, SourceError):
        return body
    headers = {key.lower(): value for key, value in response.headers.items()}
    return Answer(status, headers, body, str(target.url), target.moved_to)


def _redirected(target: _Target, status: int, location: str, name: str) -> _Target | SourceError:
    url = target.url.join(location)
    if not _is_of_web(url):
        return SourceError(f"{name} redirects to what is no web address; check it.", transient=False)
    # A password goes to the host it was given for, and a redirect cannot bring one along.
    before, url = target.url, url.copy_with(userinfo=b"")
    same = (before.scheme, before.host, before.port) == (url.scheme, url.host, url.port)
    lasting = target.lasting and status in PERMANENT
    moved_to = str(url.copy_with(fragment=None)) if lasting else target.moved_to
    return _Target(url, target.auth if same else None, moved_to, lasting)
