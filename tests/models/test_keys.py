"""Keys from the environment and from a file of this user alone."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from daybook.errors import SettingsError
from daybook.guard.secrets import redact
from daybook.models import keys

if TYPE_CHECKING:
    from pathlib import Path

KEY = "fakekeyoftests"
WAY_OUT = "write NAME=value, in quotes if the value has a space."


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where keys.env is; its folder is there, the file is not."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    path = tmp_path / "config" / "daybook" / "keys.env"
    path.parent.mkdir(parents=True)
    return path


def write(file: Path, text: str | bytes, mode: int = 0o600) -> None:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(mode)


def test_without_a_file_there_is_the_environment(file: Path) -> None:
    assert not file.exists()
    assert keys.environment() == dict(os.environ)


def test_a_file_adds_its_variables_and_leaves_the_process_alone(file: Path) -> None:
    write(file, f"GEMINI_API_KEY={KEY}\n")
    assert keys.environment()["GEMINI_API_KEY"] == KEY
    assert "GEMINI_API_KEY" not in os.environ


def test_a_child_process_gets_none_of_it(file: Path) -> None:
    write(file, f"GEMINI_API_KEY={KEY}\n")
    keys.environment()
    said = subprocess.run([sys.executable, "-c", "import os; print(dict(os.environ))"], capture_output=True, check=True)
    assert KEY.encode() not in said.stdout


@pytest.mark.parametrize("value", ["of-the-process", ""])
def test_the_environment_wins_over_the_file_even_when_it_is_empty(
    value: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", value)
    write(file, f"GEMINI_API_KEY={KEY}\n")
    assert keys.environment()["GEMINI_API_KEY"] == value


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("A_KEY=plain", "A_KEY", "plain"),
        ("  A_KEY=plain  ", "A_KEY", "plain"),
        ("A_KEY=plain\r", "A_KEY", "plain"),
        ("export A_KEY=plain", "A_KEY", "plain"),
        ("A_KEY='with a space'", "A_KEY", "with a space"),
        ('A_KEY="it\'s"', "A_KEY", "it's"),
        ("A_KEY=a=b#c", "A_KEY", "a=b#c"),
        ("A_KEY=$HOME", "A_KEY", "$HOME"),
        ("A_KEY=", "A_KEY", ""),
        ('A_KEY=""', "A_KEY", ""),
        ("_x1=y", "_x1", "y"),
    ],
)
def test_a_line_names_a_variable(line: str, name: str, value: str, file: Path) -> None:
    write(file, f"\n# A_COMMENT=no\n   # nor this\n{line}\n")
    found = keys.environment()
    assert found[name] == value
    assert "A_COMMENT" not in found


@pytest.mark.parametrize(
    "line",
    [
        f"{KEY}",
        f"A_KEY = {KEY}",
        f"A_KEY={KEY} # mine",
        f"A_KEY='{KEY}",
        f"A_KEY={KEY}'",
        f"A_KEY='{KEY}'x",
        f"1KEY={KEY}",
        f"A-KEY={KEY}",
        f"A_KEY=\x00{KEY}",
        f"set A_KEY={KEY}",
        f"ÄKEY={KEY}",
    ],
)
def test_any_other_line_is_an_error_that_names_it_and_not_its_content(line: str, file: Path) -> None:
    write(file, f"# one\n\n{line}\n")
    with pytest.raises(SettingsError) as caught:
        keys.environment()
    assert str(caught.value) == f"{file}, line 3 cannot be understood; {WAY_OUT}"


def test_bytes_that_are_no_text_are_an_error_that_does_not_hold_them(file: Path) -> None:
    write(file, b"A_KEY=\xff" + KEY.encode())
    with pytest.raises(SettingsError) as caught:
        keys.environment()
    assert str(caught.value) == f"{file} is no UTF-8 text; write lines of the form NAME=value."
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])
def test_a_file_that_others_may_touch_is_refused(mode: int, file: Path) -> None:
    write(file, f"GEMINI_API_KEY={KEY}\n", mode)
    with pytest.raises(SettingsError) as caught:
        keys.environment()
    assert str(caught.value) == f"{file} can be read or written by others; run `chmod 600 {file}`."
    assert stat.S_IMODE(file.stat().st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o700])
def test_a_file_of_this_user_alone_is_read(mode: int, file: Path) -> None:
    write(file, f"GEMINI_API_KEY={KEY}\n", mode)
    assert keys.environment()["GEMINI_API_KEY"] == KEY


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(file: Path) -> None:
    write(file, f"GEMINI_API_KEY={KEY}\n")
    os.chown(file, 65534, 65534)
    with pytest.raises(SettingsError) as caught:
        keys.environment()
    assert str(caught.value) == f"{file} belongs to another user; run `chown 0 {file}`."


def test_a_link_is_refused_wherever_it_leads(file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere" / file.name
    elsewhere.parent.mkdir()
    write(elsewhere, f"GEMINI_API_KEY={KEY}\n")
    file.symlink_to(elsewhere)
    with pytest.raises(SettingsError) as caught:
        keys.environment()
    assert str(caught.value) == f"{file} is not a regular file; put a file of mode 600 in its place."


def test_a_fifo_does_not_hang_it(file: Path) -> None:
    os.mkfifo(file, 0o600)
    with pytest.raises(SettingsError):
        keys.environment()


def test_a_change_of_the_file_is_seen_at_the_next_look(file: Path) -> None:
    write(file, "GEMINI_API_KEY=old-one\n")
    keys.environment()
    write(file, "GEMINI_API_KEY=new-one\n")
    assert keys.environment()["GEMINI_API_KEY"] == "new-one"


def test_keys_of_the_file_are_redacted_by_value_and_addresses_are_not(file: Path) -> None:
    write(file, f"OPENAI_API_KEY={KEY}\nOPENAI_BASE_URL=http://127.0.0.1:1234/v1\nAWS_DEFAULT_REGION=eu-west-1\n")
    assert redact(f"say {KEY}") == f"say {KEY}"
    keys.environment()
    assert redact(f"say {KEY}") == "say [redacted:known]"
    assert redact("at http://127.0.0.1:1234/v1 in eu-west-1") == "at http://127.0.0.1:1234/v1 in eu-west-1"


@pytest.mark.parametrize("base", ["", "not/absolute"])
def test_by_default_the_file_is_under_the_home_folder(
    base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", base)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys.path() == tmp_path / ".config" / "daybook" / "keys.env"


def test_reading_keys_loads_nothing_heavy() -> None:
    code = "import sys, daybook.models.keys; print({'httpx', 'pydantic', 'pydantic_ai', 'tomllib'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
