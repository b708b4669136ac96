from __future__ import annotations

import asyncio
import json
import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from werkzeug import Request, Response

from daybook.errors import NoticeError
from daybook.notify import (
    AlreadyTold,
    Brief,
    Failed,
    GivenUp,
    Later,
    NotConfigured,
    Notice,
    Outcome,
    Quiet,
    Sent,
    harmless,
    is_settled,
    last_told,
    may_send_first,
    send,
    send_brief,
    sentence,
)
from daybook.settings import Notify

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

# Apprise loads every plugin it has, and one of them this module.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
URGENT = Notice("mail:1", "Urgent mail from Ana", urgent=True)
PLAIN = Notice("review:1", "Review done")


@pytest.fixture
def server(httpserver: HTTPServer) -> HTTPServer:
    httpserver.expect_request("/hook").respond_with_data("ok")
    httpserver.expect_request("/broken").respond_with_data("no", status=500)
    return httpserver


def url(server: HTTPServer, path: str = "/hook") -> str:
    return f"json://{server.host}:{server.port}{path}"


def tell(
    workspace: Workspace, urls: list[str], *notices: Notice, quiet: bool = False, now: datetime = NOW
) -> list[Outcome]:
    return asyncio.run(send(workspace, Notify(urls=urls), notices, now, quiet=quiet))


def covering(word: str) -> Callable[[Sequence[Notice]], Brief]:
    """Make a brief that tells of all that waits."""
    return lambda held: Brief(f"{len(held)} {word}", frozenset(one.key for one in held))


def received(server: HTTPServer) -> list[str]:
    return [json.loads(request.data)["message"] for request, _ in server.log]


def rows(workspace: Workspace) -> list[dict[str, Any]]:
    path = workspace.private / "told.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_a_notice_is_told_once(workspace: Workspace, server: HTTPServer) -> None:
    assert tell(workspace, [url(server)], URGENT, PLAIN) == [Sent("mail:1"), Sent("review:1")]
    assert tell(workspace, [url(server)], URGENT, PLAIN) == [AlreadyTold("mail:1"), AlreadyTold("review:1")]
    assert received(server) == ["Urgent mail from Ana", "Review done"]


def test_without_an_address_nothing_is_told_and_nothing_is_journalled(workspace: Workspace) -> None:
    assert tell(workspace, [], URGENT) == [NotConfigured("mail:1")]
    assert rows(workspace) == []


def test_quiet_hours_hold_back_what_is_not_urgent(workspace: Workspace, server: HTTPServer) -> None:
    assert tell(workspace, [url(server)], URGENT, PLAIN, quiet=True) == [Sent("mail:1"), Quiet("review:1")]
    assert tell(workspace, [url(server)], PLAIN) == [Sent("review:1")]


def test_the_journal_says_begin_and_told_and_keeps_the_text_of_what_may_be_told_again(
    workspace: Workspace, server: HTTPServer
) -> None:
    tell(workspace, [url(server)], URGENT, PLAIN)
    at = "2026-02-07T08:00:00Z"
    assert rows(workspace) == [
        {
            "at": at,
            "key": "mail:1",
            "state": "begin",
            "urgent": True,
            "text": "Urgent mail from Ana",
            "message": "mail:1",
        },
        {"at": at, "key": "mail:1", "state": "told", "urgent": True},
        {"at": at, "key": "review:1", "state": "begin", "urgent": False, "message": "review:1"},
        {"at": at, "key": "review:1", "state": "told", "urgent": False},
    ]
    assert (workspace.private / "told.jsonl").stat().st_mode & 0o777 == 0o600


def test_an_urgent_notice_that_failed_is_sent_again_by_itself_and_marked(
    workspace: Workspace, server: HTTPServer
) -> None:
    (failed,) = tell(workspace, [url(server, "/broken")], URGENT)
    assert isinstance(failed, Failed)
    later = NOW + 30 * MINUTE
    assert tell(workspace, [url(server)], now=later) == [Sent("mail:1", repeated=True)]
    assert received(server)[-1] == "(repeat) Urgent mail from Ana"
    assert tell(workspace, [url(server)], now=later) == []


