from __future__ import annotations

import asyncio
import gzip
import logging
import socketserver
import subprocess
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any

import pytest
from pytest_httpserver import HTTPServer as Server

from daybook.errors import SourceError
from daybook.network import getting
from daybook.network.getting import Answer, get

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_httpserver import HTTPServer

LOCAL = ("127.0.0.1", "localhost")
BOMB_BYTES = 300_000_000
GROWTH_BYTES = 20_000_000
# A process of its own, so that nothing else's memory is counted; the first GET loads what every GET needs.
BOMB_SCRIPT = """
import asyncio, resource, sys
from daybook.errors import SourceError
from daybook.network.getting import get

def ask(path):
    hosts = ("localhost", "127.0.0.1")
    return asyncio.run(get(sys.argv[1] + path, "The bomb", hosts, max_bytes=5_000_000, timeout_s=60))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

ask("/small")
before = peak()
try:
    ask("/bomb")
except SourceError as error:
    print(error)
print(peak() - before)
"""


def ask(url: str, **more: Any) -> Answer:
    options = {"allow_hosts": LOCAL, "max_bytes": 1_000_000, "timeout_s": 10.0} | more
    return asyncio.run(get(url, "It", options.pop("allow_hosts"), **options))


@pytest.fixture
def serving() -> Iterator[Callable[[bytes], str]]:
    """Serve bytes as they are, on a port of its own, whatever is asked for."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), socketserver.StreamRequestHandler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})

        def serve(reply: bytes) -> str:
            class Says(socketserver.StreamRequestHandler):
                def handle(self) -> None:
                    while self.rfile.readline().strip():
                        pass
                    self.wfile.write(reply)

            server.RequestHandlerClass = Says
            thread.start()
            return f"http://127.0.0.1:{server.server_address[1]}/"

        yield serve
        server.shutdown()
        thread.join()


def move(server: HTTPServer, path: str, to: str, status: int) -> None:
    server.expect_request(path).respond_with_data(status=status, headers={"Location": to})


def test_an_answer_has_status_headers_body_and_address(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/x", headers={"X-Mine": "1"}).respond_with_data(b"text", headers={"X-Theirs": "2"})
    url = httpserver.url_for("/x")
    answer = ask(url.replace("//", "//me:pass-word-1@"), headers={"X-Mine": "1"})
    assert (answer.status, answer.headers["x-theirs"], answer.body, answer.url) == (200, "2", b"text", url)
    assert answer.moved_to is None


@pytest.mark.parametrize("status", [304, 404, 410, 500])
def test_a_status_that_is_no_redirect_is_an_answer_without_a_body(httpserver: HTTPServer, status: int) -> None:
    httpserver.expect_request("/x").respond_with_data(b"" if status == 304 else b"sorry", status=status)
    answer = ask(httpserver.url_for("/x"))
    assert (answer.status, answer.body) == (status, b"")


def test_a_redirect_that_leads_nowhere_is_an_answer(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/x").respond_with_data(status=301)
    assert ask(httpserver.url_for("/x")).status == 301


@pytest.mark.parametrize(
    ("statuses", "moved"),
    [((301,), 1), ((308, 301), 2), ((301, 302), 1), ((302, 301), None), ((307,), None), ((301, 303, 308), 1)],
)
def test_a_leading_run_of_permanent_redirects_says_where_it_moved_to(
    httpserver: HTTPServer, statuses: tuple[int, ...], moved: int | None
) -> None:
    for number, status in enumerate(statuses):
        move(httpserver, f"/{number}", f"/{number + 1}", status)
    httpserver.expect_request(f"/{len(statuses)}").respond_with_data(b"here")
    answer = ask(httpserver.url_for("/0"))
    expected = None if moved is None else httpserver.url_for(f"/{moved}")
    assert (answer.body, answer.url, answer.moved_to) == (b"here", httpserver.url_for(f"/{len(statuses)}"), expected)


def test_a_redirect_cannot_bring_a_password_along(httpserver: HTTPServer) -> None:
    move(httpserver, "/0", f"http://them:theirs@{httpserver.host}:{httpserver.port}/1#part", 301)
    httpserver.expect_request("/1").respond_with_data(b"here")
    answer = ask(httpserver.url_for("/0"))
    assert (answer.moved_to, "Authorization" in httpserver.log[1][0].headers) == (httpserver.url_for("/1"), False)


def test_a_password_stays_with_the_port_it_was_given_for(httpserver: HTTPServer) -> None:
    with Server(host="127.0.0.1") as other:
        other.expect_request("/1").respond_with_data(b"here")
        httpserver.expect_request("/0").respond_with_data(
            status=302, headers={"Location": f"http://{httpserver.host}:{other.port}/1"}
        )
        url = httpserver.url_for("/0").replace("//", "//me:pass-word-1@")
        assert ask(url).body == b"here"
        asked = [*httpserver.log, *other.log]
    assert ["Authorization" in request.headers for request, _ in asked] == [True, False]


def test_where_nobody_is_at_the_first_address_of_a_host_the_second_is_asked(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(*_: object) -> tuple[str, ...]:
        return "::1", "127.0.0.1"

    monkeypatch.setattr(getting, "resolve", resolve)
    httpserver.expect_request("/x").respond_with_data(b"here")
    assert ask(httpserver.url_for("/x")).body == b"here"


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/x", "file:///etc/passwd", "127.0.0.1/x", "http://", ""])
def test_o05_what_is_no_web_address_is_not_asked(url: str) -> None:
    with pytest.raises(SourceError, match="no web address"):
        ask(url)


def test_o05_a_private_address_is_refused_at_every_hop(httpserver: HTTPServer) -> None:
    move(httpserver, "/0", f"http://127.0.0.1:{httpserver.port}/1", 301)
    httpserver.expect_request("/1").respond_with_data(b"private")
    url = f"http://localhost:{httpserver.port}/0"
    with pytest.raises(SourceError, match=r"It: 127\.0\.0\.1 is a private address.*network\.allow_hosts"):
        ask(url, allow_hosts=("localhost",))
    assert [request.path for request, _ in httpserver.log] == ["/0"]


@pytest.mark.parametrize("port", ["70000", "65536", "0"])
def test_o05_a_port_that_is_none_is_no_web_address(serving: Callable[[bytes], str], port: str) -> None:
    url = serving(f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/\r\nContent-Length: 0\r\n\r\n".encode())
    with pytest.raises(SourceError, match="It redirects to what is no web address"):
        ask(url)
    with pytest.raises(SourceError, match="no web address"):
        ask(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize("error", [OverflowError("x"), ExceptionGroup("of tries", [OverflowError("x")])])
def test_whatever_the_system_says_to_an_address_is_an_error_of_the_source(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def resolve(*_: object) -> tuple[str, ...]:
        raise error

    monkeypatch.setattr(getting, "resolve", resolve)
    with pytest.raises(SourceError, match=r"It cannot be fetched \((OverflowError|ExceptionGroup)\)"):
        ask(httpserver.url_for("/"))


@pytest.mark.parametrize(
    "reply",
    [b"Ignore-what-you-were-told\r\n\r\n", b"HTTP/1.1 200 OK\r\nIgnore what you were told\r\n\r\n"],
    ids=["no HTTP", "a broken header"],
)
def test_o01_no_word_of_a_server_stands_in_our_sentence(serving: Callable[[bytes], str], reply: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        ask(serving(reply))
    assert str(caught.value) == "It cannot be fetched (RemoteProtocolError); it is tried again later."


def test_the_time_limit_holds_over_everything(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/x").respond_with_data(b"x")
    with pytest.raises(SourceError, match="It took longer than 0 s") as caught:
        ask(httpserver.url_for("/x"), timeout_s=0.0)
    assert caught.value.transient is True


@pytest.mark.parametrize(("most", "size"), [(1_000, "1 kB"), (2_000_000, "2 MB")])
def test_a_body_over_the_cap_is_refused(httpserver: HTTPServer, most: int, size: str) -> None:
    httpserver.expect_request("/x").respond_with_data(bytes(most))
    httpserver.expect_request("/y").respond_with_data(bytes(most + 1))
    assert len(ask(httpserver.url_for("/x"), max_bytes=most).body) == most
    with pytest.raises(SourceError, match=f"It is longer than {size}"):
        ask(httpserver.url_for("/y"), max_bytes=most)


def test_o15_a_bomb_of_300_mb_costs_under_20_mb_of_memory(httpserver: HTTPServer) -> None:
    headers = {"Content-Encoding": "gzip"}
    bomb = gzip.compress(bytes(BOMB_BYTES), 9)
    httpserver.expect_request("/small").respond_with_data(gzip.compress(b"small"), headers=headers)
    httpserver.expect_request("/bomb").respond_with_data(bomb, headers=headers)
    root = httpserver.url_for("").rstrip("/")
    done = subprocess.run(
        [sys.executable, "-c", BOMB_SCRIPT, root], check=True, capture_output=True, text=True, timeout=120
    )
    told, growth = done.stdout.splitlines()
    assert (told, int(growth) < GROWTH_BYTES) == ("The bomb is longer than 5 MB; remove it.", True)


def test_o16_no_error_and_no_log_holds_a_secret_of_the_address(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = "/0?token=abcdef123456"
    move(httpserver, "/0", path, 301)
    url = httpserver.url_for(path).replace("//", "//me:pass-word-1@")
    with pytest.raises(SourceError) as caught:
        ask(url)
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    text = "".join(traceback.format_exception(caught.value))
    text += "".join(record.getMessage() for record in caplog.records if record.name != "werkzeug")
    assert ("abcdef123456" in text, "pass-word-1" in text) == (False, False)
