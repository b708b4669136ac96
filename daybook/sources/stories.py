"""
Whether two items from different feeds tell one story, and whether a note has told it already.

What a note told is read from the journal, which holds each line before it is written: so also a line that a kill left
between note and cursor counts. Two items of one feed are two stories: a daily column bears the same title every day.
But one that is back under a new id, with the title and link of one that the feed holds no more, is the same: some feeds
make up new ids at every request.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

from daybook.memory import journal
from daybook.network.addresses import TRACKING_PARAMETER
from daybook.sources import cursors
from daybook.sources.feeds import News
from daybook.sources.items import KEY_PREFIX, TAG

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from daybook.sources.feeds import FeedLook
    from daybook.sources.items import Item
    from daybook.sources.tracking import Failure
    from daybook.workspace import Workspace

TOLD_FOR = timedelta(days=14)
TITLE_HOLDS_FOR = timedelta(days=3)
MIN_TITLE_WORDS = 4
# From here on scripts write words without spaces (CJK, kana, hangul); so many signs of them say as much as a word.
FIRST_UNSPACED = 0x2E80
SIGNS_A_WORD = 2
WORD = re.compile(r"[^\W_]+(?:[+#]+|(?:[.'-][^\W_]+)*)")
# The site's name behind a title; a tail with a digit is a part of the story ("part 2").
TAIL = re.compile(r"\s+[|–—-]\s+[^\s|–—\d]{1,30}(?:\s[^\s|–—\d]{1,30}){0,3}$")
# Where a link was found, not where it leads.
FOUND_AT = re.compile(r"ref|ref_src|ref_url|cmp|cmpid|ocid|igshid|smid|spm|at_\w+|ns_\w+|share|amp", re.IGNORECASE)
NOTE_LINE = re.compile(rf"- \d\d:\d\d - {re.escape(TAG)} (?P<title>.*?)(?: \((?P<link>https?://[^\s()]+)\))?")
CUT = "…"


@dataclass(frozen=True)
class _Told:
    id: str
    day: date
    title: tuple[str, ...]
    # Of a title that its note had no room for.
    begin: str = ""


@dataclass
class _Notes:
    """What notes told lately, by what tells a story apart."""

    links: defaultdict[str, list[_Told]] = field(default_factory=lambda: defaultdict(list))
    titles: defaultdict[tuple[str, ...], list[_Told]] = field(default_factory=lambda: defaultdict(list))
    cut: list[_Told] = field(default_factory=list)


def same_story(one: Item, other: Item) -> bool:
    """Whether items of different feeds lead to one page, or bear one title of some length within three days."""
    if one.feed == other.feed:
        return False
    link = link_key(one.link)
    if link and link == link_key(other.link):
        return True
    near = not (one.published and other.published) or abs(one.published - other.published) <= TITLE_HOLDS_FOR
    return near and not titles(one.title).isdisjoint(titles(other.title))


def without_told(workspace: Workspace, looks: Iterable[FeedLook | Failure], today: date) -> list[FeedLook | Failure]:
    """
    Leave out of the looks what notes of the last two weeks told: from another feed, or under another id.

    Args:
        workspace: Whose notes.
        looks: At all feeds.
        today: Day of the scan.
    """
    notes, seen = _read(workspace, today), cursors.read(workspace, "feed")
    return [_without(one, notes, seen, today) if isinstance(one, News) and one.fresh else one for one in looks]


def link_key(link: str) -> str:
    """Give what an address leads to, however it was found; empty for none, and for a site's front page."""
    try:
        parts = urlsplit(link)
        host = (parts.hostname or "").removeprefix("www.")
        port = parts.port
    except ValueError:
        return ""
    path = parts.path.rstrip("/").removesuffix("/amp")
    query = sorted(
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not (TRACKING_PARAMETER.fullmatch(name) or FOUND_AT.fullmatch(name))
    )
    if not host or not (path or query):
        return ""
    return f"{host}{f':{port}' if port not in {None, 80, 443} else ''}{path}?{urlencode(query)}"


def titles(text: str) -> frozenset[tuple[str, ...]]:
    """Give the forms of a title that are long enough to be a story's own: whole, and without the site behind it."""
    forms = {tuple(words(text)), tuple(words(TAIL.sub("", text)))}
    return frozenset(form for form in forms if _length(form) >= MIN_TITLE_WORDS)


def words(text: str) -> list[str]:
    """Split a text into words as they are compared."""
    return WORD.findall(_plain(text))


def unspaced(word: str) -> bool:
    """Whether a word is of a script that writes without spaces."""
    return any(ord(char) >= FIRST_UNSPACED for char in word)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _length(form: Iterable[str]) -> int:
    return sum(len(word) // SIGNS_A_WORD if unspaced(word) else 1 for word in form)


def _read(workspace: Workspace, today: date) -> _Notes:
    notes = _Notes()
    for entry in journal.begun(workspace, KEY_PREFIX).values():
        line = NOTE_LINE.fullmatch(entry.text)
        if line is None or entry.day < today - TOLD_FOR:
            continue
        cut = line["title"].endswith(CUT)
        # The last word may be a part of one.
        title = tuple(words(line["title"])[: -1 if cut else None])
        begin = _plain(line["title"].removesuffix(CUT)) if cut else ""
        told = _Told(entry.key.removeprefix(KEY_PREFIX), entry.day, title, begin)
        if link := link_key(line["link"] or ""):
            notes.links[link].append(told)
        if cut:
            notes.cut += [told] if _length(title) >= MIN_TITLE_WORDS else []
            continue
        for form in titles(line["title"]):
            notes.titles[form].append(told)
    return notes


def _without(look: News, notes: _Notes, seen: Mapping[str, cursors.Seen], today: date) -> News:
    met = [(item, list(_tellings(item, notes, today))) for item in look.fresh]
    if not any(told for _, told in met):
        return look
    there = frozenset(look.progress.seen)
    own = there | seen.get(look.progress.key, cursors.NEVER_SEEN).items
    back = {item.id for item in look.fresh if _is_back(item, notes, there)}
    fresh = (item for item, told in met if item.id not in back and all(one.id in own for one in told))
    return replace(look, fresh=tuple(fresh))


def _is_back(item: Item, notes: _Notes, there: frozenset[str]) -> bool:
    """Whether this was told under an id that the feed holds no more, with the same link and title."""
    title, plain = tuple(words(item.title)), _plain(item.title)
    return any(
        told.id not in there and (plain.startswith(told.begin) if told.begin else title == told.title)
        for told in notes.links.get(link_key(item.link), ())
    )


def _tellings(item: Item, notes: _Notes, today: date) -> Iterator[_Told]:
    """List where this story was told, by whichever feed."""
    yield from notes.links.get(link_key(item.link), ())
    days = [today] + ([item.published.date()] if item.published else [])
    forms = titles(item.title)
    found = [told for form in forms for told in notes.titles.get(form, ())]
    found += [told for told in notes.cut if any(form[: len(told.title)] == told.title for form in forms)]
    yield from (told for told in found if any(abs(told.day - day) <= TITLE_HOLDS_FOR for day in days))
