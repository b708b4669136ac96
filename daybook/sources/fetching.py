"""
One conditional GET of one feed, to public addresses only, with bounds on time, bytes and redirects.

The address that was checked is the one connected to; the host's name goes into Host and SNI.
"""

from __future__ import annotations

import asyncio
import logging
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING

from daybook.errors import SourceError
from daybook.sources.addresses import resolve, secrets_of, shown, without_secrets
from daybook.sources.cleaning import clean

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Mapping

    import httpx

    from daybook.settings import Feed, Network
    from daybook.sources.tracking import FeedState

MAX_BODY_BYTES = 5_000_000
MAX_REDIRECTS = 5
CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 20.0
TOTAL_TIMEOUT_S = 60.0
GONE_WAIT_S = 7 * 86_400
MAX_RETRY_AFTER_S = 7 * 86_400
MAX_ADDRESSES = 3
USER_AGENT = "Daybook (feed reader)"
ACCEPT = "application/atom+xml, application/rss+xml, application/xml;q=0.9, */*;q=0.5"
PORTS = {"http": 80, "https": 443}
REDIRECTS = frozenset({301, 302, 303, 307, 308})
TRANSIENT = frozenset({408, 425, 429})
VALIDATOR = re.compile(r"[\x20-\x7e]{1,1024}")
# httpx and httpcore write whole addresses, with their tokens, at INFO and DEBUG.
LOGGERS_WITH_ADDRESSES = ("httpx", "httpcore")


@dataclass(frozen=True)
class Fetched:
    """
    A feed's document.

    Attributes:
        body: Decoded, at most 5 MB.
        content_type: As the server named it.
        base: Address that relative links refer to, without secrets.
        etag: Validator for the next time.
        last_modified: Likewise.
    """

    body: bytes
    content_type: str
    base: str
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True)
class NotModified:
    """Nothing has changed since the validators were given out."""


@dataclass(frozen=True)
class Waiting:
    """The source failed lately, or asked us to wait; nothing was sent to it."""

    name: str
    until: datetime


@dataclass(frozen=True)
class _Question:
    name: str
    validators: FeedState
    network: Network
    now: datetime


@dataclass(frozen=True)
class _Target:
    url: httpx.URL
    auth: tuple[str, str] | None


async def fetch(feed: Feed, validators: FeedState, network: Network, now: datetime) -> Fetched | NotModified | Waiting:
    """
    Fetch a feed, unless it is waiting or has not changed.

    Args:
        feed: Which.
        validators: What is known of it; empty validators ask for everything.
        network: Private hosts that are allowed.
        now: Compared with the time before which the feed must not be asked.

    Raises:
        SourceError: It could not be had. The sentence and all that hangs on it hold no secret of the address.
    """
    if validators.next_allowed is not None and validators.next_allowed > now:
        return Waiting(feed_name(feed), validators.next_allowed)
    for name in LOGGERS_WITH_ADDRESSES:
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        async with asyncio.timeout(TOTAL_TIMEOUT_S):
            answer = await _attempt(feed, _Question(feed_name(feed), validators, network, now))
    except TimeoutError:
        answer = SourceError(
            f"{feed_name(feed)} took longer than {TOTAL_TIMEOUT_S:.0f} s; it is tried again later.", transient=True
        )
    # Raised out here so that no chained exception holds the address.
    if isinstance(answer, SourceError):
        raise answer
    return answer


def feed_name(feed: Feed) -> str:
    """Name a feed as the operator did, else by its address without secrets."""
    return clean(feed.name or "", limit=60) or shown(feed.url)


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """Read a Retry-After header, seconds or a date, as seconds from *now*, a week at most."""
    if not value:
        return None
    seconds = None
    if re.fullmatch(r"\s*\d{1,9}\s*", value):
        seconds = float(value)
    else:
        with suppress(ValueError, OverflowError):
            until = parsedate_to_datetime(value)
            seconds = (until if until.tzinfo else until.replace(tzinfo=UTC)).timestamp() - now.timestamp()
    return None if seconds is None else min(max(seconds, 0.0), float(MAX_RETRY_AFTER_S))


@cache
def _certificates() -> ssl.SSLContext:
    # Reading all certificates takes longer than a fetch does.
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    return httpx.create_ssl_context(trust_env=False)


async def _attempt(feed: Feed, question: _Question) -> Fetched | NotModified | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    name = question.name
    timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
    try:
        url = httpx.URL(feed.url)
        auth = (url.username, url.password) if url.userinfo else None
        target = _Target(url.copy_with(userinfo=b""), auth)
        async with httpx.AsyncClient(
            verify=_certificates(), trust_env=False, follow_redirects=False, timeout=timeout
        ) as client:
            for _ in range(MAX_REDIRECTS + 1):
                answer = await _ask(client, target, question)
                if not isinstance(answer, _Target):
                    return answer
                target = answer
    except SourceError as error:
        return SourceError(f"{name}: {error}", transient=error.transient, retry_after_s=error.retry_after_s)
    except httpx.TimeoutException:
        return SourceError(f"{name} did not answer in time; it is tried again later.", transient=True)
    except httpx.InvalidURL:
        return SourceError(f"{name} has, or redirects to, what is no web address; check it.", transient=False)
    except (httpx.HTTPError, UnicodeError) as error:
        why = clean(str(error), limit=120, secrets=(feed.url, *secrets_of(feed.url))) or type(error).__name__
        return SourceError(f"{name} cannot be fetched ({why}); it is tried again later.", transient=True)
    return SourceError(f"{name} redirects more than {MAX_REDIRECTS} times; check its address.", transient=False)


