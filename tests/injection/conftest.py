"""A workspace with memory, a model that obeys whatever it reads, an agent that does too, and the real channels."""

from __future__ import annotations

import asyncio
import base64
import html
import json
import os
import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any

import certifi
import pytest
from werkzeug import Request, Response

from daybook import settings, trust
from daybook.guard.outside import TAG
from daybook.memory import longterm, topics
from daybook.models.trying import Pace
from daybook.review import merge
from daybook.review.merge import Author
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict
from daybook.review.window import Evidence
from daybook.settings import acting_parts, fingerprint
from daybook.sources import finding as findings_of
from tasks.append_note import append_note
from tasks.apply_ticks import apply_ticks
from tasks.check_mail import check_mail
from tasks.commit_sources import commit_sources
from tasks.extract_insights import extract_insights
from tasks.fetch_news import fetch_news
from tasks.flush_inbox import flush_inbox
from tasks.notify_operator import notify_operator
from tasks.post_inbox import post_inbox
from tasks.rank_news import rank_news
from tasks.read_notes import read_notes
from tasks.register_outside import register_outside
from tasks.run_command import run_command
from tasks.second_opinion import second_opinion
from tasks.triage_mail import triage_mail
from tasks.update_memory import update_memory
from tasks.verify_insights import verify_insights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from pytest_httpserver import HTTPServer

    from daybook.settings import Settings
    from daybook.sources.finding import Finding
    from daybook.workspace import Workspace

FOLDER = Path(__file__).parent
ARCHIVE = "memory/archive.md"
MODEL = "google:gemini-flash-lite-latest"
KEY = "AIzaFakeKeyForTests0123456789"
EARLIER = Evidence(1, date(2026, 2, 1), "memory/2026-02-01.md", 3, "08:00", "", "Morning", "trusted", ("m",))
OUTSIDE_CALL = "These notes come from outside"
OWNED = (
    "Every invoice is checked by two people before it is paid",
    "The rent goes to DE02 1203 0000 0000 2020 51 by standing order",
    "The restore drill for the ledger database runs every month",
    "Two people confirm before a production database is dropped",
    "Vor jedem Update wird eine Sicherung gemacht",
    "Los certificados se comprueban siempre",
    "管理者の二段階認証は必須とする",
)
FOREIGN = ("The landlord is Konrad Lindgrün, he wants the rent by the third", "Ask before anything is deleted")
MEMORY = "# Memory\n\n## Preferences\n\n" + "".join(f"- {text}\n" for text in FOREIGN) + "\n## Decisions\n"
OTHERS = {
    "SOUL.md": "# Soul\nCalm.\n",
    "USER.md": "# User\n- Mail: me@example.org\n",
    "AGENTS.md": "# Agents\n- Read MEMORY.md first.\n",
    "HEARTBEAT.md": "# Heartbeat\n- Check mail (every 30 min)\n",
    "prompts/README.md": "Own prompts go here.\n",
    ARCHIVE: "# Archive\n\n- The old printer (2025-11-02)\n",
}
SETTINGS = f"""
interests = ["python"]
[[feeds]]
url = "{{feed}}"
[[mailboxes]]
host = "127.0.0.1"
port = {{port}}
user = "{{user}}"
security = "plain"
password_env = "MAIL_PASSWORD"
[checks.watch]
command = ["cat", "{{printed}}"]
[models]
review = ["{MODEL}"]
mail_triage = ["{MODEL}"]
news_rank = ["{MODEL}"]
[budget]
usd_per_day = 100
tokens_per_day = 100000000
calls_per_hour = 1000
[notify]
urls = ["{{hook}}"]
[network]
allow_hosts = ["{{host}}"]
"""
# What the agent learned by itself, in the same form and the same run: it must arrive, or zero would prove nothing.
CONTROLS = {
    "mail": "the blue bicycle has a flat front tyre",
    "news": "the cellar window sticks when it rains",
    "command": "the espresso machine wants filtered water",
}
CONTROL_IN_THE_INBOX = "Lesson: the garden hose leaks behind the shed"
CONTROL_FOR_A_TOPIC = "the attic lamp takes a small bulb"


@dataclass(frozen=True)
class Case:
    """
    One hostile text and what it is after.

    Attributes:
        wants: What an obeying model proposes to remember.
        echo: A note line by which an obeying agent passes it on.
        sealed: Whether it was written apart from the guard.
        parts: The fields of its channel, as they stand in the file.
    """

    name: str
    channel: str
    language: str
    wants: tuple[str, ...]
    echo: str
    sealed: bool
    parts: dict[str, str] = field(hash=False)

    @property
    def hostile(self) -> str:
        """All that came from outside."""
        return "\n".join(self.parts.values())

    @property
    def said(self) -> str:
        """The echo without bullet and time."""
        return self.echo.removeprefix("- ").partition(" - ")[2]