def test_what_could_not_be_told_for_days_is_given_up_and_said_once(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when an old notice is tried for ever, or goes without a word."""
    broken = [url(server, "/broken")]
    tell(workspace, broken, URGENT, PLAIN)
    late = NOW + timedelta(hours=73)
    assert [type(one) for one in tell(workspace, broken, now=late)] == [Failed, Failed]
    later = late + timedelta(hours=6)
    assert tell(workspace, broken, now=later) == [GivenUp("mail:1"), GivenUp("review:1")]
    assert tell(workspace, [url(server)], now=later) == []
    assert tell(workspace, [url(server)], URGENT, now=later) == [AlreadyTold("mail:1")]


def test_an_urgent_notice_that_is_to_be_given_up_has_a_last_try(workspace: Workspace, server: HTTPServer) -> None:
    broken = [url(server, "/broken")]
    tell(workspace, broken, URGENT, PLAIN)
    tell(workspace, broken, now=NOW + timedelta(hours=73))
    assert tell(workspace, [url(server)], now=NOW + timedelta(hours=79)) == [
        Sent("mail:1", repeated=True),
        GivenUp("review:1"),
    ]


def test_what_waited_while_the_machine_was_off_is_told_after_days_too(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a machine that was off over a long weekend drops what nobody heard of."""
    tell(workspace, [url(server, "/broken")], URGENT, PLAIN)
    late = NOW + timedelta(days=5)
    assert tell(workspace, [url(server)], now=late) == [
        Sent("mail:1", repeated=True),
        Sent("review:1", repeated=True),
    ]


def test_a_clock_that_was_ahead_for_hours_drops_nothing(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a wrong clock alone makes a notice old, before anything but the clock says that it waited."""
    broken = [url(server, "/broken")]
    assert tell(workspace, broken, Notice("held:1", "it was held"), quiet=True) == [Quiet("held:1")]
    assert [type(one) for one in tell(workspace, broken, URGENT, quiet=True)] == [Failed]
    for hours in (0, 1, 5):
        tell(workspace, broken, quiet=True, now=NOW + timedelta(days=10, hours=hours))
    assert tell(workspace, [url(server)], now=NOW + 120 * MINUTE) == [Sent("held:1"), Sent("mail:1", repeated=True)]


def test_what_a_clock_that_was_ahead_made_old_is_not_kept_until_that_time_comes(
    workspace: Workspace, server: HTTPServer
) -> None:
    def at(hours: int) -> list[Outcome]:
        return tell(workspace, [url(server)], quiet=True, now=NOW + timedelta(hours=hours))

    tell(workspace, [url(server)], PLAIN, quiet=True)
    assert [at(hours) for hours in (240, 1, 73, 79)] == [[], [], [], [GivenUp("review:1")]]


def test_what_is_held_back_for_days_is_not_kept_for_ever(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a notice that no send may tell waits for good, or each send writes of it."""
    tell(workspace, [url(server)], PLAIN, quiet=True)
    said = [tell(workspace, [url(server)], quiet=True, now=NOW + hours * 60 * MINUTE) for hours in range(100)]
    assert [hours for hours, one in enumerate(said) if one] == [79]
    assert said[79] == [GivenUp("review:1")]
    assert [row["state"] for row in rows(workspace)] == ["held", "held", "dropped"]


def test_a_crash_between_sending_and_told_repeats_an_urgent_one_and_no_other(
    workspace: Workspace, server: HTTPServer
) -> None:
    tell(workspace, [url(server)], URGENT, PLAIN)
    path = workspace.private / "told.jsonl"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "begin" in line))
    assert tell(workspace, [url(server)], URGENT, PLAIN) == [
        Sent("mail:1", repeated=True),
        AlreadyTold("review:1"),
    ]


