from __future__ import annotations

import email
from email.message import EmailMessage

import pytest

from daybook.sources.bodies import text_of_mail


def text(data: bytes) -> str:
    return text_of_mail(email.message_from_bytes(data.replace(b"\n", b"\r\n"))).strip()


def alternatives(plain: str, html: str) -> EmailMessage:
    message = EmailMessage()
    message.set_content(plain)
    message.add_alternative(html, subtype="html")
    return message


def test_of_alternatives_the_plain_one_is_read_unless_it_is_empty() -> None:
    assert text(alternatives("plain", "<p>rich").as_bytes()) == "plain"
    assert text(alternatives(" ", "<p>rich").as_bytes()) == "rich"


def test_parts_that_are_no_alternatives_are_read_one_after_the_other() -> None:
    message = EmailMessage()
    message.set_content("<p>rich", subtype="html")
    message.make_mixed()
    footer = EmailMessage()
    footer.set_content("list footer")
    message.attach(footer)
    assert text(message.as_bytes()).split() == ["rich", "list", "footer"]


def test_attachments_and_mails_within_the_mail_are_left_out() -> None:
    inner = EmailMessage()
    inner.set_content("inner")
    message = alternatives("plain", "<p>rich")
    message.add_attachment("attached", filename="a.txt")
    message.add_attachment(inner)
    assert text(message.as_bytes()) == "plain"


def test_a_mail_of_nothing_but_an_attachment_has_no_text() -> None:
    assert text(b"Content-Type: application/pdf\nContent-Disposition: attachment\n\n%PDF") == ""
    assert text(b"Subject: x\n\n") == ""


@pytest.mark.parametrize("length", range(40, 60))
def test_a_mail_cut_anywhere_in_base64_gives_its_text(length: int) -> None:
    message = EmailMessage()
    message.set_content("Grüße aus dem schönen Köln, bis morgen früh um 7 im Büro", cte="base64")
    head, _, body = message.as_bytes().partition(b"\n\n")
    found = text(head + b"\n\n" + body[:length])
    assert "Grüße aus dem schönen Köln, bis morgen früh".startswith(found)
    assert len(found) > 20


def test_a_mail_cut_in_the_middle_of_a_multipart_gives_its_text() -> None:
    message = alternatives("plain text that goes on " * 50, "<p>rich")
    message.add_attachment(b"x" * 60_000, maintype="application", subtype="pdf", filename="a.pdf")
    data = message.as_bytes()
    assert text(data[:30_000]).startswith("plain text that goes on plain text")
    assert text(data[:700]).startswith("plain text that goes on plain text")


def test_quoted_printable_cut_in_the_middle_of_a_character_gives_its_text() -> None:
    head = b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
    assert [text(head + end) for end in (b"f=C3=BCr", b"f=C3", b"f=C", b"f=")] == ["für", "f", "f=C", "f"]


@pytest.mark.parametrize("encoding", [b"Quoted-Printable ", b"quoted-printable;", b"QUOTED-PRINTABLE; x=y"])
def test_an_encoding_that_is_badly_named_is_understood(encoding: bytes) -> None:
    assert text(b"Content-Transfer-Encoding: " + encoding + b"\n\nf=C3=BCr") == "für"


@pytest.mark.parametrize(
    ("charset", "data", "expected"),
    [
        (b"iso-8859-1", b"f\xfcr", "für"),
        (b"utf-8", b"f\xfcr", "f\ufffdr"),
        (b"no-such-charset", "für".encode(), "für"),
        (b"no-such-charset", b"f\xfcr", "f\ufffdr"),
        (b"punycode", b"fr-kva", "fr-kva"),
        (b"zlib", b"x", "x"),
        (b"utf_8", "für".encode(), "für"),
    ],
)
def test_a_charset_is_believed_if_it_is_one_of_text(charset: bytes, data: bytes, expected: str) -> None:
    assert text(b"Content-Type: text/plain; charset=" + charset + b"\n\n" + data) == expected


@pytest.mark.parametrize(("data", "expected"), [("für".encode(), "für"), (b"f\xfcr", "für"), ("für".encode()[:2], "f")])
def test_without_a_charset_it_is_utf_8_or_western(data: bytes, expected: str) -> None:
    assert text(b"Subject: x\n\n" + data) == expected


def test_o15_parts_without_number_are_bounded() -> None:
    parts = b"".join(b"--b\n\npart %d\n" % number for number in range(5_000))
    assert text(b"Content-Type: multipart/mixed; boundary=b\n\n" + parts).split()[-1] == "198"
