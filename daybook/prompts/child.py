"""
The child process of `daybook.prompts.limited`: limits itself, reads one request, writes one reply.

Request and reply are one JSON object each, on stdin and stdout.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from dataclasses import asdict

from daybook.prompts import template

CPU_S = 0.5
MEMORY_BYTES = 512 * 1024 * 1024


def main() -> None:
    """Serve one request within the limits; the kernel ends us beyond them."""
    _limit()
    request = json.load(sys.stdin)
    sources = [template.Source(**source) for source in request["sources"]]
    found = template.render(sources, request["declared"], request["variables"])
    json.dump({"text": found} if isinstance(found, str) else {"problem": asdict(found)}, sys.stdout)


def _limit() -> None:
    # The kernel counts whole seconds from the start of the process, and starting up has used some.
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = math.ceil(used.ru_utime + used.ru_stime + CPU_S)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    if sys.platform == "linux":  # macOS refuses this limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
