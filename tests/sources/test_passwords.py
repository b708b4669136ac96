from __future__ import annotations

import asyncio
import sys
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from daybook.errors import SourceError
from daybook.settings import Mailbox
from daybook.sources import passwords

if TYPE_CHECKING:
    from pathlib import Path


def resolve(tmp_path: Path, **source: object) -> str:
    mailbox = Mailbox.model_validate({"host": "imap.example.org", "user": "me@example.org"} | source)
    return asyncio.run(passwords.resolve(mailbox, tmp_path))


def refusal(tmp_path: Path, **source: object) -> SourceError:
    with pytest.raises(SourceError) as caught:
        resolve(tmp_path, **source)
    assert (caught.value.transient, caught.value.__context__) == (False, None)
    return caught.value


def file_with(tmp_path: Path, data: bytes, mode: int = 0o600) -> str:
    path = tmp_path / "password"
    path.write_bytes(data)
    path.chmod(mode)
    return str(path)


def test_a_password_comes_from_each_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "one two")
    assert resolve(tmp_path, password_env="MAIL_PASSWORD") == "one two"
    assert resolve(tmp_path, password_file=file_with(tmp_path, b"one two\nnote\n")) == "one two"
    assert resolve(tmp_path, password_command=["printf", "one two\\nnote"]) == "one two"


def test_a_missing_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MAIL_PASSWORD", raising=False)
    assert "MAIL_PASSWORD (password_env) is empty" in str(refusal(tmp_path, password_env="MAIL_PASSWORD"))


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_file_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    error = refusal(tmp_path, password_file=file_with(tmp_path, b"hunter2hunter2", mode))
    assert "chmod 600" in str(error)


@pytest.mark.parametrize("data", [b"", b"\n", b"\xff\xfehunter2", b"a\x07hunter2"])
def test_a_file_without_a_usable_password_is_refused(tmp_path: Path, data: bytes) -> None:
    error = refusal(tmp_path, password_file=file_with(tmp_path, data))
    assert "hunter2" not in "".join(traceback.format_exception(error))


def test_a_missing_file_and_a_link_are_refused(tmp_path: Path) -> None:
    assert "is missing" in str(refusal(tmp_path, password_file=str(tmp_path / "none")))
    target = file_with(tmp_path, b"x")
    (tmp_path / "link").symlink_to(target)
    assert "not a regular file" in str(refusal(tmp_path, password_file=str(tmp_path / "link")))


@pytest.mark.parametrize("name", ["~no-such-user-here/pw", "a\0b", "~no-such\0user/pw"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path: Path, name: str) -> None:
    """Turns red when it is no SourceError, at which `doctor` would look at no further mailbox."""
    error = refusal(tmp_path, password_file=name)
    assert str(error) == f"password_file {name!r} names no file; write its whole path."


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["sh", "-c", "echo hunter2; exit 4"], "ended with exit code 4"),
        (
            ["sh", "-c", "echo hunter2; echo hunter2 >&2; exit 4"],
            "ended with exit code 4: [redacted:known]; run it by hand.",
        ),
        (
            ["sh", "-c", "echo begun >&2; echo no agent. >&2; exit 2"],
            "ended with exit code 2: no agent; run it by hand.",
        ),
        (["no-such-program-here"], "me@example.org cannot be started: there is no program no-such-program-here; run"),
        (["/dev/null"], "cannot be started: '/dev/null', Permission denied; run"),
        (["printf", ""], "the output of password_command is empty"),
    ],
)
def test_a_command_that_fails_is_named(tmp_path: Path, argv: list[str], expected: Any) -> None:
    error = refusal(tmp_path, password_command=argv)
    assert (expected in str(error), "hunter2" in str(error)) == (True, False)


def test_a_command_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "COMMAND_TIMEOUT_S", 0.3)
    assert "took longer" in str(refusal(tmp_path, password_command=["sleep", "60"]))


def test_a_command_gets_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-something")
    script = "import os; print('KEY' if any('KEY' in name for name in os.environ) else 'none')"
    assert resolve(tmp_path, password_command=[sys.executable, "-c", script]) == "none"
