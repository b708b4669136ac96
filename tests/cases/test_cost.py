"""What models may cost, and how they fail: cases C2 to C5, C7, C9 and C10. C1, C6 and C8 stand in tests/flows."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from daybook import notify, settings, status
from daybook.models import cooldown, trying
from daybook.models.ask import ask
from daybook.models.trying import Pace
from daybook.review import extract, reviewing
from daybook.review.operations import Answer
from daybook.schedule import alarms, record, rollup
from daybook.sources import counsel, triage

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_httpserver import HTTPServer

    from daybook.models.ask import Asked
    from daybook.models.choice import Purpose
    from daybook.review.posting import Posted
    from daybook.workspace import Workspace

# Apprise loads every plugin it has, and one of them this module.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")

DATA = Path(__file__).parents[3] / "shared" / "data" / "gemini"
MODEL = "google:gemini-flash-lite-latest"
OTHER = "google:gemini-other"
START = datetime(2026, 2, 7, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
STORM = 6 * HOUR
BUSY = {"status": 429, "headers": {}, "body": {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED"}}}
TEN_MINUTES = {
    "status": 429,
    "headers": {},
    "body": {
        "error": {
            "code": 429,
            "status": "RESOURCE_EXHAUSTED",
            "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "600s"}],
        }
    },
}
MEMORY = "# Memory\n\n## Decisions\n\n- Backups run at 03:00.\n"
LINE = "Decided to keep the photo archive on the NAS."


class Simulated:
    """Time that passes only by waiting."""

    def __init__(self, start: datetime) -> None:
        """Begin at an instant."""
        self.now = start

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)

    def seconds(self) -> float:
        """Seconds of this time that have passed."""
        return (self.now - START).total_seconds()

    def pace(self) -> Pace:
        """Wait in this time, with a jitter of its own."""
        return Pace(self.sleep, self.seconds)


def answered(workspace: Workspace, at: datetime, purpose: Purpose = "review", *models: str) -> Asked[Any]:
    """Ask as every flow does, by the settings of the workspace."""
    chosen = settings.load(workspace).settings
    return asyncio.run(
        ask(workspace, chosen, purpose, "x", Answer, now=at, models=models or (MODEL,), pace=Simulated(at).pace())
    )


def beat(workspace: Workspace, at: datetime) -> None:
    """Ask, and tell what there is to tell of models, as the end of every run does."""
    chosen = settings.load(workspace).settings
    got = answered(workspace, at)
    calls = [record.model_call(one, "review") for one in got.tries]
    notices = alarms.of_models(workspace, chosen, calls, at)
    asyncio.run(notify.send(workspace, chosen.notify, notices, at, quiet=False))


# One process of ours in simulated time: at each minute that it is given it asks, and tells what there is to tell.
BEATS = """
import asyncio, sys
from datetime import datetime, timedelta
from daybook import notify, settings
from daybook.models.ask import ask
from daybook.models.trying import Pace
from daybook.review.operations import Answer
from daybook.schedule import alarms, record
from daybook.workspace import open_workspace

workspace = open_workspace(sys.argv[1])
chosen = settings.load(workspace).settings
waited = [0.0]

async def sleep(seconds):
    waited[0] += seconds

async def beat(at):
    waited[0] = 0.0
    pace = Pace(sleep, lambda: waited[0])
    got = await ask(workspace, chosen, "review", "x", Answer, now=at, models=[sys.argv[2]], pace=pace)
    calls = [record.model_call(one, "review") for one in got.tries]
    notices = alarms.of_models(workspace, chosen, calls, at)
    await notify.send(workspace, chosen.notify, notices, at, quiet=False)
    return got.tries[-1].outcome

for line in sys.stdin:
    print(asyncio.run(beat(datetime.fromisoformat(sys.argv[3]) + timedelta(minutes=int(line)))), flush=True)
