"""`daybook feeds list|test|export`: what is followed, how it fares, and a list of it for other readers."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybook import clock, files, settings, tomlfile
from daybook.cli import terminal
from daybook.cli.feed_rows import NEWEST, made, row, told
from daybook.cli.terminal import complain
from daybook.clock import now_utc, stamp
from daybook.errors import SettingsError, SourceError, UsageError
from daybook.network.addresses import exported, shown
from daybook.sources import opml, standing, subscriptions, tracking
from daybook.sources.fetching import feed_key, feed_name
from daybook.sources.parsing import Page
from daybook.sources.politeness import Turns, announced
from daybook.sources.probing import Found, probe
from daybook.wording import counted
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from argparse import Namespace
    from datetime import tzinfo

    from daybook.settings import Feed, Network
    from daybook.workspace import Workspace

TITLE = "Feeds of Daybook"


def run(options: Namespace) -> int:
    """
    Run the command.

    Raises:
        UsageError: The arguments name no feed, or a file that is there already; or an address that is not followed
            is to be asked, and there is no terminal.
        SettingsError: The feeds that are to be asked are not trusted.
    """
    workspace = open_workspace(options.workspace)
    match options.feeds_command:
        case "list":
            return _list(workspace, options)
        case "test":
            return _test(workspace, options)
        case _:
            return _export(workspace, options)


def _list(workspace: Workspace, options: Namespace) -> int:
    current, now = subscriptions.read(workspace), now_utc()
    known, followed = standing.load(workspace), tracking.load(workspace, now).feeds
    rows = []
    for feed in current.feeds:
        key = feed_key(feed.url)
        one, state = known.get(key, standing.NOTHING), followed.get(key, tracking.FeedState())
        rows.append(
            row(feed)
            | {
                "last_ok": state.last_ok and stamp(state.last_ok),
                "failures": state.failures,
                "next_allowed": state.next_allowed and stamp(state.next_allowed),
                "moved_to": shown(one.moved_to) if one.moved_to else None,
                "gone_at": one.gone_at and stamp(one.gone_at),
            }
        )
    if options.json:
        print(json.dumps({"feeds": rows, "trusted": current.trusted}, ensure_ascii=False))
        return 0
    zone = tomlfile.zone(workspace)
    print("\n".join(_line(one, zone, now) for one in rows) or "No feed is followed; add one with `daybook feeds add`.")
    if not current.trusted:
        complain(["These feeds are not trusted on this machine and are not read; see `daybook trust`."])
    return 0


def _line(one: dict[str, Any], zone: tzinfo, now: datetime) -> str:
    """Tell of one feed: name, address, and how it fares."""
    if one["gone_at"]:
        said = (
            f"gone for good since {one['gone_at'][:10]}; `daybook feeds remove`, or `daybook feeds test` to ask again"
        )
    elif one["failures"]:
        said = f"failed {counted(one['failures'], 'time')} in a row"
        if one["next_allowed"] and one["next_allowed"] > stamp(now):
            said += f", next try {_local(one['next_allowed'], zone)}"
    else:
        said = f"last read {_local(one['last_ok'], zone)}" if one["last_ok"] else "not read yet"
    where = [one["address"]] if one["address"] != one["name"] else []
    where += [f"moved to {one['moved_to']}"] if one["moved_to"] else []
    weight = "" if one["weight"] == 1 else f" x{one['weight']:g}"
    behind = f" ({', '.join(where)})" if where else ""
    return f"{one['name']}{weight}{behind}: {said}"


def _local(text: str, zone: tzinfo) -> str:
    return f"{clock.local(datetime.fromisoformat(text), zone):%Y-%m-%d %H:%M}"


def _test(workspace: Workspace, options: Namespace) -> int:
    current, loaded = subscriptions.read(workspace), settings.load(workspace)
    feeds = _chosen(current, options.feed)
    if not current.trusted and any(feed in current.feeds for feed in feeds):
        raise SettingsError("The feeds of daybook.toml are not trusted on this machine; see `daybook trust`.")
    results = asyncio.run(_ask(feeds, loaded.settings.network))
    for feed, result in zip(feeds, results, strict=True):
        # It answers: whatever was known against it is over.
        if isinstance(result, Found):
            key = feed_key(feed.url)
            if standing.load(workspace).get(key, standing.NOTHING).gone_at:
                standing.forget(workspace, key, now_utc())
            tracking.clear(workspace, key, now_utc())
    if options.json:
        rows = [row(feed) | _outcome(result) for feed, result in zip(feeds, results, strict=True)]
        print(json.dumps({"feeds": rows}, ensure_ascii=False))
    else:
        lines = [line for one in results for line in (told(one) if isinstance(one, Found) else [f"! {one}"])]
        print("\n".join(lines) or "No feed is followed; add one with `daybook feeds add`.")
    return 0 if all(isinstance(one, Found) for one in results) else 1


def _chosen(current: subscriptions.Subscriptions, what: str | None) -> tuple[Feed, ...]:
    if what is None:
        return current.feeds
    if current.meant(what) or ("." not in what and "://" not in what):
        return (current.feeds[current.named(what)],)
    # Whatever can run a command could have anything asked of anyone; what is followed, a person chose.
    terminal.require()
    return (made(what, None, 1.0),)


async def _ask(feeds: tuple[Feed, ...], network: Network) -> list[Found | SourceError]:
    turns, now = Turns(), now_utc()

    async def one(feed: Feed) -> Found | SourceError:
        try:
            async with turns.turn(feed.url) as turn:
                if turn == "leave":
                    return SourceError(
                        f"{feed_name(feed)} was not asked: its host left other feeds unanswered just now."
                    )
                found = await probe(feed, network, now)
        except SourceError as error:
            return error
        if isinstance(found, Page):
            named = f"; its page names {', '.join(shown(link.url) for link in found.links)}" if found.links else ""
            return SourceError(f"{feed_name(feed)} is no RSS, Atom or JSON feed{named}.")
        return found

    with announced(f"Asking {counted(len(feeds), 'feed')} …", terminal.progress):
        return await asyncio.gather(*map(one, feeds))


def _outcome(result: Found | SourceError) -> dict[str, Any]:
    if isinstance(result, SourceError):
        return {"ok": False, "problem": str(result)}
    newest = [{"title": item.title, "link": item.link} for item in result.items[:NEWEST]]
    moved_to = result.moved_to or None
    return {"ok": True, "title": result.title, "items": len(result.items), "newest": newest, "moved_to": moved_to}


def _export(workspace: Workspace, options: Namespace) -> int:
    rows, secret, short = [], 0, 0
    for feed in subscriptions.read(workspace).feeds:
        url = feed.url if options.secrets else exported(feed.url)
        secret += not url
        short += bool(url) and url != feed.url
        rows += [(feed_name(feed), url)] if url else []
    text = opml.write(rows, TITLE)
    if secret:
        complain([f"{counted(secret, 'feed')} left out, whose address is a secret itself; see --secrets."])
    if short:
        complain([f"{counted(short, 'feed')} written without what may be secret in the address; see --secrets."])
    if options.file is None and not options.json:
        print(text, end="")
        return 0
    if options.file is not None:
        path = Path(options.file).expanduser().absolute()
        if files.look(path) is not None:
            raise UsageError(f"{path} is there already; name a new file.")
        mode = files.PRIVATE_FILE_MODE if options.secrets else files.NEW_FILE_MODE
        files.replace(path, text.encode(), expected=None, mode=mode)
    if options.json:
        named = {"file": options.file} if options.file is not None else {"opml": text}
        print(json.dumps(named | {"feeds": len(rows), "left_out": secret, "shortened": short}, ensure_ascii=False))
    else:
        print(f"Wrote {counted(len(rows), 'feed')} to {options.file}.")
    return 0
