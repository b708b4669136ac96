"""A workspace on real files, a fixed clock, and a server that answers like the Gemini API."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from daybook import adoption

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
KEY = "AIzaFakeKeyForTests0123456789"
NOW = datetime(2026, 2, 7, 14, 30, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _own_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees this machine's state, zone, workspace or keys."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TZ", "UTC")
    for name in ("DAYBOOK_WORKSPACE", "DAYBOOK_MACHINE", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A new workspace, at home on this machine."""
    return adoption.adopt(tmp_path / "workspace", NOW).workspace


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


@pytest.fixture
def gemini(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> FakeGemini:
    fake = FakeGemini()
    name = MODEL.partition(":")[2]
    httpserver.expect_request(f"/v1beta/models/{name}:generateContent", method="POST").respond_with_handler(fake.answer)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    return fake
