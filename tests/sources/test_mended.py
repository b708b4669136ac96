from __future__ import annotations

import json
import stat
from typing import TYPE_CHECKING, Any

import pytest

from daybook.settings import Mailbox
from daybook.sources import mended

if TYPE_CHECKING:
    from daybook.workspace import Workspace

KEY = "me@imap.example.org/INBOX"
PASSWORD = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a password that is refused."""
    monkeypatch.setenv("MAIL_PASSWORD", PASSWORD)


def box(**changes: Any) -> Mailbox:
    given = {"host": "imap.example.org", "user": "me", "password_env": "MAIL_PASSWORD"}
    return Mailbox.model_validate(given | changes)


def test_what_failed_is_kept_by_its_hash_under_a_key_of_its_own(workspace: Workspace) -> None:
    mended.remember(workspace, KEY, mended.given(box()), "refused the password")
    path = workspace.private / mended.FILE
    known = json.loads(path.read_text())
    assert (len(known["key"]), len(known["mailboxes"][KEY]["mark"]), PASSWORD in path.read_text()) == (64, 64, False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert mended.why(workspace, KEY) == "refused the password"
    mended.remember(workspace, "other", mended.given(box()), "")
    again = json.loads(path.read_text())
    assert (again["key"], again["mailboxes"]["other"]["mark"]) == (known["key"], known["mailboxes"][KEY]["mark"])


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, False),
        ({"vip": ["a@example.org"]}, False),
        ({"port": 143}, True),
        ({"host": "mail.example.org"}, True),
        ({"user": "you"}, True),
        ({"security": "starttls"}, True),
        ({"folder": "Work"}, True),
        ({"auth": "xoauth2"}, True),
        ({"password_env": None, "password_command": ["pass", "me"]}, True),
    ],
)
def test_another_setting_of_how_it_is_asked_mends_it(
    workspace: Workspace, changes: dict[str, Any], expected: bool
) -> None:
    mended.remember(workspace, KEY, mended.given(box()), "")
    assert mended.is_mended(workspace, KEY, mended.given(box(**changes))) is expected


def test_another_password_mends_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    mended.remember(workspace, KEY, mended.given(box()), "")
    monkeypatch.setenv("MAIL_PASSWORD", f"{PASSWORD}!")
    assert mended.is_mended(workspace, KEY, mended.given(box())) is True


@pytest.mark.parametrize("data", [b"{", b"[]", b'{"key": "no hash", "mailboxes": {}}'])
def test_a_file_that_is_damaged_or_gone_counts_as_nothing_known(workspace: Workspace, data: bytes) -> None:
    (workspace.private / mended.FILE).write_bytes(data)
    assert (mended.is_mended(workspace, KEY, b"x"), mended.why(workspace, KEY)) == (False, "")
    mended.remember(workspace, KEY, b"x", "why")
    assert (mended.is_mended(workspace, KEY, b"y"), mended.why(workspace, KEY)) == (True, "why")


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("imap.example.org refused the password of me; check password_env in daybook.toml.", "refused the password"),
        (
            "The mailbox of me at imap.example.org:993 cannot be read (Connection refused); check host.",
            "cannot be read: Connection refused",
        ),
        ("imap.example.org:993 did not answer in time; it is tried again later.", "did not answer in time"),
        (
            "password_command of me@imap.example.org ended with exit code 2: no agent; run it by hand.",
            "password_command ended with exit code 2: no agent",
        ),
    ],
)
def test_a_sentence_is_told_again_in_few_words(sentence: str, words: str) -> None:
    assert mended.few_words(box(), sentence) == words
