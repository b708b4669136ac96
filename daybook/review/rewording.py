"""
Decide how a statement stands to the lines it cites, where it is not simply one of them made shorter.

A small model may agree to anything, so what it is asked must be close to one line by code alone: the same words in the
same order, the same polarity words and punctuation, few changes, and none of a kind that turns a meaning round.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Literal

from daybook.language.clauses import border_offsets, clauses
from daybook.language.dates import MONTHS, RELATIVE, WEEKDAYS, absolute
from daybook.language.identifiers import UNITS, identifiers
from daybook.language.languages import language_of
from daybook.language.numbers import counts
from daybook.language.tokens import CJK, code_spans
from daybook.language.words import content_tokens, polarity_words
from daybook.review.grounding import (
    POINTS_BACK,
    RESTRICTS,
    SPEECH,
    TAKES_BACK,
    enough,
    grounded,
    line_start,
    may_end,
    starts,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from daybook.language.clauses import Clause

Standing = Literal["grounded", "close", "unsure", "made-up"]
Cited = tuple[str, "date"]

# One word in so many may be new or left out.
CHANGED_IN_A_STATEMENT = 3
CHANGED_IN_A_CONFIRMATION = 2
_COUNTS = """
    and or both all any each every many none one two three four five six seven eight nine ten eleven twelve dozen
    hundred thousand half double own self myself yourself
    und oder beide alle jeder jede jedes viele eins zwei drei vier fünf sechs sieben acht neun zehn
    et tous toutes chaque deux trois quatre cinq sept huit neuf dix
    y e todos todas cada dos tres cuatro cinco seis siete ocho nueve diez
    tutti tutte ogni due tre quattro cinque sei sette otto nove dieci
    ambos dois duas três quatro sete oito nove dez
    en elke iedere twee drie vier vijf zes zeven negen tien
    и или все два три
"""
_TENSES = """
    was were had did will shall been being became becomes become used going gets got keeps kept
    war waren hatte hatten wurde wurden wird werden gewesen
    était étaient avait avaient sera seront été
    era eran fue fueron será serán había fui
    erano fu sarà saranno aveva stato stata
    foi foram tinha sido
    werd werden had hadden zal zullen geweest
    был была были будет
"""
_OPPOSITES = """
    love loves hate hates like likes dislike dislikes want wants enjoy enjoys win wins lose loses won lost buy buys
    sell sells send sends receive receives give gives take takes push pull upload download import export open opens
    opened close closes closed left right top bottom inside outside internal external public private early late fast
    slow quick hot cold warm cool big small large little long short high low good bad best worst better worse new old
    young hard easy soft safe unsafe dangerous cheap expensive free paid full empty same different other alive dead
    works broken fixed ready stable unstable reliable unreliable flaky secure insecure valid invalid legal illegal
    possible impossible visible hidden manual automatic local remote daily weekly monthly yearly hourly nightly
    morning evening noon midnight employer employee lender borrower buyer seller sender receiver parent child boss
    deputy success successful passed pass passes healthy sick trust trusts distrust agree agrees disagree disagrees
    known strong weak wide narrow thick thin heavy light dark bright clean dirty dry wet rich poor loud quiet north
    south east west male female encrypt decrypt encrypted decrypted lock locked unlock unlocked hire hires hired fire
    fires fired come comes arrive arrives depart departs leave leaves stay stays join joins quit quits
    liebt hasst mag kauft verkauft gewinnt verliert sendet empfängt gibt nimmt offen zu links rechts oben unten innen
    außen intern extern öffentlich privat früh spät schnell langsam heiß kalt groß klein lang kurz hoch niedrig gut
    schlecht besser schlechter neu alt jung schwer leicht sicher unsicher billig teuer voll leer gleich anders
    aime déteste achète vend gagne perd envoie reçoit ouvert fermé gauche droite haut bas public privé tôt tard rapide
    lent chaud froid grand petit long court bon mauvais meilleur pire neuf vieux facile difficile sûr cher vide plein
    ama odia compra vende gana pierde envía recibe abierto cerrado izquierda derecha arriba abajo público privado
    temprano rápido lento caliente frío grande pequeño largo corto bueno malo mejor peor nuevo viejo fácil difícil
    odia vende vince perde aperto chiuso sinistra destra alto basso pubblico privato presto tardi veloce caldo freddo
    piccolo lungo corto buono cattivo migliore peggiore nuovo vecchio facile difficile sicuro caro vuoto pieno
    ama odeia compra vende ganha perde aberto fechado esquerda direita cedo rápido quente frio pequeno longo curto
    bom mau melhor pior novo velho seguro caro vazio cheio
    houdt haat koopt verkoopt wint verliest open dicht links rechts vroeg laat snel langzaam heet koud groot klein lang
    kort goed slecht beter slechter nieuw oud makkelijk moeilijk veilig duur leeg vol
