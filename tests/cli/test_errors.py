from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from subprocess import CompletedProcess

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]


def refused(done: CompletedProcess[str], code: int = 1) -> str:
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (code, "", 1)
    return done.stderr.removeprefix("daybook: ").rstrip("\n")


def lacks(done: CompletedProcess[str]) -> str:
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    return done.stderr.removeprefix("daybook: ").rstrip("\n")


def folder(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("make", [folder, fifo, link])
def test_m33_what_stands_in_memorys_place_is_named(
    workspace: Workspace, daybook: Daybook, make: Callable[[Path], None]
) -> None:
    workspace.longterm.unlink()
    make(workspace.longterm)
    sentence = (
        f"{workspace.longterm} is not a regular file (a link, FIFO, device or folder); move it away and try again."
    )
    assert f"! {sentence}" in daybook("status").stdout.splitlines()
    assert lacks(daybook("context", "--main")) == sentence
    assert daybook("context").returncode == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("timezone = \n", "is no valid TOML: Invalid value (at line 1, column 12); mend that line."),
        ("timezon = 'UTC'\n", ": unknown key 'timezon'; did you mean 'timezone'."),
        ("timezone = 'Mars/North'\n", "timezone = 'Mars/North' is not a time zone"),
        ("[checks.mail]\nevery = 'often'\n", "'often' is no length of time"),
        ("[checks.mail]\ncommand = []\n", "command"),
        ("feeds = 'x'\n", "feeds"),
        ("checks = 1\n", "checks"),
        ("[checks]\nmail = 1\n", "checks.mail"),
    ],
)
def test_wrong_settings_are_one_sentence(workspace: Workspace, daybook: Daybook, text: str, sentence: str) -> None:
    workspace.settings.write_text(text)
    assert sentence in refused(daybook("status"))


def test_settings_that_are_no_text_are_one_sentence(workspace: Workspace, daybook: Daybook) -> None:
    workspace.settings.write_bytes(b"timezone = '\xff\xfe'\n")
    for command in (["status"], ["note", "--today", "x"], ["trust"], ["review"]):
        assert "is not UTF-8 (line 1); save it as UTF-8." in refused(daybook(*command))


def test_a_prompt_that_cannot_be_used_is_named(workspace: Workspace, daybook: Daybook) -> None:
    workspace.prompts_dir.mkdir()
    prompt = workspace.prompts_dir / "review.md.j2"
    os.mkfifo(prompt)
    assert str(prompt) in refused(daybook("prompts", "show", "review"))
    assert str(prompt) in refused(daybook("prompts", "list"))
    prompt.unlink()
    prompt.write_text("one\n{{ nots }}\n")
    assert f"{prompt}:2: unknown variable 'nots'" in refused(daybook("prompts", "show", "review"))
    assert "There is no prompt 'triage'" in refused(daybook("prompts", "show", "triage"))


@pytest.mark.parametrize(
    "arguments",
    [["bogus"], ["prompts"], ["schema", "all"], ["review", "--since", "lately"], ["context", "--budget", "much"]],
)
def test_wrong_usage_is_one_sentence(daybook: Daybook, arguments: list[str]) -> None:
    assert refused(daybook(*arguments), code=2).endswith("--help`.")


def test_nothing_that_needs_a_server_pretends_one_is_up(workspace: Workspace, daybook: Daybook) -> None:
    sentence = f"Daybook is not up for {workspace.root}; start it with `daybook up` in another terminal."
    assert refused(daybook("ui")) == refused(daybook("env")) == sentence


@pytest.mark.parametrize("name", ["memory", ".daybook"])
def test_a_folder_that_cannot_be_adopted_is_named(daybook: Daybook, tmp_path: Path, name: str) -> None:
    brought = tmp_path / "brought"
    brought.mkdir()
    (brought / name).write_text("a file\n")
    assert str(brought / name) in refused(daybook("init", str(brought)))
    assert (brought / name).read_text() == "a file\n"


@pytest.mark.parametrize("slot", ["2099-01-01T10:00:00", "soon"])
def test_a_run_record_that_somebody_scribbled_does_not_hide_the_status(
    workspace: Workspace, daybook: Daybook, slot: str
) -> None:
    scribbled = workspace.runs_dir / "2099-01-01" / "1000Z-heartbeat.json"
    scribbled.parent.mkdir(parents=True)
    row = {"id": "1", "flow": "heartbeat", "workspace": workspace.id, "slot": slot, "trigger": "hand", "started": "x"}
    scribbled.write_text(json.dumps(row))
    assert daybook("status").returncode == 0


def test_another_machine_may_read_but_runs_no_check(daybook: Daybook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAYBOOK_MACHINE", "another")
    assert "is at home on another machine" in refused(daybook("review"))
    assert daybook("note", "x").returncode == 0
    status = daybook("status")
    assert (status.returncode, "not the workspace's home" in status.stdout) == (0, True)
