"""
Gemini through the SDK google-generativeai: the same outcomes as `google:` gives.

`make legacy` runs this in an environment that has the SDK.
"""

from __future__ import annotations

import importlib.util
import logging
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from daybook.models import call
from daybook.models.outcomes import Trouble
from daybook.review.operations import Answer, Operation

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import FakeProvider, Situation

    Start = Callable[[str], FakeProvider]

if importlib.util.find_spec("google.generativeai") is None:
    pytest.skip("the extra google-generativeai is not installed; `make legacy` runs these", allow_module_level=True)

MODEL = "google-generativeai:gemini-flash-lite-latest"
KEY = "fakekeyoftests"
# Asks a server that takes the connection and never answers, until it is told to stop waiting.
CANCELLED = """
import asyncio, sys
from daybook.models import call
from daybook.models.opening import open_model
from daybook.review.operations import Answer

async def main():
    environ = {"GEMINI_API_KEY": "fakekeyoftests", "GOOGLE_GEMINI_BASE_URL": sys.argv[1]}
    opened = open_model(sys.argv[2], environ)
    task = asyncio.create_task(call.send(sys.argv[2], opened, "x", Answer, max_output_tokens=9))
    await asyncio.to_thread(sys.stdin.readline)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        print("cancelled")

asyncio.run(main())
"""


def told(result: Answer | Trouble) -> tuple[str, float | None]:
    return (result.outcome, result.retry_after_s) if isinstance(result, Trouble) else ("answered", None)


@pytest.fixture
def gemini(provider: Start) -> FakeProvider:
    return provider("gemini")


def refusal(status: int, body: object) -> dict[str, Any]:
    return {"status": status, "headers": {}, "body": body}


def test_each_situation_has_its_outcome_after_one_request(gemini: FakeProvider, situation: Situation) -> None:
    gemini.will_meet(situation.response)
    reply = gemini.ask(MODEL)
    assert (*told(reply.result), reply.used.tokens_in, reply.used.tokens_out) == situation.expected
    assert (len(gemini.seen), reply.used.calls) == (1, 1)


def test_the_outcome_is_that_of_the_newer_sdk(gemini: FakeProvider, situation: Situation) -> None:
    gemini.will_meet(situation.response)
    newer, former = (gemini.ask(model) for model in ("google:gemini-flash-lite-latest", MODEL))
    assert told(former.result) == told(newer.result)
    assert former.used == newer.used


def test_a_good_answer_is_read_and_priced(gemini: FakeProvider) -> None:
    operation = {"kind": "add", "text": "Backups run at 04:30", "section": "Decisions", "entry": "", "sources": [2]}
    gemini.will_answer({"operations": [operation]})
    reply = gemini.ask(MODEL)
    added = Operation(kind="add", text="Backups run at 04:30", section="Decisions", sources=(2,))
    assert reply.result == Answer(operations=(added,))
    assert reply.used.usd is not None
    assert 0 < reply.used.usd < 0.01


def test_the_request_tells_the_schema_and_the_limit_and_offers_no_tools(gemini: FakeProvider) -> None:
    gemini.will_answer({"operations": []})
    gemini.ask(MODEL)
    body = gemini.seen[0].get_json()
    assert body["contents"] == [{"parts": [{"text": "What did we learn?"}], "role": "user"}]
    assert '"operations"' in body["systemInstruction"]["parts"][0]["text"]
    assert body["generationConfig"] == {"maxOutputTokens": 321, "responseMimeType": "application/json"}
    assert not {"tools", "toolConfig"} & set(body)


def test_the_key_is_in_its_header_and_nowhere_else(gemini: FakeProvider) -> None:
    gemini.will_answer({"operations": []})
    gemini.ask(MODEL)
    (request,) = gemini.seen
    assert [name for name, value in request.headers if KEY in value] == ["X-Goog-Api-Key"]
    assert KEY not in request.url
    assert KEY not in request.get_data(as_text=True)


