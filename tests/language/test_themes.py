import pytest

from daybook.language.themes import Theme, section_for, theme_of, unmarked

MARKED: list[tuple[Theme, str]] = [
    *(("lesson", text) for text in ("Lesson: check first", "**Lesson learned:** check first", "[lesson] check first")),
    *(
        ("lesson", text)
        for text in ("Learned that feeds break", "I learned the hard way to back up", "TIL: tabs exist")
    ),
    *(
        ("lesson", text)
        for text in ("Lektion: erst prüfen", "Gelernt: erst prüfen", "Wir haben gelernt, dass es bricht")
    ),
    *(("lesson", text) for text in ("Leçon apprise : vérifier", "Lección aprendida: verificar", "Lezione: verificare")),
    *(
        ("lesson", text)
        for text in ("Lição: verificar", "Geleerd: eerst testen", "💡 Lesson: drink water", "教训：先检查")
    ),
    *(
        ("decision", text)
        for text in ("Decision: PostgreSQL 17", "Decided to use tabs", "We decided on tabs", "Decided: tabs")
    ),
    *(
        ("decision", text)
        for text in ("Entscheidung: Tabs", "Wir haben entschieden, dass es so bleibt", "Beschlossen: Tabs")
    ),
    *(("decision", text) for text in ("Décision : tabs", "Nous avons décidé de migrer", "Hemos decidido usar tabs")),
    *(("decision", text) for text in ("Decisione: tabs", "Decisão: tabs", "Besluit: tabs", "Decided not to use tabs")),
    *(("decision", text) for text in ("Decision: no meetings on Fridays", "- Decision - use tabs")),
    *(("preference", text) for text in ("Preference: tea", "User prefers tea", "The operator really prefers tea")),
    *(("preference", text) for text in ("I prefer tea", "Der Nutzer bevorzugt Tee", "L'utilisateur préfère le thé")),
    *(
        ("preference", text)
        for text in ("El usuario prefiere té", "Voorkeur: thee", "Präferenz: Tee", "Preferência: chá")
    ),
    *(
        ("deadline", text)
        for text in ("Deadline: tax return March 3", "Due: Friday, the report", "The deadline is March 3")
    ),
    *(("deadline", text) for text in ("Frist: 3. März", "Échéance : 3 mars", "Scadenza: 3 marzo", "Prazo: 3 de março")),
]
ORDINARY = [
    *("Lessons were boring", "The decision was hard", "Deadlines stress me", "Maria owns billing", "Tom prefers tea"),
    *(
        "Decided nothing",
        "Decision: none",
        "Decision: nothing yet",
        "No decision yet",
        "Decision: pending",
        "Lesson: -",
    ),
    *(
        "Decision: maybe tabs",
        "Considered tabs",
        "We might decide to move",
        "Decided to perhaps move",
        "Undecided: tabs",
    ),
    *(
        "Decision?",
        "Should we decide: tabs?",
        "Lesson: is it true?",
        "Entscheidung: keine",
        "Décision : aucune",
        "Lesson:",
    ),
    *("Entscheidung: noch offen", "Decisión: ninguna", "", "Redecided: x"),
]


@pytest.mark.parametrize(("theme", "text"), MARKED)
def test_a_marked_line_is_recognised(theme: Theme, text: str) -> None:
    assert theme_of(text) == theme


@pytest.mark.parametrize("text", ORDINARY)
def test_a_question_a_hedge_nothing_and_ordinary_words_are_no_theme(text: str) -> None:
    assert theme_of(text) is None


@pytest.mark.parametrize(
    ("heading", "theme"),
    [
        ("Lessons", "lesson"),
        ("💡 Lessons Learned (2026)", "lesson"),
        ("Erkenntnisse", "lesson"),
        ("Key Decisions", "decision"),
        ("Beschlüsse", "decision"),
        ("Operator Preferences", "preference"),
        ("Upcoming Deadlines", "deadline"),
        ("Open decisions", None),
        ("Learning goals", None),
        ("Morning", None),
    ],
)
def test_the_heading_of_a_note_marks_what_stands_under_it(heading: str, theme: Theme | None) -> None:
    assert theme_of("feeds break at night", heading) == theme


def test_a_heading_does_not_turn_hedges_and_questions_into_decisions() -> None:
    assert theme_of("considered tabs", "Decisions") is None
    assert theme_of("use tabs?", "Decisions") is None
    assert theme_of("nothing decided", "Decisions") is None


def test_a_label_says_more_than_the_heading() -> None:
    assert theme_of("Deadline: tax return March 3", "Lessons") == "deadline"


@pytest.mark.parametrize(
    ("theme", "headings", "expected"),
    [
        ("lesson", ["Notes", "Lessons", "Lessons Learned"], "Lessons Learned"),
        ("lesson", ["Notes", "Lessons"], "Lessons"),
        ("preference", ["Operator Preferences"], "Operator Preferences"),
        ("preference", ["Präferenzen"], "Präferenzen"),
        ("decision", ["Open decisions", "Décisions"], "Décisions"),
        ("deadline", ["Fechas límite"], "Fechas límite"),
        ("decision", ["Prefer\u0302encias", "Notes"], "Decisions"),
        ("preference", ["Prefere\u0302ncias"], "Prefere\u0302ncias"),
        ("lesson", [], "Lessons Learned"),
        ("preference", [], "Preferences"),
        ("deadline", [], "Deadlines"),
    ],
)
def test_a_theme_goes_under_a_heading_that_is_there(theme: Theme, headings: list[str], expected: str) -> None:
    assert section_for(theme, headings) == expected


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Lesson: check first", "check first"),
        ("**Decision:** use tabs", "use tabs"),
        ("Deadline: tax return March 3", "Deadline: tax return March 3"),
        ("Decided to use tabs", "Decided to use tabs"),
        ("Lesson:", "Lesson:"),
    ],
)
def test_a_label_comes_off_unless_the_rest_says_too_little(text: str, bare: str) -> None:
    assert unmarked(text) == bare
