from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

import pytest

from daybook.clock import stamp
from daybook.doctor import examining, telling
from daybook.doctor.examined import Examined
from daybook.doctor.examining import examine
from daybook.models import keys
from daybook.settings import Feed, Mailbox
from daybook.sources import mended
from daybook.sources.fetching import feed_key
from daybook.sources.mail import mailbox_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from daybook.doctor.examined import Site
    from daybook.doctor.examining import Report
    from daybook.workspace import Workspace

    Rows = Callable[[str], list[Examined]]


# Of a library below Apprise, whenever it is first imported.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


class Usage(NamedTuple):
    """What a disk says of itself, as far as it is asked."""

    free: int


BOX = '[[mailboxes]]\nhost = "imap.example.org"\nuser = "ana"\n'


def summary(rows: list[Examined]) -> list[tuple[str, str]]:
    return [(row.level, row.sentence) for row in rows]


def files_of(folder: Path) -> dict[Path, tuple[int, bytes]]:
    return {path: (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*")}


def test_a_new_workspace_has_nothing_wrong_and_examining_changes_nothing(
    workspace: Workspace, report: Callable[[], Report]
) -> None:
    before = (files_of(workspace.root), files_of(workspace.private))
    found = report()
    assert found.ok
    assert [row.name for row in found.checks if row.level in {"warning", "wrong"}] == ["up"]
    assert (files_of(workspace.root), files_of(workspace.private)) == before


def test_an_examination_that_fails_is_a_row_and_costs_the_others_nothing(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(_: Site) -> Iterator[Examined]:
        yield Examined("mine", "note", "This was found before.")
        raise KeyError("sk-proj-abcdefghijklmnopqrstuvwxyz012345")

    monkeypatch.setattr(examining, "EXAMINATIONS", (("mine", breaks), *examining.EXAMINATIONS))
    found = examine(workspace, now, lambda: None)
    assert summary([row for row in found.checks if row.name == "mine"]) == [
        ("note", "This was found before."),
        ("wrong", "This could not be examined (KeyError: '[redacted:openai-key]')."),
    ]
    assert (found.ok, len(found.checks) > 10) == (False, True)


@pytest.mark.parametrize(
    "text", ["quite = 1\n", "not toml", 'timezone = "Mars/Base"\n', '[schedule]\nreview = "often"\n']
)
def test_settings_that_cannot_be_understood_cost_the_rest_nothing(
    workspace: Workspace, report: Callable[[], Report], text: str
) -> None:
    workspace.settings.write_text(text)
    found = report()
    assert [row.name for row in found.checks if row.level == "wrong"] == ["settings"]
    assert {"memory", "keys", "openclaw", "heartbeat-file"} <= {row.name for row in found.checks}


def test_o19_every_inert_part_is_named(workspace: Workspace, rows: Rows) -> None:
    workspace.settings.write_text(
        f'{BOX}password_env = "X"\n[checks.sky]\nevery = "1h"\ncommand = ["no-such-program"]\n'
    )
    assert [(row.level, row.sentence, row.remedy) for row in rows("trust")] == [
        ("warning", f"[{part}] of daybook.toml is not trusted on this machine, so it does nothing.", remedy)
        for part, remedy in (("checks.sky", rows("trust")[0].remedy), ("mailboxes", rows("trust")[0].remedy))
    ]
    assert rows("trust")[0].remedy == "`daybook trust` shows what it would allow."
    assert (rows("commands"), rows("passwords")) == ([], [])


def test_private_state_that_others_may_read_is_wrong(workspace: Workspace, rows: Rows) -> None:
    workspace.private.chmod(0o755)
    assert rows("private-state")[-1] == Examined(
        "private-state", "wrong", f"Others may look into {workspace.private}.", f"Run `chmod 700 {workspace.private}`."
    )


@pytest.mark.parametrize(("free", "level"), [(10 << 20, "wrong"), (500 << 20, "warning"), (5 << 30, "ok")])
def test_a_disk_that_fills_up_is_told(rows: Rows, monkeypatch: pytest.MonkeyPatch, free: int, level: str) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free))
    assert [row.level for row in (*rows("folder"), *rows("private-state"))] == [level, level]


def test_git_is_looked_at_only_where_the_workspace_is_a_repositorys_root(workspace: Workspace, rows: Rows) -> None:
    assert [row.level for row in rows("git")] == ["note"]
    subprocess.run(["git", "init", "-q", str(workspace.root)], check=True)
    assert [row.level for row in rows("git")] == ["ok"]
    (workspace.root / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")
    assert [row.level for row in rows("git")] == ["warning"]


def test_another_machines_workspace_is_a_note(
    workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DAYBOOK_MACHINE", "laptop")
    found = examine(workspace, now, lambda: None)
    assert [(row.name, row.level) for row in found.checks if row.name in {"home", "up"}] == [
        ("up", "ok"),
        ("home", "note"),
    ]


def test_what_is_up_is_told_with_its_address(workspace: Workspace, now: datetime) -> None:
    found = examine(workspace, now, lambda: "http://127.0.0.1:4200")
    assert ("ok", "It is up; its UI is at http://127.0.0.1:4200.") in summary(list(found.checks))


def test_models_without_a_key_are_named_with_the_variable(
    rows: Rows, settle: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [row.level for row in rows("models")] == ["note"]
    settle('[models]\nreview = ["google:gemini-x", "ollama:llama", "extractive"]\nmail_triage = ["openai:gpt-x"]\n')
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert sorted(summary(rows("models"))) == [
        ("ok", "ollama:llama has what it needs to be asked."),
        ("warning", "google:gemini-x cannot be asked: GEMINI_API_KEY or GOOGLE_API_KEY is not set."),
        ("warning", "openai:gpt-x cannot be asked: OPENAI_API_KEY is not set."),
    ]
    monkeypatch.setenv("GEMINI_API_KEY", "AIzaFakeKeyForTests0123456789")
    assert [row.level for row in rows("models")].count("ok") == 2


def test_a_file_of_keys_that_others_may_read_is_wrong(rows: Rows) -> None:
    assert summary(rows("keys")) == [("ok", "No keys.env (optional).")]
    keys.path().parent.mkdir(parents=True)
    keys.path().write_text("GEMINI_API_KEY=AIzaFakeKeyForTests0123456789\n")
    keys.path().chmod(0o644)
    (row,) = rows("keys")
    assert (row.level, row.remedy) == ("wrong", f"Run `chmod 600 {keys.path()}`.")
    assert "AIza" not in row.sentence
    keys.path().chmod(0o600)
    assert [one.level for one in (*rows("keys"), *rows("models"))] == ["ok", "ok"]


def test_sources_that_fail_are_told_with_their_last_success_and_their_wait(
    workspace: Workspace, now: datetime, rows: Rows, settle: Callable[[str], None]
) -> None:
    settle(
        '[[feeds]]\nurl = "https://a.example/f"\n[[feeds]]\nurl = "https://b.example/f"\n'
        + BOX
        + 'password_env = "X"\n'
    )
    assert summary(rows("feeds")) == [("note", "2 feeds were never looked at so far.")]
    failing = {"name": "B", "failures": 3, "last_ok": stamp(now - timedelta(days=2)), "next_allowed": stamp(now)}
    box = Mailbox(host="imap.example.org", user="ana", password_env="X")
    known = {
        "feeds": {
            feed_key(Feed(url="https://a.example/f").url): {"last_ok": stamp(now)},
            feed_key("https://b.example/f"): failing,
        },
        "mailboxes": {mailbox_key(box): {"failures": 1}},
    }
    workspace.source_tracking.write_text(json.dumps(known))
    assert summary(rows("feeds")) == [
        ("ok", "1 feed without failure, last success 2026-02-07 14:30 or later."),
        (
            "warning",
            "B failed 3 times in a row (last success 2026-02-05 14:30); it is left alone until 2026-02-07 14:30.",
        ),
    ]
    assert summary(rows("mailboxes")) == [("warning", "A mailbox failed once (no success so far).")]
    mended.remember(workspace, mailbox_key(box), b"x", "refused the password")
    assert summary(rows("mailboxes")) == [
        ("warning", "A mailbox failed once: refused the password (no success so far).")
    ]
    del known["feeds"][feed_key("https://b.example/f")]
    workspace.source_tracking.write_text(json.dumps(known))
    fine = "1 feed without failure, last success 2026-02-07 14:30 or later; 1 not looked at yet."
    assert summary(rows("feeds")) == [("ok", fine)]


def test_passwords_that_cannot_be_had_are_told_without_asking_anybody(
    rows: Rows, settle: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    ours = f'{BOX}password_env = "NO_SUCH_PASSWORD"\n{BOX}password_file = "{secret}"\n{BOX}password_command = '
    settle(f'{ours}["no-such"]\n')
    assert sorted(row.level for row in rows("passwords")) == ["warning", "wrong", "wrong"]
    monkeypatch.setenv("NO_SUCH_PASSWORD", "secret-of-the-mailbox")
    secret.write_text("other-secret\n")
    secret.chmod(0o644)
    assert [row.remedy for row in rows("passwords")] == [
        f"Run `chmod 600 {secret}`.",
        "Install it, or write its whole path.",
    ]
    secret.chmod(0o600)
    settle(f'{ours}["sh"]\n')
    assert rows("passwords") == []


def test_programs_of_checks_are_looked_for_and_never_run(
    workspace: Workspace, rows: Rows, settle: Callable[[str], None]
) -> None:
    check = '[checks.{}]\nevery = "1h"\ncommand = {}\n{}\n'
    settle(
        check.format("a", '["no-such-program"]', 'when = ["/no/such/pre-check"]')
        + check.format("b", '["sh"]', "")
        + check.format("c", '["neither"]', "enabled = false")
    )
    assert summary(rows("commands")) == [
        ("wrong", "The program no-such-program of checks.a.command is not found."),
        ("wrong", "The program /no/such/pre-check of checks.a.when is not found."),
    ]
    settle(check.format("b", '["sh"]', 'when = ["./look"]'))
    (workspace.private / "look").touch(mode=0o700)
    assert summary(rows("commands")) == [("ok", "The programs of 1 check of yours are found.")]


def test_notices_and_quiet_hours_are_told(rows: Rows, settle: Callable[[str], None]) -> None:
    assert [row.level for row in (*rows("notices"), *rows("quiet-hours"))] == ["note", "note"]
    settle('quiet_hours = "14:00-15:00"\n[notify]\nurls = ["json://127.0.0.1/"]\n')
    assert summary([*rows("notices"), *rows("quiet-hours")]) == [
        ("ok", "Notices go to 1 address."),
        ("ok", "Quiet hours are 14:00-15:00; now they hold."),
    ]


def test_an_address_that_nobody_understands_is_told_by_its_number(
    rows: Rows, settle: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    settle('[notify]\nurls = ["json://127.0.0.1/", "nfty://topic-of-mine", "no address"]\n')
    found = rows("notices")
    assert summary(found) == [
        ("ok", "Notices go to 1 address."),
        ("warning", "notify.urls number 2 is no address that Apprise understands."),
        ("warning", "notify.urls number 3 is no address that Apprise understands."),
    ]
    assert "topic-of-mine" not in f"{found}{caplog.text}"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://hc.example.org/ping/topic-of-mine", None),
        ("https://9.9.9.9/topic-of-mine", None),
        ("http://allowed/topic-of-mine", None),
        ("http://[::2]/topic-of-mine", None),
        ("http://127.0.0.1:8000/topic-of-mine", "127.0.0.1"),
        ("http://[::1]/topic-of-mine", "::1"),
        ("http://NAS/topic-of-mine", "nas"),
        ("http://user:topic-of-mine@kuma.local/", "kuma.local"),
    ],
)
def test_a_ping_address_that_is_never_fetched_is_a_warning(
    rows: Rows, settle: Callable[[str], None], url: str, expected: str | None
) -> None:
    allow = '[network]\nallow_hosts = ["Allowed", "[::2]"]\n'
    settle(f'{allow}[notify]\nurls = ["json://127.0.0.1/"]\nping_url = "{url}"\n')
    why = "a private host that network.allow_hosts lacks: it is never fetched."
    warnings = [row for row in rows("notices") if row.level == "warning"]
    assert [row.sentence for row in warnings] == ([f"notify.ping_url is on {expected}, {why}"] if expected else [])
    assert "topic-of-mine" not in str(warnings)


def test_a_ping_address_without_a_host_is_a_warning(rows: Rows, settle: Callable[[str], None]) -> None:
    settle('[notify]\nping_url = "http:///ping"\n')
    assert ("warning", "notify.ping_url names no host.") in summary(rows("notices"))


def test_a_file_that_a_check_names_and_that_is_not_there_is_a_note(
    rows: Rows, settle: Callable[[str], None], home: Path
) -> None:
    (home / "there").touch()
    settle(
        '[checks.a]\nevery = "1h"\ncommand = ["echo", "~/there", "/no/such file", "-f/no/such", "/^# [a-z]/", "x/y"]\n'
        'when = ["grep", "-q", "x", "~/HEARTBEAT.md"]\n'
    )
    assert summary(rows("commands")) == [
        ("ok", "The programs of 1 check of yours are found."),
        ("note", "checks.a.command names /no/such file, which is not there now."),
        ("note", "checks.a.when names ~/HEARTBEAT.md, which is not there now."),
    ]


def test_memory_over_its_caps_and_what_sync_tools_left_are_warnings(workspace: Workspace, rows: Rows) -> None:
    workspace.longterm.write_text("# Memory\n" + "- one\n" * 90)
    (workspace.root / "MEMORY (conflicted copy 2026-02-07).md").write_text("x\n")
    (row,) = rows("memory")
    assert (row.level, row.sentence[:31]) == ("warning", "MEMORY.md has 91 of 80 lines an")
    assert [one.level for one in rows("sync")] == ["warning"]


def test_m33_an_unreadable_memory_is_wrong_and_no_hang(workspace: Workspace, rows: Rows) -> None:
    workspace.longterm.unlink(missing_ok=True)
    os.mkfifo(workspace.longterm)
    assert [row.level for row in rows("memory")] == ["wrong"]


def test_geminis_former_sdk_is_named_where_it_is_installed(rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _: "0.8.6")
    (row,) = rows("gemini-sdk")
    assert row.sentence == "google-generativeai 0.8.6 is installed; its support ended on 2025-11-30."


def test_heartbeat_md_is_read_and_a_pipe_or_a_link_out_of_the_folder_is_a_row(
    workspace: Workspace, report: Callable[[], Report], rows: Rows, tmp_path: Path
) -> None:
    path = workspace.root / "HEARTBEAT.md"
    path.unlink(missing_ok=True)
    assert summary(rows("heartbeat-file")) == [("ok", "There is no HEARTBEAT.md.")]
    path.write_text("# Only a heading\n- [ ]\n")
    assert summary(rows("heartbeat-file")) == [("ok", "HEARTBEAT.md holds no task, so there is nothing to do in it.")]
    path.write_text("- mail (every 30 min)\n- joke every few days\n")
    plain = telling.plain(report())["heartbeat_rules"]
    assert plain == {
        "understood": [
            {
                "line": 1,
                "text": "mail (every 30 min)",
                "understood_as": "every 30 min",
                "toml": '[checks.my-mail]\ncommand = ["program", "argument"]\nevery = "30m"',
                "note": None,
            }
        ],
        "not_understood": [{"line": 2, "text": "joke every few days"}],
    }
    path.unlink()
    os.mkfifo(path)
    assert [row.level for row in rows("heartbeat-file")] == ["warning"]
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("- every 30 min\n")
    assert [row.level for row in rows("heartbeat-file")] == ["warning"]


def test_a_report_is_told_in_ascii_with_the_worst_last_and_then_the_rules_of_heartbeat_md(
    workspace: Workspace, report: Callable[[], Report]
) -> None:
    workspace.settings.write_text("quite = 1\n")
    (workspace.root / "HEARTBEAT.md").write_text("- mail (every 30 min)\n")
    lines = telling.told(report()).splitlines()
    assert lines[-8:] == [
        "1 thing is wrong, 1 warning.",
        "",
        "HEARTBEAT.md, which Daybook reads and never follows by itself:",
        "  line 1: mail (every 30 min)",
        "    -> every 30 min",
        "       [checks.my-mail]",
        '       command = ["program", "argument"]',
        '       every = "30m"',
    ]
    assert lines[-9].startswith("X  settings ")
    assert all(line.isascii() for line in lines)
