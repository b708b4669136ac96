from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from flows.daily_note import daily_note
from flows.heartbeat import heartbeat
from flows.inbox_flush import inbox_flush

if TYPE_CHECKING:
    from collections.abc import Callable

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace

DAY = timedelta(days=1)


def roll_ups(workspace: Workspace) -> dict[str, list[str]]:
    return {
        path.stem: [line for line in path.read_text().splitlines() if " - Day: " in line]
        for path in sorted(workspace.memory_dir.glob("2026-*.md"))
    }


def test_s17_the_day_and_each_missed_one_get_one_line_from_the_run_records(
    workspace: Workspace, run: Callable[..., RunRecord], now: datetime
) -> None:
    night = now.replace(hour=23, minute=55)
    workspace.inbox.write_text("- Lesson: the router needs a fixed address.\n- Moved the printer.\n")
    run(heartbeat, scheduled=True)
    run(heartbeat, at=now + timedelta(minutes=30), scheduled=True)
    workspace.inbox.write_text("- Decision: keep the old printer.\n")
    run(inbox_flush, at=now + timedelta(minutes=40))
    assert run(daily_note, at=night, scheduled=True).outcome == "done"
    first = "- 23:55 - Day: 2 beats, 3 inbox lines, memory +3 ~0 -0, 0 tokens."
    assert roll_ups(workspace) == {"2026-02-07": [first]}

    last = night + 3 * DAY
    record = run(daily_note, at=last, scheduled=True)
    missed = "- 23:59 - Day: no beat, 0 tokens."
    wanted = {
        "2026-02-07": [first],
        "2026-02-08": [missed],
        "2026-02-09": [missed],
        "2026-02-10": ["- 23:55 - Day: no beat, 0 tokens."],
    }
    assert roll_ups(workspace) == wanted
    assert len(record.note_lines) == 3
    again = run(daily_note, at=last + timedelta(minutes=1))
    assert (again.outcome, again.note_lines) == ("nothing-to-do", [])
    assert roll_ups(workspace) == wanted
