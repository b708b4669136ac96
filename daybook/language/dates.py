"""
Find dates in text: a closed list of notations in seven languages, and those relative to the note's own date.

What could be read in two ways (`3/4/2026`) is no date here, only numbers; `3.3.` is one only where the word before it
says so, since versions and chapters are written likewise.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from daybook.language.tokens import CJK

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = """
    1 january jan januar jänner janvier enero gennaio janeiro januari
    2 february feb februar février févr febrero febbraio fevereiro februari
    3 march mar märz mrz mars marzo março maart
    4 april apr avril abril aprile
    5 may mai mayo maggio maio mei
    6 june jun juni juin junio giugno junho
    7 july jul juli juillet juillet julio luglio julho
    8 august aug août agosto augustus
    9 september sep sept septembre septiembre settembre setembro
    10 october oct oktober okt octobre octubre ottobre outubro
    11 november nov novembre noviembre novembro
    12 december dec dezember dez décembre déc diciembre dicembre dezembro
"""
_WEEKDAYS = """
    0 monday montag lundi lunes lunedì segunda-feira maandag 周一 星期一
    1 tuesday dienstag mardi martes martedì terça-feira dinsdag 周二 星期二
    2 wednesday mittwoch mercredi miércoles mercoledì quarta-feira woensdag 周三 星期三
    3 thursday donnerstag jeudi jueves giovedì quinta-feira donderdag 周四 星期四
    4 friday freitag vendredi viernes venerdì sexta-feira vrijdag 周五 星期五
    5 saturday samstag sonnabend samedi sábado sabato zaterdag 周六 星期六
    6 sunday sonntag dimanche domingo domenica zondag 周日 星期日 星期天
"""
_RELATIVE = """
    -2 vorgestern avant-hier anteayer l'altroieri anteontem eergisteren позавчера 前天 一昨日
    -1 yesterday gestern hier ayer ieri ontem gisteren вчера 昨天 昨日
    0 today tonight heute aujourd'hui hoy oggi hoje vandaag сегодня 今天 今日
    1 tomorrow morgen demain mañana domani amanhã завтра 明天 明日
    2 übermorgen après-demain dopodomani overmorgen послезавтра 后天 明後日
