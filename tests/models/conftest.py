"""A workspace, a clock without waiting, and a server that answers like the Gemini API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from daybook.workspace import Workspace, make_id, open_workspace

if TYPE_CHECKING:
    from pytest_httpserver import HTTPServer

MODEL = "google:gemini-flash-lite-latest"
KEY = "AIzaFakeKeyForTests0123456789"
DATA = Path(__file__).parents[3] / "shared" / "data" / "gemini"


@dataclass
class FakeGemini:
    """
    Answers requests in the order scripted; the last answer repeats.

    Attributes:
        script: Answers to come: status, headers, and body (JSON) or raw (text).
        bodies: What was asked, parsed.
        headers: Headers of what was asked.
    """

    script: list[dict[str, Any]] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def will_say(self, *answers: object, status: int = 200, headers: dict[str, str] | None = None) -> None:
        """Script successful answers of these values, each as the text of one candidate."""
        self.script += [{"status": status, "headers": headers or {}, "body": candidate(answer)} for answer in answers]

    def will_send(self, *responses: dict[str, Any]) -> None:
        """Script whole responses."""
        self.script += responses

    @property
    def prompts(self) -> list[str]:
        """The texts that were asked."""
        return [body["contents"][0]["parts"][0]["text"] for body in self.bodies]

    def answer(self, request: Request) -> Response:
        """Serve one request."""
        self.bodies.append(json.loads(request.get_data()))
        self.headers.append(dict(request.headers))
        planned = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        text = planned["raw"] if "raw" in planned else json.dumps(planned["body"])
        return Response(text, planned["status"], {"Content-Type": "application/json", **planned["headers"]})


def candidate(answer: object) -> dict[str, Any]:
    """A successful answer as the Gemini API sends it."""
    return {
        "candidates": [
            {
                "content": {"parts": [{"text": json.dumps(answer)}], "role": "model"},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {"promptTokenCount": 1100, "candidatesTokenCount": 70, "totalTokenCount": 1170},
        "modelVersion": "gemini-flash-lite-latest",
    }


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


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "workspace"
    root.mkdir()
    make_id(root)
    return open_workspace(str(root))


@pytest.fixture
def gemini(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> FakeGemini:
    fake = FakeGemini()
    name = MODEL.partition(":")[2]
    httpserver.expect_request(f"/v1beta/models/{name}:generateContent", method="POST").respond_with_handler(fake.answer)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    return fake


@pytest.fixture
def situations() -> dict[str, dict[str, Any]]:
    """What the Gemini API answers in situations that go wrong, by file name."""
    if not DATA.is_dir():
        pytest.skip(f"the shared data folder {DATA} is missing")
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(DATA.glob("*.json"))}
