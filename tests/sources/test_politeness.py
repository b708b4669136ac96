from __future__ import annotations

import asyncio
import contextlib

import pytest

from daybook.errors import SourceError
from daybook.network.getting import HostError
from daybook.sources import politeness
from daybook.sources.politeness import AT_ONCE, Turns, announced


async def crowd(urls: list[str]) -> tuple[int, int]:
    """Ask all at once; the most that were at work together, in all and of one host."""
    turns, working, most = Turns(), [], [0, 0]

    async def one(url: str) -> None:
        async with turns.turn(url):
            host = url.split("/")[2].lower()
            working.append(host)
            most[0], most[1] = max(most[0], len(working)), max(most[1], working.count(host))
            for _ in range(5):
                await asyncio.sleep(0)
            working.remove(host)

    await asyncio.gather(*map(one, urls))
    assert working == []
    return most[0], most[1]


def test_one_host_is_asked_for_one_feed_at_a_time() -> None:
    urls = [f"https://{'E.org' if number % 2 else 'e.org'}/{number}" for number in range(50)]
    assert asyncio.run(crowd(urls)) == (1, 1)


def test_at_most_eight_hosts_are_asked_at_once() -> None:
    assert asyncio.run(crowd([f"https://e{number}.org/" for number in range(50)])) == (AT_ONCE, 1)


def test_feeds_that_wait_for_one_host_keep_no_other_from_its_turn() -> None:
    urls = [f"https://slow.org/{number}" for number in range(40)] + [f"https://e{n}.org/" for n in range(7)]
    assert asyncio.run(crowd(urls)) == (AT_ONCE, 1)


async def given(errors: list[SourceError | None], url: str = "https://e.org/") -> list[str]:
    """Ask one feed after the other of a host, each with its error or none; the turns that they were given."""
    turns, told = Turns(), []
    for error in errors:
        with contextlib.suppress(SourceError):
            async with turns.turn(url) as turn:
                told.append(turn)
                if error is not None:
                    raise error
    return told


@pytest.mark.parametrize(
    ("error", "turns"),
    [
        (HostError("Silent.", transient=True), ["ask"] * 3 + ["leave"] * 3),
        (SourceError("503", transient=True), ["ask"] * 3 + ["ask once"] * 3),
        (SourceError("404", transient=False), ["ask"] * 6),
    ],
)
def test_a_host_that_keeps_silent_is_left_and_one_that_answers_is_asked_for_each_feed(
    error: SourceError, turns: list[str]
) -> None:
    assert asyncio.run(given([error] * 6)) == turns


def test_one_answer_between_them_ends_a_row_of_failures() -> None:
    silent, failed = HostError("Silent.", transient=True), SourceError("503", transient=True)
    assert asyncio.run(given([silent, silent, None, silent, silent, failed, silent])) == ["ask"] * 6 + ["ask once"]


def test_what_takes_longer_is_told_and_what_is_done_by_then_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []

    async def wait() -> None:
        with announced("Asking in vain …", told.append):
            pass
        monkeypatch.setattr(politeness, "TELL_AFTER_S", 0)
        with announced("Asking 8 feeds …", told.append):
            await asyncio.sleep(0.001)

    asyncio.run(wait())
    assert told == ["Asking 8 feeds …"]


def test_a_turn_is_given_back_when_it_ends_in_an_error() -> None:
    turns = Turns()

    async def every() -> None:
        for _ in range(AT_ONCE * 2):
            with pytest.raises(ValueError, match="defect"):
                async with turns.turn("https://e.org/"):
                    raise ValueError("defect")

    asyncio.run(every())
