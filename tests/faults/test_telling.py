"""Whatever call of a beat goes wrong: what is urgent is told, nothing else twice, and the note is whole."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from daybook import notify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import ModuleType

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

pytestmark = [
    pytest.mark.faults,
    # Apprise loads every plugin it has, and one of them this module.
    pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning"),
]
HERE = Path(__file__).parent
# Side by side, so that both cores are busy to the end.
SHARES = (("sources",), ("sources-quiet", "sources-brief"))
WRONG = ("lost", "doubled", "told twice unmarked", "differs", "traceback")
AT_LEAST = 400
# One beat's end without the flows: what each process does with a line of input.
SENDER = """
import asyncio, sys
from datetime import datetime, timedelta
from daybook import notify
from daybook.memory import journal
from daybook.settings import Notify
from daybook.workspace import open_workspace

workspace, chosen = open_workspace(sys.argv[1]), Notify(urls=[sys.argv[2]], per_hour=60)
for line in sys.stdin:
    turn = int(line)
    now = datetime.fromisoformat(sys.argv[3]) + timedelta(minutes=30 * turn)
    entry = journal.Entry(f"mail:{turn}", now.date(), "Afternoon", f"- 14:30 - [mail] item {turn}.", own=False)
    with workspace.lock():
        journal.write(workspace, [entry])
    kinds = ("urgent", "plain")
    notices = [notify.Notice(f"{kind}:{turn}", f"{kind} {turn}.", urgent=kind == "urgent") for kind in kinds]
    asyncio.run(notify.send(workspace, chosen, notices, now, quiet=False))
    brief = notify.Brief(f"brief {turn}.")
    told = asyncio.run(notify.send_brief(workspace, chosen, f"brief:{turn}", lambda _: brief, now))
    print(type(told).__name__, flush=True)
"""


@pytest.fixture(scope="module")
def driven(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What the scenarios came to."""

    def drive(names: tuple[str, ...]) -> dict[str, Any]:
        command = [sys.executable, str(HERE / "telling.py"), str(tmp_path_factory.mktemp(names[0])), *names]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return told

    with ThreadPoolExecutor(len(SHARES)) as pool:
        return list(pool.map(drive, SHARES))


@pytest.fixture
def outward(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Made-up looks, and the end of the flows without a Prefect server."""
    monkeypatch.syspath_prepend(str(HERE))
    module = importlib.import_module("outward")
    flows = importlib.import_module("flows.reporting")
    for name, plain in module.plain_tasks(flows).items():
        monkeypatch.setattr(flows, name, plain)
    return module


def received(server: HTTPServer) -> list[str]:
    return [json.loads(request.data)["message"] for request, _ in server.log]


def test_m09_o16_notes_notices_and_cursors_survive_whatever_call_goes_wrong(
    driven: list[dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Turns red when a cursor moves before the note, a notice goes out before its row, or a row is passed over."""
    kinds = sum((Counter(told["kinds"]) for told in driven), Counter[str]())
    found = {what: [one for told in driven for one in told[what]] for what in (*WRONG, "told twice marked")}
    counts = {
        "points": sum(told["points"] for told in driven),
        "faults": sum(told["faults"] for told in driven),
        "kinds of fault": len(kinds),
        **{what: len(cases) for what, cases in found.items()},
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{json.dumps(counts)}\n")
    assert {what: found[what][:5] for what in WRONG} == {what: [] for what in WRONG}
    assert counts["faults"] >= AT_LEAST
    # Both sides of the send were among them.
    assert counts["told twice marked"] > 0
    assert {"send", "receive", "connect"} <= {site.split()[-2] for told in driven for site in told["sites"]}


def test_two_senders_at_once_tell_and_note_each_thing_once(
    workspace: Workspace, httpserver: HTTPServer, at_once: Callable[[str, int, Iterable[str]], list[list[str]]]
) -> None:
    """Turns red when the journal of notices is read outside the lock that its steps are written under."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    turns, url = range(6), f"json://{httpserver.host}:{httpserver.port}/hook"
    script = SENDER
    for number, value in enumerate((str(workspace.root), url, "2026-02-07T14:30:00+00:00"), start=1):
        script = script.replace(f"sys.argv[{number}]", repr(value))
    said = at_once(script, 2, map(str, turns))
    assert [sorted(pair) for pair in zip(*said, strict=True)] == [["AlreadyTold", "Sent"]] * len(turns)
    wanted = [f"{kind} {turn}." for turn in turns for kind in ("brief", "plain", "urgent")]
    assert sorted(received(httpserver)) == sorted(wanted)
    note = workspace.daily_note(date(2026, 2, 7)).read_text()
    later = workspace.daily_note(date(2026, 2, 8))
    assert [note.count(f"item {turn}.") for turn in turns] == [1] * len(turns)
    assert not later.exists()


@pytest.mark.parametrize(
    "gone",
    [("told.jsonl",), ("mail.json",), ("seen-mail.jsonl",), ("mail.json", "seen-mail.jsonl"), ("seen-news.jsonl",)],
)
@pytest.mark.parametrize("how", ["deleted", "rolled back"])
def test_a_lost_or_old_file_of_private_state_brings_no_second_notice_and_no_second_line(
    workspace: Workspace, httpserver: HTTPServer, outward: ModuleType, gone: tuple[str, ...], how: str
) -> None:
    """Turns red when what was told or noted is known in one place alone."""
    httpserver.expect_request("/").respond_with_data("ok")
    chosen = outward.settings("sources", httpserver.port)
    outward.prepare(workspace, chosen)
    old = workspace.private.parent / "old"
    shutil.copytree(workspace.private, old)
    assert outward.beat(workspace, chosen, 0) == []
    for name in gone:
        (workspace.private / name).unlink()
        if how == "rolled back" and (old / name).exists():
            shutil.copy(old / name, workspace.private / name)
    workspace.source_tracking.unlink()
    assert outward.beat(workspace, chosen, 1) == []
    note = workspace.daily_note(outward.NOW.date()).read_text()
    assert [note.count(text) for text in outward.ITEMS] == [1] * len(outward.ITEMS)
    mails = [text for text in received(httpserver) if "Urgent mail" in text]
    assert len(mails) == len(set(mails)) == 2
    # What was open when the old copy was made is told again, and says so.
    meter = [text for text in received(httpserver) if "water meter" in text]
    assert all(text.startswith(notify.notices.REPEAT_MARK) for text in meter)


def test_where_all_private_state_is_lost_what_a_look_brings_again_is_noted_and_told_once_more(
    workspace: Workspace, httpserver: HTTPServer, outward: ModuleType
) -> None:
    """Turns red when this comes to more than one second notice: a look at a mailbox it does not know takes one day."""
    httpserver.expect_request("/").respond_with_data("ok")
    chosen = outward.settings("sources", httpserver.port)
    outward.beat(workspace, chosen, 0)
    for name in ("told.jsonl", "mail.json", "seen-mail.jsonl", "posted.jsonl"):
        (workspace.private / name).unlink()
    for turn in (1, 2):
        outward.beat(workspace, chosen, turn)
    mails = Counter(text for text in received(httpserver) if "Urgent mail" in text)
    assert sorted(mails.values()) == [2, 2]
    note = workspace.daily_note(outward.NOW.date()).read_text()
    assert [note.count(one.subject) for one in outward.MAILS] == [2, 2, 2]
