"""Servers that drip, flood, announce too much, or say in our sentences what they like."""

from __future__ import annotations

import socketserver
import ssl
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from daybook.errors import SourceError
from daybook.settings import Mailbox
from daybook.sources import imap, imap_client

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from pathlib import Path

PASSWORD = "hunter2-hunter2"
MAIL = b"From: a@example.org\r\nSubject: Hello\r\n\r\nx\r\n"
EVIL = b"visit evil.example now"


class Server(socketserver.ThreadingTCPServer):
    """A mail server on loopback that does by command what a test says: bytes to send, or a function to call."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, acts: dict[bytes, Any]) -> None:
        """Listen on a free port."""
        super().__init__(("127.0.0.1", 0), Talk)
        self.acts = {
            b"GREETING": b"* OK hello\r\n",
            b"CAPABILITY": b"* CAPABILITY IMAP4rev1\r\nTAG OK done\r\n",
            b"LOGIN": b"TAG OK in\r\n",
            b"EXAMINE": b"* 1 EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n* OK [UIDNEXT 2] x\r\nTAG OK [READ-ONLY] open\r\n",
            b"UID SEARCH": b"* SEARCH 1\r\nTAG OK done\r\n",
            b"UID FETCH": b"* 1 FETCH (UID 1 BODY[]<0> {%d}\r\n%s)\r\nTAG OK done\r\n" % (len(MAIL), MAIL),
            b"LOGOUT": b"* BYE\r\nTAG OK bye\r\n",
        } | acts
        self.heard: list[bytes] = []
        self.ended = threading.Event()

    def drip(self, connection: socket.socket, what: bytes = b"*") -> None:
        """Send a little now and then, until the other side hangs up."""
        while not self.ended.wait(0.01):
            connection.sendall(what)

    def flood(self, connection: socket.socket, what: bytes) -> None:
        """Send as much as the other side takes."""
        while not self.ended.is_set():
            connection.sendall(what)


class Talk(socketserver.BaseRequestHandler):
    """One connection."""

    def handle(self) -> None:
        """Greet, and do what each command is to come to."""
        server, connection = self.server, self.request
        assert isinstance(server, Server)
        with suppress(OSError):
            self._act(server, connection, b"GREETING", b"")
            while line := self._line(connection):
                tag, _, said = line.strip().partition(b" ")
                words = said.upper().split(b" ")
                verb = b" ".join(words[: 2 if words[0] == b"UID" else 1])
                server.heard.append(verb)
                connection = self._act(server, connection, verb, tag)
        # By now another than at first, where TLS has begun.
        connection.close()

    def _act(self, server: Server, connection: socket.socket, verb: bytes, tag: bytes) -> socket.socket:
        act = server.acts.get(verb, b"TAG BAD what?\r\n")
        if callable(act):
            return act(server, connection, tag) or connection
        connection.sendall(act.replace(b"TAG", tag))
        return connection

    def _line(self, connection: socket.socket) -> bytes:
        # Byte by byte, so that nothing of a TLS handshake is read away.
        line = b""
        while not line.endswith(b"\n") and (byte := connection.recv(1)):
            line += byte
        return line


@pytest.fixture
def serve() -> Iterator[Callable[[dict[bytes, Any]], Server]]:
    running: list[tuple[Server, threading.Thread]] = []

    def start(acts: dict[bytes, Any]) -> Server:
        server = Server(acts)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        running.append((server, thread))
        return server

    yield start
    for server, thread in running:
        server.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def look(server: Server, security: str = "plain", folder: str = "INBOX") -> list[imap.Raw]:
    given = {"host": "127.0.0.1", "port": server.server_address[1], "user": "me", "password_env": "X"}
    mailbox = Mailbox.model_validate(given | {"security": security, "folder": folder})
    with imap.opened(mailbox, PASSWORD) as box:
        return imap.read(box, imap.uids_after(box, 0))


def refusal(server: Server, security: str = "plain") -> SourceError:
    with pytest.raises(SourceError) as caught:
        look(server, security)
    assert PASSWORD not in str(caught.value)
    return caught.value


def drips(what: bytes = b"*") -> Callable[..., None]:
    return lambda server, connection, _tag: server.drip(connection, what)


def floods(what: bytes) -> Callable[..., None]:
    return lambda server, connection, _tag: server.flood(connection, what)


def test_a_message_is_read(serve: Any) -> None:
    server = serve({})
    assert [raw.data for raw in look(server)] == [MAIL]
    assert server.heard[-1] == b"LOGOUT"


@pytest.mark.parametrize("what", [b"*", b"* OK still here\r\n"], ids=["a byte", "a line"])
@pytest.mark.parametrize("when", [b"GREETING", b"CAPABILITY", b"LOGIN", b"EXAMINE", b"UID SEARCH", b"UID FETCH"])
def test_a_server_that_never_comes_to_an_end_is_left_in_time(
    serve: Any, monkeypatch: pytest.MonkeyPatch, when: bytes, what: bytes
) -> None:
    """Turns red, by a hang, when any part of a look stands under no deadline."""
    monkeypatch.setattr(imap_client, "TOTAL_TIMEOUT_S", 0.2)
    if (when, what[-1:]) == (b"GREETING", b"\n"):
        when = b"CAPABILITY"
    error = refusal(serve({when: drips(what)}))
    assert (error.transient, "did not answer in time" in str(error)) == (True, True)


def test_a_server_that_says_nothing_to_a_tls_handshake_is_left_in_time(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap_client, "TIMEOUT_S", 0.1)
    error = refusal(serve({b"GREETING": lambda server, *_: server.ended.wait(5)}), "tls")
    assert "did not answer in time" in str(error)


def test_a_goodbye_without_end_harms_no_look(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap_client, "LOGOUT_TIMEOUT_S", 0.1)
    server = serve({b"LOGOUT": drips(b"* OK wait\r\n")})
    assert [raw.uid for raw in look(server)] == [1]


def test_after_a_refusal_nothing_is_asked_any_more(serve: Any) -> None:
    server = serve({b"LOGIN": b"TAG NO no\r\n", b"LOGOUT": drips(b"* OK wait\r\n")})
    assert "refused the password" in str(refusal(server))
    assert server.heard == [b"CAPABILITY", b"LOGIN"]


@pytest.mark.parametrize(
    ("when", "what"),
    [
        (b"CAPABILITY", b"* CAPABILITY " + b"x" * 50_000 + b"\r\n"),
        (b"UID SEARCH", b"* SEARCH " + b"1 " * 30_000),
        (b"UID FETCH", b"* 1 FETCH (UID 1 BODY[]<0> {60000}\r\n" + b"x" * 60_000 + b")\r\n"),
    ],
    ids=["lines", "a line without end", "literals"],
)
def test_a_flood_is_left_after_so_many_bytes(
    serve: Any, monkeypatch: pytest.MonkeyPatch, when: bytes, what: bytes
) -> None:
    monkeypatch.setattr(imap_client, "LOOK_BYTES", 1_000_000)
    error = refusal(serve({when: floods(what)}))
    assert (error.transient, "sends more than it was asked for" in str(error)) == (False, True)


def test_a_flood_of_short_lines_is_left_after_so_many(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imap_client, "LOOK_LINES", 1_000)
    assert "sends more than it was asked for" in str(refusal(serve({b"EXAMINE": floods(b"* OK x\r\n" * 100)})))


@pytest.mark.parametrize("size", [imap_client.LITERAL_BYTES + 1, 400_000_000, 90_000_000_000])
def test_more_than_we_ask_for_is_not_read_when_it_is_announced(serve: Any, size: int) -> None:
    server = serve({b"UID FETCH": b"* 1 FETCH (UID 1 BODY[]<0> {%d}\r\nxxx" % size})
    assert "sends more than it was asked for" in str(refusal(server))


def test_all_that_we_ask_for_is_read(serve: Any) -> None:
    assert imap.BODY_BYTES <= imap_client.LITERAL_BYTES
    body = b"x" * imap.BODY_BYTES
    answer = b"* 1 FETCH (UID 1 BODY[]<0> {%d}\r\n%s)\r\nTAG OK done\r\n" % (len(body), body)
    assert [raw.data == body for raw in look(serve({b"UID FETCH": answer}))] == [True]


@pytest.mark.parametrize(
    "acts",
    [
        {b"GREETING": b"* BYE " + EVIL + b"\r\n"},
        {b"GREETING": EVIL + b"\r\n"},
        {b"CAPABILITY": b"TAG NO " + EVIL + b"\r\n"},
        {b"LOGIN": b"* BYE " + EVIL + b"\r\n"},
        {b"EXAMINE": b"TAG NO " + EVIL + b"\r\n"},
        {b"EXAMINE": b"TAG BAD " + EVIL + b"\r\n"},
        {b"UID SEARCH": b"* SEARCH " + EVIL + b"\r\nTAG OK done\r\n"},
        {b"UID FETCH": b"TAG NO " + EVIL + b"\r\n"},
        {b"UID FETCH": EVIL + b"\r\n"},
    ],
    ids=lambda acts: "-".join(value.decode()[:8].strip() for pair in acts.items() for value in pair),
)
def test_o01_a_server_chooses_no_word_of_our_sentences(serve: Any, acts: dict[bytes, bytes]) -> None:
    assert "evil" not in str(refusal(serve(acts))).lower()


def test_a_port_that_speaks_no_tls_is_told_with_what_to_write_instead(serve: Any) -> None:
    server = serve({})
    error = refusal(server, "tls")
    where = f"127.0.0.1:{server.server_address[1]}"
    said = f'{where} does not speak TLS there; use its TLS port (993), or security = "starttls".'
    assert (error.transient, str(error)) == (False, said)


LISTED = b'* LIST () "/" %s\r\n'


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([b"INBOX"], "has no folder 'Nope'; there is 'INBOX'; "),
        ([b"a%d" % number for number in range(8)], "; there are 'a0', 'a1', 'a2', 'a3', 'a4' and 3 more; "),
        ([b'"visit evil example now"', b"INBOX"], "; there are 'INBOX' and 1 more; "),
        ([b'"<|im_start|>"'], "has no folder 'Nope'; change"),
        ([], "the server refused what it was asked"),
        ([b"Nope"], "the server refused what it was asked"),
    ],
    ids=["one", "many", "words", "no name", "none", "there"],
)
def test_a_folder_that_is_not_there_is_told_with_those_that_are(serve: Any, names: list[bytes], told: str) -> None:
    listing = b"".join(LISTED % name for name in names) + b"TAG OK done\r\n"
    server = serve({b"EXAMINE": b"TAG NO " + EVIL + b"\r\n", b"LIST": listing})
    with pytest.raises(SourceError) as caught:
        look(server, folder="Nope")
    assert (told in str(caught.value), "evil" in str(caught.value)) == (True, False)


@pytest.mark.parametrize("listing", [b"TAG BAD what?\r\n", b"* LIST nonsense\r\nTAG OK done\r\n", b"nonsense\r\n"])
def test_folders_that_a_server_does_not_list_hide_no_refusal(serve: Any, listing: bytes) -> None:
    server = serve({b"EXAMINE": b"TAG NO no\r\n", b"LIST": listing})
    with pytest.raises(SourceError, match="the server refused what it was asked"):
        look(server, folder="Nope")


@pytest.mark.parametrize("reply", [b"TAG NO " + EVIL, b"TAG BAD " + EVIL], ids=["refused", "unknown"])
def test_o14_a_refused_starttls_names_no_word_of_the_server_and_is_lasting(serve: Any, reply: bytes) -> None:
    offers = {b"CAPABILITY": b"* CAPABILITY IMAP4rev1 STARTTLS\r\nTAG OK done\r\n"}
    for acts in (offers | {b"STARTTLS": reply + b"\r\n"}, {}):
        error = refusal(serve(acts), "starttls")
        assert (error.transient, "no STARTTLS" in str(error), "evil" in str(error)) == (False, True, False)


def test_o14_what_was_said_before_tls_began_counts_for_nothing(
    serve: Any, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def begin(_server: Server, connection: socket.socket, tag: bytes) -> socket.socket:
        connection.sendall(tag + b" OK begin\r\n* BYE injected\r\n")
        return context.wrap_socket(connection, server_side=True)

    server = serve({b"CAPABILITY": b"* CAPABILITY IMAP4rev1 STARTTLS\r\nTAG OK done\r\n", b"STARTTLS": begin})
    assert [raw.data for raw in look(server, "starttls")] == [MAIL]
    assert server.heard[:4] == [b"CAPABILITY", b"STARTTLS", b"CAPABILITY", b"LOGIN"]
