"""
A service that takes notices and keeps each as a line of a file, in the order in which they came.

    python tests/faults/receiver.py FILE

Prints its port. It serves one request after the other, so that an answer says that all earlier ones are done with.
"""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

BACKLOG = 128


class Receiver(BaseHTTPRequestHandler):
    """Take one request; one that its sender did not finish was never received."""

    def do_POST(self) -> None:
        """Keep the message."""
        wanted = int(self.headers.get("Content-Length", "0"))
        body = self.rfile.read(wanted)
        if body and len(body) == wanted:
            with Path(sys.argv[1]).open("a") as kept:
                kept.write(f"{json.dumps(json.loads(body)['message'])}\n")
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    def do_GET(self) -> None:
        """Say that everything before is done with."""
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        """Serve it; a sender may be gone by the time of the answer."""
        try:
            super().handle()
        except OSError:
            self.close_connection = True


class Server(HTTPServer):
    """Lets many wait."""

    request_queue_size = BACKLOG


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Receiver) as server:
        sys.stdout.write(f"{server.server_port}\n")
        sys.stdout.flush()
        server.serve_forever()
