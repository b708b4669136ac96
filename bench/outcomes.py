"""
How each thing that can go wrong at a model ends, for both SDKs of Gemini: outcome, calls, seconds waited, memory.

A local server answers each situation of the shared data; time passes only by waiting. The former SDK is tried where
it is installed: run this by the environment that `make legacy` builds to see both.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import sys
import tempfile
import threading
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from daybook import adoption
from daybook.models.trying import Pace
from daybook.review import extract, reviewing
from daybook.settings import Settings

DATA = Path(__file__).parents[2] / "shared" / "data" / "gemini"
NOW = datetime(2026, 2, 7, 12, tzinfo=UTC)
MEMORY = "# Memory\n\n## Decisions\n\n- Backups run at 03:00.\n"
NAME = "gemini-flash-lite-latest"
SDKS = {"google": "google.genai", "google-generativeai": "google.generativeai"}
WIDTHS = (28, 22, 16, 6, 10, 10)


class Server(ThreadingHTTPServer):
    """Gives one answer to everybody, and counts."""

    def __init__(self) -> None:
        """Listen on a free port of this machine."""
        super().__init__(("127.0.0.1", 0), Handler)
        self.situation: dict[str, Any] = {}
        self.calls = 0


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server

    def do_POST(self) -> None:
        """Give the planned answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.calls += 1
        planned = self.server.situation
        body = (planned["raw"] if "raw" in planned else json.dumps(planned["body"])).encode()
        self.send_response(planned["status"])
        for name, value in (
            {"Content-Type": "application/json", "Content-Length": str(len(body))} | planned["headers"]
        ).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def end_of(server: Server, model: str) -> tuple[str, int, float, bool]:
    """Review one note line: how the model's try ended, calls, seconds waited, and whether MEMORY.md is as it was."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        workspace = adoption.adopt(Path(folder) / "workspace", NOW).workspace
        workspace.longterm.write_text(MEMORY)
        workspace.daily_note(NOW.date()).write_text("## Morning\n- 09:10 - Decided to keep the archive on the NAS.\n")
        chosen = Settings.model_validate({"timezone": "UTC", "models": {"review": [model]}})
        seen = reviewing.look(workspace, chosen, NOW.date(), NOW)
        server.calls = 0
        pace = Pace(sleep, lambda: sum(waited), lambda: 0.5)
        got = asyncio.run(extract.extract(workspace, chosen, seen.calls, seen.memory, NOW.date(), NOW, pace=pace))
        judged = reviewing.judge(seen, got, NOW.date())
        later = NOW + timedelta(seconds=sum(waited))
        reviewing.carry_out(workspace, seen, judged, waiting=bool(got.waiting), run="bench", now=later)
        untouched = workspace.longterm.read_text() == MEMORY
    return got.models[0].outcome, server.calls, sum(waited), untouched


def main() -> int:
    if not DATA.is_dir():
        print(json.dumps({"ok": False, "missing": str(DATA.name)}))
        return 1
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ |= {
        "GEMINI_API_KEY": "fakekeyofthebench",
        "GOOGLE_GEMINI_BASE_URL": f"http://127.0.0.1:{server.server_port}",
    }
    found: dict[str, dict[str, tuple[str, int, float, bool]]] = {}
    print(
        *(
            text.ljust(width)
            for text, width in zip(
                ("situation", "sdk", "outcome", "calls", "waited s", "untouched"), WIDTHS, strict=True
            )
        )
    )
    for sdk in (one for one, module in SDKS.items() if importlib.util.find_spec(module)):
        for path in sorted(DATA.glob("*.json")):
            server.situation = json.loads(path.read_text(encoding="utf-8"))
            end = found.setdefault(path.stem, {})[sdk] = end_of(server, f"{sdk}:{NAME}")
            row = (path.stem, sdk, end[0], str(end[1]), f"{end[2]:.1f}", "yes" if end[3] else "NO")
            print(*(text.ljust(width) for text, width in zip(row, WIDTHS, strict=True)))
    ends = [end for both in found.values() for end in both.values()]
    same = all(len(set(both.values())) == 1 for both in found.values())
    ok = same and all(untouched for *_, untouched in ends)
    sdks = sorted({sdk for both in found.values() for sdk in both})
    print(
        json.dumps(
            {"situations": len(found), "sdks": sdks, "same": same, "touched": sum(not end[3] for end in ends), "ok": ok}
        )
    )
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
