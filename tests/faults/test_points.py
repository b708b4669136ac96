"""Every call that writes goes wrong once, in every way it can: nothing is lost, nothing doubled, nothing torn."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.faults
DRIVE = Path(__file__).with_name("drive.py")
# The longest first, so that both cores are busy to the end.
SCENARIOS = (
    "ticks",
    "operations",
    "undo-edited",
    "flush",
    "compact",
    "stale",
    "forget",
    "undo",
    "review",
    "restore",
    "report",
    "note",
    "stage",
)
AT_ONCE = 2
WRONG = ("lost", "doubled", "torn", "traceback")
AT_LEAST = 100


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What each scenario came to."""

    def drive(name: str) -> dict[str, Any]:
        base = tmp_path_factory.mktemp(name)
        done = subprocess.run(
            [sys.executable, str(DRIVE), str(base), name], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return told

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(drive, SCENARIOS))


def every(driven: Iterable[dict[str, Any]], what: str) -> list[str]:
    return [one for told in driven for one in told[what]]


def test_m07_m08_m09_nothing_is_lost_doubled_or_torn_whatever_call_goes_wrong(
    driven: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Turns red when any write is not settled by the next start, or an error leaves as a traceback."""
    kinds = sum((Counter(told["kinds of fault"]) for told in driven), Counter[str]())
    counts = {
        "points": sum(told["points"] for told in driven),
        "distinct call sites": len(set(every(driven, "distinct call sites"))),
        "call sites x kinds of fault": len(set(every(driven, "sites and kinds"))),
        "kinds of fault": len(kinds),
        "faults": kinds.total(),
        **{what: len(every(driven, what)) for what in WRONG},
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{json.dumps(counts)}\n")
    assert {what: every(driven, what)[:5] for what in WRONG} == {what: [] for what in WRONG}
    assert counts["call sites x kinds of fault"] >= AT_LEAST