def test_what_no_address_took_is_tried_again_each_time_later(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a refusal counts as told, or a dead service is asked at every beat."""
    broken = [url(server, "/broken")]
    tried = []
    for minutes in range(0, 24 * 60, 10):
        tried += [minutes] * len(tell(workspace, broken, *[PLAIN] * (not minutes), now=NOW + minutes * MINUTE))
    assert tried == [0, 20, 50, 110, 230, 470, 830, 1190]
    late = NOW + timedelta(days=2)
    assert tell(workspace, [url(server)], now=late) == [Sent("review:1", repeated=True)]
    assert received(server)[-1] == "(repeat) Review done"


def test_what_quiet_hours_hold_back_goes_out_by_itself_afterwards(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a notice that waits is lost with the run that had it."""
    assert tell(workspace, [url(server)], PLAIN, quiet=True) == [Quiet("review:1")]
    assert tell(workspace, [url(server)], quiet=True, now=NOW + MINUTE) == []
    assert tell(workspace, [url(server)], now=NOW + 2 * MINUTE) == [Sent("review:1")]
    assert received(server) == ["Review done"]


def test_no_more_messages_go_out_in_an_hour_than_the_rate_allows(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when a flood of mail becomes a flood of messages, or one of them is lost for it."""
    settings = Notify(urls=[url(server)], per_hour=3)
    notices = [Notice(f"n:{number}", f"number {number}", urgent=number % 2 == 0) for number in range(30)]
    outcomes = asyncio.run(send(workspace, settings, notices, NOW, quiet=False))
    assert outcomes == [Sent(f"n:{number}") for number in range(30)]
    assert received(server)[:2] == ["number 0", "number 2"]
    digest = received(server)[2].splitlines()
    assert (digest[0], digest[1], digest[-1], len(digest)) == ("28 notices:", "- number 4", "… and 8 more", 22)
    more = [Notice("n:30", "number 30", urgent=True), Notice("n:31", "number 31")]
    assert asyncio.run(send(workspace, settings, more, NOW + 59 * MINUTE, quiet=False)) == [
        Later("n:30"),
        Later("n:31"),
    ]
    assert asyncio.run(send(workspace, settings, [], NOW + 60 * MINUTE, quiet=False)) == [Sent("n:30"), Sent("n:31")]
    assert received(server)[3:] == ["number 30", "number 31"]


@pytest.mark.parametrize("per_hour", [2, 3])
def test_the_last_message_of_an_hour_is_left_to_an_urgent_notice(
    workspace: Workspace, server: HTTPServer, per_hour: int
) -> None:
    """Turns red when reviews and models use an hour up, and an urgent mail waits for the next."""
    settings = Notify(urls=[url(server)], per_hour=per_hour)
    for number in range(per_hour + 2):
        asyncio.run(send(workspace, settings, [Notice(f"n:{number}", f"number {number}")], NOW, quiet=False))
    assert len(server.log) == per_hour - 1
    assert asyncio.run(send(workspace, settings, [URGENT], NOW + MINUTE, quiet=False))[0] == Sent("mail:1")
    # What waited goes along, and takes no message of its own.
    assert received(server)[per_hour - 1].splitlines()[:2] == ["4 notices:", "- Urgent mail from Ana"]
    assert asyncio.run(send(workspace, settings, [], NOW + 2 * MINUTE, quiet=False)) == []


def test_what_waited_for_hours_leaves_the_last_message_of_an_hour_too(workspace: Workspace, server: HTTPServer) -> None:
    settings = Notify(urls=[url(server)], per_hour=2)
    plain = [Notice(f"n:{number}", f"number {number}") for number in range(5)]
    asyncio.run(send(workspace, settings, plain, NOW, quiet=True))
    late = NOW + 120 * MINUTE
    assert asyncio.run(send(workspace, settings, [], late, quiet=False)) == [Sent(one.key) for one in plain]
    assert asyncio.run(send(workspace, settings, [URGENT], late, quiet=False)) == [Sent("mail:1")]
    assert [text.splitlines()[0] for text in received(server)] == ["5 notices:", "Urgent mail from Ana"]


def test_a_rate_of_one_message_lets_others_than_urgent_ones_wait_an_hour_and_not_longer(
    workspace: Workspace, server: HTTPServer
) -> None:
    """Turns red when the only message of an hour goes to what can wait, or what can wait is never told."""
    settings = Notify(urls=[url(server)], per_hour=1)

    def at(minutes: int, *notices: Notice) -> list[Outcome]:
        return asyncio.run(send(workspace, settings, notices, NOW + minutes * MINUTE, quiet=False))

    assert at(0, PLAIN) == [Later("review:1")]
    assert at(30, URGENT) == [Sent("mail:1"), Sent("review:1")]
    assert at(31, Notice("n:1", "one"), Notice("n:2", "two")) == [Later("n:1"), Later("n:2")]
    assert (at(89), at(90)) == ([], [])
    assert at(91) == [Sent("n:1"), Sent("n:2")]
    assert [one.splitlines()[0] for one in received(server)] == ["2 notices:", "2 notices:"]
    assert at(92, Notice("n:3", "three")) == [Later("n:3")]
    assert at(92 - 365 * 24 * 60) == [Sent("n:3")]


def test_a_brief_waits_for_room_and_rests_after_a_failure(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when the brief passes the rate, or a dead service is asked for it at every beat."""
    whole, broken = (Notify(urls=[url(server, path)], per_hour=1) for path in ("/hook", "/broken"))

    def brief(settings: Notify, minutes: int) -> Outcome | None:
        return asyncio.run(send_brief(workspace, settings, "brief:1", covering("held"), NOW + minutes * MINUTE))

    def first(minutes: int) -> bool:
        return may_send_first(workspace, whole, "brief:1", NOW + minutes * MINUTE)

    tell(workspace, [url(server)], URGENT)
    assert (brief(whole, 59), first(59), first(60)) == (Later("brief:1"), False, True)
    assert isinstance(brief(broken, 60), Failed)
    assert (brief(broken, 74), first(74), last_told(workspace, "brief:")) == (Later("brief:1"), False, None)
    assert len(server.log) == 2
    assert brief(whole, 75) == Sent("brief:1")
    assert last_told(workspace, "brief:") == NOW + 75 * MINUTE


def test_a_brief_takes_along_what_waits_and_is_told_once(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when what the brief told is told again by itself."""
    tell(workspace, [url(server)], PLAIN, quiet=True)
    settings = Notify(urls=[url(server)])

    def brief() -> Outcome | None:
        return asyncio.run(send_brief(workspace, settings, "brief:1", covering("held"), NOW))

    assert (brief(), brief()) == (Sent("brief:1"), AlreadyTold("brief:1"))
    assert tell(workspace, [url(server)], PLAIN) == [AlreadyTold("review:1")]
    assert received(server) == ["1 held"]


def test_a_brief_with_nothing_to_say_is_not_sent_and_not_asked_for_again(
    workspace: Workspace, server: HTTPServer
) -> None:
    settings = Notify(urls=[url(server)])
    assert asyncio.run(send_brief(workspace, settings, "brief:1", lambda _: Brief(""), NOW)) is None
    assert is_settled(workspace, "brief:1") is True
    assert received(server) == []


def test_a_brief_that_nobody_took_is_made_anew_later(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when what waited for it is lost."""
    tell(workspace, [url(server)], URGENT, PLAIN, quiet=True)
    server.clear_log()
    broken, whole = Notify(urls=[url(server, "/broken")]), Notify(urls=[url(server)])
    first = asyncio.run(send_brief(workspace, broken, "brief:1", covering("held"), NOW))
    assert isinstance(first, Failed)
    later = NOW + 20 * MINUTE
    second = asyncio.run(send_brief(workspace, whole, "brief:1", covering("still"), later))
    assert (second, received(server)[-1]) == (Sent("brief:1"), "1 still")


def test_one_address_that_fails_does_not_stop_another(workspace: Workspace, server: HTTPServer) -> None:
    (sent,) = tell(workspace, [url(server, "/broken"), url(server)], PLAIN)
    assert sent.failed == ("notify.urls number 1 did not take the notice; check the address and the network.",)


@pytest.mark.parametrize("bad", ["nonsense", "no-such-service://x", "json://", "json://127.0.0.1:1/secret-topic-1"])
def test_a_bad_address_is_an_outcome_without_the_address(workspace: Workspace, bad: str) -> None:
    (failed,) = tell(workspace, [bad], PLAIN)
    assert isinstance(failed, Failed)
    assert failed.reason.startswith("notify.urls number 1 ")
    assert "secret-topic-1" not in failed.reason


def test_a_comma_does_not_make_two_addresses_of_one(workspace: Workspace, server: HTTPServer) -> None:
    server.expect_request("/a,json:/b").respond_with_data("ok")
    tell(workspace, [f"{url(server)}?+X=a,json://{server.host}:{server.port}/broken"], PLAIN)
    assert [request.path for request, _ in server.log] == ["/hook"]


def test_o16_no_log_holds_an_address(
    workspace: Workspace, server: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    urls = [f"json://me:pass-word-1@{server.host}:{server.port}/secret-topic-1", "bad://pass-word-1@x/secret-topic-1"]
    tell(workspace, urls, URGENT)
    text = "".join(record.getMessage() for record in caplog.records if record.name != "werkzeug")
    assert ("secret-topic-1" in text, "pass-word-1" in text) == (False, False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@everyone @here look", "(at)everyone (at)here look"),
        ("<!channel> hi <@U123> <#C1>", "‹!channel> hi ‹@U123> ‹#C1>"),
        ("a\n# b", "a # b"),
        ("token=abcdef0123456789", "token=[redacted:assigned]"),
    ],
)
def test_o17_text_mentions_nobody_and_holds_no_secret(text: str, expected: Any) -> None:
    assert harmless(text) == expected


def test_a_damaged_row_does_not_stop_notices(workspace: Workspace, server: HTTPServer) -> None:
    rows = [
        b'{"at": "2026',
        b"[]",
        b'{"key": 1, "state": "told", "at": null}',
        b'{"key": "k", "state": ["held"], "at": 2}',
        b'{"key": "k", "state": {}, "at": "2026-02-07T08:00:00Z"}',
        b'{"key": ["l"], "state": "begin", "at": {}, "message": [1]}',
        b'{"key": "m", "state": "dropped", "at": "0001-01-01T00:00:00+14:00", "urgent": [1], "text": {}}',
        b'{"key": "n", "state": "told", "at": "9999-12-31T23:59:59-14:00"}',
        b"[" * 100_000,
        b"\xff\xfe",
    ]
    (workspace.private / "told.jsonl").write_bytes(b"\n".join(rows) + b"\n")
    assert tell(workspace, [url(server)], PLAIN) == [Sent("review:1")]


@pytest.mark.parametrize("odd", ["\udcff", "\ud800 \udfff", "\0", "\u2028", "\ufeff", "\U000e0041"])
def test_no_sign_in_a_key_or_a_text_stops_a_notice_or_has_it_told_twice(
    workspace: Workspace, server: HTTPServer, odd: str
) -> None:
    """Turns red when half a sign from a damaged mail ends the beat, or its key is another one once it was written."""
    notice = Notice(f"mail:{odd}", f"A {odd} B", urgent=True)
    kept = {"at": "2026-02-07T07:00:00Z", "key": f"held:{odd}", "state": "held", "urgent": False, "text": f"C {odd}"}
    (workspace.private / "told.jsonl").write_text(f"{json.dumps(kept)}\n")
    (sent, waited) = tell(workspace, [url(server)], notice)
    assert (isinstance(sent, Sent), isinstance(waited, Sent)) == (True, True)
    assert [type(one) for one in tell(workspace, [url(server)], notice)] == [AlreadyTold]
    assert [text[0] for text in received(server)] == ["A", "C"]
    assert "".join(map(sentence, (sent, waited))).encode()


def test_m33_a_link_in_the_journals_place_is_an_outcome(
    workspace: Workspace, server: HTTPServer, tmp_path: Path
) -> None:
    (workspace.private / "told.jsonl").symlink_to(tmp_path / "elsewhere")
    (failed,) = tell(workspace, [url(server)], PLAIN)
    assert (isinstance(failed, Failed), received(server)) == (True, [])


def test_an_urgent_notice_that_can_neither_be_told_nor_kept_is_an_error(workspace: Workspace, tmp_path: Path) -> None:
    """Turns red when a full disk makes a look move on past an urgent mail that nobody heard of."""
    (workspace.private / "told.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NoticeError, match=r"^mail:1 is urgent, and could neither be told nor kept: "):
        tell(workspace, ["json://127.0.0.1:1/"], URGENT)


def test_a_notice_that_went_out_was_told_even_if_its_last_row_cannot_be_kept(
    workspace: Workspace, server: HTTPServer
) -> None:
    """Turns red when the record says of a message that arrived that it was not told."""
    path = workspace.private / "told.jsonl"

    def lose_journal(_: Request) -> Response:
        path.rename(path.with_suffix(".old"))
        path.mkdir()
        return Response("ok")

    server.expect_request("/full").respond_with_handler(lose_journal)
    (sent,) = tell(workspace, [url(server, "/full")], PLAIN)
    assert isinstance(sent, Sent)
    assert sent.failed[0].startswith(f"{path} is not a regular file")


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=1), timedelta(days=365)])
def test_after_the_clock_was_set_back_nothing_is_stuck_and_nothing_is_told_twice(
    workspace: Workspace, server: HTTPServer, back: timedelta
) -> None:
    """Turns red when the rate, a wait after a failure or what is held goes by a time that has not come yet."""
    held = Notice("held:1", "it was held")
    told = [Notice(f"n:{number}", f"number {number}") for number in range(5)]
    tell(workspace, [url(server)], *told)
    tell(workspace, [url(server, "/broken")], URGENT)
    tell(workspace, [url(server)], Notice("n:5", "number 5", urgent=True), held, quiet=True)
    server.clear_log()
    then = NOW - back
    assert tell(workspace, [url(server)], *told, now=then) == [
        *(AlreadyTold(one.key) for one in told),
        Sent("mail:1", repeated=True),
        Sent("held:1"),
    ]
    assert received(server) == ["(repeat) Urgent mail from Ana", "it was held"]
    assert tell(workspace, [url(server)], *told, URGENT, held)[-2:] == [AlreadyTold("mail:1"), AlreadyTold("held:1")]


def test_a_dead_service_is_not_asked_at_every_beat_after_the_clock_was_set_back(
    workspace: Workspace, server: HTTPServer
) -> None:
    broken = [url(server, "/broken")]
    tell(workspace, broken, PLAIN)
    then = NOW - timedelta(days=365)
    tried = [len(tell(workspace, broken, now=then + minutes * MINUTE)) for minutes in range(0, 60, 10)]
    assert tried == [1, 0, 0, 1, 0, 0]
    late = then + timedelta(days=4)
    assert [type(one) for one in tell(workspace, broken, now=late)] == [Failed]
    assert tell(workspace, broken, now=late + timedelta(hours=6)) == [GivenUp("review:1")]


def test_a_flood_is_kept_in_one_append_and_no_message_is_longer_than_chat_services_take(
    workspace: Workspace, server: HTTPServer
) -> None:
    """Turns red when 400 notices take 400 writes, or a service refuses a message for its length."""
    flood = [Notice(f"n:{number}", f"{number} " + "long " * 400) for number in range(400)]
    assert set(tell(workspace, [url(server)], *flood, quiet=True)) == {Quiet(one.key) for one in flood}
    outcomes = tell(workspace, [url(server)])
    assert outcomes == [Sent(one.key) for one in flood]
    assert (len(server.log), max(map(len, received(server))) <= 2000) == (5, True)


def test_an_urgent_notice_is_never_told_by_a_number_alone(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when the rest of a flood counts as told though nobody could read it."""
    flood = [Notice(f"n:{number}", f"number {number}.", urgent=True) for number in range(200)]
    outcomes = tell(workspace, [url(server)], *flood)
    assert outcomes == [*(Sent(f"n:{n}") for n in range(120)), *(Later(f"n:{n}") for n in range(120, 200))]
    assert tell(workspace, [url(server)], now=NOW + 60 * MINUTE) == [Sent(f"n:{n}") for n in range(120, 200)]
    said = "\n".join(received(server))
    assert [said.count(f" {one.text.split()[0]} {n}.") for n, one in enumerate(flood)] == [1] * 200


@pytest.mark.parametrize("text", ["", " \n", "\u200b\u202e", "<|im_end|>"])
def test_a_notice_without_words_is_told_all_the_same(workspace: Workspace, server: HTTPServer, text: str) -> None:
    """Turns red when an urgent notice of signs that nobody sees is begun, and never told again after a kill."""
    assert tell(workspace, [url(server)], Notice("mail:1", text, urgent=True)) == [Sent("mail:1")]
    assert received(server) == ["(no text)"]


HOSTILE = (
    "<img src=file:///etc/passwd> ![x](file:///etc/passwd) [a](http://evil.example) **b** @**all** attach=/etc/hosts"
)


@pytest.mark.parametrize("options", ["", "?format=html", "?format=markdown", "?overflow=split", "?emojis=yes"])
def test_o17_text_is_inert_however_a_service_renders_it_and_attaches_nothing(
    workspace: Workspace, server: HTTPServer, options: str
) -> None:
    """Turns red when a notice's text becomes markup, an attachment or a target."""
    assert tell(workspace, [url(server) + options], Notice("mail:1", HOSTILE)) == [Sent("mail:1")]
    (request, _) = server.log[0]
    sent = json.loads(request.data)
    assert (sent["attachments"], request.path, len(server.log)) == ([], "/hook", 1)
    live = ("<img", "](file", "](http", "@**")
    assert [sign for sign in live if sign in sent["message"]] == []


@pytest.mark.parametrize("scheme", ["file", "memory", "apprise+file"])
def test_an_address_that_reads_more_addresses_from_a_file_is_refused(
    workspace: Workspace, tmp_path: Path, scheme: str
) -> None:
    """Turns red when addresses come from a file that no trust was given to."""
    more = tmp_path / "more.yml"
    more.write_text("urls:\n  - json://127.0.0.1:1/\n")
    (failed,) = tell(workspace, [f"{scheme}://{more}"], PLAIN)
    assert failed == Failed("review:1", "notify.urls number 1 is no address that Apprise understands; correct it.")


def test_what_a_brief_does_not_tell_waits_on(workspace: Workspace, server: HTTPServer) -> None:
    """Turns red when an urgent notice that was cut from a brief counts as told."""
    tell(workspace, [url(server, "/broken")], URGENT)
    tell(workspace, [url(server)], PLAIN, quiet=True)
    server.clear_log()
    given = []

    def compose(held: Sequence[Notice]) -> Brief:
        given.extend(held)
        return Brief("a brief", frozenset({"review:1"}))

    assert asyncio.run(send_brief(workspace, Notify(urls=[url(server)]), "brief:1", compose, NOW)) == Sent("brief:1")
    assert [one.text for one in given] == ["(repeat) Urgent mail from Ana", "Review done"]
    assert tell(workspace, [url(server)], now=NOW + 20 * MINUTE) == [Sent("mail:1", repeated=True)]
    assert received(server) == ["a brief", "(repeat) Urgent mail from Ana"]
