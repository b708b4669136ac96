"""
The feeds that daybook.toml names: add and remove them, with the trust of just that part.

What is written here was said by a person at a terminal; where the feeds that stood there were trusted, so are the new
ones. Where they were not, nothing is written: a stranger's feeds would become trusted along with one's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from daybook import files, settings, tomlfile, trust
from daybook.errors import SettingsError, UsageError
from daybook.network.addresses import shown, without_user
from daybook.sources import feed_blocks
from daybook.sources.fetching import feed_key, feed_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from daybook.settings import Feed
    from daybook.tomlfile import RawSettings
    from daybook.workspace import Workspace

PART = "feeds"
LINE = re.compile(r":(\d{1,9})")


@dataclass(frozen=True)
class Subscriptions:
    """
    What daybook.toml names.

    Attributes:
        data: The file as it was read; None where there is none.
        feeds: In its order.
        trusted: Whether they count on this machine; true where there are none.
    """

    data: bytes | None
    feeds: tuple[Feed, ...]
    trusted: bool

    @property
    def text(self) -> str:
        """The file's text, its byte-order mark included."""
        return (self.data or b"").decode("utf-8")

    def having(self, url: str) -> Feed | None:
        """Find the feed of an address, however it is written."""
        wanted = identity(url)
        return next((feed for feed in self.feeds if identity(feed.url) == wanted), None)

    def named(self, what: str) -> int:
        """
        Find the one feed that an address, a name or a line of daybook.toml (`:84`) means, as its place from 0.

        Raises:
            UsageError: There is none, or several.
        """
        found = self.meant(what)
        if not found:
            raise UsageError(f"No feed is called {what!r}; `daybook feeds list` names them.")
        if len(found) > 1:
            lines = feed_blocks.lines(self.text, len(self.feeds))
            told = ", ".join(shown(self.feeds[at].url) + (f" (line {lines[at]})" if lines else "") for at in found)
            how = f"name one by its line in daybook.toml, such as `:{lines[found[0]]}`" if lines else "name one whole"
            raise UsageError(f"{len(found)} feeds are called {what!r}: {told}; {how}.")
        return found[0]

    def meant(self, what: str) -> list[int]:
        """List the places of the feeds that an address, a name or a line of daybook.toml may mean."""
        if line := LINE.fullmatch(what):
            lines = feed_blocks.lines(self.text, len(self.feeds))
            return [at for at, number in enumerate(lines) if number == int(line[1])]
        wanted = what.strip().casefold()
        ways = (
            [at for at, feed in enumerate(self.feeds) if feed.url == what],
            [at for at, feed in enumerate(self.feeds) if feed_name(feed).casefold() == wanted],
            [at for at, feed in enumerate(self.feeds) if identity(feed.url) == identity(what)],
            [at for at, feed in enumerate(self.feeds) if wanted in {shown(feed.url), feed_key(feed.url)}],
        )
        return next((places for places in ways if places), [])


def read(workspace: Workspace) -> Subscriptions:
    """
    Read the feeds of daybook.toml, trusted or not.

    Raises:
        SettingsError: The file cannot be understood.
    """
    data = files.read_if_exists(workspace.settings)
    raw = tomlfile.read(workspace)
    chosen = settings.validate(raw, str(workspace.settings))
    wanted = _fingerprint(raw)
    allowed = trust.trusted_parts(workspace).get(PART) if wanted else None
    return Subscriptions(data, chosen.feeds, wanted == allowed)


def require_trust(current: Subscriptions) -> None:
    """
    Refuse to build on feeds that nobody on this machine has looked at.

    Raises:
        SettingsError: The feeds that stand there are not trusted.
    """
    if not current.trusted:
        raise SettingsError(
            "The feeds that stand in daybook.toml are not trusted on this machine, and a change would make them so; "
            "look at them with `daybook trust` first."
        )


def add(workspace: Workspace, current: Subscriptions, feeds: Sequence[Feed]) -> None:
    """
    Put feeds behind what daybook.toml holds.

    Raises:
        SettingsError: What stands there is not trusted, or written in a way that cannot be added to.
        ChangedFileError: Somebody else changed the file since *current* was read.
    """
    require_trust(current)
    _write(workspace, current, feed_blocks.with_feeds(current.text, feeds))


def remove(workspace: Workspace, current: Subscriptions, number: int) -> None:
    """
    Take the feed at a place out of daybook.toml.

    Raises:
        SettingsError: What stands there is not trusted, or written in a way that cannot be cut.
        ChangedFileError: Somebody else changed the file since *current* was read.
    """
    require_trust(current)
    _write(workspace, current, feed_blocks.without_feed(current.text, number))


def identity(url: str) -> str:
    """Give what an address names, for comparing: without scheme, user, default port, fragment and last slash."""
    try:
        parts = urlsplit(without_user(url.strip()))
        host, port = (parts.hostname or "").casefold(), parts.port
    except ValueError:
        return url
    bare = f"{host}{f':{port}' if port not in {None, 80, 443} else ''}{parts.path.rstrip('/')}"
    return f"{bare}?{parts.query}" if parts.query else bare


def _write(workspace: Workspace, current: Subscriptions, text: str) -> None:
    raw = feed_blocks.values(text)
    settings.validate(raw, str(workspace.settings))
    files.replace(workspace.settings, text.encode(), expected=current.data)
    kept = {name: digest for name, digest in trust.trusted_parts(workspace).items() if name != PART}
    digest = _fingerprint(raw)
    trust.grant(
        workspace,
        settings=kept | ({PART: digest} if digest else {}),
        ledger=trust.ledger_trusted(workspace),
    )


def _fingerprint(raw: RawSettings) -> str | None:
    return settings.fingerprint(settings.acting_parts(raw)).get(PART)
