from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
import traceback
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from daybook.errors import SourceError
from daybook.guard.outside import flatten
from daybook.sources import cursors, imap, imap_client, mail, tracking, triage
from daybook.sources.fetching import Waiting

if TYPE_CHECKING:
    from daybook.workspace import Workspace

MAILS = Path(__file__).parents[2] / ".." / "shared" / "data" / "mail"
NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)
OK = {b"LOGOUT": b"* BYE\r\n%(tag)s OK bye", b"LOGIN": b"%(tag)s NO [AUTHENTICATIONFAILED] no"}
CAPABILITY = b"* CAPABILITY IMAP4rev1\r\n%(tag)s OK done"


def check(workspace: Any, mailbox: Any, now: datetime = NOW) -> mail.MailLook:
    look = asyncio.run(mail.check(workspace, mailbox, now))
    assert isinstance(look, mail.MailLook)
    return look


def check_and_commit(workspace: Any, mailbox: Any, now: datetime = NOW) -> list[str]:
    look = check(workspace, mailbox, now)
    assert tracking.commit(workspace, [look.progress], now) == ()
    return [message.subject for message in look.messages]


def letter(subject: str, *, date: datetime = NOW, number: int = 1) -> bytes:
    message = EmailMessage()
    message["From"] = "Ana <ana@example.org>"
    message["To"] = "me@example.org"
    message["Subject"] = subject
    message["Date"] = date
    message["Message-ID"] = f"<{number}@example.org>"
    message.set_content("Hello")
    return message.as_bytes()


def refusal(workspace: Any, mailbox: Any) -> SourceError:
    with pytest.raises(SourceError) as caught:
        asyncio.run(mail.check(workspace, mailbox, NOW))
    return caught.value


def test_every_odd_message_is_read_once_and_stays_unread(workspace: Workspace, dovecot: Any) -> None:
    files = sorted(path for path in MAILS.rglob("*") if path.is_file() and path.stat().st_size)
    if not files:
        pytest.skip("the mail corpus is missing")
    for file in files:
        dovecot.append("corpus", file.read_bytes())
    mailbox = dovecot.mailbox("corpus")
    look = check(workspace, mailbox)
    tracking.commit(workspace, [look.progress], NOW)
    distinct = {message.id for message in look.messages}
    assert (len(look.messages), dovecot.unseen("corpus")) == (len(distinct), len(files))
    assert len(look.progress.seen) == len(files)
    for message in look.messages:
        assert flatten(message.subject) == message.subject
    assert sum(bool(message.body) for message in look.messages) >= len(distinct) - 8
    assert check_and_commit(workspace, mailbox) == []
    assert dovecot.unseen("corpus") == len(files)


