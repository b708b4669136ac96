"""
The throw-away workspace of `daybook demo`: the packaged example with its dates moved to today.

The last of its notes becomes yesterday's. A bundled feed is served on loopback, so that a news scan needs no network.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import as_file, files
from threading import Thread
from typing import TYPE_CHECKING

from daybook import adoption, settings, tomlfile, trust
from daybook import files as writing
from daybook.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from daybook.workspace import Workspace

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
SETTINGS = """
[[feeds]]
url = "{url}"
name = "Small Engines"

[network]
allow_hosts = ["127.0.0.1"]

[checks.review]
enabled = false   # so that the review which the demo starts by hand is the one you see
"""


def write(root: Path, feed_url: str, now: datetime) -> Workspace:
    """
    Write the example into a new folder and adopt it.

    Args:
        root: A folder that is missing or empty.
        feed_url: Address of the bundled feed.
        now: The present instant; decides which dates the notes get.

    Raises:
        UsageError: Something is in the folder.
    """
    if root.exists() and any(root.iterdir()):
        raise UsageError(f"{root} is not empty; name a new folder for the demo.")
    example = files("daybook") / "examples" / "workspace"
    notes = sorted(item.name for item in (example / "memory").iterdir() if ISO_DATE.match(item.name))
    today = now.astimezone(settings.Settings().zone).date()
    shift = today - timedelta(days=1) - date.fromisoformat(notes[-1].removesuffix(".md"))
    for item in example.iterdir():
        _copy(item, root, shift)
    with (root / "daybook.toml").open("a", encoding="utf-8") as stream:
        stream.write(SETTINGS.format(url=feed_url))
    workspace = adoption.adopt(root, now).workspace
    # Daybook wrote these settings itself, so it may trust them.
    acting = settings.acting_parts(tomlfile.read(workspace))
    trust.grant(workspace, settings=settings.fingerprint(acting), ledger=True)
    return workspace


@contextmanager
def feed() -> Iterator[str]:
    """Serve the bundled feed on a free port of 127.0.0.1; yields its address."""
    with as_file(files("daybook") / "examples" / "feed.xml") as path:
        handler = partial(_Quiet, directory=str(path.parent))
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/{path.name}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing: the demo's output is for people."""


def _copy(item: Traversable, folder: Path, shift: timedelta) -> None:
    target = folder / _shifted(item.name, shift)
    if item.is_dir():
        for inner in item.iterdir():
            _copy(inner, target, shift)
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = item.read_text(encoding="utf-8")
    shifted = _shifted(text, shift) if item.name.endswith(".md") else text
    writing.replace(target, shifted.encode(), expected=None)


def _shifted(text: str, shift: timedelta) -> str:
    return ISO_DATE.sub(lambda match: (date.fromisoformat(match[0]) + shift).isoformat(), text)