"""
# Asks once, and is killed: by itself after the answer, or while it asks.
KILLED = """
import asyncio, os, signal, sys
from datetime import datetime
from daybook import settings
from daybook.models import call
from daybook.models.ask import ask
from daybook.review.operations import Answer
from daybook.workspace import open_workspace

async def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

workspace = open_workspace(sys.argv[1])
if sys.argv[4] == "while":
    call.send = die
chosen = settings.load(workspace).settings
at, models = datetime.fromisoformat(sys.argv[3]), [sys.argv[2]]
asyncio.run(ask(workspace, chosen, "review", "x", Answer, now=at, models=models))
os.kill(os.getpid(), signal.SIGKILL)
"""


def ask_and_be_killed(workspace: Workspace, at: datetime, when: str) -> None:
    command = [sys.executable, "-c", KILLED, str(workspace.root), MODEL, at.isoformat(), when]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL


@pytest.fixture
def told(httpserver: HTTPServer, settle: Callable[[str], None]) -> list[str]:
    """Give the texts of the notices that arrive."""
    texts: list[str] = []

    def take(request: Any) -> Any:
        from werkzeug import Response  # noqa: PLC0415 - as the server makes it

        texts.append(json.loads(request.get_data())["message"])
        return Response("ok")

    httpserver.expect_request("/hook", method="POST").respond_with_handler(take)
    settle(f'timezone = "UTC"\n[notify]\nurls = ["json://{httpserver.host}:{httpserver.port}/hook"]\n')
    return texts


def test_c2_six_hours_of_429_and_three_processes_at_once(
    workspace: Workspace, gemini: Any, told: list[str], at_once: Callable[..., list[list[str]]]
) -> None:
    """
    Backoff is kept across runs and processes: few calls, one alert, and one notice when the model is back.

    Turns red if the cooldown is kept by the process, or a half-open model is called by more than one.
    """
    gemini.will_send(BUSY)
    script = BEATS.replace("sys.argv[1]", repr(str(workspace.root))).replace("sys.argv[2]", repr(MODEL))
    minutes = range(0, STORM // MINUTE + 1, 10)
    at_once(script.replace("sys.argv[3]", repr(START.isoformat())), 3, map(str, minutes))
    calls = len(gemini.bodies)
    assert 3 < calls <= 30
    assert [text.partition(" allows")[0] for text in told] == [MODEL]
    gemini.script.clear()
    gemini.will_say({"operations": []})
    for number in range(12):
        beat(workspace, START + STORM + 10 * MINUTE * (number + 1))
    assert len(told) == 2
    assert told[1].startswith(f"{MODEL} answers again, after ")
    assert cooldown.read(workspace)[MODEL].failures == 0


@pytest.mark.parametrize("purpose", ["review", "second_opinion", "mail_triage", "news_rank", "capture"])
def test_c3_a_wait_of_ten_minutes_holds_for_every_purpose(purpose: Purpose, workspace: Workspace, gemini: Any) -> None:
    """Turns red if the wait that the provider asks for is kept for one purpose alone, or cut to our own backoff."""
    gemini.will_send(TEN_MINUTES)
    assert answered(workspace, START).tries[0].outcome == "rate-limited"
    for minute in (0.1, 5, 9.9):
        got = answered(workspace, START + minute * MINUTE, purpose)
        assert [(one.outcome, one.used.calls) for one in got.tries] == [("cooling", 0)]
    assert len(gemini.bodies) == 1
    answered(workspace, START + 10 * MINUTE, purpose)
    assert len(gemini.bodies) == 2


def test_c3_a_wait_of_ten_minutes_outlives_a_kill(workspace: Workspace, gemini: Any) -> None:
    """Turns red if the wait is written at the end of a run instead of when it is asked for."""
    gemini.will_send(TEN_MINUTES)
    ask_and_be_killed(workspace, START, "after")
    assert answered(workspace, START + 9 * MINUTE).tries[0].outcome == "cooling"
    assert len(gemini.bodies) == 1


def test_c3_a_probe_that_is_killed_makes_no_storm(workspace: Workspace, gemini: Any) -> None:
    """Turns red if the end of the wait is moved on only after a probe has ended."""
    gemini.will_send(TEN_MINUTES)
    answered(workspace, START)
    ask_and_be_killed(workspace, START + 10 * MINUTE, "while")
    assert answered(workspace, START + 11 * MINUTE).tries[0].outcome == "cooling"
    assert len(gemini.bodies) == 1


def test_c4_a_daily_quota_means_no_call_until_the_providers_midnight_and_the_next_models_turn(
    workspace: Workspace, gemini: Any, httpserver: HTTPServer
) -> None:
    """Turns red if a used up quota is tried again the same day, or stops the model after it."""
    if not DATA.is_dir():
        pytest.skip(f"the shared data folder {DATA} is missing")
    gemini.will_send(json.loads((DATA / "429-per-day.json").read_text(encoding="utf-8")))
    answers = {"candidates": [{"content": {"parts": [{"text": '{"operations": []}'}], "role": "model"}, "index": 0}]}
    httpserver.expect_request("/v1beta/models/gemini-other:generateContent").respond_with_json(answers)
    midnight = datetime(2026, 2, 8, 8, tzinfo=UTC)
    for at in (START, START + HOUR, START + 12 * HOUR, midnight - MINUTE):
        got = answered(workspace, at, "review", MODEL, OTHER)
        assert got.answered is not None
        assert got.answered.model == OTHER
    assert len(gemini.bodies) == 1
    answered(workspace, midnight, "review", MODEL, OTHER)
    assert len(gemini.bodies) == 2


def reviewed(workspace: Workspace, at: datetime) -> tuple[extract.Extraction, Posted]:
    """Review as the flow does, by the settings of the workspace."""
    chosen = settings.load(workspace).settings
    seen = reviewing.look(workspace, chosen, at.date(), at)

    async def whole() -> tuple[extract.Extraction, reviewing.Decision]:
        got = await extract.extract(workspace, chosen, seen.fresh, seen.memory, at.date(), at)
        return got, await reviewing.decide(workspace, chosen, seen, reviewing.judge(seen, got, at.date()), at)

    got, decided = asyncio.run(whole())
    waits = bool(got.waiting)
    return got, reviewing.carry_out(workspace, seen, decided.judged, waiting=waits, run="run", now=at)


@pytest.fixture
def note(workspace: Workspace) -> None:
    workspace.longterm.write_text(MEMORY)
    workspace.daily_note(START.date()).write_text(f"## Morning\n- 09:10 - {LINE}\n")


@pytest.mark.usefixtures("note")
def test_c5_a_budget_that_is_reached_leaves_mail_to_rules_and_lets_the_review_wait(
    workspace: Workspace, gemini: Any, told: list[str], settle: Callable[[str], None]
) -> None:
    """
    Nothing is asked, nothing is lost, and status, roll-up and one notice say so.

    Turns red if a limit is looked at after the call, or a budget that is used up counts as an answer.
    """
    notify_part = workspace.settings.read_text()
    settle(f'{notify_part}[budget]\ntokens_per_day = 0\n[models]\nmail_triage = ["{MODEL}"]\n')
    gemini.will_say({"operations": []})
    chosen = settings.load(workspace).settings
    judged = [triage.Triaged(message, "information", "nothing calls for action") for message in [_message()]]
    weighed, asked = asyncio.run(counsel.weighed(workspace, chosen, judged, START.date(), START))
    assert (weighed, [one.outcome for one in asked.tries]) == (judged, ["over-budget"])
    got, _ = reviewed(workspace, START)
    assert got.waiting.startswith("1 line waits for a model: ")
    assert "a limit under [budget]" in got.waiting
    assert (gemini.bodies, workspace.longterm.read_text()) == ([], MEMORY)
    calls = [*got.models, *(record.model_call(one, "mail_triage") for one in asked.tries)]
    run = record.begin(workspace, "review", START, trigger="schedule", now=START, run_id="1").model_copy(
        update={"models": calls, "problems": [got.waiting], "outcome": "waiting"}
    )
    record.write(workspace, run)
    for _ in range(2):
        notices = alarms.of_models(workspace, chosen, calls, START)
        asyncio.run(notify.send(workspace, chosen.notify, notices, START, quiet=False))
    assert len(told) == 1
    assert "a limit under [budget]" in told[0]
    assert any("a limit under [budget]" in problem for problem in status.look(workspace, START, ui=None).problems)
    (entry,) = rollup.entries(workspace, START + 11 * HOUR, UTC, final=True)
    assert "the budget was reached" in entry.text
    # A day later the rules read what has waited.
    late, _ = reviewed(workspace, START + 25 * HOUR)
    assert (late.waiting, [batch.model for batch in late.batches]) == ("", ["extractive"])


def _message() -> Any:
    from daybook.sources.messages import Message  # noqa: PLC0415 - for one case alone

    return Message(
        id="1", mailbox="m", uid=1, message_id="", name="Ann", address="ann@example.org", subject="Hello",
        date=START, direct=True, attachments=False, automatic=False, bulk=False, high_priority=False, snippet="Hi",
    )  # fmt: skip


@pytest.mark.usefixtures("note")
def test_c7_an_answer_of_nothing_writes_nothing_and_is_not_asked_for_again(workspace: Workspace, gemini: Any) -> None:
    """Turns red if an empty answer counts as a failure, or its lines stay unread."""
    gemini.will_say({"operations": []})
    reviewed(workspace, START)
    for days in (1, 3, 5):
        reviewed(workspace, START + timedelta(days=days))
    assert (len(gemini.bodies), workspace.longterm.read_text()) == (1, MEMORY)


@pytest.mark.usefixtures("note")
def test_c9_a_bad_key_is_one_clear_error_until_the_key_changes(
    workspace: Workspace, gemini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red if a refused key is tried again by the next run, or a new one has to wait for the old one's hour."""
    refused = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "API key not valid."}}
    refused["error"]["details"] = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
    gemini.will_send({"status": 400, "headers": {}, "body": refused})
    for minutes in (0, 30, 59):
        got, _ = reviewed(workspace, START + minutes * MINUTE)
        assert "GEMINI_API_KEY" in got.waiting or "bad-key" in got.waiting
    assert len(gemini.bodies) == 1
    assert cooldown.read(workspace)[MODEL].sentence == (
        f"{MODEL} refuses the key in GEMINI_API_KEY; set GEMINI_API_KEY to a valid key."
    )
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaAnotherFakeKeyForTests0123")
    gemini.script.clear()
    gemini.will_say({"operations": []})
    got, _ = reviewed(workspace, START + 60 * MINUTE - timedelta(seconds=1))
    assert got.waiting == ""


BROKEN = sorted(path.stem for path in DATA.glob("*.json") if path.stem != "200-json-in-fences") if DATA.is_dir() else []


@pytest.mark.skipif(not BROKEN, reason=f"the shared data folder {DATA} is missing")
@pytest.mark.usefixtures("note")
@pytest.mark.parametrize("name", BROKEN)
def test_c10_an_answer_that_cannot_be_used_leaves_memory_alone_and_has_its_reason_in_the_record(
    name: str, workspace: Workspace, gemini: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red if a half answer is applied, its lines count as read, or the record does not name the outcome."""
    monkeypatch.setattr(trying, "MAX_TRIES", 1)
    situation = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    gemini.will_send(situation)
    before = workspace.longterm.read_bytes()
    got, posted = reviewed(workspace, START)
    assert (workspace.longterm.read_bytes(), posted.results) == (before, ())
    assert len(got.models) == 1
    assert got.models[0].outcome not in {"answered", "cooling"}
    assert got.models[0].sentence in got.waiting
    assert not (workspace.private / "marks.jsonl").exists()