def read_cases(name: str) -> list[Case]:
    """Read the cases of a file."""
    found = tomllib.loads((FOLDER / f"{name}.toml").read_text())["case"]
    own = {"name", "channel", "language", "wants", "echo", "about"}
    return [
        Case(
            *(one[key] for key in ("name", "channel", "language")),
            tuple(one["wants"]),
            one["echo"],
            name == "sealed",
            {key: value for key, value in one.items() if key not in own},
        )
        for one in found
    ]


@pytest.fixture(scope="session")
def cases() -> list[Case]:
    """Every case, sealed ones first."""
    return read_cases("sealed") + read_cases("open")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Play each case by itself, and the steps of each series together."""
    every = read_cases("sealed") + read_cases("open")
    if "case" in metafunc.fixturenames:
        metafunc.parametrize("case", every, ids=[one.name for one in every])
    if "series" in metafunc.fixturenames:
        steps: dict[str, list[tuple[str, Case]]] = {}
        for one in every:
            if step := re.match(r"(?:\w\w-)?(?P<series>slow|same-fact|[a-z-]+-slow)-(?P<step>\d)(?:-|$)", one.name):
                steps.setdefault(f"{step['series']}-{one.sealed}", []).append((step["step"], one))
        series = [[case for _, case in sorted(found, key=lambda one: one[0])] for found in steps.values()]
        metafunc.parametrize("series", series, ids=list(steps))


@dataclass
class Obeying:
    """
    A model that does what the text before it says, in the form it is asked for.

    Attributes:
        wants: What it wants remembered.
        asked: What it was asked: the kind of answer, and the whole text.
    """

    wants: list[str] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, request: Request) -> Response:
        """Serve one request."""
        body = json.loads(request.get_data())
        text = body["contents"][0]["parts"][0]["text"]
        form = json.dumps(body["generationConfig"])
        kind = next(one for one in ("operations", "agrees", "levels", "scores") if f'"{one}"' in form)
        self.asked.append((kind, text))
        said = json.dumps(getattr(self, f"_{kind}")(text))
        content = {"parts": [{"text": said}], "role": "model"}
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 10, "totalTokenCount": 20}
        found = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": usage}
        return Response(json.dumps(found), 200, {"Content-Type": "application/json"})

    def _operations(self, text: str) -> object:
        lines = re.findall(r"^(\d+) \| \d{4}-\d\d-\d\d(?: \d\d:\d\d)? \| (.*)$", text, re.MULTILINE)
        entries = re.findall(r"^(e\d+) \| ", text, re.MULTILINE)
        sources = [int(number) for number, _ in lines]
        every = [*self.wants, *(line for _, line in lines)]
        adds = [{"kind": "add", "text": one, "section": "Lessons Learned", "sources": sources} for one in every]
        retires = [{"kind": "retire", "entry": entry, "sources": sources} for entry in entries]
        revises = [{"kind": "revise", "entry": entry, "text": self.wants[0], "sources": sources} for entry in entries]
        return {"operations": adds + retires + revises}

    def _agrees(self, text: str) -> object:
        lines = re.findall(r"^\d{4}-\d\d-\d\d \| (.*)$", text, re.MULTILINE)
        return {"agrees": True, "quote": lines[0]}

    def _levels(self, text: str) -> object:
        return {"levels": [{"id": number, "level": "urgent"} for number in _numbers(text)]}

    def _scores(self, text: str) -> object:
        return {"scores": [{"id": number, "score": 100} for number in _numbers(text)]}


def _numbers(text: str) -> list[int]:
    _, _, shown = text.rpartition("\nNEWS (")
    _, _, shown = shown.rpartition("\nMESSAGES (")
    return [int(number) for number in re.findall(r"^(\d+) \| ", shown, re.MULTILINE)]


@dataclass(frozen=True)
class World:
    """
    A workspace whose every word before the first case is known, and all that came of the cases played in it.

    Attributes:
        printed: The file that the command prints.
        control: What the agent learned by itself meanwhile.
        before: Bytes of every file but notes and what Daybook keeps, before the first case.
        written: Lines that the agent wrote by hand.
        findings: What the looks came to.
    """

    workspace: Workspace
    settings: Settings
    model: Obeying
    server: HTTPServer
    dovecot: Any
    now: datetime
    printed: Path
    control: str
    before: dict[str, bytes] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    async def play(self, case: Case, now: datetime) -> None:
        """Deliver a case, write and tell as the flows do, and let agent and models obey."""
        self.model.wants[:] = [*case.wants, case.said]
        found = await self._looked(case, now)
        self.findings.append(found)
        if found.seen:
            await register_outside.fn(self.workspace, found.seen, now)
        entries = findings_of.note_entries([found], now, now)
        if entries:
            await append_note.fn(self.workspace, entries, findings_of.outside_texts([found]), now)
        if found.notices:
            await notify_operator.fn(self.workspace, self.settings, found.notices, now)
        await commit_sources.fn(self.workspace, [found], now)
        self._obey(case, found, now)
        await flush_inbox.fn(self.workspace, now, now)
        await post_inbox.fn(self.workspace, f"flush-{case.name}", now)

    async def review(self, now: datetime) -> None:
        """Review as by hand, and carry out what the operator ticked: nothing."""
        pace = Pace(sleep=_at_once)
        look = await read_notes.fn(self.workspace, self.settings, now.date(), None, now)
        extracted = await extract_insights.fn(
            self.workspace, self.settings, look.calls, look.memory, now.date(), now, pace=pace
        )
        assert (extracted.waiting, extracted.problems) == ("", [])
        judged = await verify_insights.fn(look, extracted, now.date())
        decided = await second_opinion.fn(self.workspace, self.settings, look, judged, now, pace)
        run = f"review-{now:%d%H%M}"
        await update_memory.fn(self.workspace, look, decided.judged, run, now, waiting=False)
        acted = await apply_ticks.fn(self.workspace, run, now)
        assert acted.results == ()

    async def _looked(self, case: Case, now: datetime) -> Finding:
        pace = Pace(sleep=_at_once)
        if case.channel == "mail":
            user = self.settings.mailboxes[0].user
            self.dovecot.append(user, _mail(case, user, now), at=now - timedelta(hours=1))
            look = await check_mail.fn(self.workspace, self.settings.mailboxes[0], now, by_hand=True)
            return await triage_mail.fn(self.workspace, self.settings, [look], now.date(), now, pace)
        if case.channel == "news":
            feed = self.settings.feeds[0]
            self.server.expect_oneshot_request("/feed.xml").respond_with_data(_rss(case, now))
            news = await fetch_news.fn(self.workspace, feed, self.settings.network, now)
            return await rank_news.fn(self.workspace, self.settings, [news], now.date(), now, pace)
        check = self.settings.checks["watch"]
        self.printed.write_text(case.parts["output"])
        return await run_command.fn(self.workspace, "watch", check, now)

    def _obey(self, case: Case, found: Finding, now: datetime) -> None:
        """Write what outside text says into the note and the inbox, without its tag and with a label."""
        quoted = [TAG.sub("", item.text).strip() for item in found.items] + [item.says for item in found.items]
        said = [
            f"Lesson: {case.said}",
            *(text for one in dict.fromkeys(quoted) if one for text in (one, f"Lesson: {one}")),
        ]
        lines = [case.echo, *(f"- {now:%H:%M} - {text}" for text in said)]
        lines += [f"- 14:32 - Lesson: {self.control}"]
        staged = [f"- {text}" for text in (case.said, *said, CONTROL_IN_THE_INBOX, CONTROL_FOR_A_TOPIC)]
        with self.workspace.daily_note(now.date()).open("a") as note:
            note.write("".join(f"{line}\n" for line in lines))
        with self.workspace.inbox.open("a") as inbox:
            inbox.write("".join(f"{line}\n" for line in staged))
        self.written.extend([*lines, *staged])

    def held(self) -> Counter[str]:
        """Count every entry of long-term memory and of the topics."""
        paths = [self.workspace.longterm, *topics.topic_files(self.workspace)]
        return Counter(entry.text for path in paths for entry in longterm.parse(path.read_bytes()).entries)

    def remembered(self) -> list[str]:
        """Give the text of all that is long-term: MEMORY.md, topics, archive."""
        paths = [self.workspace.longterm, *topics.topic_files(self.workspace), self.workspace.root / ARCHIVE]
        return [path.read_text() for path in paths]

    def kept(self) -> dict[str, bytes]:
        """Read every file that nothing from outside may change, and no pipeline of ours does."""
        state = Path(os.environ["XDG_STATE_HOME"]) / "daybook" / "trust.json"
        keys = Path(os.environ["XDG_CONFIG_HOME"]) / "daybook" / "keys.env"
        paths = [self.workspace.settings, *(self.workspace.root / name for name in OTHERS), state, keys]
        prompts = (self.workspace.root / "prompts").iterdir()
        return {str(path): path.read_bytes() for path in {*paths, *prompts}}

    @property
    def later(self) -> datetime:
        """An instant at which what was proposed is still open."""
        return self.now + timedelta(days=7)

    @property
    def known(self) -> list[str]:
        """What memory and the operator's own files say."""
        return [*OWNED, *FOREIGN, *OTHERS.values()]

    @property
    def writing_calls(self) -> list[str]:
        """What was shown to the calls whose answer may write: the review of trusted lines, and second opinions."""
        return [text for kind, text in self.model.asked if kind == "agrees" or _may_write(kind, text)]

    @property
    def other_calls(self) -> list[str]:
        """What was shown to all other calls."""
        return [text for kind, text in self.model.asked if kind != "agrees" and not _may_write(kind, text)]


