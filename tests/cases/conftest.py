"""A folder that Daybook did not write, with a file of every shape that people's folders have."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DAYBOOK = str(Path(sys.executable).with_name("daybook"))
DEADLINE_S = 180
LARGE = 1_000_000
FLOWS = ("inbox-flush", "review", "review", "heartbeat", "daily-note")
RUN = f"""
import sys
from daybook import settings
from daybook.workspace import open_workspace
from deployments.client import session
workspace = open_workspace(sys.argv[1])
with session(workspace, settings.load(workspace).settings, progress=lambda line: None) as run:
    for name in {FLOWS}:
        print(run(name, {{}}).model_dump_json(), flush=True)
"""
MEMORY = (
    b"\xef\xbb\xbf---\r\ntitle: mine\r\n---\r\n# Memory \xf0\x9f\xa7\xa0\r\n\r\n## Lessons\r\n\r\n"
    b"<!-- id: 7f -->\r\n- **Router**: lives in the hall\r\n  - nested, with `code`\r\n    wrapped text\r\n"
    b"* an odd byte \xff and a NUL \x00 here\r\n\r\n## Notes\r\n\r\n| what | where |\r\n| --- | --- |\r\n"
    b"| key | drawer |\r\n\r\n~~~sh\r\n# not a heading\r\n- not an entry\r\n~~~\r\n\r\n## Lessons\r\n\r\n"
    b"+ the same heading again\r\n\r\n## \xe4\xb8\x8b\xe5\x8d\x88 3:20 \xe6\x95\xb4\xe7\x90\x86\r\n\r\n"
    b"- no final newline"
)
HEARTBEAT = b"""# Heartbeat
- Check mail (every 30 min)
**Frequency:** 1x per week (Friday)
- [x] Backup if >4h since last
| check | every |
| --- | --- |
| mail | 30 min |
<!-- only a comment
"""
STATE = {
    "lastChecks": {
        "email": 1_772_000_000,
        "calendar": "2026-03-01 09:00",
        "weather": None,
        "backup": "some time last week",
        "news": "99999-01-01T00:00:00Z",
        "review": 4_102_444_800,
    },
    "mood": {"today": "fine"},
}


def note_shapes() -> dict[str, bytes]:
    """Give note files by name; `{N}` in a name stands for the date that many days ago."""
    return {
        "{2}-session.md": b"# Session: 2026-03-01 08:00:00 UTC\n\n- **Session Key**: main\n\nuser: hi\n"
        b"assistant: Lesson: dumped lessons are no lessons at all.\n",
        "{3}.md": b"## Afternoon\nConversation info (untrusted metadata):\n```json\n"
        b'{"text": "Lesson: envelopes are never opened here."}\n```\n'
        b"- 14:00 - Decision: envelopes are kept for a year.\n",
        "{4}.md": b"user: Read HEARTBEAT.md and follow it: Lesson: captured prompts are kept.\n"
        b"assistant: HEARTBEAT_OK\n",
        "{5}.md": b"".join(b"- %02d:%02d - Heartbeat ran, all fine.\n" % divmod(n * 30, 60) for n in range(20)),
        "{6}.md": b"# Day\n\n# Day\n\n## Notes\n- 10:00 - Lesson: paint dries slower in the cold garage.\n\n## Notes\n"
        b"- 11:00 - Bought paint.\n",
        "{7}.md": b"## Garden plan (~14:30 UTC)\n- Decision: roses go to the southern wall.\n"
        b"### 9:15 PM \xe2\x80\x93 10:40 PM CST\n- watered everything\n",
        "{8}.md": "## 下午 3:20 整理\n- 决定：每周五备份照片。\n- Пример: проверить насос\n- 🌱 planted\n".encode(),
        "{9}.md": b"```\n# inside\n- Lesson: fenced lines are none.\n```\n~~~\n- Lesson: tilde fences hold none.\n~~~\n"
        b"````\n```\n- Lesson: four ticks are one fence.\n````\n"
        b"- 09:00 - sorted the shed\n```\n- Lesson: open fences hold none.\n",
        "{10}.md": b"- **Kitchen** lead-in:\n  - nested bullet one\n  - Lesson: the oven runs ten degrees\n"
        b"    hotter than its dial says.\n\nWrapped prose that\ngoes on.\n",
        "{11}.md": b"| what | where |\n| --- | --- |\n| spare key | drawer |\n| fuse box | cellar |\n",
        "{12}.md": b"<!-- entry: 1 -->\n- 08:00 - marked by a comment\n"
        b"<!--\n- Lesson: comments hold no lessons.\n-->\n",
        "{13}.md": b"---\ntags: [x]\nlesson: front matter is none\n---\n- 07:00 - Decision: front doors get new locks.",
        "{14}.md": b"- plain file of the date\n",
        "{14}-0930.md": b"- 09:30 - Lesson: half past nine files are read too.\n",
        "{14}-garden.md": b"- topic file of the date\n",
        "archive/{14}.md": b"- Lesson: archives are left alone for good.\n",
        "daily/{15}.md": b"- 12:00 - Decision: daily folders count as notes.\n",
        "{16}.md": b"- a long note\n" + b"word and more words to fill it up, until there are many. " * 4_100 + b"\n",
        "{17}.md": b"\xef\xbb\xbf# BOM\r\n- 06:00 - line with CRLF\r\n- bad byte \xff\r\n- NUL \x00 here\r\n",
        "{18}.md": b"",
        "заметки.md": "- не дата\n".encode(),
        "{19}-会議-🌱.md": "## 会議\n- 猫が好き\n".encode(),
        "topics/🌱.md": "# 🌱\n\n- grows\n".encode(),
        "export.md": b"- exported line number one of many\n" * 300_000,
    }


@dataclass(frozen=True)
class Foreign:
    """
    The folder, and all that happened in it.

    Attributes:
        root: The folder.
        today: The date it all happened on.
        before: Every file's bytes before anything of ours ran.
        after: Likewise afterwards.
        records: What the runs came to, in the order of FLOWS.
        outputs: What the commands said, by name.
    """

    root: Path
    today: date
    before: dict[str, bytes]
    after: dict[str, bytes]
    records: list[dict[str, Any]] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)

    @property
    def memory(self) -> str:
        """MEMORY.md as it is now."""
        return self.after["MEMORY.md"].decode("utf-8", "replace")

    def name(self, days_ago: int) -> str:
        """Name of the plain note of a date."""
        return f"memory/{self.today - timedelta(days=days_ago)}.md"


def written(today: date) -> dict[str, bytes]:
    """Give every file of the folder by name, for a day that it was last written on."""
    files = {f"memory/{name}": data for name, data in note_shapes().items()}
    files |= {"MEMORY.md": MEMORY, "HEARTBEAT.md": HEARTBEAT, "SOUL.md": b"", "AGENTS.md": b"\xff\xfe odd\r\n"}
    files["memory/heartbeat-state.json"] = json.dumps(STATE, indent=4).encode()
    files["memory/_inbox.md"] = b"# Inbox\n- Lesson: inbox lines reach memory at once.\n* [ ] fetch the ladder\n"
    files["memory/{0}.md"] = b"## Morning\r\n- 08:00 - no final newline"
    dated = {}
    for name, data in files.items():
        for days in range(20):
            name = name.replace(f"{{{days}}}", f"{today - timedelta(days=days)}")  # noqa: PLW2901 - filled in
        dated[name] = data
    return dated


def assemble(root: Path, today: date) -> None:
    """Write the folder."""
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir(parents=True)
    (elsewhere / "note.md").write_bytes(b"- Lesson: other folders are not read.\n")
    for name, data in written(today).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (root / "memory" / f"{today - timedelta(days=1)}.md").symlink_to(elsewhere / "note.md")
    (root / "memory" / "linked").symlink_to(elsewhere)
    (root / "memory" / "topics" / "linked.md").symlink_to(elsewhere / "note.md")
    os.mkfifo(root / "memory" / f"{today - timedelta(days=1)}-fifo.md")


def snapshot(root: Path) -> dict[str, bytes]:
    """Read every regular file, links and FIFOs left out."""
    paths = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths if "linked" not in path.parts}


def call(root: Path, state: Path, *command: str) -> str:
    """Run a command of ours in the folder; its output. It must succeed, and never with a traceback."""
    environment = os.environ | {"XDG_STATE_HOME": str(state), "TZ": "UTC"}
    done = subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=DEADLINE_S, check=False
    )
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Foreign]:
    """Adopt the folder, flush, review twice, beat, roll up, and read it; all for real, once."""
    base = tmp_path_factory.mktemp("foreign")
    root, state = base / "folder", base / "state"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("DAYBOOK_WORKSPACE", "DAYBOOK_MACHINE", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
            patch.delenv(name, raising=False)
        today = datetime.now(UTC).date()
        assemble(root, today)
        before = snapshot(root)
        outputs = {"init": call(root, state, DAYBOOK, "init", ".")}
        lines = call(root, state, sys.executable, "-P", "-c", RUN, str(root)).splitlines()
        for name in ("context", "status"):
            outputs[name] = call(root, state, DAYBOOK, name)
        outputs["main"] = call(root, state, DAYBOOK, "context", "--main")
        outputs["state"] = call(root, state, DAYBOOK, "status", "--json")
        yield Foreign(root, today, before, snapshot(root), [json.loads(line) for line in lines], outputs)


@pytest.fixture
def shapes() -> Callable[[date], dict[str, bytes]]:
    """Give the folder's files by name, for a day that they were last written on; without the one of ten megabytes."""

    def dated(today: date) -> dict[str, bytes]:
        files = {name: data for name, data in written(today).items() if len(data) < LARGE}
        return {name: data for name, data in files.items() if "heartbeat-state" not in name}

    return dated


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., str]:
    """Run `daybook` in a folder; it must succeed, and its output is given."""

    def run(root: Path, *arguments: str) -> str:
        return call(root, tmp_path / "state", DAYBOOK, *arguments)

    return run
