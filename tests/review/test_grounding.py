import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook.review.grounding import grounded, is_shortening

HONEST = [
    ("Use PostgreSQL 17 for billing", "Decision: Use PostgreSQL 17 for billing"),
    ("use PostgreSQL 17 for billing", "**Decision:** use PostgreSQL 17 for billing."),
    (
        "Always set a timeout on HTTP calls",
        "Lesson: always set a timeout on HTTP calls (the library has a bad default)",
    ),
    ("The worker leaks file handles", "14:30 - The worker leaks file handles, seen twenty times."),
    ("Decided to use PostgreSQL 17", "Talked with Ann about the database. Decided to use PostgreSQL 17."),
    ("Use PostgreSQL 17", "Long meeting with Ann. Decision: use PostgreSQL 17."),
    ("Maria owns billing", "Maria (the new lead) owns billing"),
    ("Use a server", "Use a (big) server"),
    ("Maria owns billing", "Maria - the new lead - owns billing"),
    ("Backups run every Sunday at 3:00", "Backups run every Sunday at 03:00; the log is long"),
    ("Der Nutzer bevorzugt Tee", "Präferenz: Der Nutzer bevorzugt Tee (grünen Tee)."),
    ("Ne jamais redémarrer le serveur", "Leçon apprise : ne jamais redémarrer le serveur"),
    ("Usar siempre tabuladores", "Lección aprendida: usar siempre tabuladores (Python)"),
    ("Usare sempre gli spazi", "Lezione: usare sempre gli spazi; esempi nel manuale"),
    ("Nunca reiniciar o servidor", "Lição: nunca reiniciar o servidor (ocupado)"),
    ("Altijd eerst testen", "Geleerd: altijd eerst testen"),
    ("不要重启服务器", "教训：不要重启服务器。"),
    ("Python 3.11 is the floor, mypy is strict", "Python 3.11 is the floor, mypy is strict, ruff runs"),
    ("See the docs at example.org", "See the docs at [example.org](https://example.org/a)"),
]

FLIPS = [
    ("Restart the worker on Fridays", "Never restart the worker on Fridays"),
    ("User prefers spaces over tabs", "User prefers tabs over spaces"),
    ("Tom reports to Maria", "Maria reports to Tom"),
    ("The meeting is on March 15", "The meeting is on March 14"),
    ("Logging is off", "Logging is on"),
    ("Deploy after 17:00", "Deploy before 17:00"),
    ("Maria owns search", "Maria owns billing. Tom owns search."),
    ("Delete the branch", "If the tests pass, delete the branch"),
    ("Delete the branch", "Delete the branch, if the tests pass"),
    ("Tests do not pass, deploys run", "Tests pass, deploys do not run"),
    ("Wait 20 hours", "Wait 20 minutes"),
    ("Admins may log in", "Only admins may log in"),
    ("The API key is compromised", "Tom said: the API key is compromised"),
    ("The API key is compromised", "The API key is compromised, according to Tom"),
    ("The API key is compromised", "According to Tom, the API key is compromised"),
    ("We move to Rust", "Should we move to Rust?"),
    ("Use PostgreSQL", "Use PostgreSQL?"),
    ("Use PostgreSQL", "Use PostgreSQL (maybe)"),
    ("Feature X is enabled", "Feature X is disabled"),
    ("Use C for the driver", "Use C++ for the driver"),
    ("The offset is 5", "The offset is -5"),
    ("4:00 is the window", "3:00 - 4:00 is the window"),
    ("Use tabs", "Use tabs (in Go files)"),
    ("Use tabs", "In Go files, use tabs"),
    ("Use tabs", "Go files: use tabs"),
    ("The deadline is March 3", "The deadline is March 3, correction: March 13"),
    ("The API is v2", "The API is v2, wrong, it is v3"),
    ("Breakfast: eggs, bread", "Breakfast: eggs. Lunch: bread"),
    ("Ann met Tom, and left", "Ann met Tom, Eve met Jim, and left"),
    ("db-1 is old. It must be deleted", "db-1 is old. db-2 is new. It must be deleted"),
    ("It must be deleted", "The database db-2 is new. It must be deleted"),
    ("Pardon not, hang", "Pardon, not hang"),
    ("Stop. Deploys continue", "Stop deploys. Continue"),
    ("Tell us", "Tell US"),
    ("Run `git add -a`", "Run `git add -A`"),
    ("Pay the rent", "[ ] Pay the rent"),
    ("Use the key", "Use the key unless it is old"),
    ("Server neu starten", "Server nie neu starten"),
    ("Licht ist aus", "Licht ist an"),
    ("Den Server startet der Worker", "Der Server startet den Worker"),
    ("Redémarrer le serveur", "Ne pas redémarrer le serveur"),
    ("Redémarrer avant minuit", "Redémarrer après minuit"),
    ("Reiniciar el servidor", "No reiniciar el servidor"),
    ("Reiniciar el servidor", "Reiniciar el servidor, salvo los viernes"),
    ("Riavviare il server", "Non riavviare il server"),
    ("Reiniciar o servidor", "Reiniciar o servidor, exceto na sexta"),
    ("De server herstarten", "De server herstarten, behalve op vrijdag"),
    ("重启服务器", "不要重启服务器"),
    ("重启服务器", "汤姆说：重启服务器"),
    ("Ignore the news", "The sign reads: ignore the news"),
    ("Restart", "Restart. The server hangs."),
]


