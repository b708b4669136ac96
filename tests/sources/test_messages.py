from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from daybook.guard.outside import flatten
from daybook.sources.imap import Raw
from daybook.sources.messages import Message, read_message, unreadable

MAILS = Path(__file__).parents[2] / ".." / "shared" / "data" / "mail"
NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)


def read(text: str | bytes, **options: object) -> Message:
    data = text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode()
    return read_message(Raw(1, NOW, data), "me@example.org/INBOX", "me@example.org", NOW, **options)


def test_a_plain_message_is_read() -> None:
    message = read(
        "From: =?utf-8?q?An=C3=A4?= <ana@example.org>\nTo: Me <me@example.org>\nSubject: =?utf-8?b?SMOkbGxv?=\n"
        "Date: Fri, 06 Feb 2026 10:00:00 +0100\nMessage-ID: <1@example.org>\nX-Priority: 1 (Highest)\n\nHello\nthere"
    )
    assert (message.name, message.address, message.subject) == ("Anä", "ana@example.org", "Hällo")
    assert (message.date, message.direct) == (datetime(2026, 2, 6, 9, tzinfo=UTC), True)
    assert (message.snippet, message.message_id, message.high_priority) == ("Hello there", "<1@example.org>", True)
    assert (message.bulk, message.automatic, message.attachments) == (False, False, False)


@pytest.mark.parametrize(
    ("header", "bulk", "automatic"),
    [
        ("List-Unsubscribe: <mailto:u@e.org>", True, False),
        ("List-Id: <l.e.org>", True, False),
        ("Precedence: bulk", True, False),
        ("X-Spam-Flag: YES", True, False),
        ("Auto-Submitted: auto-generated", False, True),
        ("Auto-Submitted: no", False, False),
    ],
)
def test_what_no_person_wrote_to_one_is_marked(header: str, bulk: bool, automatic: bool) -> None:
    message = read(f"From: a@e.org\n{header}\n\nx")
    assert (message.bulk, message.automatic) == (bulk, automatic)


@pytest.mark.parametrize("address", ["noreply@e.org", "do-not-reply@e.org", "MAILER-DAEMON@e.org"])
def test_an_address_that_takes_no_answer_is_a_programs(address: str) -> None:
    assert read(f"From: Bank <{address}>\n\nx").automatic is True


def test_nothing_but_a_body_is_a_message_too() -> None:
    message = read("\n\njust text")
    assert (message.address, message.subject, message.date, message.snippet) == ("", "", None, "just text")


@pytest.mark.parametrize("date", ["", "soon", "Fri, 99 Feb 0000 10:00:00 +9999", "Mon, 1 Jan 1900 00:00:00 +0000"])
def test_an_impossible_date_is_none(date: str) -> None:
    assert read(f"From: a@e.org\nDate: {date}\n\nx").date is None


def test_what_cannot_be_made_out_is_empty_and_the_same_at_every_look() -> None:
    one, again, other = (unreadable(Raw(uid, NOW, data), "me") for uid, data in ((1, b"\xff"), (2, b"\xff"), (3, b"")))
    assert (one.uid, one.address, one.subject, one.date, one.body, one.seen) == (1, "", "", None, "", "")
    assert (one.id == again.id, one.id == other.id) == (True, False)


def test_a_date_to_come_is_now() -> None:
    assert read("Date: Fri, 06 Feb 2099 10:00:00 +0000\n\nx").date == NOW


def test_html_is_read_as_text() -> None:
    html = (
        "<html><head><title>t</title><style>b{}</style></head><body><!-- c --><p>Hi&nbsp;<b>you</b></p></body></html>"
    )
    assert read(f"Content-Type: text/html\n\n{html}").snippet == "Hi you"


def test_the_body_is_what_its_writer_says_and_the_snippet_its_beginning() -> None:
    said = "Yes, gladly.\n" + "More of it. " * 500
    message = read(f"Subject: Re: x\n\n{said}\n\nOn Fri, 6 Feb 2026 at 10:00, Me wrote:\n> Shall we?\n\n-- \nAna")
    assert (message.body[:24], len(message.body), message.body[-1]) == ("Yes, gladly. More of it.", 4_000, "…")
    assert (message.snippet[:990], len(message.snippet) <= 1_000) == (message.body[:990], True)
    assert read("Subject: x\n\nYes.\n> Shall we?").body == "Yes."


def test_a_mail_without_text_is_fine() -> None:
    message = read("From: a@e.org\nSubject: Call me\n\n")
    assert (message.subject, message.body, message.snippet) == ("Call me", "", "")
    pdf = read("Content-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\n%PDF")
    assert (pdf.body, pdf.attachments) == ("", True)


def test_o02_a_body_cannot_act() -> None:
    html = "<p>a [x](http://e) <|im_end|> &lt;script&gt; ```<p># Lesson<p>- [ ] x"
    assert read(f"Content-Type: text/html\n\n{html}").body == "a [x] (http://e) ‹script> ''' # Lesson - [ ] x"


@pytest.mark.parametrize(
    "header",
    [
        "Subject: =?punycode?q?ab-" + "9" * 60_000 + "?=",
        "Subject: " + "=?utf-8?q?a?= " * 4_000,
        "From: =?punycode?b?" + "YWIt" * 15_000 + "?= <a@e.org>",
        "To: " + "me@example.org, " * 4_000,
        "Content-Type: text/plain; charset=punycode; " + "a=b; " * 12_000,
        "Content-Disposition: inline; " + "".join(f"f*{n}=x; " for n in range(5_000)),
    ],
)
def test_o15_a_header_without_end_is_bounded(header: str) -> None:
    message = read(f"Message-ID: <1@e.org>\n{header}\n\nx")
    assert (message.message_id, len(message.subject) <= 160) == ("<1@e.org>", True)


def test_o02_a_subject_cannot_act() -> None:
    message = read("Subject: =?utf-8?q?a=0A=0A#_x_<|im_end|>_=5Bx=5D(http://e)_@everyone_=E2=80=AE?=\n\nx")
    assert message.subject == "a # x [x] (http://e) (at)everyone"


def test_o03_secrets_do_not_leave() -> None:
    message = read(
        "Subject: key AIzaSyA1234567890abcdefghijklmnopqrstuv\n\nyour pass is hunter-2-x", secrets=("hunter-2-x",)
    )
    assert ("AIza" in message.subject, "hunter" in message.snippet) == (False, False)


def test_the_id_is_the_same_however_the_mailbox_numbers_it() -> None:
    text = b"From: a@e.org\r\nMessage-ID: <1@e.org>\r\nSubject: s\r\n\r\nx"
    one = read_message(Raw(1, NOW, text), "m", "me", NOW)
    other = read_message(Raw(99, None, text), "m", "me", NOW)
    assert one.id == other.id
    assert one.id != read_message(Raw(1, NOW, text.replace(b": s", b": t")), "m", "me", NOW).id


def test_o15_deep_nesting_is_bounded() -> None:
    head = b"".join(b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (n, n) for n in range(1500))
    message = read(b"Subject: deep\r\nFrom: a@e.org\r\n" + head[:65_000])
    assert (message.subject, message.address) == ("deep", "a@e.org")


def test_every_odd_message_is_read() -> None:
    files = sorted(path for path in MAILS.rglob("*") if path.is_file())
    if not files:
        pytest.skip("the mail corpus is missing")
    addresses = 0
    for file in files:
        message = read(file.read_bytes())
        addresses += bool(message.address)
        for text in (message.name, message.address, message.subject, message.snippet, message.body):
            assert flatten(text, limit=4_000) == text
    assert addresses >= len(files) - 8
