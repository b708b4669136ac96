"""One conditional GET of one feed: what it is called in our files, when it must wait, and what its answer means."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.network.addresses import secrets_of, shown, without_secrets
from daybook.network.getting import LATER, HostError, get

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.network.getting import Answer
    from daybook.settings import Feed, Network
    from daybook.sources.tracking import FeedState

MAX_BODY_BYTES = 5_000_000
KEY_HASH_CHARS = 10
TOTAL_TIMEOUT_S = 60.0
MAX_RETRY_AFTER_S = 7 * 86_400
ACCEPT = "application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5"
TRANSIENT = frozenset({408, 425})
VALIDATOR = re.compile(r"[\x20-\x7e]{1,1024}")


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
        moved_to: Where permanent redirects led to, without a user part; None where there were none.
        secrets: Of the address it came from in the end.
    """

    body: bytes
    content_type: str
    base: str
    etag: str | None
    last_modified: str | None
    moved_to: str | None = None
    secrets: tuple[str, ...] = ()


@dataclass(frozen=True)
class NotModified:
    """
    Nothing has changed since the validators were given out.

    Attributes:
        moved_to: As for `Fetched`.
    """

    moved_to: str | None = None


@dataclass(frozen=True)
class GoneForGood:
    """The server says that the feed will not come back (410)."""


@dataclass(frozen=True)
class Waiting:
    """The source failed lately, or asked us to wait; nothing was sent to it."""

    name: str
    until: datetime


@dataclass(frozen=True)
class FeedWaiting(Waiting):
    """
    A feed that is left alone for now.

    Attributes:
        failures: Failed looks in a row.
    """

    failures: int


@dataclass(frozen=True)
class NotAsked:
    """Its host left other feeds unanswered just now; nothing was sent, and the next scan asks it early."""

    name: str


async def fetch(
    feed: Feed, validators: FeedState, network: Network, now: datetime, *, at: str | None = None
) -> Fetched | NotModified | GoneForGood | Waiting:
    """
    Fetch a feed, unless it is waiting or has not changed.

    Args:
        feed: Which.
        validators: What is known of it; empty validators ask for everything.
        network: Private hosts that are allowed.
        now: Compared with the time before which the feed must not be asked.
        at: Where it has moved to; left out: at its own address.

    Raises:
        SourceError: It could not be had. The sentence and all that hangs on it hold no secret of the address.
    """
    name = feed_name(feed)
    if validators.next_allowed is not None and validators.next_allowed > now:
        return Waiting(name, validators.next_allowed)
    answer = await get(
        feed.url if at is None else with_password(at, feed.url),
        name,
        network.allow_hosts,
        headers=_headers(validators),
        max_bytes=MAX_BODY_BYTES,
        timeout_s=TOTAL_TIMEOUT_S,
    )
    return _understood(answer, validators, name, now)


def feed_name(feed: Feed) -> str:
    """Name a feed as the operator did, else by its address without secrets."""
    return clean(feed.name or "", limit=60) or shown(feed.url)


def feed_key(url: str) -> str:
    """Name a feed in files that git tracks: `shown` plus a short hash of the address without its password."""
    try:
        parts = urlsplit(url)
        bare = url.replace(f":{parts.password}@", "@", 1) if parts.password else url
    except ValueError:
        bare = url
    return f"{shown(url)}#{hashlib.sha256(bare.encode('utf-8', 'replace')).hexdigest()[:KEY_HASH_CHARS]}"


def with_password(url: str, given: str) -> str:
    """Put the user part of the address *given* into *url* too, where both are of one scheme, host and port."""
    try:
        old, new = urlsplit(given), urlsplit(url)
        user, at, host = old.netloc.rpartition("@")
        if at and (old.scheme, host.casefold()) == (new.scheme, new.netloc.casefold()):
            return new._replace(netloc=f"{user}@{new.netloc}").geturl()
    except ValueError:
        return url
    return url


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


def _headers(validators: FeedState) -> Mapping[str, str]:
    headers = {"Accept": ACCEPT}
    # The file they come from lies in the workspace, where anyone may have written a line break into it.
    if validators.etag and VALIDATOR.fullmatch(validators.etag):
        headers["If-None-Match"] = validators.etag
    if validators.last_modified and VALIDATOR.fullmatch(validators.last_modified):
        headers["If-Modified-Since"] = validators.last_modified
    return headers


def _understood(answer: Answer, validators: FeedState, name: str, now: datetime) -> Fetched | NotModified | GoneForGood:
    status, headers = answer.status, answer.headers
    if status == 304 and (validators.etag or validators.last_modified):  # noqa: PLR2004 - as HTTP numbers it
        return NotModified(answer.moved_to)
    if status == 410:  # noqa: PLR2004 - as HTTP numbers it
        return GoneForGood()
    if status != 200:  # noqa: PLR2004 - as HTTP numbers it
        raise _refusal(status, retry_after_s(headers.get("retry-after"), now), name)
    return Fetched(
        body=answer.body,
        content_type=headers.get("content-type", ""),
        base=without_secrets(answer.url),
        etag=_validator(headers.get("etag")),
        last_modified=_validator(headers.get("last-modified")),
        moved_to=answer.moved_to,
        secrets=secrets_of(answer.url),
    )


def _validator(value: str | None) -> str | None:
    return value if value and VALIDATOR.fullmatch(value) else None


def _refusal(status: int, wait_s: float | None, name: str) -> SourceError:
    if status == 429:  # noqa: PLR2004 - as HTTP numbers it
        return HostError(f"{name} answered {status}{LATER}", transient=True, retry_after_s=wait_s)
    if status >= 500 or status in TRANSIENT:  # noqa: PLR2004 - as HTTP numbers it
        return SourceError(f"{name} answered {status}{LATER}", transient=True, retry_after_s=wait_s)
    sentence = f"{name} answered {status}; check the address."
    return SourceError(sentence, transient=False, retry_after_s=wait_s)
