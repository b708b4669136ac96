from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook.memory import journal
from daybook.sources import feeds, stories, tracking
from daybook.sources.feeds import News, Unchanged
from daybook.sources.items import KEY_PREFIX, Item
from daybook.sources.stories import link_key, same_story, without_told

if TYPE_CHECKING:
    from daybook.workspace import Workspace

NOW = datetime(2026, 2, 7, 8, 0, tzinfo=UTC)
TODAY = NOW.date()
TITLE = "Heat pumps are cheaper now"
A = Item(id="a1", title=TITLE, link="https://e.org/a", summary="", published=NOW, feed="A", weight=1.0)
B = replace(A, id="b1", link="https://other.example/b", feed="B")


def note(workspace: Workspace, item: Item, day: date = TODAY) -> None:
    entry = journal.Entry(f"{KEY_PREFIX}{item.id}", day, "Morning", f"- 08:00 - {item.note}", own=False)
    with workspace.lock():
        journal.write(workspace, [entry])


def news(*items: Item, seen: tuple[str, ...] = ()) -> News:
    progress = tracking.Progress("feed", "key of B", "B", seen=(*(item.id for item in items), *seen))
    return News("B", items, progress)


def left(workspace: Workspace, look: Any, today: date = TODAY) -> list[str]:
    (found,) = without_told(workspace, [look], today)
    return [item.id for item in found.fresh]


@pytest.mark.parametrize(
    "link",
    [
        "http://e.org/story",
        "https://www.e.org/story/",
        "https://e.org/story?utm_source=x&fbclid=1",
        "https://e.org/story#top",
        "https://e.org/story/amp",
        "https://e.org/story/amp/?ref=b",
        "https://e.org:443/story",
    ],
)
def test_links_that_lead_to_one_page_are_one_story(link: str) -> None:
    one, other = replace(A, link="https://e.org/story", title="x"), replace(B, link=link, title="y")
    assert (same_story(one, other), same_story(other, one)) == (True, True)


@pytest.mark.parametrize("link", ["https://e.org/story?id=2", "https://f.org/story", "https://e.org/story2", ""])
def test_links_that_lead_elsewhere_are_not(link: str) -> None:
    assert same_story(replace(A, link="https://e.org/story", title="x"), replace(B, link=link, title="y")) is False


def test_the_order_of_parameters_does_not_matter_and_their_values_do() -> None:
    assert link_key("https://e.org/s?b=2&a=1") == link_key("https://e.org/s?a=1&b=2")
    assert link_key("https://e.org/s?a=1") != link_key("https://e.org/s?a=2")


@pytest.mark.parametrize("link", ["https://e.org/", "https://www.e.org", "", "http://[x/"])
def test_a_front_page_or_no_link_is_nobodys_story(link: str) -> None:
    assert link_key(link) == ""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (TITLE, "heat pumps are cheaper now!", True),
        (f"{TITLE} | The Paper", f"{TITLE} - Other Site", True),
        (f"{TITLE} - The Paper", TITLE, True),
        (f"{TITLE} - part 1", f"{TITLE} - part 2", False),
        (TITLE, "Heat pumps are dearer now", False),
        ("Daily news digest", "Daily news digest", False),
        ("News | The Paper of Record", "News | Other", False),
        ("熱泵現在比以前便宜多了", "熱泵現在比以前便宜多了", True),
        ("今日新闻", "今日新闻", False),
    ],
)
def test_titles_of_some_length_are_compared_without_the_site_behind_them(one: str, other: str, same: bool) -> None:
    assert same_story(replace(A, title=one), replace(B, title=other)) is same


@pytest.mark.parametrize(("hours", "same"), [(72, True), (73, False)])
def test_a_title_holds_for_three_days(hours: int, same: bool) -> None:
    assert same_story(A, replace(B, published=NOW - timedelta(hours=hours))) is same


def test_two_items_of_one_feed_are_two_stories() -> None:
    assert same_story(A, replace(A, id="a2")) is False


def test_what_a_note_told_from_another_feed_is_left_out(workspace: Workspace) -> None:
    note(workspace, A)
    other = replace(B, id="b2", title="Something else altogether here")
    assert left(workspace, news(B, other)) == ["b2"]
    assert left(workspace, news(replace(B, title="Retold", link="http://www.e.org/a/"))) == []


@pytest.mark.parametrize(("days", "found"), [(14, []), (15, ["b1"])])
def test_a_link_is_remembered_for_fourteen_days(workspace: Workspace, days: int, found: list[str]) -> None:
    note(workspace, A, TODAY - timedelta(days=days))
    assert left(workspace, news(replace(B, title="Retold", link=A.link))) == found


