"""Whether notices reach anybody, and when. Nothing is sent, and no row holds an address."""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daybook.doctor.examined import Examined, Site
from daybook.guard.cleaning import clean
from daybook.network.addresses import is_public
from daybook.notify.delivering import LOGGERS_WITH_ADDRESSES, SILENT
from daybook.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Names that are of one's own network, as far as that can be told without asking for their addresses.
PRIVATE_ENDS = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


def examine_notices(site: Site) -> Iterator[Examined]:
    """Look whether notices reach anybody, and when they are held back."""
    chosen = site.settings
    if "notify" in site.inert:
        yield Examined("notices", "warning", "No notices reach you until [notify] is trusted.", "See `daybook trust`.")
    elif chosen.notify.urls:
        yield from _addresses(chosen.notify.urls)
    else:
        remedy = 'Name an address: `urls = ["ntfy://topic"]` under [notify] in daybook.toml.'
        yield Examined("notices", "note", "No notices reach you, urgent ones neither.", remedy)
    if chosen.notify.ping_url is not None:
        yield from _ping(chosen.notify.ping_url, chosen.network.allow_hosts)
    if hours := chosen.quiet_hours:
        now = "now they hold" if chosen.quiet_at(site.now) else "now they do not hold"
        yield Examined("quiet-hours", "ok", f"Quiet hours are {hours.begin:%H:%M}-{hours.end:%H:%M}; {now}.")
    else:
        yield Examined("quiet-hours", "note", "There are no quiet hours; a notice may come at night.")


def _addresses(urls: Sequence[str]) -> Iterator[Examined]:
    wrong = [number for number, url in enumerate(urls, 1) if not _is_understood(url)]
    for number in wrong:
        sentence = f"notify.urls number {number} is no address that Apprise understands."
        yield Examined("notices", "warning", sentence, "Correct it under [notify] in daybook.toml.")
    if fine := len(urls) - len(wrong):
        yield Examined("notices", "ok", f"Notices go to {counted(fine, 'address', 'addresses')}.")


def _is_understood(url: str) -> bool:
    import apprise  # noqa: PLC0415 - start-up time: the other commands never need it

    # It would write the whole address, with its password and topic.
    for name in LOGGERS_WITH_ADDRESSES:
        logging.getLogger(name).setLevel(SILENT)
    return apprise.Apprise.instantiate(url) is not None


def _ping(url: str, allow_hosts: Sequence[str]) -> Iterator[Examined]:
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    if not host:
        yield Examined("notices", "warning", "notify.ping_url names no host.", "Correct it under [notify].")
    elif _is_private(host) and host not in {name.strip("[]").casefold() for name in allow_hosts}:
        told = clean(host)
        sentence = f"notify.ping_url is on {told}, a private host that network.allow_hosts lacks: it is never fetched."
        yield Examined("notices", "warning", sentence, f'If that is meant, add "{told}" to network.allow_hosts.')


def _is_private(host: str) -> bool:
    try:
        return not is_public(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        return "." not in host or host.endswith(PRIVATE_ENDS)
