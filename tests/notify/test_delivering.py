from __future__ import annotations

import socketserver
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from daybook.notify import delivering
from daybook.notify.delivering import deliver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_httpserver import HTTPServer

# Apprise loads every plugin it has, and one of them this module.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")


class Dripping(socketserver.ThreadingTCPServer):
    """An HTTP server that answers with one header line after another."""

    allow_reuse_address = True
    daemon_threads = True
    ended: threading.Event


class Drip(socketserver.BaseRequestHandler):
    """One connection."""

    def handle(self) -> None:
        """Answer until the test is over."""
        assert isinstance(self.server, Dripping)
        with suppress(OSError):
            self.request.recv(4_096)
            self.request.sendall(b"HTTP/1.1 200 OK\r\n")
            while not self.server.ended.wait(0.05):
                self.request.sendall(b"X: y\r\n")


@pytest.fixture
def dripping() -> Iterator[str]:
    """Give the address of a server that never comes to an end."""
    with Dripping(("127.0.0.1", 0), Drip) as server:
        server.ended = threading.Event()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"json://127.0.0.1:{server.server_address[1]}/secret-topic"
        server.ended.set()
        server.shutdown()
        thread.join()


def test_each_address_gets_the_text_and_one_that_fails_is_told_by_its_number(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/broken").respond_with_data("no", status=500)
    urls = [f"json://{httpserver.host}:{httpserver.port}{path}" for path in ("/hook", "/broken", "/hook")]
    assert deliver([*urls, "no address"], "Hello", urgent=False) == (
        "notify.urls number 2 did not take the notice; check the address and the network.",
        "notify.urls number 4 is no address that Apprise understands; correct it.",
    )
    assert len(httpserver.log) == 3


def test_an_address_that_never_comes_to_an_end_holds_nobody_up(
    dripping: str, httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns red, by a hang, when only each wait for a byte is bounded."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    with monkeypatch.context() as short:
        short.setattr(delivering, "TOTAL_TIMEOUT_S", 0.1)
        (sentence,) = deliver([dripping], "Hello", urgent=True)
    assert sentence == "notify.urls number 1 did not take the notice in 0.1 s; check the address and the network."
    assert deliver([f"json://{httpserver.host}:{httpserver.port}/hook"], "Hello", urgent=False) == ()


def test_what_a_plugin_raises_is_told_without_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    import apprise  # noqa: PLC0415 - its plugins warn when they are loaded, which the mark of this module allows

    def broken(*_: Any, **__: Any) -> None:
        raise KeyError("secret-topic")

    monkeypatch.setattr(apprise.Apprise, "instantiate", broken)
    assert deliver(["json://127.0.0.1/secret-topic"], "Hello", urgent=False) == (
        "notify.urls number 1 failed (KeyError); check the address.",
    )