@pytest.mark.parametrize(("text", "line"), HONEST)
def test_an_honest_shortening_is_taken(text: str, line: str) -> None:
    assert is_shortening(text, line)


@pytest.mark.parametrize(("text", "line"), FLIPS)
def test_a_flip_that_keeps_every_word_nearby_is_refused(text: str, line: str) -> None:
    assert not is_shortening(text, line)


@pytest.mark.parametrize(("text", "line"), HONEST)
def test_a_shortening_is_never_a_shortening_the_other_way_round(text: str, line: str) -> None:
    longer = is_shortening(line, text)
    assert not longer or is_shortening(text, line)


def test_every_line_is_a_shortening_of_itself() -> None:
    statements = [line for _, line in HONEST + FLIPS if "?" not in line and not line.startswith("14:30")]
    assert [line for line in statements if not is_shortening(line, line)] == []


def test_two_lines_are_not_spliced() -> None:
    assert not grounded("Maria owns search", ["Maria owns billing", "Tom owns search"])
    assert grounded("Tom owns search", ["Maria owns billing", "Tom owns search (all of it)"])


@pytest.mark.parametrize("border", [":", "-", "."])
def test_a_sign_inside_a_word_is_no_border(border: str) -> None:
    assert not is_shortening("The job starts at 03", f"The job starts at 03{border}45")
    assert not is_shortening("Ask example", f"Ask example{border}org")


def test_a_statement_of_one_word_is_none() -> None:
    assert not is_shortening("Tabs", "Tabs")


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(max_size=60), st.text(max_size=120))
def test_any_text_gets_an_answer(text: str, line: str) -> None:
    assert is_shortening(text, line) in {True, False}


WORDS = ["Maria", "owns", "billing", "never", "tabs", "over", "at", "03:00", "(", ")", ",", ".", "-", "only", "db-1"]


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(st.sampled_from(WORDS), max_size=12), st.data())
def test_a_dropped_or_added_polarity_word_is_always_refused(words: list[str], data: st.DataObject) -> None:
    line = " ".join(words)
    at = data.draw(st.integers(0, len(words)))
    for word in ("never", "only", "over"):
        longer = " ".join([*words[:at], word, *words[at:]])
        assert not is_shortening(line, longer)
        assert not is_shortening(longer, line)


def test_a_line_of_very_many_clauses_is_refused_at_once() -> None:
    assert is_shortening("Maria owns billing", "Maria owns billing, " * 50 + "(in short) " * 50) is False
    assert is_shortening("Maria owns billing", "Maria owns billing, " * 50 + "(the lead) " * 50)
    assert not is_shortening("Maria owns billing", "Maria owns billing, " * 5000 + "(the lead) " * 5000)


@pytest.mark.parametrize(
    "line", ["Met Mr. Smith at 10.", "The partner for issue 42 is Dr. Ana Kovač, engineer in Graz"]
)
def test_the_point_of_a_short_form_ends_no_clause(line: str) -> None:
    assert is_shortening(line, line)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("the heat pump (serial 875)", False),
        ("the heat pump", False),
        ("the heat pump belongs to Noor", True),
        ("the heat pump (serial 875) belongs to Noor", True),
    ],
)
def test_what_goes_on_behind_an_aside_is_no_clause_of_its_own(text: str, kept: bool) -> None:
    assert is_shortening(text, "the heat pump (serial 875) belongs to Noor") is kept


TAKEN_BACK = """
. Scrap that.|. Void.|. Dropped.|. Vetoed by Ana.|. Overruled by Ana.|. This fell through.|, Jonas joked.
, pending approval|; bank approval pending|, subject to the bank's approval|, given approval|, tbd
, wait, sell the house|, scratch that, rent it| — nope| (strike this)|. Verworfen.|. Hat sich erledigt.
. Quatsch.|. Descartado.|. Abandonné.|, à condition que la banque accepte|, purché la banca accetti
, mits de bank akkoord gaat|（错误）|，已过期|，开玩笑的|，除了周日
, minus interns|, interns aside| (dream)| (not any more)
, in Jonas' dream|, barring surprises|. Dead.|. Reversed on Monday.
"""


@pytest.mark.parametrize("rest", [one for one in TAKEN_BACK.replace("\n", "|").split("|") if one])
def test_what_takes_a_line_back_is_never_left_out(rest: str) -> None:
    assert not is_shortening("buy the house", f"Decision: buy the house{rest}")


@pytest.mark.parametrize("rest", [", 21 at weekends", " (21 at night)", "; 22 when it snows"])
def test_another_number_says_that_the_first_does_not_always_hold(rest: str) -> None:
    assert not is_shortening("the heating stays at 19 degrees", f"Decision: the heating stays at 19 degrees{rest}")
