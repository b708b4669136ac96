"""A cheap look never says no to a text that holds a date."""

from __future__ import annotations

from datetime import date

import pytest

from daybook.language.dates import days_in
from daybook.language.glance import may_name_a_date
from daybook.review.likeness import rough

DAY = date(2026, 2, 7)
DATED = [
    *("on 2026-03-04", "until 2026/3/4", "am 3.3.2026", "Frist: 3. 3.", "by 13/3/2026", "2026年3月4日", "３ 月 ４ 日"),
    *("4 March", "March the 4th, 2026", "le 1er février", "4 de março", "le 1er fe\u0301vrier, 4 mai", "١٢ march"),
    *("Monday", "every Friday", "Freitags", "tomorrow", "the day after tomorrow", "l'altroieri", "aujourd'hui"),
    *("terça-feira", "übermorgen", "明天", "星期天", "завтра", "4 march\u0306"),
]
PLAIN = ["Ada repaired lamp 17 in the cellar", "port 8080 is open", "v2 ships", "may it last", "x"]


@pytest.mark.parametrize("text", DATED)
def test_what_holds_a_date_is_never_passed_over(text: str) -> None:
    assert days_in(text, DAY)[1]
    assert may_name_a_date(text, frozenset(rough(text)))


@pytest.mark.parametrize("text", PLAIN)
def test_numbers_and_words_alone_are_no_date(text: str) -> None:
    assert not may_name_a_date(text, frozenset(rough(text)))
