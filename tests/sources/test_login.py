from __future__ import annotations

import asyncio
import base64
import json
import logging
import tempfile
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import mailserver
import pytest
from werkzeug import Request, Response

from daybook.errors import SourceError
from daybook.settings import Mailbox
from daybook.sources import mail

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
TOKEN = "ya29.a0-first_token~of/the+day="
WORDS = base64.b64encode(f"user=me@example.org\1auth=Bearer {TOKEN}\1\1".encode())
REFUSAL = base64.b64encode(b'{"status":"401","schemes":"bearer","scope":"mail"}')
ASKED = {
    b"CAPABILITY": b"* CAPABILITY IMAP4rev1 AUTH=XOAUTH2\r\n%(tag)s OK done",
    b"AUTHENTICATE": b"+ ",
    b"LOGIN": b"%(tag)s OK in",
    b"LOGOUT": b"* BYE\r\n%(tag)s OK bye",
}
TAKEN = ASKED | {
    b"+1": b"%(tag)s OK in",
    b"EXAMINE": b"* 0 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 1] x\r\n%(tag)s OK [READ-ONLY] open",
    b"UID": b"* SEARCH\r\n%(tag)s OK done",
}
REFUSED = ASKED | {b"+1": b"+ " + REFUSAL, b"+2": b"%(tag)s NO [AUTHENTICATIONFAILED] Invalid credentials"}


def box(port: int, **changes: Any) -> Mailbox:
    given = {"host": "127.0.0.1", "port": port, "user": "me@example.org", "security": "plain", "auth": "xoauth2"}
    return Mailbox.model_validate(given | {"password_command": ["printf", "%s", TOKEN]} | changes)


def refusal(workspace: Workspace, mailbox: Mailbox) -> SourceError:
    with pytest.raises(SourceError) as caught:
        asyncio.run(mail.check(workspace, mailbox, NOW))
    shown = "".join(traceback.format_exception(caught.value))
    assert (TOKEN in shown, WORDS.decode() in shown, caught.value.__context__) == (False, False, None)
    return caught.value


def test_a_token_is_given_as_xoauth2_and_never_as_a_password(workspace: Workspace, scripted: Any) -> None:
    server = scripted(b"* OK hello", TAKEN)
    look = asyncio.run(mail.check(workspace, box(server.port), NOW))
    assert isinstance(look, mail.MailLook)
    assert [line.split()[-1] for line in server.heard[1:3]] == [b"XOAUTH2", WORDS]
    assert not any(b"LOGIN" in line for line in server.heard)


def test_a_token_is_got_anew_for_every_look(workspace: Workspace, scripted: Any, tmp_path: Path) -> None:
    server = scripted(b"* OK hello", TAKEN)
    count = tmp_path / "count"
    script = f"echo x >> {count}; echo token-$(wc -l < {count} | tr -d ' ')"
    for _ in range(2):
        asyncio.run(mail.check(workspace, box(server.port, password_command=["sh", "-c", script]), NOW))
    sent = [base64.b64decode(line) for line in server.heard if line.startswith(WORDS[:20])]
    assert [words.partition(b"Bearer ")[2] for words in sent] == [b"token-1\1\1", b"token-2\1\1"]


@pytest.mark.parametrize(
    ("source", "setting"),
    [
        ({}, "password_command"),
        ({"password_command": None, "password_env": "MAIL_TOKEN"}, "password_env (MAIL_TOKEN)"),
    ],
)
def test_a_token_that_expired_is_told_with_the_setting_it_comes_from_and_sent_once(
    workspace: Workspace, scripted: Any, monkeypatch: pytest.MonkeyPatch, source: dict[str, Any], setting: str
) -> None:
    monkeypatch.setenv("MAIL_TOKEN", TOKEN)
    server = scripted(b"* OK hello", REFUSED)
    error = refusal(workspace, box(server.port, **source))
    why = "127.0.0.1 refused the access token of me@example.org, which may have expired"
    assert (str(error), error.transient) == (f"{why}; see that {setting} gives out a new one.", False)
    assert [line for line in server.heard if line.strip() in {WORDS, b""}] == [WORDS + b"\r\n", b"\r\n"]
    assert not any(b"LOGIN" in line for line in server.heard)


