"""
Find dates in text: a closed list of notations in seven languages, and those relative to the note's own date.

What could be read in two ways (`3/4/2026`) is no date here, only numbers.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from daybook.review.tokens import CJK

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
    -2 vorgestern avant-hier anteayer l'altroieri anteontem eergisteren 前天
    -1 yesterday gestern hier ayer ieri ontem gisteren 昨天 昨日
    0 today tonight heute aujourd'hui hoy oggi hoje vandaag 今天 今日
    1 tomorrow morgen demain mañana domani amanhã 明天 明日
    2 übermorgen après-demain dopodomani overmorgen 后天
"""


def _numbered(table: str) -> dict[str, int]:
    rows = (line.split() for line in table.strip().splitlines())
    return {name: int(row[0]) for row in rows for name in row[1:]}


MONTHS, WEEKDAYS, RELATIVE = _numbered(_MONTHS), _numbered(_WEEKDAYS), _numbered(_RELATIVE)


def _either(names: dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


_MONTH = rf"(?P<m>{_either(MONTHS)})\.?"
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_NOTATIONS = tuple(
    re.compile(pattern if "年" in pattern else rf"(?<![\w./-]){pattern}(?![\w/]|[.:-]\d)")
    for pattern in (
        rf"{_YEAR}-(?P<m>\d\d)-(?P<d>\d\d)(?:t[\d:.]+z?)?",
        rf"{_YEAR}/(?P<m>\d\d?)/(?P<d>\d\d?)",
        rf"(?P<d>\d\d?)\.\s?(?P<m>\d\d?)\.\s?{_YEAR}",
        rf"(?P<a>\d\d?)/(?P<b>\d\d?)/{_YEAR}",
        rf"(?P<d>\d\d?)(?:st|nd|rd|th|er|º|\.)?\s(?:of\s|de\s|di\s)?{_MONTH}(?:,?\s(?:de\s|del\s)?{_YEAR})?",
        rf"{_MONTH}\s(?:the\s)?(?P<d>\d\d?)(?:st|nd|rd|th)?(?:,?\s{_YEAR})?",
        r"(?:(?P<y>\d{4})\s?年\s?)?(?P<m>\d\d?)\s?月\s?(?P<d>\d\d?)\s?[日号]",
    )
)
_DAY_WORD = re.compile(
    rf"(?<![\w-])(?P<every>every |each |jeden |jede |chaque |tous les |cada |todos los |ogni |elke |iedere )?"
    rf"(?P<last>last |letzten |vergangenen |afgelopen )?(?P<next>next |nächsten |volgende )?"
    rf"(?P<day>{_either(WEEKDAYS)})(?P<more>s)?(?: (?P<after>dernier|prochain|pasado|scorso|passada))?(?![\w-])"
)
_RELATIVE_WORD = re.compile(
    rf"(?<![\w-])(?P<not>(?:am|guten|heute|gestern|jeden|la|de|por) )?(?P<word>{_either(RELATIVE)})(?![\w-])"
)
_THE_DAY = re.compile(r"\bday (?P<way>after tomorrow|before yesterday)\b")
_SIGNS = re.compile("|".join(name for name in RELATIVE if CJK.match(name)))
_AMBIGUOUS_DAYS = {"morgen", "mañana"}


def find_dates(text: str, note_date: date) -> frozenset[str]:
    """
    Give the dates a text names, as `2026-03-03`; a weekday that recurs as `weekday-4`.

    A date without a year is the one nearest to the note's; a weekday is the next one, the note's own day included.

    Args:
        text: Any text, in any case.
        note_date: Date of the note it stands in.
    """
    folded = " ".join(text.casefold().split())
    found = {day.isoformat() for day in _written(folded, note_date)}
    found |= {day.isoformat() for day in _relative(folded, note_date)}
    return frozenset(found | set(_weekdays(folded, note_date)))


def is_relative(text: str) -> bool:
    """
    Whether a text names a day that only its own date tells (`tomorrow`, `on Friday`): it will not hold as it is.

    `hier` is yesterday in French and a plain word in German, so it does not count.
    """
    folded, some_day = " ".join(text.casefold().replace("hier", "").split()), date(2000, 1, 1)
    return bool(_relative(folded, some_day)) or any("weekday" not in day for day in _weekdays(folded, some_day))


def _written(folded: str, near: date) -> list[date]:
    found = []
    for notation in _NOTATIONS:
        for match in notation.finditer(folded):
            part = match.groupdict()
            day, month = part.get("d"), part.get("m")
            if part.get("a"):
                day, month = _told_apart(part["a"] or "", part["b"] or "")
            number = MONTHS.get(month or "") or (int(month) if month and month.isdigit() else 0)
            found += _on(part.get("y"), number, int(day or 0), near)
    return found


def _told_apart(first: str, second: str) -> tuple[str, str]:
    """Day and month of `13/3/2026` and `3/13/2026`; two zeros when it could be either."""
    if int(second) > 12 or first == second:  # noqa: PLR2004 - a year has twelve months
        return second, first
    return (first, second) if int(first) > 12 else ("0", "0")  # noqa: PLR2004 - likewise


def _on(year: str | None, month: int, day: int, near: date) -> list[date]:
    years = [int(year)] if year else [near.year - 1, near.year, near.year + 1]
    valid = []
    for one in years:
        try:
            valid.append(date(one, month, day))
        except ValueError:  # 30 February, or no date at all: the numbers stand for themselves
            continue
    return [min(valid, key=lambda found: abs(found - near))] if valid else []


def _relative(folded: str, near: date) -> list[date]:
    found = []
    the_day = _THE_DAY.search(folded)
    if the_day:
        found.append(near + timedelta(days=2 if "after" in the_day["way"] else -2))
        folded = folded.replace(the_day[0], "")
    words = []
    for match in _RELATIVE_WORD.finditer(folded):
        morning = match["not"] and match["word"] in _AMBIGUOUS_DAYS
        words.append((match["not"] or "").strip() if morning else match["word"])
    words += _SIGNS.findall(folded)
    return found + [near + timedelta(days=RELATIVE[word]) for word in words if word in RELATIVE]


def _weekdays(folded: str, near: date) -> list[str]:
    found = []
    for match in _DAY_WORD.finditer(folded):
        number = WEEKDAYS[match["day"]]
        ahead = (number - near.weekday()) % 7
        if match["every"] or match["more"]:
            found.append(f"weekday-{number}")
        elif match["last"] or match["after"] in {"dernier", "pasado", "scorso", "passada"}:
            found.append((near - timedelta(days=7 - ahead)).isoformat())
        else:
            found.append((near + timedelta(days=ahead)).isoformat())
    return found