"""
# Words that none may come in or go: they count, tell time, join, or have an opposite that reads just as well.
COUNTS = frozenset(_COUNTS.split())
WEIGHTY = frozenset(
    {*COUNTS, *_TENSES.split(), *_OPPOSITES.split(), *UNITS, *MONTHS, *WEEKDAYS, *RELATIVE}
    | SPEECH
    | TAKES_BACK
    | RESTRICTS
    | POINTS_BACK
)


def standing(text: str, cited: Sequence[Cited], *, changed: int = CHANGED_IN_A_STATEMENT) -> Standing:
    """
    Say how a statement stands to its sources.

    Args:
        text: The statement.
        cited: Trusted lines, each with the date of its note.
        changed: One word in how many may be new or left out for it to be close.

    Returns:
        `grounded`: one line says it. `close`: a rewording that is worth a second opinion. `unsure`: it names only what
        its sources name, but code cannot say more, as across languages. `made-up`: it names something else, or its
        polarity words are others.
    """
    if grounded(text, [line for line, _ in cited]):
        return "grounded"
    if not cited:
        return "made-up"
    tongue = language_of(text)
    if tongue and all(language_of(line) not in {"", tongue} for line, _ in cited):
        return "unsure" if _names_hold(text, cited) else "made-up"
    if not names_nothing_new(text, cited):
        return "made-up"
    words = {token for line, day in cited for token in content_tokens(absolute(line, day))}
    newest = max(day for _, day in cited)
    said = absolute(text, newest)
    return "close" if any(_is_close(said, line, words, changed) for line in cited) else "unsure"


def names_nothing_new(text: str, cited: Sequence[Cited]) -> bool:
    """Whether a statement names only what its sources name, with the polarity words of one of them, or of all."""
    if not cited:
        return False
    newest = max(day for _, day in cited)
    stated = frozenset[str]().union(*(identifiers(line, day) for line, day in cited))
    words = {token for line, _ in cited for token in content_tokens(line)}
    new = {name for name in identifiers(text, newest) - stated if not _stands_as_word(name, words)}
    each = [polarity_words(absolute(line, day)) for line, day in cited]
    said = polarity_words(absolute(text, newest))
    return not new and (said in each or said == tuple(word for words in each for word in words))


def _names_hold(text: str, cited: Sequence[Cited]) -> bool:
    """
    Whether what another language would leave as it is stands in a source: numbers, dates, addresses, code, names.

    The first word of a sentence, and any noun of a German one, has its capital for other reasons.
    """
    newest = max(day for _, day in cited)
    named = identifiers(text, newest)
    if language_of(text) == "german":
        named = frozenset(name for name in named if not name.startswith("name:"))
    first = {f"name:{word.strip('.,;:!?').casefold()}" for word in text.split()[:1]}
    stated = frozenset[str]().union(*(identifiers(line, day) for line, day in cited))
    words = {token for line, _ in cited for token in content_tokens(line)}
    return all(name in stated or name in first or _stands_as_word(name, words) for name in named)


def _stands_as_word(name: str, words: set[str]) -> bool:
    # A name need not have its capital in the source; a number or a path must be the same identifier.
    kind, _, value = name.partition(":")
    return kind == "name" and value in words


def _is_close(said: str, cited: Cited, words: set[str], changed: int) -> bool:
    line = absolute(cited[0][line_start(cited[0]) :], cited[1])
    polarity = polarity_words(said)
    if "?" in polarity or polarity != polarity_words(line) or not set(code_spans(said)) <= set(code_spans(line)):
        return False
    parts = clauses(line)
    wanted = content_tokens(said)
    told = tuple(token for part in parts for token in part.tokens)
    new = [token for token in wanted if token not in told]
    if len(new) == len(wanted) or not enough(wanted) or not words.isdisjoint(new):
        return False
    names = {name.partition(":")[2] for name in identifiers(*cited) if name.startswith("name:")}
    ends = list(accumulate(len(part.tokens) for part in parts))
    told_borders = border_offsets(line)
    borders = _borders_between(wanted, border_offsets(said), told)
    for start in starts(line, parts):
        begin = ends[start - 1] if start else 0
        kept = _embed([token for token in wanted if token in told], told, begin)
        if not kept or borders != [_between(told_borders, a, b) for a, b in pairwise(kept)]:
            continue
        index = next(i for i, end in enumerate(ends) if kept[-1] < end)
        left = [told[at] for at in range(begin, ends[index]) if at not in kept]
        changes = [*new, *left]
        # For a statement of its own no word may be new, and its end must be one: any model might agree to it.
        whole = changed == CHANGED_IN_A_CONFIRMATION or (kept[-1] == ends[index] - 1 and not new)
        if (
            whole
            and len(changes) * changed <= len(wanted)
            and may_end(parts, index + 1)
            and not _names_numbers(parts[index + 1 :])
        ):
            return not any(_is_weighty(token) for token in changes) and names.isdisjoint(left)
    return False


def _embed(kept: Sequence[str], told: Sequence[str], begin: int) -> list[int]:
    """Places of the kept tokens in the line, each behind the one before; empty if they are not there in this order."""
    places: list[int] = []
    at = begin
    for token in kept:
        while at < len(told) and told[at] != token:
            at += 1
        if at == len(told):
            return []
        places.append(at)
        at += 1
    return places


def _borders_between(wanted: Sequence[str], borders: frozenset[int], told: Sequence[str]) -> list[bool]:
    """For each two neighbours among the kept tokens, whether punctuation stands between them in the statement."""
    kept = [index for index, token in enumerate(wanted) if token in told]
    return [_between(borders, a, b) for a, b in pairwise(kept)]


def _between(borders: frozenset[int], first: int, second: int) -> bool:
    return any(first < border <= second for border in borders)


def _names_numbers(left: Sequence[Clause]) -> bool:
    return any(token[0].isdigit() for part in left for token in part.tokens)


def _is_weighty(token: str) -> bool:
    # What has no letter is a sign, such as `!=`, that means something.
    return token in WEIGHTY or counts(token) or CJK.search(token) is not None or not any(map(str.isalpha, token))
