from __future__ import annotations

import asyncio

import pytest

from daybook.errors import SourceError
from daybook.sources.politeness import AT_ONCE, Turns


async def crowd(urls: list[str]) -> tuple[int, int]:
    """Ask all at once; the most that were at work together, in all and of one host."""
    turns, working, most = Turns(), [], [0, 0]

    async def one(url: str) -> None:
        async with turns.turn(url, "A feed"):
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


@pytest.mark.parametrize(("transient", "asked"), [(True, 3), (False, 9)])
def test_a_host_that_fails_three_feeds_in_a_row_is_left_alone(transient: bool, asked: int) -> None:
    turns, heard, told = Turns(), [], []

    def answer(number: int) -> None:
        heard.append(number)
        raise SourceError("No.", transient=transient)

    async def one(number: int) -> None:
        try:
            async with turns.turn("https://e.org/", f"Feed {number}"):
                answer(number)
        except SourceError as error:
            told.append(str(error))

    async def every() -> None:
        for number in range(9):
            await one(number)

    asyncio.run(every())
    assert len(heard) == asked
    assert sum("was not asked" in sentence for sentence in told) == 9 - asked


def test_a_turn_is_given_back_when_it_ends_in_an_error() -> None:
    turns = Turns()

    async def every() -> None:
        for _ in range(AT_ONCE * 2):
            with pytest.raises(ValueError, match="defect"):
                async with turns.turn("https://e.org/", "A feed"):
                    raise ValueError("defect")

    asyncio.run(every())
