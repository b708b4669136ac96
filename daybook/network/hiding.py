"""What of the addresses of notices is secret: passwords, tokens and topics, wherever an address has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit

from daybook.network.tokens import is_token

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybook.settings import Settings

MIN_CHARS = 8
# A word of a language is no token: redacted by value, it would go from every sentence that holds it.
WORD = re.compile(r"[A-Za-z]?[a-z]+(?:[-_.][a-z]+)*|[A-Z]+")


def of_settings(settings: Settings) -> Iterator[str]:
    """Give every secret in the addresses that settings name: whole, and each part by itself."""
    notify = settings.notify
    for url in filter(None, (*notify.urls, notify.ping_url)):
        yield url
        yield from of_address(url)


def of_address(url: str) -> Iterator[str]:
    """
    Give the parts of an address that look like secrets; a password always does.

    Args:
        url: Any address, also of a notification service, whose host may be a token.
    """
    try:
        parts = urlsplit(url)
        password = parts.password
    except ValueError:
        return
    if password:
        yield from {password, unquote(password)}
    # What is no host: some services have `token:token` there.
    named = [part for part in re.split("[:@]", parts.netloc) if "." not in part]
    values = [value for _, value in parse_qsl(parts.query)]
    for part in (*named, *parts.path.split("/"), *values, parts.fragment):
        if _is_secret(unquote(part)):
            yield from {part, unquote(part)}


def _is_secret(part: str) -> bool:
    # A topic or token that an operator chose is shorter, and less random, than one that a service gives out.
    return is_token(part) or (len(part) >= MIN_CHARS and WORD.fullmatch(part) is None)
