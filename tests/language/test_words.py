import json
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from daybook.language.clauses import clauses
from daybook.language.words import content_tokens, polarity_words, statement_key

PAIRS = Path(__file__).parents[2].parent / "shared" / "data" / "dedup_pairs.json"


def labelled(*, same: bool) -> list[tuple[str, str]]:
    if not PAIRS.exists():
        pytest.skip(f"the labelled pairs are not at {PAIRS}")
    return [(pair["a"], pair["b"]) for pair in json.loads(PAIRS.read_text()) if pair["same"] == same]


def test_no_labelled_pair_that_differs_is_the_same_statement() -> None:
    assert [pair for pair in labelled(same=False) if statement_key(pair[0]) == statement_key(pair[1])] == []


def test_labelled_pairs_in_the_same_words_are_the_same_statement() -> None:
    found = [a for a, b in labelled(same=True) if statement_key(a) == statement_key(b)]
    assert found == ["Deadline is March 3", "Backups run every Sunday at 03:00"]


DIFFERENT = [
    ("Use C++ for it", "Use C for it"),
    ("The score is -5/5", "The score is 5/5"),
    ("It costs $20", "It costs 20"),
    ("Ship it at 9 am", "Ship it at 9"),
    ("Version 3.5 is in use", "Version 3,5 is in use"),
    ("Maria was the owner", "Maria is the owner"),
    ("Use plan A", "Use plan"),
    ("Team A owns it", "Team owns it"),
    ("Data stays in the US", "Data stays in the us"),
    ("Use tabs?", "Use tabs"),
    ("[x] Pay the rent", "[ ] Pay the rent"),
    ("No, tests run", "No tests run"),
    ("Pardon, not hang", "Pardon not, hang"),
    ("Stop. Deploys continue", "Stop deploys. Continue"),
    ("Hire a man-eating chicken", "Hire a man eating chicken"),
    ("Der Kunde informiert den Anbieter", "Den Kunde informiert der Anbieter"),
    ("Load .env first", "Load env first"),
    ("It is under <5 now", "It is under >5 now"),
    ('A 27" screen', "A 27' screen"),
    ("tabs → spaces", "tabs ← spaces"),
    ("pages 5 - 7", "pages 5 7"),
    ("Run `git -A`", "Run `git -a`"),
    ("Keep ~~the key~~", "Keep the key"),
    ("The PIN is 0042", "The PIN is 42"),
    ("Wait 1.05 hours", "Wait 1.5 hours"),
    ("不要，重启", "不要重启"),
]
ALIKE = [
    ("The deadline is March 3", "deadline is March 3."),
    ("Backups run at 03:00", "backups run at 3:00!"),
    ("**Always** set a timeout", "Always set a `timeout`"),
    ("User prefers tea - never coffee", "User prefers tea, never coffee"),
    ("It doesn’t work", "It doesn't work"),
    ("He said “yes”", 'He said "yes"'),
    ("Cafe\u0301 opens at 8", "Café opens at 08"),
    ("See [the docs](https://example.org)", "See the docs (https://example.org)"),
    ("服务器在北京。", "服务器在北京"),
]


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_what_could_mean_something_else_is_not_the_same(a: str, b: str) -> None:
    assert statement_key(a) != statement_key(b)


@pytest.mark.parametrize(("a", "b"), ALIKE)
def test_what_differs_in_dress_alone_is_the_same(a: str, b: str) -> None:
    assert statement_key(a) == statement_key(b)


def test_different_statements_never_meet() -> None:
    texts = [text for pair in DIFFERENT for text in pair]
    assert [pair for pair in combinations(texts, 2) if statement_key(pair[0]) == statement_key(pair[1])] == []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++ is at -5/5, $20, 03:00.", ("c++", "at", "-5/5", "$20", "3:00")),
        ("0 or 00 or 007 or 0.5", ("0", "or", "0", "or", "007", "or", "0.5")),
        ("User prefers bullet-points - never (tables)", ("user", "prefers", "bullet-points", "never", "tables")),
        ("f(x) and server(s) on db-1.example.org", ("f(x)", "and", "server(s)", "on", "db-1.example.org")),
        ("…", ()),
        ("", ()),
    ],
)
def test_signs_that_touch_a_letter_or_digit_stay(text: str, tokens: tuple[str, ...]) -> None:
    assert content_tokens(text) == tokens


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It doesn't run and shouldn't, never", ("not", "should", "not", "never")),
        ("Dont! Cannot. Won't.", ("not", "not", "not")),
        ("At least 3, at most 5, only if enabled", ("at least", "at most", "only", "if", "enable")),
        ("Tabs instead of spaces, rather than both", ("instead of", "rather than")),
        ("Is it read-only or off?", ("only", "or", "off", "?")),
        ("[ ] call before noon", ("[ ]", "before")),
        ("Nicht vor 17 Uhr, außer wenn aktiviert", ("nicht", "vor", "außer", "wenn", "aktivieren")),
        ("Das Licht ist an, die Lampe aus", ("an", "aus")),
        ("an apple for the team", ()),
        ("Ce n'est pas activé, sauf après minuit", ("ne", "pas", "activer", "sauf", "après")),
        ("Nunca antes de las diez, salvo si está habilitado", ("nunca", "antes", "salvo", "si", "habilitar")),
        ("Non prima di domani, forse mai", ("non", "prima", "forse", "mai")),
        ("Não depois das dez, exceto quando desativado", ("não", "depois", "exceto", "quando", "desativar")),
        ("Niet vóór tien uur, behalve als uitgeschakeld", ("niet", "vóór", "behalve", "als", "uitschakelen")),
        ("Не включать до утра", ("не", "включить", "до")),
        ("如果启用，不要重启", ("如果", "启用", "不")),
        ("Maria owns billing", ()),
    ],
)
def test_polarity_words_come_in_order_and_in_base_form(text: str, words: tuple[str, ...]) -> None:
    assert polarity_words(text) == words


def test_signs_inside_words_bound_no_clause() -> None:
    assert [part.tokens for part in clauses("At 03:00, db-1.example.org runs 3.5 (v2): fine. Dr. Weiss agrees")] == [
        ("at", "3:00"),
        ("db-1.example.org", "runs", "3.5"),
        ("v2",),
        ("fine",),
        ("dr", "weiss", "agrees"),
    ]


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.text(max_size=80))
def test_any_text_is_the_same_as_itself(text: str) -> None:
    assert statement_key(text) == statement_key(text)
    assert tuple(token for part in clauses(text) for token in part.tokens) == content_tokens(text)