def test_the_sdk_keeps_no_key_between_calls(gemini: FakeProvider) -> None:
    from google.generativeai import client  # noqa: PLC0415 - not installed everywhere

    gemini.will_answer({"operations": []})
    gemini.ask(MODEL)
    assert KEY not in repr(vars(client._client_manager))


@pytest.mark.parametrize("name", ["429-per-minute", "400-bad-key", "200-prose-instead-of-json"])
def test_no_library_logs_the_key(
    name: str, gemini: FakeProvider, situations: dict[str, dict[str, Any]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    gemini.will_meet(situations[name])
    gemini.ask(MODEL)
    assert {record.name.partition(".")[0] for record in caplog.records} >= {"google", "urllib3"}
    assert [record.name for record in caplog.records if KEY in str(vars(record))] == []


@pytest.mark.parametrize(
    ("status", "body", "outcome"),
    [
        (401, {"error": {"code": 401, "status": "UNAUTHENTICATED", "message": "no"}}, "bad-key"),
        (403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "no"}}, "bad-key"),
        (400, {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "odd"}}, "rejected"),
        (400, {"error": {"message": "The input token count (9) exceeds the maximum (8)."}}, "too-long"),
        (429, [{"error": {"code": 429}}], "rate-limited"),
        (429, {"error": {"details": ["odd", {"retryDelay": "soon"}, {"retryDelay": "-1s"}]}}, "rate-limited"),
        (500, {"error": "in plain words"}, "server-error"),
        (504, {"error": {"code": 504, "status": "DEADLINE_EXCEEDED"}}, "server-error"),
        (302, {}, "rejected"),
    ],
)
def test_a_refusal_is_read_whatever_its_form_and_not_tried_again(
    status: int, body: object, outcome: str, gemini: FakeProvider
) -> None:
    gemini.will_meet({"status": status, "headers": {"Location": "/elsewhere"}, "body": body})
    assert (told(gemini.ask(MODEL).result), len(gemini.seen)) == ((outcome, None), 1)


def test_an_end_that_the_sdk_does_not_know_reads_as_an_empty_answer(gemini: FakeProvider) -> None:
    """`google:` tells this one as blocked."""
    candidate = {"finishReason": "IMAGE_SAFETY", "index": 0}
    gemini.will_meet(refusal(200, {"candidates": [candidate], "usageMetadata": {"promptTokenCount": 11}}))
    newer, former = (gemini.ask(model) for model in ("google:gemini-flash-lite-latest", MODEL))
    assert (told(newer.result), told(former.result)) == (("blocked", None), ("empty", None))


def test_a_dropped_connection_is_not_tried_again(gemini: FakeProvider) -> None:
    gemini.will_drop()
    assert (told(gemini.ask(MODEL).result), len(gemini.seen)) == (("unreachable", None), 1)


def test_a_closed_port_is_unreachable(gemini: FakeProvider) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        reply = gemini.ask(MODEL, {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": address})
    assert told(reply.result) == ("unreachable", None)


def test_a_server_that_never_answers_is_a_timeout(gemini: FakeProvider, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "REQUEST_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        reply = gemini.ask(MODEL, {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": address})
    assert told(reply.result) == ("timeout", None)


def test_a_server_that_drips_is_given_up_in_time(
    gemini: FakeProvider, dripping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "REQUEST_TIMEOUT_S", 0.3)
    reply = gemini.ask(MODEL, {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": dripping})
    assert told(reply.result) == ("timeout", None)


def test_a_cancelled_wait_does_not_keep_the_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        command = [sys.executable, "-c", CANCELLED, address, MODEL]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            connection, _ = silent.accept()
            with connection:
                said, _ = process.communicate("now\n", timeout=60)
    assert (said, process.returncode) == ("cancelled\n", 0)


def test_nothing_loads_the_sdk_before_it_is_asked_for() -> None:
    code = "import sys, daybook.models.ask, daybook.models.call; print('google.generativeai' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"