async def _ask(
    client: httpx.AsyncClient, target: _Target, question: _Question
) -> Fetched | NotModified | _Target | SourceError:
    import httpx  # noqa: PLC0415 - an idle beat never needs it

    url = target.url
    host, port = url.raw_host.decode("ascii"), url.port or PORTS[url.scheme]
    headers = _headers(url, question.validators)
    auth = httpx.BasicAuth(*target.auth) if target.auth else None
    addresses = (await resolve(host, port, question.network.allow_hosts))[:MAX_ADDRESSES]
    for position, address in enumerate(addresses, 1):
        direct = url.copy_with(host=address, port=port, fragment=None)
        try:
            async with client.stream(
                "GET", direct, headers=headers, auth=auth, extensions={"sni_hostname": host}
            ) as response:
                return await _read(response, target, question)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            if position == len(addresses):
                raise
    return SourceError(f"{question.name} has no address; check its host.", transient=True)


def _headers(url: httpx.URL, validators: FeedState) -> Mapping[str, str]:
    headers = {
        "Host": url.netloc.decode("ascii"),
        "User-Agent": USER_AGENT,
        "Accept": ACCEPT,
        "Accept-Encoding": "gzip, deflate",
    }
    # The file they come from lies in the workspace, where anyone may have written a line break into it.
    if validators.etag and VALIDATOR.fullmatch(validators.etag):
        headers["If-None-Match"] = validators.etag
    if validators.last_modified and VALIDATOR.fullmatch(validators.last_modified):
        headers["If-Modified-Since"] = validators.last_modified
    return headers


async def _read(
    response: httpx.Response, target: _Target, question: _Question
) -> Fetched | NotModified | _Target | SourceError:
    name, validators = question.name, question.validators
    status = response.status_code
    if status in REDIRECTS and response.headers.get("location"):
        return _redirected(target, response.headers["location"], name)
    if status == 304 and (validators.etag or validators.last_modified):  # noqa: PLR2004 - as HTTP numbers it
        return NotModified()
    if status != 200:  # noqa: PLR2004 - as HTTP numbers it
        return _refusal(status, retry_after_s(response.headers.get("retry-after"), question.now), name)
    body = await _decoded(response.aiter_raw(), response.headers.get("content-encoding", ""), name)
    if isinstance(body, SourceError):
        return body
    return Fetched(
        body=body,
        content_type=response.headers.get("content-type", ""),
        base=without_secrets(str(target.url)),
        etag=_validator(response.headers.get("etag")),
        last_modified=_validator(response.headers.get("last-modified")),
    )


def _validator(value: str | None) -> str | None:
    return value if value and VALIDATOR.fullmatch(value) else None


def _redirected(target: _Target, location: str, name: str) -> _Target | SourceError:
    url = target.url.join(location)
    if url.scheme not in PORTS or not url.host:
        return SourceError(f"{name} redirects to what is no web address; check it.", transient=False)
    before, after = target.url, url
    same = (before.scheme, before.host, before.port) == (after.scheme, after.host, after.port)
    # A password goes to the host it was given for, and a redirect cannot bring one along.
    return _Target(url.copy_with(userinfo=b""), target.auth if same else None)


def _refusal(status: int, wait_s: float | None, name: str) -> SourceError:
    if status == 410:  # noqa: PLR2004 - as HTTP numbers it
        sentence = f"{name} is gone for good (410); remove it from daybook.toml."
        return SourceError(sentence, transient=False, retry_after_s=GONE_WAIT_S)
    if status >= 500 or status in TRANSIENT:  # noqa: PLR2004 - as HTTP numbers it
        sentence = f"{name} answered {status}; it is tried again later."
        return SourceError(sentence, transient=True, retry_after_s=wait_s)
    sentence = f"{name} answered {status}; check its address in daybook.toml."
    return SourceError(sentence, transient=False, retry_after_s=wait_s)


async def _decoded(chunks: AsyncIterator[bytes], encoding: str, name: str) -> bytes | SourceError:
    """
    Read a body up to the cap.

    Done here and not by httpx, which decodes a chunk whole, and nested encodings too, before it can be
    counted: 64 kB can become gigabytes.
    """
    encoding = encoding.strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        return SourceError(f"{name} is sent in an encoding that was not asked for.", transient=False)
    # 32 + 15: the zlib or gzip header tells which of the two it is.
    inflate = None if encoding in {"", "identity"} else zlib.decompressobj(47)
    too_long = SourceError(f"{name} is longer than {MAX_BODY_BYTES // 1_000_000} MB; remove it.", transient=False)
    body = bytearray()
    try:
        async for chunk in chunks:
            body += chunk if inflate is None else inflate.decompress(chunk, MAX_BODY_BYTES + 1 - len(body))
            if len(body) > MAX_BODY_BYTES:
                return too_long
            if inflate is not None and inflate.eof:
                break
    except zlib.error:
        return SourceError(f"{name} is compressed wrongly; it is tried again later.", transient=True)
    if inflate is not None and not inflate.eof:
        return SourceError(f"{name} ends in the middle; it is tried again later.", transient=True)
    return bytes(body)