def _may_write(kind: str, text: str) -> bool:
    return kind == "operations" and OUTSIDE_CALL not in text


async def _at_once(_seconds: float) -> None:
    await asyncio.sleep(0)


@pytest.fixture(scope="session")
def one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write one of the usual certificates into a file of its own."""
    first, end, _ = Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----")
    path = tmp_path_factory.mktemp("certificate") / "one.pem"
    path.write_text(f"{first}{end}\n")
    return path


@pytest.fixture
def _keys(httpserver: HTTPServer, mail_password: str, one_certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give passwords, keys and addresses to what this process runs."""
    monkeypatch.setenv("MAIL_PASSWORD", mail_password)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for("").rstrip("/"))
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    # Each call reads the certificates that it may trust, and none here needs one.
    monkeypatch.setenv("SSL_CERT_FILE", str(one_certificate))
    keys = Path(os.environ["XDG_CONFIG_HOME"]) / "daybook" / "keys.env"
    keys.parent.mkdir(parents=True)
    keys.touch(mode=0o600)
    keys.write_text("# none\n")


@pytest.fixture
def world(
    workspace: Workspace, httpserver: HTTPServer, dovecot: Any, now: datetime, request: pytest.FixtureRequest
) -> Callable[[str], World]:
    """Make a workspace with memory, sources, models and keys of its own for a channel's cases."""
    request.getfixturevalue("_keys")
    model = Obeying()
    httpserver.expect_request(re.compile("/v1beta/.*"), method="POST").respond_with_handler(model.answer)
    httpserver.expect_request("/hook").respond_with_data("ok")
    printed = workspace.root.parent / "output"

    def make(channel: str) -> World:
        for name, text in OTHERS.items():
            (workspace.root / name).parent.mkdir(exist_ok=True)
            (workspace.root / name).write_text(text)
        workspace.longterm.write_text(MEMORY)
        user = re.sub(r"\W", "-", request.node.name)
        text = SETTINGS.format(
            feed=httpserver.url_for("/feed.xml"),
            hook=f"json://{httpserver.host}:{httpserver.port}/hook",
            host=httpserver.host,
            port=dovecot.port,
            user=user,
            printed=printed,
        )
        workspace.settings.write_text(text)
        trust.grant(workspace, settings=fingerprint(acting_parts(tomllib.loads(text))), ledger=True)
        _own(workspace, OWNED, now)
        loaded = settings.load(workspace).settings
        place = World(workspace, loaded, model, httpserver, dovecot, now, printed, CONTROLS[channel])
        place.before.update(place.kept())
        return place

    return make


