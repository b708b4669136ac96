from __future__ import annotations

import asyncio
import gzip
import logging
import ssl
import traceback
import zlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Response

from daybook.errors import SourceError
from daybook.settings import Feed, Network
from daybook.sources import fetching
from daybook.sources.fetching import Fetched, NotModified, Waiting, feed_key, fetch
from daybook.sources.tracking import FeedState

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
LOCAL = Network(allow_hosts=("127.0.0.1", "localhost"))
PATH = "/feed.xml"


def get(server: HTTPServer, path: str = PATH, *, network: Network = LOCAL, **state: Any) -> Any:
    feed = Feed(url=server.url_for(path), name="The feed")
    return asyncio.run(fetch(feed, FeedState.model_validate(state), network, NOW))


def refusal(server: HTTPServer, path: str = PATH, *, network: Network = LOCAL) -> SourceError:
    with pytest.raises(SourceError) as caught:
        get(server, path, network=network)
    return caught.value


def test_a_document_comes_with_its_validators(httpserver: HTTPServer) -> None:
    headers = {"ETag": '"1"', "Last-Modified": "Sat, 07 Feb 2026 07:00:00 GMT", "Content-Type": "text/xml"}
    httpserver.expect_request(PATH).respond_with_data(b"<rss/>", headers=headers)
    assert get(httpserver) == Fetched(
        body=b"<rss/>",
        content_type="text/xml",
        base=httpserver.url_for(PATH),
        etag='"1"',
        last_modified="Sat, 07 Feb 2026 07:00:00 GMT",
    )
    sent = httpserver.log[0][0].headers
    assert (sent["Host"], "If-None-Match" in sent) == (f"{httpserver.host}:{httpserver.port}", False)


def test_validators_are_sent_and_a_304_is_understood(httpserver: HTTPServer) -> None:
    sent = {"If-None-Match": '"1"', "If-Modified-Since": "Sat, 07 Feb 2026 07:00:00 GMT"}
    httpserver.expect_request(PATH, headers=sent).respond_with_data(status=304)
    state = {"etag": '"1"', "last_modified": "Sat, 07 Feb 2026 07:00:00 GMT"}
    assert get(httpserver, **state) == NotModified()