@pytest.mark.parametrize(("days", "found"), [(3, []), (4, ["b1"])])
def test_a_title_is_remembered_for_three_days(workspace: Workspace, days: int, found: list[str]) -> None:
    note(workspace, A, TODAY - timedelta(days=days))
    assert left(workspace, news(B)) == found


def test_a_title_that_its_note_had_no_room_for_is_known_by_its_beginning(workspace: Workspace) -> None:
    long = replace(A, title="Why " + "heat pumps are cheaper " * 8, link=f"https://e.org/{'x' * 150}")
    assert long.note.partition(" (https")[0].endswith("…")
    note(workspace, long)
    assert left(workspace, news(replace(B, title=long.title))) == []
    assert left(workspace, news(replace(B, title="Why heat pumps are dearer"))) == ["b1"]


def test_a_daily_column_of_one_feed_is_told_every_day(workspace: Workspace) -> None:
    yesterday = replace(B, id="b0", link="https://other.example/yesterday")
    note(workspace, yesterday, TODAY - timedelta(days=1))
    assert left(workspace, news(B, seen=("b0",))) == ["b1"]
    tracking.commit(workspace, [tracking.Progress("feed", "key of B", "B", seen=("b0",))], NOW)
    assert left(workspace, news(B)) == ["b1"]


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ({}, []),
        ({"link": "http://www.other.example/b/?utm_source=x"}, []),
        ({"title": f"{TITLE}!"}, []),
        ({"title": "Heat pumps are dearer now"}, ["b1"]),
        ({"link": "https://other.example/b?day=2"}, ["b1"]),
        ({"link": ""}, ["b1"]),
    ],
)
def test_an_item_that_is_back_under_a_new_id_is_told_once(
    workspace: Workspace, change: dict[str, str], found: list[str]
) -> None:
    note(workspace, replace(B, id="b0"), TODAY - timedelta(days=14))
    tracking.commit(workspace, [tracking.Progress("feed", "key of B", "B", seen=("b0",))], NOW)
    assert left(workspace, news(replace(B, **change))) == found


def test_two_items_that_a_feed_holds_side_by_side_are_two_whatever_they_share(workspace: Workspace) -> None:
    note(workspace, replace(B, id="b0"))
    tracking.commit(workspace, [tracking.Progress("feed", "key of B", "B", seen=("b0",))], NOW)
    assert left(workspace, news(B, seen=("b0",))) == ["b1"]


@pytest.mark.parametrize("title", ["Why " + "heat pumps are cheaper " * 8, "熱泵現在比以前便宜多了" * 16])
def test_an_item_that_is_back_is_known_by_what_its_note_had_room_for(workspace: Workspace, title: str) -> None:
    long = replace(B, title=title, link=f"https://e.org/{'x' * 150}")
    assert long.note.partition(" (https")[0].endswith("…")
    note(workspace, replace(long, id="b0"))
    tracking.commit(workspace, [tracking.Progress("feed", "key of B", "B", seen=("b0",))], NOW)
    assert left(workspace, news(long)) == []
    assert left(workspace, news(replace(long, title="Why heat pumps are dearer"))) == ["b1"]


def test_a_title_that_ends_like_a_line_with_a_link_takes_no_story_away(workspace: Workspace) -> None:
    bait = replace(A, link="", title="Cute cats again (https://other.example/b)")
    note(workspace, bait)
    assert bait.note == "[news] Cute cats again ( https://other.example/b)"
    assert left(workspace, news(replace(B, title="War declared"))) == ["b1"]


def test_an_item_that_is_noted_itself_is_not_left_out_here(workspace: Workspace) -> None:
    note(workspace, B)
    assert left(workspace, news(B)) == ["b1"]


def test_other_looks_stay_as_they_are(workspace: Workspace) -> None:
    unchanged = Unchanged("A", tracking.Progress("feed", "a", "A"))
    failure = feeds.tracking.Failure("feed", "c", "C", "It failed.")
    assert without_told(workspace, [unchanged, failure], TODAY) == [unchanged, failure]


def test_lines_of_other_kinds_are_no_stories(workspace: Workspace) -> None:
    entry = journal.Entry("news:slot", TODAY, "Morning", "- 08:00 - News scan: nothing new.", own=True)
    with workspace.lock():
        journal.write(workspace, [entry])
    assert left(workspace, news(B)) == ["b1"]
    assert stories.titles("News scan: nothing new.") != frozenset()
