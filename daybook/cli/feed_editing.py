"""`daybook feeds add|remove|import`: what changes which feeds are followed, by a person at a terminal alone."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybook import files, settings
from daybook.cli import terminal
from daybook.cli.feed_rows import NAME_CHARS, called, made, row, told
from daybook.cli.terminal import complain, confirmed
from daybook.clock import now_utc
from daybook.errors import SourceError, UsageError
from daybook.guard.cleaning import clean
from daybook.network.addresses import exported, shown
from daybook.network.getting import LATER
from daybook.sources import parsing, standing, subscriptions, tracking
from daybook.sources.fetching import MAX_BODY_BYTES, feed_key, feed_name
from daybook.sources.parsing import Page
from daybook.sources.politeness import announced
from daybook.sources.probing import Found, probe
from daybook.wording import counted
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable

    from daybook.settings import Feed, Network
    from daybook.sources.parsing import Link
    from daybook.sources.subscriptions import Subscriptions
    from daybook.workspace import Workspace


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: There is no terminal to ask at, or the arguments name no feed.
        SettingsError: The feeds that stand in daybook.toml are not trusted.
        SourceError: What was to be added is no feed, or cannot be had.
    """
    # Before a server hears of it.
    terminal.require()
    workspace = open_workspace(options.workspace)
    current = subscriptions.read(workspace)
    subscriptions.require_trust(current)
    match options.feeds_command:
        case "add":
            return _add(workspace, current, options)
        case "remove":
            return _remove(workspace, current, options)
        case _:
            return _import(workspace, current, options)


def _add(workspace: Workspace, current: Subscriptions, options: Namespace) -> int:
    feed = made(options.url, options.name, options.weight)
    if (there := current.having(feed.url)) is not None:
        return _already(there, options)
    question = "Follow {}?"
    if not options.no_check:
        found = asyncio.run(_found(feed, settings.load(workspace).settings.network, first=options.first))
        if isinstance(found, Page):
            return _several(found.links, feed, options)
        feed = found.feed
        if options.name is None:
            feed = feed.model_copy(update={"name": clean(found.title, limit=NAME_CHARS) or None})
        if not found.items:
            question = "It holds no item that can be read; follow {} all the same?"
        if (there := current.having(feed.url)) is not None:
            return _already(there, options)
        if not options.json:
            print("\n".join(told(found)))
    if not confirmed(question.format(called(feed)), yes=options.yes):
        print("Nothing was added.")
        return 1
    subscriptions.add(workspace, current, [feed])
    _forget(workspace, feed)
    _say(options, {"added": [row(feed)]}, f"Added to {workspace.settings}; the next news scan reads it.")
    return 0


def _remove(workspace: Workspace, current: Subscriptions, options: Namespace) -> int:
    number = current.named(options.feed)
    feed = current.feeds[number]
    if not confirmed(f"Follow {called(feed)} no longer?", yes=options.yes):
        print("Nothing was removed.")
        return 1
    subscriptions.remove(workspace, current, number)
    _forget(workspace, feed)
    _say(options, {"removed": [row(feed)]}, f"Removed from {workspace.settings}.")
    return 0


def _forget(workspace: Workspace, feed: Feed) -> None:
    key, now = feed_key(feed.url), now_utc()
    standing.forget(workspace, key, now)
    tracking.clear(workspace, key, now)


@dataclass
class _Listed:
    """What a list of feeds comes to: new ones, how many are known, and sentences on those that are none."""

    new: list[Feed] = field(default_factory=list)
    known: int = 0
    bad: list[str] = field(default_factory=list)


def _import(workspace: Workspace, current: Subscriptions, options: Namespace) -> int:
    path = Path(options.file).expanduser().resolve()
    document = files.read_if_exists(path)
    if document is None or len(document) > MAX_BODY_BYTES:
        what = "is not there" if document is None else f"is longer than {MAX_BODY_BYTES // 1_000_000} MB"
        raise UsageError(f"{path} {what}; name a list of feeds in OPML.")
    links, beyond = asyncio.run(parsing.outlines(document, str(path)))
    listed = _listed(links, current)
    complain(listed.bad)
    if beyond:
        more = counted(beyond, "feed")
        complain([f"{path} names {more} more than the {len(links)} that are read at once; split it."])
    new = counted(len(listed.new), "new feed")
    if not options.json:
        print(f"{new}, {listed.known} known already, {len(listed.bad)} unfit.")
        print("".join(f"  {called(feed)}\n" for feed in listed.new), end="")
    if listed.new:
        if not confirmed(f"Follow {new}?", yes=options.yes):
            print("Nothing was added.")
            return 1
        subscriptions.add(workspace, current, listed.new)
    told_now = {
        "added": [row(feed) for feed in listed.new],
        "known": listed.known,
        "unfit": listed.bad,
        "beyond": beyond,
    }
    _say(options, told_now, f"Added {new}." if listed.new else "Nothing was added.")
    return 0


def _listed(links: Iterable[Link], current: Subscriptions) -> _Listed:
    listed = _Listed()
    # Also as `feeds export` writes it, without what may be secret in it.
    written = [url for feed in current.feeds for url in (feed.url, exported(feed.url)) if url]
    met = {subscriptions.identity(url) for url in written}
    for link in links:
        try:
            feed = made(link.url, link.title, 1.0)
        except UsageError as error:
            listed.bad.append(str(error))
            continue
        identity = subscriptions.identity(feed.url)
        if identity in met:
            listed.known += 1
        else:
            met.add(identity)
            listed.new.append(feed)
    return listed


async def _found(feed: Feed, network: Network, *, first: bool) -> Found | Page:
    """Ask what stands at an address; a page that names one feed, or the first of several, is followed to it."""
    found = await _probed(feed, network)
    if isinstance(found, Found):
        return found
    if not found.links:
        raise SourceError(
            f"{feed_name(feed)} is no RSS, Atom or JSON feed, and names none; look for its address there."
        )
    if len(found.links) > 1 and not first:
        return found
    again = feed.model_copy(update={"url": made(found.links[0].url, None, 1.0).url})
    there = await _probed(again, network)
    if isinstance(there, Page):
        raise SourceError(f"{shown(again.url)}, which {shown(feed.url)} names, is no RSS, Atom or JSON feed.")
    return there


async def _probed(feed: Feed, network: Network) -> Found | Page:
    with announced(f"Asking {shown(feed.url)} …", terminal.progress):
        try:
            return await probe(feed, network, now_utc())
        except SourceError as error:
            sentence = str(error)
    # It is not followed yet, so that nobody tries it again.
    if sentence.endswith(LATER):
        sentence = f"{sentence.removesuffix(LATER)}; check the address, or add it unasked with --no-check."
    raise SourceError(sentence)


def _several(links: tuple[Link, ...], feed: Feed, options: Namespace) -> int:
    rows = [{"url": clean(link.url, limit=300), "title": clean(link.title, limit=80)} for link in links]
    lines = [f"  {one['url']}  {one['title']}".rstrip() for one in rows]
    head = f"{feed_name(feed)} is a page that names {len(rows)} feeds; add one of them, or the first with --first:"
    _say(options, {"added": [], "found": rows}, "\n".join((head, *lines)))
    return 1


def _already(feed: Feed, options: Namespace) -> int:
    _say(options, {"added": [], "known": 1}, f"{called(feed)} is followed already.")
    return 0


def _say(options: Namespace, value: dict[str, Any], sentence: str) -> None:
    print(json.dumps(value, ensure_ascii=False) if options.json else sentence)
