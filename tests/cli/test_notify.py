from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from subprocess import CompletedProcess

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

    Daybook = Callable[..., CompletedProcess[str]]
    Terminal = Callable[..., tuple[int, str]]


def test_a_test_notice_goes_to_each_address_and_the_monitor_is_pinged(
    settle: Callable[[str], None], at_a_terminal: Terminal, httpserver: HTTPServer
) -> None:
    """Turns red when an address that does not work looks as if it did, or its password is shown."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/ping").respond_with_data("no", status=404)
    host = f"{httpserver.host}:{httpserver.port}"
    settle(
        f'[notify]\nurls = ["json://{host}/hook", "json://me:pass-word-1@127.0.0.1:1/x"]\n'
        f'ping_url = "http://{host}/ping"\n[network]\nallow_hosts = ["{httpserver.host}"]\n',
    )
    code, shown = at_a_terminal("notify", "test")
    assert (code, shown.rstrip().splitlines()) == (
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
    (_, told) = at_a_terminal("notify", "test", "--json")
    assert (json.loads(told)["ok"], "pass-word-1" in shown + told) == (False, False)


def test_o18_without_a_terminal_nothing_is_sent(
    settle: Callable[[str], None], daybook: Daybook, httpserver: HTTPServer
) -> None:
    """Turns red when an agent can send the operator messages past the rate."""
    httpserver.expect_request("/hook").respond_with_data("ok")
    settle(f'[notify]\nurls = ["json://{httpserver.host}:{httpserver.port}/hook"]\n')
    done = daybook("notify", "test", input="")
    assert (done.returncode, done.stderr) == (
        2,
        "daybook: This needs a person at a terminal; run it in one.\n",
    )
    assert httpserver.log == []


def test_without_an_address_or_trust_the_test_says_what_to_do(workspace: Workspace, at_a_terminal: Terminal) -> None:
    workspace.settings.write_text("")
    code, shown = at_a_terminal("notify", "test")
    assert (code, shown.rstrip()) == (
        1,
        f"daybook: {workspace.settings} names no address under [notify]; add urls, such as ntfy://topic.",
    )
    workspace.settings.write_text('[notify]\nurls = ["json://127.0.0.1:1/"]\n')
    code, shown = at_a_terminal("notify", "test")
    assert (code, shown.rstrip()) == (
        1,
        f"daybook: [notify] of {workspace.settings} is not trusted; look at it with `daybook trust`.",
    )