def test_a_validator_with_a_line_break_is_not_sent(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_data(b"x")
    get(httpserver, etag="1\r\nX-Evil: 1")
    assert "If-None-Match" not in httpserver.log[0][0].headers


def test_a_feed_that_must_wait_is_not_asked(httpserver: HTTPServer) -> None:
    until = NOW + timedelta(minutes=1)
    assert get(httpserver, next_allowed=until) == Waiting("The feed", until)
    assert httpserver.log == []


@pytest.mark.parametrize(
    ("status", "transient", "wait_s"),
    [(500, True, None), (503, True, 600.0), (429, True, 600.0), (404, False, None)],
)
def test_a_refusal_says_whether_and_when_to_come_again(
    httpserver: HTTPServer, status: int, transient: bool, wait_s: float | None
) -> None:
    headers = {"Retry-After": "600"} if status in {429, 503} else {}
    httpserver.expect_request(PATH).respond_with_data(status=status, headers=headers)
    error = refusal(httpserver)
    assert (error.transient, error.retry_after_s, str(status) in str(error)) == (transient, wait_s, True)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        ("Sat, 07 Feb 2026 08:10:00 GMT", 600.0),
        ("Sat, 07 Feb 2026 07:00:00 GMT", 0.0),
        ("99999999", 604_800.0),
        ("soon", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str | None, seconds: float | None) -> None:
    assert fetching.retry_after_s(value, NOW) == seconds


def test_redirects_are_followed(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/old").respond_with_data(status=301, headers={"Location": "/feed.xml"})
    httpserver.expect_request(PATH).respond_with_data(b"here")
    assert get(httpserver, "/old").body == b"here"


def test_endless_redirects_end(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_data(status=302, headers={"Location": PATH})
    assert "redirects more than 5 times" in str(refusal(httpserver))
    assert len(httpserver.log) == 6


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "javascript:alert(1)"])
def test_o05_a_redirect_to_what_is_no_web_address_is_refused(httpserver: HTTPServer, location: str) -> None:
    httpserver.expect_request(PATH).respond_with_data(status=302, headers={"Location": location})
    assert "no web address" in str(refusal(httpserver))


@pytest.mark.parametrize(
    "host",
    ["2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0x0", "169.254.169.254", "ip6-localhost"],
)
def test_o05_a_redirect_to_a_private_address_is_refused(httpserver: HTTPServer, host: str) -> None:
    location = f"http://{host}:{httpserver.port}/secret"
    httpserver.expect_request(PATH).respond_with_data(status=302, headers={"Location": location})
    httpserver.expect_request("/secret").respond_with_data(b"private")
    error = refusal(httpserver)
    assert "private address" in str(error) or "not known" in str(error)
    assert [request.path for request, _ in httpserver.log] == [PATH]


def test_o05_a_private_address_is_refused_at_once(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_data(b"private")
    error = refusal(httpserver, network=Network())
    assert (error.transient, "network.allow_hosts" in str(error), httpserver.log) == (False, True, [])


def test_the_shells_proxy_is_not_used(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    httpserver.expect_request(PATH).respond_with_data(b"direct")
    assert get(httpserver).body == b"direct"


def test_a_password_is_sent_to_its_own_host_only(httpserver: HTTPServer) -> None:
    other = f"http://localhost:{httpserver.port}/other"
    httpserver.expect_request(PATH).respond_with_data(status=302, headers={"Location": "/same"})
    httpserver.expect_request("/same").respond_with_data(status=302, headers={"Location": other})
    httpserver.expect_request("/other").respond_with_data(b"x")
    url = httpserver.url_for(PATH).replace("//localhost", "//127.0.0.1").replace("//", "//me:pass-word-1@")
    asyncio.run(fetch(Feed(url=url), FeedState(), LOCAL, NOW))
    sent = [(request.path, "Authorization" in request.headers) for request, _ in httpserver.log]
    assert sent == [(PATH, True), ("/same", True), ("/other", False)]


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_compressed_document_is_read(httpserver: HTTPServer, encoding: str) -> None:
    data = gzip.compress(b"text") if encoding == "gzip" else zlib.compress(b"text")
    httpserver.expect_request(PATH).respond_with_data(data, headers={"Content-Encoding": encoding})
    assert get(httpserver).body == b"text"


def test_a_gzip_bomb_is_stopped(httpserver: HTTPServer) -> None:
    bomb = gzip.compress(bytes(100_000_000), 9)
    httpserver.expect_request(PATH).respond_with_data(bomb, headers={"Content-Encoding": "gzip"})
    assert "longer than 5 MB" in str(refusal(httpserver))


def test_nested_compression_is_refused(httpserver: HTTPServer) -> None:
    bomb = gzip.compress(gzip.compress(bytes(1_000_000)))
    httpserver.expect_request(PATH).respond_with_data(bomb, headers={"Content-Encoding": "gzip, gzip"})
    assert "encoding that was not asked for" in str(refusal(httpserver))


@pytest.mark.parametrize("body", [gzip.compress(b"text" * 100, mtime=0)[:-20], b"no gzip at all"])
def test_broken_compression_is_tried_again(httpserver: HTTPServer, body: bytes) -> None:
    httpserver.expect_request(PATH).respond_with_data(body, headers={"Content-Encoding": "gzip"})
    assert refusal(httpserver).transient is True


def test_an_endless_document_is_stopped(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PATH).respond_with_response(Response(b"x" * 1_000_000 for _ in range(20)))
    assert "longer than 5 MB" in str(refusal(httpserver))


def test_nobody_at_the_port_is_worth_another_try() -> None:
    feed = Feed(url="http://127.0.0.1:1/feed.xml")
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetch(feed, FeedState(), LOCAL, NOW))
    assert caught.value.transient is True
    assert str(caught.value) == "Nothing answers at 127.0.0.1:1; it is tried again later."
    with pytest.raises(SourceError, match=r"^Mine: Nothing answers at 127\.0\.0\.1:1;"):
        asyncio.run(fetch(feed.model_copy(update={"name": "Mine"}), FeedState(), LOCAL, NOW))


def test_a_server_whose_certificate_is_not_known_is_not_asked(certificate: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with HTTPServer(host="127.0.0.1", ssl_context=context) as server:
        server.expect_request(PATH).respond_with_data(b"x")
        error = refusal(server)
        assert ("its certificate is not valid" in str(error), server.log) == (True, [])


@pytest.mark.parametrize("path", ["/feed.xml?token=abcdef123456", "/abcdef123456abcdef123456/feed"])
@pytest.mark.parametrize("port", [None, 1], ids=["refused", "unreachable"])
def test_o16_no_log_and_no_error_holds_the_token(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture, path: str, port: int | None
) -> None:
    caplog.set_level(logging.DEBUG)
    feed = Feed(url=f"http://me:pass-word-1@{httpserver.host}:{port or httpserver.port}{path}")
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetch(feed, FeedState(), LOCAL, NOW))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    text = "".join(traceback.format_exception(caught.value))
    text += "".join(record.getMessage() for record in caplog.records if record.name != "werkzeug")
    assert ("abcdef123456" in text, "pass-word-1" in text) == (False, False)


def test_an_address_that_is_none_is_told_without_its_password() -> None:
    feed = Feed.model_construct(url="http://me:pass-word-1@[broken/feed.xml", name=None)
    with pytest.raises(SourceError) as caught:
        asyncio.run(fetch(feed, FeedState(), LOCAL, NOW))
    assert ("pass-word-1" in str(caught.value), caught.value.__context__) == (False, None)


def test_a_key_tells_feeds_of_one_path_apart_and_forgets_the_password() -> None:
    one, other = feed_key("https://e.org/f?id=1"), feed_key("https://e.org/f?id=2")
    assert (one.startswith("e.org/f#"), one != other) == (True, True)
    assert feed_key("https://me:one@e.org/f") == feed_key("https://me:two@e.org/f")
