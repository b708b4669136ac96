"""`daybook feeds`: its arguments, and which module does what; nothing else is imported before it is needed."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

ABOUT = "follow news feeds: add, remove, list, test, import and export them"
DOES = {
    "add": "feed_editing",
    "remove": "feed_editing",
    "import": "feed_editing",
    "list": "feed_showing",
    "test": "feed_showing",
    "export": "feed_showing",
}


def add_arguments(command: Callable[[str, str, str], ArgumentParser]) -> None:
    """
    Declare the commands under `daybook feeds`.

    Args:
        command: Makes one of its name, its module and what it is about.
    """
    add = command("add", "feeds", "follow a feed, or the feed that a page names")
    add.add_argument("url", metavar="URL", help="address of a feed, or of a page that names one")
    add.add_argument("--name", metavar="NAME", help="what to call it (default: as it calls itself)")
    add.add_argument("--weight", type=float, default=1.0, metavar="W", help="how much it counts, from 0 to 10 (1)")
    add.add_argument("--first", action="store_true", help="of several feeds that a page names, take the first")
    add.add_argument("--no-check", action="store_true", help="add it without asking its server")
    remove = command("remove", "feeds", "follow a feed no longer")
    remove.add_argument(
        "feed",
        metavar="URL|NAME",
        help="which; `daybook feeds list` names them, and :84 is the one in line 84 of daybook.toml",
    )
    listing = command("import", "feeds", "follow the feeds of a list in OPML, as other readers export it")
    listing.add_argument("file", metavar="FILE", help="the list")
    for asking in (add, remove, listing):
        asking.add_argument("--yes", action="store_true", help="do not ask (needs a terminal all the same)")
    command("list", "feeds", "name the feeds, when each was read last, and what is wrong with it")
    test = command("test", "feeds", "ask feeds now, and show what is newest; also one that waits or is gone")
    test.add_argument(
        "feed", nargs="?", metavar="URL|NAME", help="one of them, or, at a terminal, any address (default: all)"
    )
    export = command("export", "feeds", "write the feeds as OPML, for another reader")
    export.add_argument("file", nargs="?", metavar="FILE", help="a new file (default: standard output)")
    export.add_argument("--secrets", action="store_true", help="with the passwords and tokens of addresses")


def run(options: Namespace) -> int:
    """Run the command."""
    module = importlib.import_module(f"daybook.cli.{DOES[options.feeds_command]}")
    return int(module.run(options))
