"""`init` makes what is missing and changes nothing that is there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook import adoption, trust
from daybook.schedule import planning
from daybook.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path


def test_an_adopted_folder_keeps_every_byte(tmp_path: Path, now: datetime) -> None:
    (tmp_path / "memory").mkdir()
    theirs = {
        "MEMORY.md": b"\xef\xbb\xbf# Mine\r\n\r\n- one\r\n- two",
        "memory/2026-02-06.md": b"no heading\x00\xff",
        "daybook.toml": b'interests = ["x"]',
    }
    for name, data in theirs.items():
        (tmp_path / name).write_bytes(data)
    adopted = adoption.adopt(tmp_path, now)
    assert {name: (tmp_path / name).read_bytes() for name in theirs} == theirs
    assert adopted.made == (".daybook/.gitignore",)


def test_a_second_init_changes_nothing_and_brings_back_nothing(tmp_path: Path, now: datetime) -> None:
    first = adoption.adopt(tmp_path / "w", now)
    first.workspace.longterm.unlink()
    second = adoption.adopt(tmp_path / "w", now)
    assert (second.made, second.workspace.id) == ((), first.workspace.id)
    assert not second.workspace.longterm.exists()


def test_a_ledger_that_came_with_the_folder_does_not_count_before_trust(tmp_path: Path, now: datetime) -> None:
    (tmp_path / ".daybook").mkdir()
    (tmp_path / ".daybook" / "ledger.jsonl").write_text("{}\n")
    adopted = adoption.adopt(tmp_path, now)
    assert adopted.waits == ("ledger",)
    assert not trust.ledger_trusted(adopted.workspace)


def test_w18_an_adopted_state_file_is_a_hint_and_made_up_times_are_none(tmp_path: Path, now: datetime) -> None:
    """Turns red when a time in the future or in prose is taken for a last run."""
    (tmp_path / "memory").mkdir()
    epoch = int(now.timestamp())
    state = {"lastChecks": {"email": epoch - 3600, "news": epoch + 10**8, "inbox": "yesterday evening", "day": None}}
    (tmp_path / "memory" / "heartbeat-state.json").write_text(json.dumps(state))
    (tmp_path / "daybook.toml").write_text("[checks.mail]\nevery='4h'\n[checks.inbox]\nevery='4h'\n")
    workspace = adoption.adopt(tmp_path, now).workspace
    mailboxes = [{"host": "h", "user": "u", "password_env": "P"}]
    found = Settings.model_validate({"mailboxes": mailboxes, "feeds": [{"url": "https://a.example/f"}]})
    planned = planning.plan(workspace, found, now, now)
    assert planned.one("mail") is None
    assert planned.one("news") is not None
