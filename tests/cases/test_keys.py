"""A key goes to its provider and nowhere else: into no file, record, log or artifact, and to no child."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from daybook import clock
from daybook.models import keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

DAYBOOK = str(Path(sys.executable).with_name("daybook"))
DEADLINE_S = 180
IN_ENVIRONMENT = "AIzaFakeKeyOfTheEnvironment01234567"
IN_FILE = "sk-fake-key-of-the-file-0123456789abcdef"
WITHOUT_SHAPE = "zebra9quilt7marble3"
KEYS = (IN_ENVIRONMENT, IN_FILE, WITHOUT_SHAPE)
# Counts the keys in its own environment and in the arguments of every process; only their bytes' numbers name them.
LOOK = f"""
import pathlib
seen = [pathlib.Path("/proc/self/environ").read_bytes()]
for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
    try:
        seen.append(path.read_bytes())
    except OSError:
        pass
keys = [bytes(numbers) for numbers in {[list(key.encode()) for key in KEYS]}]
print("hits", sum(key in text for key in keys for text in seen), "of", len(seen) > 5)
"""


def files_with(folder: Path, *secrets: str) -> Iterator[str]:
    """Name every file that holds one of the secrets, in plain or as a database's text."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink() and any(key.encode() in path.read_bytes() for key in secrets):
            yield path.relative_to(folder).as_posix()


@pytest.fixture
def keyed(
    workspace: Workspace, httpserver: HTTPServer, settle: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> Workspace:
    """A workspace with keys in the environment and in the file, a provider that repeats them, and a curious check."""
    keys.path().parent.mkdir(parents=True)
    keys.path().write_text(f"OPENAI_API_KEY={IN_FILE}\nOPENAI_BASE_URL={httpserver.url_for('/v1')}\n")
    keys.path().chmod(0o600)
    monkeypatch.setenv("GEMINI_API_KEY", IN_ENVIRONMENT)
    monkeypatch.setenv("SOME_TOKEN", WITHOUT_SHAPE)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", httpserver.url_for("").rstrip("/"))
    said = f"odd request of {' and '.join(KEYS)}"
    refused = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": said}}
    httpserver.expect_request("/v1beta/models/gemini-a:generateContent").respond_with_json(refused, status=400)
    httpserver.expect_request("/v1/chat/completions").respond_with_json({"error": {"message": said}}, status=400)
    command = json.dumps([sys.executable, "-c", LOOK])
    settle(
        'timezone = "UTC"\n[models]\nreview = ["google:gemini-a", "openai-chat:b"]\n'
        f'[checks.look]\ncommand = {command}\nevery = "1h"\n'
    )
    return workspace


def run(workspace: Workspace, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [DAYBOOK, "--workspace", str(workspace.root), *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
        env=dict(os.environ),
    )


@pytest.mark.usefixtures("migrated_database")
def test_c9_a_key_is_in_no_file_output_record_or_child(keyed: Workspace, tmp_path: Path) -> None:
    """
    Two models refuse, and repeat the keys as they do; a check prints its environment and everybody's arguments.

    Turns red if an error's text, a record, a log, Prefect's database or a command's environment holds a key.
    """
    today = clock.now_utc().date()
    keyed.daily_note(today).write_text("## Morning\n- 09:10 - Decided to keep the photo archive on the NAS.\n")
    done = [run(keyed, "review"), run(keyed, "heartbeat"), run(keyed, "status"), run(keyed, "prompts", "list")]
    shown = "".join(one.stdout + one.stderr for one in done)
    assert not any(key in shown for key in KEYS)
    assert "[redacted:known]" in shown
    # What takes a while is told as it happens.
    assert "Asking google:gemini-a (review, about " in done[0].stderr
    records = [json.loads(path.read_text()) for path in keyed.runs_dir.rglob("*-review.json")]
    assert [call["outcome"] for call in records[0]["models"]] == ["rejected", "rejected"]
    note = keyed.daily_note(today).read_text()
    assert [line for line in note.splitlines() if line.endswith("hits 0 of True")] != [], note
    database = keyed.prefect_home / "prefect.db"
    with closing(sqlite3.connect(database)) as opened:
        dumped = "\n".join(opened.iterdump())
    assert not any(key in dumped for key in KEYS)
    kept = keys.path().relative_to(tmp_path).as_posix()
    assert set(files_with(tmp_path, *KEYS)) == {kept}


def test_the_search_finds_a_key_where_there_is_one(tmp_path: Path, settle: Callable[[str], None]) -> None:
    """Turns red if the search above would find nothing anywhere."""
    settle(f'interests = ["{WITHOUT_SHAPE}"]\n')
    assert list(files_with(tmp_path, WITHOUT_SHAPE)) == ["workspace/daybook.toml"]
