"""Names that sync tools give, in the languages they do it in."""

from __future__ import annotations

import pytest

from daybook.memory import synced


@pytest.mark.parametrize(
    "mark",
    [
        " (conflicted copy)",
        " (Ana's conflicted copy 2026-02-08)",
        " (conflicted copy 2026-02-08 101112)",
        " (Conflicted copy phone 202602081011)",
        " (Case Conflict)",
        " (In Konflikt stehende Kopie von Ana (Laptop) 2026-02-08)",
        " (Konfliktkopie)",
        " (Copie en conflit de Ana 2026-02-08)",
        " (Copia en conflicto de Ana)",
        " (Copia in conflitto di Ana)",
        " (Cópia em conflito de Ana)",
        " (冲突副本)",
        ".sync-conflict-20260208-101112-ABCDEFG",
    ],
)
def test_a_copys_name_tells_the_file(mark: str) -> None:
    assert synced.copy_of(f"2026-02-07{mark}.md") == "2026-02-07.md"
    assert synced.copy_of(f"heartbeat-state{mark}.json") == "heartbeat-state.json"


@pytest.mark.parametrize(
    "name",
    ["2026-02-07.md", "2026-02-07 (conflict with Ana).md", "2026-02-07 sync-conflict.md", "(notes).md", "_inbox 2.md"],
)
def test_a_name_of_a_persons_own_is_no_copys(name: str) -> None:
    assert synced.copy_of(name) is None
