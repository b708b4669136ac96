from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]


def test_a_test_notice_goes_to_each_address_and_the_monitor_is_pinged(
    settle: Callable[[str], None], daybook: Daybook, httpserver: HTTPServer
) -> None:
    """Turns red when an address that does not work looks as if it did, or its password is shown."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/ping").respond_with_data("no", status=404)
    host = f"{httpserver.host}:{httpserver.port}"
    settle(
        f'[notify]\nurls = ["json://{host}/hook", "json://me:pass-word-1@127.0.0.1:1/x"]\n'
        f'ping_url = "http://{host}/ping"\n[network]\nallow_hosts = ["{httpserver.host}"]\n',
    )
    done = daybook("notify", "test")
    assert (done.returncode, done.stdout.splitlines()) == (
        1,
        [
            "notify.urls number 2 did not take the notice; check the address and the network.",
            "notify.ping_url answered 404; check the address.",
            "1 of 3 addresses took it.",
        ],
    )
    assert [json.loads(request.data)["message"] for request, _ in httpserver.log if request.path == "/hook"] == [
        "This is a test of Daybook's notices."
    ]
    assert (json.loads(daybook("notify", "test", "--json").stdout)["ok"], "pass-word-1" in done.stdout) == (
        False,
        False,
    )


def test_without_an_address_or_trust_the_test_says_what_to_do(workspace: Workspace, daybook: Daybook) -> None:
    workspace.settings.write_text("")
    assert daybook("notify", "test").stderr == (
        f"daybook: {workspace.settings} names no address under [notify]; add urls, such as ntfy://topic.\n"
    )
    workspace.settings.write_text('[notify]\nurls = ["json://127.0.0.1:1/"]\n')
    done = daybook("notify", "test")
    assert (done.returncode, done.stderr) == (
        1,
        f"daybook: [notify] of {workspace.settings} is not trusted; look at it with `daybook trust`.\n",
    )
