"""A clock without waiting, what the Gemini API answers when something is wrong, and a server for each protocol."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import threading
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from daybook.models import call
from daybook.models.opening import open_model
from daybook.models.outcomes import Trouble, Used
from daybook.models.trying import Pace
from daybook.review.operations import Answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Mapping

    from pytest_httpserver import HTTPServer

    from daybook.models.call import Reply

DATA = Path(__file__).parents[3] / "shared" / "data" / "gemini"
# Of no known shape, so that only redaction by value can hide it.
KEY = "fakekeyoftests"
PROMPT = "What did we learn?"
MAX_OUTPUT_TOKENS = 321
DROPPED = {"status": 0}
Expected = tuple[str, float | None, int, int]
# outcome, seconds the provider asks to wait, tokens in and out
EXPECTED: dict[str, Expected] = {
    "200-empty-candidates": ("empty", None, 11, 0),
    "200-json-in-fences": ("answered", None, 1100, 70),
    "200-malformed-http-json": ("malformed", None, 0, 0),
    "200-max-tokens-half-json": ("truncated", None, 1100, 70),
    "200-max-tokens-no-parts": ("truncated", None, 11, 99),
    "200-prompt-blocked": ("blocked", None, 11, 0),
    "200-prose-instead-of-json": ("malformed", None, 1100, 70),
    "200-recitation": ("blocked", None, 11, 0),
    "200-safety": ("blocked", None, 11, 0),
    "400-bad-key": ("bad-key", None, 0, 0),
    "404-retired-model": ("retired-model", None, 0, 0),
    "429-header-only": ("rate-limited", 2.0, 0, 0),
    "429-per-day": ("daily-quota", 41.0, 0, 0),
    "429-per-minute": ("rate-limited", 2.5, 0, 0),
    "500-internal": ("server-error", None, 0, 0),
    "502-html": ("server-error", None, 0, 0),
    "503-overloaded": ("overloaded", None, 0, 0),
}
# Every variable from which a library could read a key or an address by itself.
VARIABLES = [
    f"{provider}_{kind}"
    for provider in ("ANTHROPIC", "GOOGLE", "GEMINI", "GROQ", "MOONSHOTAI", "OLLAMA", "OPENAI", "OPENROUTER", "VLLM")
    for kind in ("API_KEY", "BASE_URL", "AUTH_TOKEN")
]


@dataclass
class Waits:
    """A clock that moves only when somebody sleeps."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        """Note the wait."""
        self.seconds.append(seconds)

    def clock(self) -> float:
        """Seconds slept so far."""
        return sum(self.seconds)

    def pace(self, sleep: Callable[[float], Awaitable[object]] | None = None) -> Pace:
        """Wait like this, with the jitter at half its range."""
        return Pace(sleep or self.sleep, self.clock, lambda: 0.5)


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def situations() -> dict[str, dict[str, Any]]:
    """What the Gemini API answers in situations that go wrong, by file name."""
    if not DATA.is_dir():
        pytest.skip(f"the shared data folder {DATA} is missing")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.json"))}


@dataclass(frozen=True)
class Situation:
    """
    Something that goes wrong, and what is made of it.

    Attributes:
        response: What the Gemini API answers.
        expected: Outcome, seconds the provider asks to wait, tokens in and out.
    """

    response: dict[str, Any]
    expected: Expected


@pytest.fixture
def expected() -> dict[str, Expected]:
    """What is made of each situation, by its name."""
    return EXPECTED


@pytest.fixture(params=EXPECTED)
def situation(request: pytest.FixtureRequest, situations: dict[str, dict[str, Any]]) -> Situation:
    """Each situation in turn."""
    return Situation(situations[request.param], EXPECTED[request.param])


def gemini_says(text: str | None, ended: str, tokens: tuple[int, int]) -> dict[str, Any]:
    """An answer in the form of the Gemini API."""
    parts = [] if text is None else [{"text": text}]
    counts = {"promptTokenCount": tokens[0], "candidatesTokenCount": tokens[1], "totalTokenCount": sum(tokens)}
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": ended, "index": 0}
    return {"candidates": [candidate], "usageMetadata": counts}


def openai_says(text: str | None, ended: str, tokens: tuple[int, int]) -> dict[str, Any]:
    """The same in the form of OpenAI's chat completions."""
    reasons = {"STOP": "stop", "MAX_TOKENS": "length"}
    message = {"role": "assistant", "content": text}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1770000000,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": reasons.get(ended, "content_filter"), "message": message}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }


def anthropic_says(text: str | None, ended: str, tokens: tuple[int, int]) -> dict[str, Any]:
    """The same in the form of Anthropic's messages."""
    reasons = {"STOP": "end_turn", "MAX_TOKENS": "max_tokens"}
    return {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [] if text is None else [{"type": "text", "text": text}],
        "stop_reason": reasons.get(ended, "refusal"),
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }


def openai_refuses(status: int, kind: str, message: str) -> tuple[int, dict[str, Any]]:
    """A refusal in the form of OpenAI's API."""
    codes = {"bad-key": "invalid_api_key", "retired": "model_not_found", "per-day": "insufficient_quota"}
    return (401 if kind == "bad-key" else status), {"error": {"message": message, "code": codes.get(kind)}}


