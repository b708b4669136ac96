"""What a statement has to do with its lines, and which rewordings are close enough to be asked about at all."""

from __future__ import annotations

from datetime import date

import pytest

from daybook.language.languages import language_of
from daybook.review.rewording import CHANGED_IN_A_CONFIRMATION, names_nothing_new, standing

DAY = date(2026, 3, 2)


def how(text: str, *lines: str) -> str:
    return standing(text, [(line, DAY) for line in lines])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The report is due 2026-03-03", "The report is due tomorrow"),
        ("Deadline: the report is due on March 3", "Deadline: the report is due tomorrow"),
        ("The report is due on 2026-03-06", "The report is due on Friday (the list has it)"),
        ("Abgabe am 3. März", "Abgabe am 3.3."),
        ("Abgabe am 3.3.", "Abgabe am 3. März"),
        ("Invoices are due 2026-03-03", "Invoices are due 3/3/2026"),
        ("Operator wants short answers", "Operator really wants short answers"),
    ],
)
def test_few_changes_to_one_line_are_worth_a_second_opinion(text: str, line: str) -> None:
    assert how(text, line) == "close"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Links get checked on the day before", "Links are checked on the day before"),
        ("Operator prefers concise short answers", "Operator prefers short answers"),
        ("Permit 2806 of the garden begins on March 3", "Permit 2806 of the garden ends on March 3"),
        ("Ada and her brother are allergic to peanuts", "Ada and her brother are allergic to walnuts"),
        ("the boiler of the flat needs a look", "the boiler of the flat needs a third look"),
        ("the filter of the new mail script uses a b there", "the filter of the new mail script uses a && b there"),
        ("Gate 4734 of the harbour stays open", "Gate 4734 of the harbour stays open all day and night"),
        ("The dog of Mara from Graz is called Biscuit and", "The dog of Mara from Graz is called Biscuit and sleeps"),
    ],
)
def test_a_new_word_that_counts_or_an_end_that_is_cut_off_is_not(text: str, line: str) -> None:
    """A model that agrees to anything would post it."""
    assert how(text, line) == "unsure"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Maria owns search", "Maria owns billing and Tom owns search"),
        ("Maria owns billing", "Tom, who reports to Maria, owns billing"),
        ("Tom reports to Ann", "The manager of Tom reports to Ann"),
        ("The API key is compromised", "Tom said the API key is compromised"),
        ("Maria is the owner of billing", "Maria was the owner of billing"),
        ("Operator likes short answers", "Operator hates short answers"),
        ("Wait two hours for the backup", "Wait two minutes for the backup"),
        ("Always use tabs while editing", "Always use tabs while editing in makefiles"),
        ("Tell us about the plans", "Tell US about the plans"),
        ("Breakfast: bread", "Breakfast: eggs. Lunch: bread"),
        ("Ann met Tom, and left", "Ann met Tom, Eve met Jim, and left"),
        ("Pardon not, hang him", "Pardon, not hang him"),
        ("User favours replies that stay brief", "Operator prefers short answers"),
        ("The cloud server is cheap at night", "The cloud server is expensive at night"),
    ],
)
def test_more_than_that_is_not_asked_about_at_all(text: str, line: str) -> None:
    assert how(text, line) == "unsure"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The report is due 2026-03-04", "The report is due tomorrow"),
        ("Due on April 3, all of it", "Due 3/4/2026, all of it"),
        ("Restart the worker on Fridays", "Never restart the worker on Fridays"),
        ("Deploy after 17:00 only", "Deploy before 17:00 only"),
        ("Maria owns the billing", "Tom owns the billing"),
        ("We move to Rust", "Should we move to Rust?"),
        ("The API is v2", "The API is v2, wrong, it is v3"),
        ("Anything goes", ""),
    ],
)
def test_what_no_line_names_is_made_up(text: str, line: str) -> None:
    assert how(text, *([line] if line else [])) == "made-up"


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("The server starts at 03:00", "Der Server startet um 03:00", "unsure"),
        ("Der Server startet um 03:00", "The server starts at 03:00", "unsure"),
        ("The server does not start before 03:00", "Der Server startet nicht vor 03:00", "unsure"),
        ("Le serveur ne démarre pas avant 03:00", "The server will not start before 03:00", "unsure"),
        ("The meeting with Jana is on March 3", "La reunión con Jana es el 3 de marzo por la tarde", "unsure"),
        ("The meeting is on the 3rd of March", "会议在3月3日", "unsure"),
        ("The server starts at 04:00", "Der Server startet um 03:00", "made-up"),
        ("The invoice of the shop goes to Tom", "Die Rechnung von dem Laden geht an Maria", "made-up"),
        ("The meeting is on the 4th of March", "会议在3月3日", "made-up"),
    ],
)
def test_across_languages_names_and_numbers_must_hold_and_nothing_is_asked(text: str, line: str, expected: str) -> None:
    assert how(text, line) == expected


def test_words_of_two_lines_are_never_spliced() -> None:
    assert how("Maria owns search", "Maria owns billing", "Tom owns search") == "unsure"
    assert how("The worker leaks memory daily", "The worker leaks handles", "Ann grows memory daily") == "unsure"


def test_a_confirmation_may_be_worded_more_freely() -> None:
    line = [("Operator wants answers kept short", DAY)]
    assert standing("Operator prefers answers short", line) == "unsure"
    assert standing("Operator wishes answers short", line, changed=CHANGED_IN_A_CONFIRMATION) != "grounded"
    assert standing("Operator favours answers kept brief", line, changed=CHANGED_IN_A_CONFIRMATION) == "unsure"


def test_a_rewording_may_name_only_what_its_sources_name() -> None:
    cited = [("Jana Weiss is the contact at ACME as from tomorrow", DAY)]
    assert names_nothing_new("From 2026-03-03 the ACME contact is Jana Weiss", cited)
    assert not names_nothing_new("From 2026-03-04 the ACME contact is Jana Weiss", cited)
    assert not names_nothing_new("The ACME contact is Tom Weiss", cited)
    assert not names_nothing_new("The ACME contact is never Jana Weiss", cited)
    assert not names_nothing_new("Anything", [])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The server is old", "english"),
        ("Der Server ist alt", "german"),
        ("Le serveur est vieux", "french"),
        ("El servidor es viejo", "spanish"),
        ("Il server è vecchio", "italian"),
        ("O servidor é velho", "portuguese"),
        ("De server is een oude", "dutch"),
        ("Сервер старый", "russian"),
        ("服务器很旧", "chinese or japanese"),
        ("PostgreSQL 17", ""),
    ],
)
def test_a_language_is_told_by_its_small_words(text: str, language: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("twenty", "thirty"),
        ("third", "fourth"),
        ("½", "¼"),
        ("iv", "vi"),
        ("&&", "||"),
        ("->", "!="),
        ("zwanzig", "elf"),
    ],
)
def test_no_word_of_number_and_no_sign_may_be_swapped_in_a_confirmation_either(old: str, new: str) -> None:
    line = f"the medicine of the {old} dog on the small farm near Graz is in the hall"
    said = standing(line.replace(old, new), [(line, DAY)], changed=CHANGED_IN_A_CONFIRMATION)
    assert said in {"unsure", "made-up"}