def test_of_thousands_of_old_mails_no_text_is_fetched(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Within the day that the server searches by, so that the search alone does not leave them out.
    dovecot.append("flood", letter("old"), at=NOW - 25 * HOUR)
    with dovecot.client("flood") as client:
        client.select("INBOX")
        while (count := int(client.select("INBOX")[1][0])) < 5_000:
            client.copy(f"1:{min(count, 5_000 - count)}", "INBOX")
    dovecot.append("flood", letter("new", number=2), at=NOW - 23 * HOUR)
    fetched: list[int] = []
    read = imap.read

    def noticed(box: Any, uids: Any) -> list[imap.Raw]:
        fetched.extend(uids)
        return read(box, uids)

    monkeypatch.setattr(imap, "read", noticed)
    look = check(workspace, dovecot.mailbox("flood"))
    assert ([message.subject for message in look.messages], look.more, fetched) == (["new"], 0, [5_001])
    tracking.commit(workspace, [look.progress], NOW)
    assert (check_and_commit(workspace, dovecot.mailbox("flood"), NOW + HOUR), fetched) == ([], [5_001])


def test_first_contact_looks_at_the_last_day_only(workspace: Workspace, dovecot: Any) -> None:
    dovecot.append("first", letter("old", number=1), at=NOW - 26 * HOUR)
    dovecot.append("first", letter("new", number=2), at=NOW - 2 * HOUR)
    look = check(workspace, dovecot.mailbox("first"))
    assert ([message.subject for message in look.messages], look.first_contact) == (["new"], True)


def test_what_came_since_the_last_look_is_new(workspace: Workspace, dovecot: Any) -> None:
    mailbox = dovecot.mailbox("since")
    assert check_and_commit(workspace, mailbox) == []
    dovecot.append("since", letter("one", number=1), at=NOW + HOUR)
    assert check_and_commit(workspace, mailbox, NOW + 2 * HOUR) == ["one"]
    assert check_and_commit(workspace, mailbox, NOW + 3 * HOUR) == []


def test_what_was_not_committed_is_given_again(workspace: Workspace, dovecot: Any) -> None:
    dovecot.append("crash", letter("one"))
    mailbox = dovecot.mailbox("crash")
    first, again = check(workspace, mailbox), check(workspace, mailbox)
    assert [message.id for message in first.messages] == [message.id for message in again.messages]
    assert len(first.messages) == 1


def test_a_mailbox_numbered_anew_is_not_told_again(workspace: Workspace, dovecot: Any) -> None:
    mailbox = dovecot.mailbox("anew", folder="Work")
    with dovecot.client("anew") as client:
        client.create("Work")
    dovecot.append("anew", letter("before", number=1), at=NOW - 30 * HOUR, folder="Work")
    dovecot.append("anew", letter("told", number=2), folder="Work")
    assert check_and_commit(workspace, mailbox) == ["told"]
    numbering = cursors.mail_cursor(workspace, mail.mailbox_key(mailbox)).uidvalidity
    with dovecot.client("anew") as client:
        client.rename("Work", "Old")
        client.create("Work")
        client.select("Old", readonly=True)
        client.copy("1:*", "Work")
    later = NOW + 3 * HOUR
    dovecot.append("anew", letter("fresh", number=3, date=later), at=later, folder="Work")
    assert check_and_commit(workspace, mailbox, later) == ["before", "fresh"]
    assert cursors.mail_cursor(workspace, mail.mailbox_key(mailbox)).uidvalidity != numbering
    assert check_and_commit(workspace, mailbox, later + HOUR) == []


@pytest.mark.parametrize("how", ["deleted", "rolled back", "damaged"])
def test_m30_a_cursor_that_is_lost_brings_nothing_again(workspace: Workspace, dovecot: Any, how: str) -> None:
    user = how.replace(" ", "-")
    mailbox, path = dovecot.mailbox(user), workspace.private / cursors.MAIL_FILE
    dovecot.append(user, letter("one"))
    assert check_and_commit(workspace, mailbox) == ["one"]
    before = path.read_bytes()
    dovecot.append(user, letter("two", number=2), at=NOW + HOUR)
    assert check_and_commit(workspace, mailbox, NOW + 2 * HOUR) == ["two"]
    match how:
        case "deleted":
            path.unlink()
        case "rolled back":
            path.write_bytes(before)
        case _:
            path.write_bytes(b"{")
    dovecot.append(user, letter("three", number=3), at=NOW + 3 * HOUR)
    look = check(workspace, mailbox, NOW + 4 * HOUR)
    assert [message.subject for message in look.messages] == ["three"]


def test_what_failed_last_time_is_not_tried_again_at_once(workspace: Workspace, dovecot: Any, scripted: Any) -> None:
    busy = {b"LOGIN": b"%(tag)s NO [UNAVAILABLE] later", b"CAPABILITY": CAPABILITY}
    mailbox = dovecot.mailbox("alice", port=scripted(b"* OK hello", OK | busy).port)
    first = refusal(workspace, mailbox)
    tracking.commit(workspace, [mail.failed(mailbox, first)], NOW)
    later = NOW + timedelta(minutes=10)
    with pytest.raises(SourceError) as second:
        asyncio.run(mail.check(workspace, mailbox, later))
    assert (first.transient, second.value.transient, str(first) == str(second.value)) == (True, False, True)


def test_a_mailbox_that_fails_all_day_is_asked_ever_less_often(
    workspace: Workspace, dovecot: Any, scripted: Any
) -> None:
    server = scripted(b"* OK hello", OK | {b"LOGIN": b"%(tag)s NO [UNAVAILABLE] later", b"CAPABILITY": CAPABILITY})
    mailbox = dovecot.mailbox("alice", port=server.port)
    for beat in range(48):
        now = NOW + beat * HOUR / 2
        try:
            assert isinstance(asyncio.run(mail.check(workspace, mailbox, now)), Waiting)
        except SourceError as error:
            tracking.commit(workspace, [mail.failed(mailbox, error)], now)
    assert sum(b"LOGIN" in line for line in server.heard) <= 10


def test_a_person_who_asks_is_answered_at_once(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox = dovecot.mailbox("mended")
    with monkeypatch.context() as before:
        before.setattr(imap, "last_uid", lambda _: 1 // 0)
        tracking.commit(workspace, [mail.failed(mailbox, refusal(workspace, mailbox))], NOW)
    assert isinstance(asyncio.run(mail.check(workspace, mailbox, NOW)), Waiting)
    assert isinstance(asyncio.run(mail.check(workspace, mailbox, NOW, by_hand=True)), mail.MailLook)


def test_a_password_that_was_mended_is_tried_at_once_and_one_that_was_not_waits(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch, mail_password: str
) -> None:
    """Turns red when a beat waits for hours after the operator has set the right password."""
    mailbox = dovecot.mailbox("mended-later")
    monkeypatch.setenv("MAIL_PASSWORD", "wrong-password-7")
    tracking.commit(workspace, [mail.failed(mailbox, refusal(workspace, mailbox))], NOW)
    assert isinstance(asyncio.run(mail.check(workspace, mailbox, NOW)), mail.MailWaiting)
    monkeypatch.setenv("MAIL_PASSWORD", mail_password)
    assert check_and_commit(workspace, mailbox) == []


def test_a_setting_that_was_mended_is_tried_at_once(workspace: Workspace, dovecot: Any) -> None:
    mailbox = dovecot.mailbox("port-mended")
    wrong = mailbox.model_copy(update={"port": 1})
    tracking.commit(workspace, [mail.failed(wrong, refusal(workspace, wrong))], NOW)
    waiting = asyncio.run(mail.check(workspace, wrong.model_copy(update={"vip": ("a@example.org",)}), NOW))
    assert waiting == mail.MailWaiting(
        *("port-mended@127.0.0.1/INBOX", NOW + timedelta(minutes=10)),
        "The mailbox of port-mended at 127.0.0.1 failed once (cannot be read: Connection refused)",
    )
    assert check_and_commit(workspace, mailbox) == []


def test_a_file_that_was_made_readable_is_tried_at_once(workspace: Workspace, dovecot: Any, tmp_path: Path) -> None:
    mailbox = dovecot.mailbox("file-made", password_env=None, password_file=str(tmp_path / "password"))
    tracking.commit(workspace, [mail.failed(mailbox, refusal(workspace, mailbox))], NOW)
    assert isinstance(asyncio.run(mail.check(workspace, mailbox, NOW)), mail.MailWaiting)
    (tmp_path / "password").write_text("another-password-8\n")
    (tmp_path / "password").chmod(0o600)
    assert "refused the password" in str(refusal(workspace, mailbox))


def test_a_password_command_is_not_run_while_the_mailbox_is_left_alone(
    workspace: Workspace, dovecot: Any, tmp_path: Path
) -> None:
    ran = tmp_path / "ran"
    command = ("sh", "-c", f"echo x >> {ran}; echo wrong-password-7")
    mailbox = dovecot.mailbox("by-command", password_env=None, password_command=command)
    tracking.commit(workspace, [mail.failed(mailbox, refusal(workspace, mailbox))], NOW)
    assert isinstance(asyncio.run(mail.check(workspace, mailbox, NOW)), mail.MailWaiting)
    assert ran.read_text() == "x\n"
    other = mailbox.model_copy(update={"password_command": (*command, "other")})
    assert "refused the password" in str(refusal(workspace, other))
    assert ran.read_text() == "x\nx\n"


def test_what_nobody_foresaw_is_a_failure_without_the_password(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch, mail_password: str
) -> None:
    def broken(*_: object) -> None:
        raise KeyError(mail_password)

    monkeypatch.setattr(imap, "last_uid", broken)
    error = refusal(workspace, dovecot.mailbox("broken"))
    assert (mail_password in "".join(traceback.format_exception(error)), error.__context__) == (False, None)
    assert str(error) == "The mailbox broken@127.0.0.1/INBOX cannot be read (KeyError); it is tried again later."


def test_more_than_a_look_holds_is_left_for_the_next(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "MAX_MESSAGES", 2)
    for number in range(3):
        dovecot.append("many", letter(f"mail {number}", number=number))
    mailbox = dovecot.mailbox("many")
    look = check(workspace, mailbox)
    tracking.commit(workspace, [look.progress], NOW)
    assert ([message.subject for message in look.messages], look.more) == (["mail 0", "mail 1"], 1)
    assert check_and_commit(workspace, mailbox) == ["mail 2"]


def fetched(uid: int, mail: bytes) -> bytes:
    return b"* 1 FETCH (UID %d BODY[]<0> {%d}\r\n%s)\r\n" % (uid, len(mail), mail)


def listing(uids: bytes, texts: bytes, following: int = 8) -> dict[bytes, bytes]:
    """Answers of a server that lists some messages and then gives these texts."""
    opened = b"* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT %d] x\r\n%%(tag)s OK [READ-ONLY] open" % following
    dates = b"".join(b"* 1 FETCH (UID %s)\r\n" % uid for uid in uids.split())
    return OK | {
        b"CAPABILITY": CAPABILITY,
        b"LOGIN": b"%(tag)s OK in",
        b"EXAMINE": opened,
        b"UID": b"* SEARCH " + uids + b"\r\n" + dates + texts + b"%(tag)s OK done",
    }


@pytest.mark.parametrize(
    "given", [b"* 1 FETCH (UID 6 BODY[]<0> NIL)\r\n", fetched(99, b"x"), b""], ids=["no text", "another", "nothing"]
)
def test_a_message_that_the_server_does_not_give_is_told_and_waited_for_some_looks(
    workspace: Workspace, dovecot: Any, scripted: Any, given: bytes
) -> None:
    """Turns red when such a message is passed over without a word, or hides what comes after it for ever."""
    texts = given + fetched(5, letter("before", number=5)) + fetched(7, letter("after", number=7))
    server = scripted(b"* OK hello", listing(b"5 6 7", texts))
    mailbox = dovecot.mailbox("alice", port=server.port)
    key = mail.mailbox_key(mailbox)
    tries = []
    for number in range(mail.MAX_TRIES):
        look = check(workspace, mailbox, NOW + number * HOUR)
        tracking.commit(workspace, [look.progress], NOW + number * HOUR)
        (remark,) = look.remarks
        subjects = [message.subject for message in look.messages]
        tries.append((subjects, cursors.mail_cursor(workspace, key).last_uid, remark.partition("could not be ")[2]))
    waits, passed = "read; the next look tries again.", "read at all; open the mailbox by hand."
    assert tries == [(["before", "after"], 5, waits), ([], 5, waits), ([], 7, passed)]
    assert remark.startswith(f"1 message of {key} ")


def test_a_message_that_is_given_at_the_second_try_is_told_then(
    workspace: Workspace, dovecot: Any, scripted: Any
) -> None:
    server = scripted(b"* OK hello", listing(b"5 6", fetched(5, letter("one", number=5))))
    mailbox = dovecot.mailbox("alice", port=server.port)
    assert check_and_commit(workspace, mailbox) == ["one"]
    server.answers = listing(b"6", fetched(6, letter("two", number=6)))
    assert check_and_commit(workspace, mailbox, NOW + HOUR) == ["two"]
    assert cursors.mail_cursor(workspace, mail.mailbox_key(mailbox)).last_uid == 6


def test_a_message_that_nobody_foresaw_is_an_empty_one_and_hides_no_other(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red when one mail can blind a mailbox."""
    reads = mail.read_message

    def broken(raw: imap.Raw, *rest: Any) -> Any:
        if b"bad" in raw.data:
            raise KeyError(raw.data)
        return reads(raw, *rest)

    monkeypatch.setattr(mail, "read_message", broken)
    for number, subject in enumerate(("one", "bad", "two")):
        dovecot.append("unforeseen", letter(subject, number=number))
    mailbox = dovecot.mailbox("unforeseen")
    look = check(workspace, mailbox)
    tracking.commit(workspace, [look.progress], NOW)
    assert [(message.subject, message.body, message.seen) for message in look.messages][1] == ("", "", "")
    assert [message.subject for message in look.messages] == ["one", "", "two"]
    assert look.remarks == (f"1 message of {look.name} could not be understood; open the mailbox by hand.",)
    assert check_and_commit(workspace, mailbox, NOW + HOUR) == []


def test_a_server_that_names_an_impossible_next_number_once_is_not_mute_for_good(
    workspace: Workspace, dovecot: Any, scripted: Any
) -> None:
    """Turns red when the highest number comes from the server's word for the next."""
    server = scripted(b"* OK hello", listing(b"5", fetched(5, letter("one", number=5)), following=4_294_967_295))
    mailbox = dovecot.mailbox("alice", port=server.port)
    assert check_and_commit(workspace, mailbox) == ["one"]
    assert cursors.mail_cursor(workspace, mail.mailbox_key(mailbox)).last_uid == 5


def test_a_cursor_beyond_all_numbers_given_out_is_set_right(workspace: Workspace, dovecot: Any) -> None:
    mailbox = dovecot.mailbox("beyond")
    dovecot.append("beyond", letter("one"))
    assert check_and_commit(workspace, mailbox) == ["one"]
    cursor = cursors.mail_cursor(workspace, mail.mailbox_key(mailbox))
    mute = cursor.model_copy(update={"last_uid": 4_294_967_294})
    cursors.commit_mail(workspace, {mail.mailbox_key(mailbox): mute}, NOW)
    dovecot.append("beyond", letter("two", number=2), at=NOW + HOUR)
    assert check_and_commit(workspace, mailbox, NOW + 2 * HOUR) == ["two"]
    assert cursors.mail_cursor(workspace, mail.mailbox_key(mailbox)).last_uid == cursor.last_uid + 1


def test_a_look_that_hangs_where_no_deadline_reaches_is_left_behind(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(mail, "GRACE_S", 0.1)
    monkeypatch.setattr(imap_client, "TOTAL_TIMEOUT_S", 0.0)
    monkeypatch.setattr(imap, "connected", lambda _mailbox: ended.wait(60))
    error = refusal(workspace, dovecot.mailbox("alice"))
    ended.set()
    assert str(error) == "The mailbox alice@127.0.0.1/INBOX took too long; it is tried again later."


def test_a_wrong_password_is_named_and_not_tried_again(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "wrong-password-7")
    error = refusal(workspace, dovecot.mailbox("alice"))
    assert error.transient is False
    assert str(error) == (
        "127.0.0.1 refused the password of alice; check password_env (MAIL_PASSWORD) in daybook.toml."
    )


def test_a_password_beyond_ascii_is_not_shown(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "pässword-7")
    error = refusal(workspace, dovecot.mailbox("alice"))
    assert (error.transient, "pässword" in "".join(traceback.format_exception(error))) == (False, False)
    assert (error.__cause__, error.__context__) == (None, None)


def test_a_missing_folder_is_named(workspace: Workspace, dovecot: Any) -> None:
    with dovecot.client("folders") as client:
        client.create("Sent")
    error = refusal(workspace, dovecot.mailbox("folders", folder="Nowhere"))
    names = "no folder 'Nowhere'; there are 'Sent', 'INBOX'; change its folder in daybook.toml."
    assert (error.transient, str(error)) == (False, f"The mailbox of folders@127.0.0.1 has {names}")


def test_a_failed_mailbox_waits_before_the_next_try(
    workspace: Workspace, dovecot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "wrong-password-7")
    mailbox = dovecot.mailbox("alice")
    tracking.commit(workspace, [mail.failed(mailbox, refusal(workspace, mailbox))], NOW)
    look = asyncio.run(mail.check(workspace, mailbox, NOW + timedelta(minutes=9)))
    why = "The mailbox of alice at 127.0.0.1 failed once (refused the password)"
    assert look == mail.MailWaiting("alice@127.0.0.1/INBOX", NOW + timedelta(minutes=10), why)
    for now, at in ((NOW, "09:10"), (NOW - 10 * HOUR, "2026-02-07 09:10")):
        told = f"{why} and is asked again at {at}; to ask now: `daybook mail`."
        assert triage.waits([look], ZoneInfo("Europe/Berlin"), now) == (told,)


def test_o14_a_self_signed_server_is_left_before_login(
    workspace: Workspace, dovecot: Any, scripted: Any, certificate: Path
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = scripted(b"* OK hello", OK | {b"CAPABILITY": CAPABILITY}, context)
    error = refusal(workspace, dovecot.mailbox("alice", port=server.port, security="tls"))
    assert (error.transient, server.heard) == (False, [])
    assert "certificate of 127.0.0.1" in str(error)


def test_a_server_with_a_trusted_certificate_is_logged_in_to(
    workspace: Workspace, dovecot: Any, scripted: Any, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server = scripted(b"* OK hello", OK | {b"CAPABILITY": CAPABILITY}, context)
    error = refusal(workspace, dovecot.mailbox("alice", port=server.port, security="tls"))
    assert "refused the password" in str(error)
    assert any(b"LOGIN" in line for line in server.heard)


@pytest.mark.parametrize(
    "capability", [CAPABILITY, b"* CAPABILITY IMAP4rev1 STARTTLS\r\n%(tag)s OK done"], ids=["absent", "refused"]
)
def test_o14_without_starttls_nothing_is_sent(
    workspace: Workspace, dovecot: Any, scripted: Any, capability: bytes
) -> None:
    answers = OK | {b"CAPABILITY": capability, b"STARTTLS": b"%(tag)s NO not now"}
    server = scripted(b"* OK hello", answers)
    error = refusal(workspace, dovecot.mailbox("alice", port=server.port, security="starttls"))
    assert (error.transient, "no STARTTLS" in str(error)) == (False, True)
    assert not any(b"LOGIN" in line or b"alice" in line for line in server.heard)


@pytest.mark.parametrize("security", ["starttls", "plain"])
def test_o14_a_server_that_says_we_are_logged_in_is_left(
    workspace: Workspace, dovecot: Any, scripted: Any, security: str
) -> None:
    server = scripted(b"* PREAUTH welcome", OK | {b"CAPABILITY": CAPABILITY})
    error = refusal(workspace, dovecot.mailbox("alice", port=server.port, security=security))
    assert "logged in already" in str(error)
    assert not any(b"LOGIN" in line or b"EXAMINE" in line for line in server.heard)


def test_a_server_that_is_busy_is_tried_again(workspace: Workspace, dovecot: Any, scripted: Any) -> None:
    busy = {b"LOGIN": b"%(tag)s NO [UNAVAILABLE] later", b"CAPABILITY": CAPABILITY}
    server = scripted(b"* OK hello", OK | busy)
    assert refusal(workspace, dovecot.mailbox("alice", port=server.port)).transient is True


def test_a_server_that_echoes_the_password_does_not_get_it_into_the_error(
    workspace: Workspace, dovecot: Any, scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_PASSWORD", "hunter2-hunter2")
    echo = {b"LOGIN": b"* BYE you said hunter2-hunter2", b"CAPABILITY": CAPABILITY}
    server = scripted(b"* OK hello", OK | echo)
    error = refusal(workspace, dovecot.mailbox("alice", port=server.port))
    assert "hunter2" not in "".join(traceback.format_exception(error))


def test_nobody_at_the_port_is_worth_another_try(workspace: Workspace, dovecot: Any) -> None:
    error = refusal(workspace, dovecot.mailbox("alice", port=1))
    assert (error.transient, "Connection refused" in str(error)) == (True, True)


def test_whoever_stops_a_look_does_not_wait_for_a_silent_server(workspace: Workspace, dovecot: Any) -> None:
    """Turns red when Ctrl-C takes as long as the server that does not answer."""

    async def stopped(silent: socket.socket) -> socket.socket:
        box = dovecot.mailbox("alice", port=silent.getsockname()[1])
        look = asyncio.create_task(mail.check(workspace, box, NOW))
        connection, _ = await asyncio.to_thread(silent.accept)
        look.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await look
        return connection

    with socket.create_server(("127.0.0.1", 0)) as silent, asyncio.run(stopped(silent)):
        left = [thread for thread in threading.enumerate() if thread.name == "mail"]
        assert len(left) == 1
    left[0].join()
