"""Cases of one's own, the command in this process, and a model that answers what it can read in the prompt."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from daybook.cli import entry
from daybook.evaluation import evaluate as evaluating
from daybook.evaluation import inputs, loading, recording, saved
from daybook.evaluation.cases import ReviewCase
from daybook.evaluation.wishes import Wish
from daybook.prompts.finding import PACKAGED_DIR
from daybook.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.evaluation.evaluate import Evaluation
    from daybook.models.choice import Purpose
    from daybook.workspace import Workspace

READER = "google:gemini-reader"
MAIL = """
[[case]]
name = "boiler"
language = "en"
about = "It leaks now."
traps = ["urgent-without-the-word"]
date = 2026-02-07
messages = [{ name = "Ben", address = "ben@example.org", subject = "The boiler", text = "It is leaking." }]
expect = ["urgent"]

[[case]]
name = "two-letters"
language = "de"
about = "One asks, the other tells."
date = 2026-02-07
messages = [
    { name = "Ann", address = "ann@example.org", subject = "Schlüssel", text = "Bring ihn bitte am Montag mit." },
    { name = "Ute", address = "ute@example.org", subject = "Erledigt", text = "Der Zaun steht." },
]
expect = ["needs-answer", "information"]
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object it printed."""
        return json.loads(self.out)


@pytest.fixture
def command(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `daybook prompts eval` in this process, away from any terminal."""

    def run(*arguments: str) -> Ran:
        capsys.readouterr()
        code = entry.main(["--workspace", str(workspace.root), "prompts", "eval", *arguments])
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return run


@pytest.fixture
def own(workspace: Workspace) -> Callable[..., Path]:
    """Write a file of cases into the workspace."""

    def write(text: str = MAIL, prompt: str = "mail_triage", name: str = "mine") -> Path:
        path = workspace.prompts_dir / "cases" / prompt / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def only_own(own: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try two cases of mail and nothing that comes with Daybook, so that every request of a model is in sight."""
    for module in (loading, recording):
        monkeypatch.setattr(module, "PACKAGED_DIR", tmp_path / "no-package")
    monkeypatch.setattr(saved, "SHIPPED", tmp_path / "no-package" / "baseline.json")
    own()


@pytest.fixture
def evaluate(workspace: Workspace, now: datetime) -> Callable[..., Evaluation]:
    """Try the cases of a prompt."""

    def run(
        prompt: Purpose = "mail_triage",
        wish: Wish | None = None,
        settings: Settings | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> Evaluation:
        wanted, usable, instant = wish or Wish(), settings or Settings(), clock or (lambda: now)
        found = asyncio.run(evaluating.evaluate(workspace, usable, prompt, instant, wanted))
        assert found is not None
        return found

    return run


@pytest.fixture
def few_reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try six of the packaged cases of reviews, since a model takes its time, and no saved result."""
    packaged, few = PACKAGED_DIR / "cases" / "review", tmp_path / "few" / "cases" / "review"
    shutil.copytree(packaged / "recorded", few / "recorded")
    comment, *cases = (packaged / "sealed.toml").read_text().split("[[case]]")
    (few / "sealed.toml").write_text("[[case]]".join([comment, *cases[:6]]))
    for module in (loading, recording):
        monkeypatch.setattr(module, "PACKAGED_DIR", tmp_path / "few")
    monkeypatch.setattr(saved, "SHIPPED", tmp_path / "few" / "baseline.json")


@dataclass
class Reader:
    """A model that knows the hand-written answers to reviews, and gives one where it is shown the lines."""

    workspace: Workspace
    asked: list[str] = field(default_factory=list)

    def answer(self, request: Request) -> Response:
        """Serve one request."""
        text = json.loads(request.get_data())["contents"][0]["parts"][0]["text"]
        self.asked.append(text)
        parts = [{"text": self._answer(text)}]
        counts = {"promptTokenCount": 1100, "candidatesTokenCount": 70, "totalTokenCount": 1170}
        candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
        body = {"candidates": [candidate], "usageMetadata": counts}
        return Response(json.dumps(body), 200, {"Content-Type": "application/json"})

    def _answer(self, text: str) -> str:
        recorded = recording.read(self.workspace, "review", "hand")
        assert recorded is not None
        for one in loading.cases_of(self.workspace, "review"):
            assert isinstance(one.case, ReviewCase)
            if all(line.text in text for line in inputs.evidence(one.case)):
                return recorded.answers[one.case.name]
        return '{"operations": []}'


@pytest.fixture
def reader(gemini: object, httpserver: HTTPServer, workspace: Workspace) -> Reader:
    assert gemini
    fake = Reader(workspace)
    path = f"/v1beta/models/{READER.partition(':')[2]}:generateContent"
    httpserver.expect_request(path, method="POST").respond_with_handler(fake.answer)
    return fake
