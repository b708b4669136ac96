"""
Sources: 50 feeds of 1,000 items over HTTP, and 5,000 mails in a real Dovecot, each read and reported as a beat does.

The feeds are scanned twice: all of it is new, then nothing is, though each gives all its items again. Each size is
measured in a process of its own: seconds, and the most memory it took beyond what it had after its imports, with that
of its largest child. Twice the input may take so much more than twice the processor's time (`cpu_s`, children too: what
else runs on the machine does not count), in the same run, and no more.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mailserver

from daybook import adoption
from daybook.models.trying import Pace
from daybook.settings import Feed, Settings
from daybook.sources import asking, feeds, mail, reporting, tracking
from daybook.sources.feed_memory import remembered
from daybook.sources.politeness import Turns
from daybook.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from daybook.sources.feed_memory import Known
    from daybook.sources.finding import Finding
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)
ITEMS = 1_000
FEEDS = (12, 25, 50)
MAILS = (1_250, 2_500, 5_000)
# Time for twice the input, as a multiple.
GOAL_RATIO = 2.5
GOAL_MB = 200.0
USER = "reader"


def main() -> int:
    if len(sys.argv) > 1:
        print(json.dumps(_measured(*sys.argv[1:])))
        return 0
    figures: dict[str, Any] = {}
    with _feed_server() as address:
        figures["feeds"] = _rows("feeds", FEEDS, address)
    if mailserver.program():
        figures["mails"] = _mails()
    else:
        print("Dovecot is missing (Debian: dovecot-imapd); mails are not measured.", file=sys.stderr)
    ok = len(figures) == len(("feeds", "mails"))
    for rows in figures.values():
        timed = [name for name in ("cpu_s", "again_cpu_s") if name in rows[-1]]
        ratios = {name: [round(after[name] / before[name], 2) for before, after in pairwise(rows)] for name in timed}
        rows[-1]["ratios"] = ratios
        ok = ok and max(map(max, ratios.values())) <= GOAL_RATIO and max(row["mb"] for row in rows) <= GOAL_MB
        ok = ok and all(row.get("again_found", 0) == 0 for row in rows)
    goals = {"ratio for twice the input": GOAL_RATIO, "mb": GOAL_MB}
    print(json.dumps({"bench": "sources", "figures": figures, "goals": goals, "ok": ok}))
    return 0 if ok else 1


def _rows(kind: str, sizes: tuple[int, ...], where: str) -> list[dict[str, Any]]:
    rows = []
    for size in sizes:
        print(f"{size} {kind} …", file=sys.stderr, flush=True)
        command = [sys.executable, __file__, kind, str(size), where]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(json.loads(done.stdout))
    return rows


def _mails() -> list[dict[str, Any]]:
    rows = []
    for size in MAILS:
        # Dovecot's sockets need a short path, and its user has to walk there.
        with tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True) as name:
            Path(name).chmod(0o755)
            process, server = mailserver.start(Path(name))
            try:
                with server.client(USER) as client:
                    for number in range(size):
                        client.append("INBOX", "", _arrived(number), _message(number))
                rows += _rows("mails", (size,), str(server.port))
            finally:
                mailserver.stop(process)
    return rows


def _measured(kind: str, size: str, where: str) -> dict[str, Any]:
    """Read all of it as beats do, in this process; feeds twice."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"XDG_STATE_HOME": f"{folder}/state", "MAIL_PASSWORD": mailserver.PASSWORD, "TZ": "UTC"}
        adoption.adopt(Path(folder) / "workspace", NOW)
        workspace = open_workspace(f"{folder}/workspace")
        work = _read_feeds if kind == "feeds" else _read_mails
        before, began = _peak_mb(), _clocks()
        looks, found = asyncio.run(work(workspace, int(size), where))
        row: dict[str, Any] = {"n": int(size), "looks": looks, "found": found, **_since(began)}
        if kind == "feeds":
            began = _clocks()
            row["again_found"] = asyncio.run(work(workspace, int(size), where))[1]
            row |= {f"again_{name}": value for name, value in _since(began).items()}
    return row | {"mb": round(_peak_mb() - before, 1)}


def _clocks() -> dict[str, float]:
    spent = os.times()
    cpu_s = spent.user + spent.system + spent.children_user + spent.children_system
    return {"s": time.perf_counter(), "cpu_s": cpu_s}


def _since(began: dict[str, float]) -> dict[str, float]:
    return {name: round(value - began[name], 2) for name, value in _clocks().items()}


async def _read_feeds(workspace: Workspace, size: int, address: str) -> tuple[int, int]:
    chosen = [Feed(url=f"{address}/{number}.xml", name=f"feed {number}") for number in range(size)]
    settings = Settings.model_validate({"network": {"allow_hosts": ["127.0.0.1"]}, "timezone": "UTC"})
    turns, known = Turns(), remembered(workspace, chosen, NOW)

    async def look(feed: Feed, before: Known) -> feeds.FeedLook:
        async with turns.turn(asking.address(feed, before.state, before.standing)):
            return await feeds.look(workspace, feed, settings.network, NOW, known=before)

    looks = await asyncio.gather(*map(look, chosen, known))
    finding = await reporting.of_news(workspace, settings, looks, NOW.date(), NOW, Pace.from_now())
    return size, _committed(workspace, finding, "news")


async def _read_mails(workspace: Workspace, size: int, port: str) -> tuple[int, int]:
    server = mailserver.Dovecot(int(port))
    settings, looks, found = Settings(timezone="UTC"), 0, 0
    while found < size:
        look = await mail.check(workspace, server.mailbox(USER), NOW)
        finding = await reporting.of_mail(workspace, settings, [look], NOW.date(), NOW, Pace.from_now())
        found += _committed(workspace, finding, "mails")
        looks += 1
    return looks, found


def _committed(workspace: Workspace, finding: Finding, name: str) -> int:
    tracking.commit(workspace, finding.progress, NOW)
    return finding.counts[name]


def _peak_mb() -> float:
    asked = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_maxrss for who in asked) / 1024


def _arrived(number: int) -> datetime:
    return NOW - timedelta(seconds=number)


def _message(number: int) -> bytes:
    body = f"Line {number} of a mail like many others, with a few words more in it.\r\n" * 30
    return (
        f"From: Sender {number} <sender{number}@example.org>\r\nTo: {USER}@example.org\r\n"
        f"Subject: Minutes of meeting {number}\r\nMessage-ID: <{number}@example.org>\r\n"
        f"Date: Sat, 07 Feb 2026 12:00:00 +0000\r\n\r\n{body}"
    ).encode()


def _feed(number: int) -> bytes:
    items = "".join(
        f"<item><guid>{number}-{item}</guid><title>Item {item} of feed {number} tells of something</title>"
        f"<link>https://example.org/{number}/{item}</link><description>{'Some words on it. ' * 12}</description>"
        f"<pubDate>Sat, 07 Feb 2026 {item % 14:02}:00:00 GMT</pubDate></item>"
        for item in range(ITEMS)
    )
    return f'<rss version="2.0"><channel><title>Feed {number}</title>{items}</channel></rss>'.encode()


@contextmanager
def _feed_server() -> Iterator[str]:
    """Serve feeds by number, in a thread of this process."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = _feed(int(Path(self.path).stem))
            self.send_response(200)
            self.send_header("Content-Type", "application/rss+xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


if __name__ == "__main__":
    sys.exit(main())