"""


def _numbered(table: str) -> dict[str, int]:
    rows = (line.split() for line in table.strip().splitlines())
    return {name: int(row[0]) for row in rows for name in row[1:]}


MONTHS, WEEKDAYS, RELATIVE = _numbered(_MONTHS), _numbered(_WEEKDAYS), _numbered(_RELATIVE)


def _either(names: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_MONTH = rf"(?P<m>{_either(MONTHS)})\.?"
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_BEFORE_DOTTED = (
    rf"(?:am|bis|vom|ab|den|dem|der|zum|seit|vor|nach|op|on|by|until|before|after|since|from|le|il|el|du|al|dal|tot|vóór"
    rf"|(?:frist|termin|abgabe|fällig|stichtag|deadline|due|datum|date):?|(?:{_either(WEEKDAYS)}|mo|di|mi|do|fr|sa|so)[,.]?)"
)
_NOTATIONS = tuple(
    re.compile(pattern if "年" in pattern else rf"(?<![\w./-]){pattern}(?![\w/]|[.:-]\d)")
    for pattern in (
        rf"{_YEAR}-(?P<m>\d\d)-(?P<d>\d\d)(?:t[\d:.]+z?)?",
        rf"{_YEAR}/(?P<m>\d\d?)/(?P<d>\d\d?)",
        rf"(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?{_YEAR}",
        rf"{_BEFORE_DOTTED}\s(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.",
        rf"(?P<a>\d\d?)/(?P<b>\d\d?)/{_YEAR}",
        rf"(?P<d>\d\d?)(?:st|nd|rd|th|er|º|\.)?\s(?:of\s|de\s|di\s)?{_MONTH}(?:,?\s(?:de\s|del\s)?{_YEAR})?",
        rf"{_MONTH}\s(?:the\s)?(?P<d>\d\d?)(?:st|nd|rd|th)?(?:,?\s{_YEAR})?",
        r"(?:(?P<y>\d{4})\s?年\s?)?(?P<m>\d\d?)\s?月\s?(?P<d>\d\d?)\s?[日号]",
    )
)
_DOTTED = next(notation for notation in _NOTATIONS if "termin" in notation.pattern)
_EVERY = (
    "every other |every second |every |each |any |jeden |jede |jedem |an einem |einem |chaque |tous les |les |cada |"
    "todos los |los |ogni |tutti i |tutte le |todas as |todos os |às |aos |nas |elke |iedere |een "
)
_DAY_WORD = re.compile(
    rf"(?<![\w-])(?P<every>{_EVERY})?(?P<last>last |letzten |vergangenen |afgelopen )?"
    rf"(?P<next>next |nächsten |volgende )?(?P<day>{_either(WEEKDAYS)})(?P<more>s)?"
    rf"(?: (?P<after>dernier|prochain|pasado|scorso|passada))?(?![\w-])"
)
_HABIT = re.compile(
    r"(?<!\w)(?:never|always|usually|weekly|nie|niemals|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd)(?!\w)"
)
_OF_HABIT = re.compile(
    r"\s(?:mornings|afternoons|evenings|nights|morgens|abends|(?!is\b|was\b|has\b)\w{3,}(?<![s'’])s\b)"
)
_ON_THAT_DAY = re.compile(
    r"(?<!\w)(?:on|by|until|till|before|after|since|from|this|next|last|am|bis|ab|seit|diesen)\s$"
)
_TO_ANOTHER = re.compile(
    r"\s?(?:to|through|thru|until|bis|au|a|al|tot|t/m|[-–])\s?(?:(?:and|en met)\s)?"
    rf"(?:{_either(WEEKDAYS)})s?(?!\w)"
)
_RELATIVE_WORD = re.compile(
    rf"(?<![\w-])(?P<not>(?:am|guten|heute|gestern|jeden|la|de|por) )?(?P<word>{_either(RELATIVE)})(?![\w-])"
)
_THE_DAY = re.compile(r"\bday (?P<way>after tomorrow|before yesterday)\b")
_SIGNS = re.compile("|".join(name for name in RELATIVE if CJK.match(name)))
_AMBIGUOUS_DAYS = {"morgen", "mañana"}
# Said before a date it means no more than the date; elsewhere `on` is a switch.
_ON = re.compile(r"(?<!\w)(?:on the|on|am|den|dem|le|el|il|op|em)\s$")


class Day(NamedTuple):
    """
    A date where it stands in a text.

    Attributes:
        start: Index of its first character in the text with its white space folded.
        end: Index behind its last one.
        value: `2026-03-03`, or `weekday-4` for a weekday that recurs.
        how: Written with its year, written without one, or told by the note's own date.
    """

    start: int
    end: int
    value: str
    how: Literal["year", "month", "relative"]


def find_dates(text: str, note_date: date) -> frozenset[str]:
    """
    Give the dates a text names, as `2026-03-03`; a weekday that recurs as `weekday-4`.

    A date without a year is the one nearest to the note's; a weekday is the next one, the note's own day included.

    Args:
        text: Any text, in any case.
        note_date: Date of the note it stands in.
    """
    folded = " ".join(text.casefold().split())
    return frozenset(day.value for day in _days(folded, note_date))


def days_in(text: str, note_date: date) -> tuple[str, tuple[Day, ...]]:
    """
    Give a text with its white space folded, and every date in it in order; where two overlap, the longer one.

    Args:
        text: Any text; its case stays.
        note_date: Date of the note it stands in.
    """
    shown = " ".join(text.split())
    lowered = shown.lower()
    if len(lowered) != len(shown):
        shown = lowered
    found: list[Day] = []
    for day in sorted(_days(lowered, note_date), key=lambda day: (day.start, -day.end)):
        if not found or day.start >= found[-1].end:
            found.append(day)
    return shown, tuple(found)


def absolute(text: str, note_date: date) -> str:
    """Write every date of a text as `2026-03-03`, without the `on` before it, so that notations can be compared."""
    shown, days = days_in(text, note_date)
    for day in reversed(days):
        before = shown[: day.start]
        on = _ON.search(before.lower())
        shown = before[: on.start() if on else day.start] + day.value + shown[day.end :]
    return shown


def told_days(folded: str, near: date) -> Iterator[Day]:
    """Give the dates of a casefolded text that only its note's date tells, and the weekdays that recur."""
    yield from _relative(folded, near)
    yield from _weekdays(folded, near)