def anthropic_refuses(status: int, kind: str, message: str) -> tuple[int, dict[str, Any]]:
    """A refusal in the form of Anthropic's API, which knows no quota of a day but credit that is used up."""
    if kind == "per-day":
        status, message = 400, "Your credit balance is too low to access the Anthropic API."
    status = {"bad-key": 401, "overloaded": 529}.get(kind, status)
    types = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    error = {"type": types.get(status, "overloaded_error" if kind == "overloaded" else "api_error"), "message": message}
    return status, {"type": "error", "error": error}


SAYS = {"gemini": gemini_says, "openai": openai_says, "anthropic": anthropic_says}
KINDS = {HTTPStatus.NOT_FOUND: "retired", HTTPStatus.SERVICE_UNAVAILABLE: "overloaded"}
REFUSES = {"openai": openai_refuses, "anthropic": anthropic_refuses}
PATHS = {
    "gemini": r"/v1beta/models/[\w.-]+:generateContent",
    "openai": "/v1/chat/completions",
    "anthropic": "/v1/messages",
}


def translated(situation: dict[str, Any], protocol: str) -> dict[str, Any]:
    """Tell a situation of the Gemini API in another protocol; text that is no JSON is the same in all."""
    if protocol == "gemini" or "raw" in situation:
        return situation
    body = situation["body"]
    if "error" in body:
        return refused(situation, protocol)
    counts = body["usageMetadata"]
    candidate = (body.get("candidates") or [{}])[0]
    parts = candidate.get("content", {}).get("parts") or [{}]
    ended = candidate.get("finishReason") or ("SAFETY" if "promptFeedback" in body else "STOP")
    tokens = counts["promptTokenCount"], counts["totalTokenCount"] - counts["promptTokenCount"]
    return {"status": 200, "headers": {}, "body": SAYS[protocol](parts[0].get("text"), ended, tokens)}


def refused(situation: dict[str, Any], protocol: str) -> dict[str, Any]:
    """Tell a refusal in another protocol; they tell a wait in a header, in milliseconds if need be."""
    error = situation["body"]["error"]
    details = error.get("details", [])
    delay = next((detail["retryDelay"] for detail in details if "retryDelay" in detail), None)
    wait = {} if delay is None else {"retry-after-ms": f"{float(delay[:-1]) * 1000:.0f}"}
    kind = KINDS.get(situation["status"], "")
    kind = "bad-key" if "API_KEY_INVALID" in str(details) else "per-day" if "PerDay" in str(details) else kind
    status, body = REFUSES[protocol](situation["status"], kind, error["message"])
    return {"status": status, "headers": situation["headers"] | wait, "body": body}


@dataclass
class FakeProvider:
    """
    Speaks one protocol; answers as scripted, and the last answer repeats.

    Attributes:
        protocol: `gemini`, `openai` or `anthropic`.
        address: Of the server, without a path.
        script: Answers to come, in this protocol's form.
        seen: What was asked.
    """

    protocol: str
    address: str
    script: list[dict[str, Any]] = field(default_factory=list)
    seen: list[Request] = field(default_factory=list)

    def will_answer(self, *values: object) -> None:
        """Script good answers of these values."""
        self.will_write(*(json.dumps(value) for value in values))

    def will_write(self, *texts: str) -> None:
        """Script answers of these texts."""
        said = [SAYS[self.protocol](text, "STOP", (1100, 70)) for text in texts]
        self.script += [{"status": 200, "headers": {}, "body": body} for body in said]

    def will_meet(self, *situations: dict[str, Any]) -> None:
        """Script situations of the Gemini API, told in this protocol."""
        self.script += [translated(situation, self.protocol) for situation in situations]

    def will_drop(self) -> None:
        """Script a connection that ends without an answer."""
        self.script.append(DROPPED)

    def answer(self, request: Request) -> Response:
        """Serve one request."""
        request.get_data()
        self.seen.append(request)
        planned = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if planned is DROPPED:
            request.environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)
            return Response()
        text = planned["raw"] if "raw" in planned else json.dumps(planned["body"])
        return Response(text, planned["status"], {"Content-Type": "application/json", **planned["headers"]})

    @property
    def environ(self) -> dict[str, str]:
        """Key and address for the providers that speak this protocol, none of it in the process's environment."""
        return {
            "gemini": {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": self.address},
            "openai": {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{self.address}/v1"},
            "anthropic": {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": self.address},
        }[self.protocol]

    def ask(self, model: str, environ: Mapping[str, str] | None = None) -> Reply[Answer]:
        """Send one request to *model*."""
        given = self.environ if environ is None else environ
        opened = open_model(model, given)
        if isinstance(opened, Trouble):
            return call.Reply(opened, Used())
        return asyncio.run(call.send(model, opened, PROMPT, Answer, max_output_tokens=MAX_OUTPUT_TOKENS))


@pytest.fixture
def provider(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], FakeProvider]:
    """Start a server that speaks a protocol."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)

    def start(protocol: str) -> FakeProvider:
        fake = FakeProvider(protocol, httpserver.url_for("").rstrip("/"))
        path = re.compile(PATHS[protocol])
        httpserver.expect_request(path, method="POST").respond_with_handler(fake.answer)
        return fake

    return start


@pytest.fixture
def dripping() -> Iterator[str]:
    """Serve an answer that never ends, a byte at a time; gives the address."""
    end = threading.Event()

    def drip(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n"
                )
                while not end.wait(0.02):
                    connection.sendall(b" ")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=[server])
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        end.set()
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
