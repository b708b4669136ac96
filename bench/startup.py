"""Start-up: `daybook note` and `daybook context` as multiples of a bare Python, paired in one run."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

PAIRS = 40
WARM_UP = 3
GOALS = {"note": 2.5, "context": 12.0}
SCRIPT = Path(sys.executable).with_name("daybook")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_STATE_HOME": f"{folder}/state", "DAYBOOK_WORKSPACE": f"{folder}/workspace"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([SCRIPT, "init", f"{folder}/workspace"], env=environment, check=True, capture_output=True)
        _fill(Path(folder) / "workspace")
        bare = [sys.executable, "-c", "pass"]
        figures = {
            "note": _ratio([str(SCRIPT), "note", "x"], bare, environment),
            "context": _ratio([str(SCRIPT), "context"], bare, environment),
        }
    ok = all(figures[name]["ratio"] <= goal for name, goal in GOALS.items())
    print(json.dumps({"bench": "startup", "figures": figures, "goals": GOALS, "ok": ok}))
    return 0 if ok else 1


def _fill(workspace: Path) -> None:
    today = datetime.now(UTC).date().isoformat()
    lines = "".join(f"- 08:{n:02} - line {n} of a day like any other\n" for n in range(60))
    (workspace / "memory" / f"{today}.md").write_text(f"# {today}\n\n## Morning\n{lines}", encoding="utf-8")


def _ratio(command: list[str], base: list[str], environment: dict[str, str]) -> dict[str, float]:
    """Median of the pairwise ratios, and both medians in milliseconds."""
    pairs = [(_time(command, environment), _time(base, environment)) for _ in range(PAIRS + WARM_UP)][WARM_UP:]
    return {
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "ms": round(statistics.median(a for a, _ in pairs) * 1000, 1),
        "bare_ms": round(statistics.median(b for _, b in pairs) * 1000, 1),
    }


def _time(command: list[str], environment: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