def _days(folded: str, near: date) -> Iterator[Day]:
    yield from _written(folded, near)
    yield from told_days(folded, near)


def _written(folded: str, near: date) -> Iterator[Day]:
    for notation in _NOTATIONS:
        for match in notation.finditer(folded):
            part = match.groupdict()
            day, month, start = part.get("d"), part.get("m"), match.start()
            if part.get("a"):
                day, month = _told_apart(part["a"] or "", part["b"] or "")
            elif notation is _DOTTED:
                start = match.start("d")
            number = MONTHS.get(month or "") or (int(month) if month and month.isdigit() else 0)
            found = _on(part.get("y"), number, int(day or 0), near)
            if found is not None:
                yield Day(start, match.end(), found.isoformat(), "year" if part.get("y") else "month")


def _told_apart(first: str, second: str) -> tuple[str, str]:
    """Day and month of `13/3/2026` and `3/13/2026`; two zeros when it could be either."""
    if int(second) > 12 or first == second:  # noqa: PLR2004 - a year has twelve months
        return second, first
    return (first, second) if int(first) > 12 else ("0", "0")  # noqa: PLR2004 - likewise


def _on(year: str | None, month: int, day: int, near: date) -> date | None:
    years = [int(year)] if year else [near.year - 1, near.year, near.year + 1]
    valid = []
    for one in years:
        try:
            valid.append(date(one, month, day))
        except ValueError:  # 30 February, or no date at all: the numbers stand for themselves
            continue
    return min(valid, key=lambda found: abs(found - near)) if valid else None


def _relative(folded: str, near: date) -> Iterator[Day]:
    the_day = _THE_DAY.search(folded)
    if the_day:
        away = 2 if "after" in the_day["way"] else -2
        yield _told(the_day.start(), the_day.end(), near + timedelta(days=away))
        folded = folded[: the_day.start()] + " " * len(the_day[0]) + folded[the_day.end() :]
    for match in _RELATIVE_WORD.finditer(folded):
        morning = match["not"] and match["word"] in _AMBIGUOUS_DAYS
        word = (match["not"] or "").strip() if morning else match["word"]
        if word in RELATIVE:
            start = match.start() if morning else match.start("word")
            yield _told(start, match.end(), near + timedelta(days=RELATIVE[word]))
    for match in _SIGNS.finditer(folded):
        yield _told(match.start(), match.end(), near + timedelta(days=RELATIVE[match[0]]))


def _weekdays(folded: str, near: date) -> Iterator[Day]:
    reached = -1
    for match in _DAY_WORD.finditer(folded):
        number = WEEKDAYS[match["day"]]
        ahead = (number - near.weekday()) % 7
        if match["every"] or match["more"] or _is_habit(folded, match, reached):
            reached = match.end()
            yield Day(match.start(), match.end(), f"weekday-{number}", "relative")
        elif match["last"] or match["after"] in {"dernier", "pasado", "scorso", "passada"}:
            yield _told(match.start(), match.end(), near - timedelta(days=7 - ahead))
        else:
            yield _told(match.start(), match.end(), near + timedelta(days=ahead))


def _is_habit(folded: str, match: re.Match[str], reached: int) -> bool:
    """
    Whether a weekday is every one of its name: `never on Friday`, `Friday deploys`, `Monday to Friday`.

    Args:
        folded: The text.
        match: The weekday in it.
        reached: End of the weekday of habit before it; -1 for none.
    """
    if match["last"] or match["next"] or match["after"]:
        return False
    some = match["day"].endswith("day") and folded[: match.start()].endswith(" a ")
    if some or _HABIT.search(folded) or _TO_ANOTHER.match(folded, match.end()):
        return True
    if reached >= 0 and _TO_ANOTHER.match(folded, reached):
        return True
    return _OF_HABIT.match(folded, match.end()) is not None and not _ON_THAT_DAY.search(folded[: match.start()])


def _told(start: int, end: int, day: date) -> Day:
    return Day(start, end, day.isoformat(), "relative")
