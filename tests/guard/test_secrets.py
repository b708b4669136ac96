"""Secrets leave by shape and by value; prose about them stays."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from daybook.guard import logs, secrets
from daybook.guard.secrets import redact

SECRETS = [
    "AKIAIOSFODNN7EXAMPLE",
    "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH",
    "AQ.Ab8RN6KxT1234567890abcdefghijklmnopqrstuv",
    "AIzaSyA-1234567890abcdefghijklmnopqrstu",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    "https://discord.com/api/webhooks/123456789012345678/abcdefghijkl",
    "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n-----END RSA PRIVATE KEY-----",
]
PROSE = [
    "Rotate the API keys on Friday, and tell Ana which token is valid for 24h.",
    "The password is changed every spring; the app password is kept in the safe.",
    "secret: none",
    "See https://example.org:8080/a@b and mail ops@example.org about the webhook.",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_o03_a_key_is_redacted_wherever_it_stands(secret: str) -> None:
    """Turns red when a shape is no longer known."""
    text = redact(f"before {secret} after")
    assert secret not in text
    assert text.startswith("before [redacted:")
    assert text.endswith(" after")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("password = hunter2secret", "password = "),
        ("GET https://x.org/feed?token=abcdef1234567890&page=2", "&page=2"),
        ("https://user:pw12345678@host/x", "@host/x"),
        ("Authorization: Bearer abcdefghijklmnop1234567", "Bearer "),
        ("app password: abcd efgh ijkl mnop", "app password: "),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, kept: str) -> None:
    assert kept in redact(text)
    assert "[redacted:" in redact(text)


def test_o03_a_password_that_its_placeholder_holds_is_redacted_too() -> None:
    """Turns red when the library's refusal of such a placeholder keeps a line from its note for ever."""
    assert redact("https://me:pass@x.org") == "https://me:[redacted:connection-string-password]@x.org"


@pytest.mark.parametrize("spans", [[(2, 8), (4, 6)], [(2, 6), (4, 8)], [(4, 8), (2, 8)], [(2, 8), (2, 4)]])
def test_o03_of_findings_that_overlap_no_part_is_left(spans: list[tuple[int, int]]) -> None:
    """Turns red when the length of one placeholder moves the place of another, and a part of a secret stays."""
    found = [SimpleNamespace(start=start, end=end, type="api_key", action="redact") for start, end in spans]
    assert secrets._without("a SECRET b", found).replace("[redacted:api-key]", "") == "a  b"


@pytest.mark.parametrize("text", PROSE)
def test_prose_about_secrets_stays_as_it_is(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("text", [*SECRETS, *PROSE])
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    assert redact(redact(text)) == redact(text)


def test_a_known_value_is_redacted_though_it_has_no_shape() -> None:
    assert redact("it is correct-horse today", ["correct-horse", "it"]) == "it is [redacted:known] today"


def test_what_was_resolved_once_is_redacted_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())
    secrets.remember(["open-sesame", "on"])
    assert redact("on Sunday open-sesame opened") == "on Sunday [redacted:known] opened"


def test_a_log_line_and_its_traceback_are_redacted(caplog: pytest.LogCaptureFixture) -> None:
    before = logging.getLogRecordFactory()
    try:
        logs.redact_all()
        try:
            int(SECRETS[0])
        except ValueError:
            logging.getLogger("test").exception("asked with %s", SECRETS[1])
    finally:
        logging.setLogRecordFactory(before)
    assert SECRETS[0] not in caplog.text
    assert SECRETS[1] not in caplog.text
    assert "ValueError: invalid literal for int() with base 10: '[redacted:aws-key-id]'" in caplog.text