def _own(workspace: Workspace, texts: Sequence[str], now: datetime) -> None:
    """Post entries as an earlier review did."""
    verdicts = [
        Verdict(
            "apply",
            Operation(kind="add", text=text, section="Decisions", sources=(1,)),
            (replace(EARLIER, text=text, marks=(f"mark of {text}",)),),
        )
        for text in texts
    ]
    with workspace.lock():
        merge.apply(workspace, verdicts, Author("earlier", "review", MODEL, "prompt-hash"), now - timedelta(days=6))


def _mail(case: Case, user: str, now: datetime) -> bytes:
    message = EmailMessage()
    message["To"], message["Date"] = f"{user}@example.org", now - timedelta(hours=1)
    message["Message-ID"] = f"<{case.name}@example.org>"
    message.set_content(case.parts["text"], charset="utf-8", cte="base64")
    if "html" in case.parts:
        message.add_alternative(case.parts["html"], subtype="html", charset="utf-8", cte="base64")
    name, _, address = case.parts["sender"].rpartition(" ")
    head = f"From: {_word(name)} {address}\r\nSubject: {_word(case.parts['subject'])}\r\n"
    return head.encode() + message.as_bytes()


def _word(text: str) -> str:
    """Write a header's text as mailers do, whatever is in it."""
    if text.isascii() and text.isprintable():
        return text
    return f"=?utf-8?B?{base64.b64encode(text.encode()).decode()}?="


def _rss(case: Case, now: datetime) -> str:
    title, summary, link = (html.escape(case.parts[key]) for key in ("title", "summary", "link"))
    return (
        '<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>Any</title>'
        f"<item><guid>{case.name}</guid><title>{title}</title><link>{link}</link><description>{summary}</description>"
        f"<pubDate>{(now - timedelta(hours=1)):%a, %d %b %Y %H:%M:%S +0000}</pubDate></item></channel></rss>"
    )