def test_a_server_that_takes_no_tokens_gets_none(workspace: Workspace, scripted: Any) -> None:
    capability = {b"CAPABILITY": b"* CAPABILITY IMAP4rev1 AUTH=PLAIN\r\n%(tag)s OK done"}
    server = scripted(b"* OK hello", TAKEN | capability)
    error = refusal(workspace, box(server.port))
    assert str(error) == '127.0.0.1 takes no access tokens (XOAUTH2); set auth = "password" for me@example.org.'
    assert not any(b"LOGIN" in line or b"AUTHENTICATE" in line for line in server.heard)


def test_without_starttls_no_token_is_sent(workspace: Workspace, scripted: Any) -> None:
    server = scripted(b"* OK hello", TAKEN | {b"STARTTLS": b"%(tag)s NO not now"})
    refusal(workspace, box(server.port, security="starttls"))
    assert not any(b"AUTHENTICATE" in line or WORDS in line for line in server.heard)


@pytest.mark.parametrize("token", ["two words", "tökén-of-mine"])
def test_what_cannot_be_a_token_is_not_sent(workspace: Workspace, scripted: Any, token: str) -> None:
    server = scripted(b"* OK hello", TAKEN)
    mailbox = box(server.port, password_command=["printf", "%s", token])
    error = refusal(workspace, mailbox)
    assert (token in str(error), "let password_command give out the token alone" in str(error)) == (False, True)
    assert not any(b"AUTHENTICATE" in line for line in server.heard)


@pytest.mark.parametrize("echo", [TOKEN.encode(), WORDS])
def test_a_server_that_echoes_the_token_gets_it_into_no_sentence_and_no_log(
    workspace: Workspace, scripted: Any, caplog: pytest.LogCaptureFixture, echo: bytes
) -> None:
    caplog.set_level(logging.DEBUG)
    for answer in (
        b"* BYE you said " + echo + b"\r\n%(tag)s NO bye",
        b"%(tag)s NO you said " + echo,
        b"%(tag)s BAD you said " + echo,
    ):
        server = scripted(b"* OK hello", ASKED | {b"+1": answer})
        refusal(workspace, box(server.port))
    assert (TOKEN in caplog.text, WORDS.decode() in caplog.text) == (False, False)


def test_a_missing_token_is_called_one(workspace: Workspace) -> None:
    error = refusal(workspace, box(1, password_command=["true"]))
    assert str(error) == "The access token of me@example.org is missing: the output of password_command is empty."


@pytest.fixture
def token_server(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[mailserver.Dovecot]:
    """A real Dovecot that asks whose an access token is, and believes TOKEN alone."""
    if not mailserver.program():
        pytest.skip("Dovecot is missing (Debian: dovecot-imapd)")

    def whose(request: Request) -> Response:
        if request.args.get("token") == TOKEN:
            return Response(json.dumps({"email": "alice"}))
        return Response(json.dumps({"error": "invalid_token"}), 401)

    httpserver.expect_request("/whose").respond_with_handler(whose)
    oauth = "passdb {{\n  driver = oauth2\n  mechanisms = xoauth2\n  args = {folder}/oauth2.conf\n}}\npassdb {{"
    configuration = mailserver.CONFIGURATION.replace("passdb {{", oauth, 1)
    monkeypatch.setattr(mailserver, "CONFIGURATION", configuration.replace("=plain login\n", "=plain login xoauth2\n"))
    with tempfile.TemporaryDirectory(prefix="dovecot-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        address = httpserver.url_for("/whose?token=")
        (folder / "oauth2.conf").write_text(f"tokeninfo_url = {address}\nusername_attribute = email\n")
        process, server = mailserver.start(folder)
        try:
            yield server
        finally:
            mailserver.stop(process)


def test_a_real_server_takes_the_token_and_refuses_another(
    workspace: Workspace, token_server: mailserver.Dovecot
) -> None:
    token_server.append("alice", b"Subject: Hello\r\n\r\nx")
    source = {"password_env": None, "auth": "xoauth2"}
    mailbox = token_server.mailbox("alice", password_command=["printf", "%s", TOKEN], **source)
    look = asyncio.run(mail.check(workspace, mailbox, NOW))
    assert isinstance(look, mail.MailLook)
    assert [message.subject for message in look.messages] == ["Hello"]
    expired = token_server.mailbox("alice", password_command=["printf", "%s", f"{TOKEN}x"], **source)
    assert "refused the access token of alice, which may have expired" in str(refusal(workspace, expired))
