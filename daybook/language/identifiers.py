"""
Find what a text names exactly: numbers with their units, dates, names, addresses, hosts, paths, commands, code.

A statement may only name what its sources name. Each identifier carries its kind: `number:20`, `name:maria`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from daybook.language.dates import MONTHS, RELATIVE, WEEKDAYS, days_in, find_dates
from daybook.language.tokens import CJK, Word, code_spans, split_words, tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

# No address, host or path is longer; what is, is not searched to its end.
MAX_WORD_CHARS = 2_000
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
LINK = re.compile(r"[a-z][a-z0-9+.-]*://[^\s<>\"'`]+", re.IGNORECASE)
HOST = re.compile(r"(?:[a-z0-9_-]+\.)+[a-z][a-z0-9-]+(?::\d+)?", re.IGNORECASE)
PATH = re.compile(r"(?:~|\.{1,2})?(?:/[^\s/]+)+/?|[\w.@-]+(?:/[\w.@-]+)*/(?:[\w@-]*\.\w+|[\w.@-]+/)|[a-z]:\\\S+|/")
FLAG = re.compile(r"--?[a-z][\w-]*(?:=\S+)?", re.IGNORECASE)
SEPARATED = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)")
AMOUNT = re.compile(r"([-+~<>≤≥$€£¥]*)(\d[\d.,:/]*)\s?([^\W\d_]+|%|°[cf]?)?")
DOTTED = re.compile(r"\d\d?\.\d\d?")
CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{2,}")
_UNITS = """
    s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondo secondi
    min mins minute minutes minuten minuto minutos minuti
    h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur
    day days tag tage tagen jour jours día días giorno giorni dia dias dag dagen
    week weeks woche wochen semaine semaines semana semanas settimana settimane weken
    month months monat monate monaten mois mes meses mese mesi mês maand maanden
    year years jahr jahre jahren an ans año años anno anni ano anos jaar
    ms millisecond milliseconds
    kb | mb | gb | tb | kib | mib | gib | % percent prozent | usd dollar dollars $ | eur euro euros €
    gbp pound pounds £ | km | m meter meters metre metres | cm | mm | kg | g | mg | l | ml | px
    line lines zeile zeilen | word words wörter | token tokens | time times mal
    c | f | °c | °f | kw | kwh | w | v | am | pm
"""
UNITS = {name: row.split()[0] for row in re.split(r"\n|\|", _UNITS) if row.split() for name in row.split()}
# Words that begin a sentence, and so a capital, without being a name.
_OPENING_WORDS = """
    a an the this that these those it its he she they we i you my our your his her their there here no not never
    always
    only if when while after before until unless since because so and or but as at by for from in of on to with
    without
    do don't does did is are was were be been will would should could can may might must shall let make set get put
    use
    using run keep add check avoid prefer prefers remember note see read write try ask tell call send open close start
    stop enable disable allow deny move change update fix test tests deploy deploys build builds user users
    operator owner decision decided lesson lessons learned preference deadline due all any some every each both one
    two first
    last next then also please what who why how where which
    der die das ein eine kein keine nicht nie immer nur wenn nach vor bis seit und oder aber mit ohne für von zu im am
    bei
    ist sind wird wir ich sie er es man bitte entscheidung lektion gelernt frist nutzer betreiber
    le la les un une ne pas si avant après et ou mais avec sans pour il elle nous je on est décision leçon
    el los las una no nunca siempre antes después y o pero con sin para es son decisión lección usuario
    il lo gli non mai sempre prima dopo e ma per decisione lezione utente o os as não nunca antes depois
    de het een niet nooit altijd voor na en of maar met zonder besluit les gebruiker
"""
OPENING_WORDS = frozenset(_OPENING_WORDS.split())


def identifiers(text: str, note_date: date) -> frozenset[str]:
    """
    Give everything a text names.

    The first word of a sentence counts as a name unless it is a common opening word: in doubt it is one.

    Args:
        text: A note line or a statement.
        note_date: Date of the note, for `tomorrow` and dates without a year.
    """
    text = unicodedata.normalize("NFC", text)
    found = {f"date:{day}" for day in find_dates(text, note_date)}
    found |= {f"code:{span}" for span in code_spans(text)}
    words = split_words(text)
    for word in words:
        found.update(_of_word(word.core[:MAX_WORD_CHARS]))
    found.update(_numbers(words, note_date))
    found.update(_names(words))
    runs = (run for run in CJK_RUN.findall(text) if run not in RELATIVE and run not in WEEKDAYS)
    return frozenset(found | {f"name:{run}" for run in runs})


def _of_word(core: str) -> Iterator[str]:
    if link := LINK.match(core):
        yield f"link:{link[0]}"
        yield f"host:{core.split('://', 1)[1].split('/', 1)[0].rpartition('@')[2].casefold()}"
    elif ADDRESS.fullmatch(core):
        yield f"address:{core.casefold()}"
        yield f"host:{core.rpartition('@')[2].casefold()}"
    elif HOST.fullmatch(core):
        yield f"host:{core.casefold()}"
    elif PATH.fullmatch(core) and not core.replace("/", "").isdigit():
        yield f"path:{core}"
    elif FLAG.fullmatch(core):
        yield f"command:{core}"


def _numbers(words: tuple[Word, ...], note_date: date) -> Iterator[str]:
    for index, word in enumerate(words):
        if LINK.match(word.core) or not any(char.isdigit() for char in word.core):
            continue
        if find_dates(word.core, note_date) or _is_part_of_a_date(words, index) or _is_dotted(words, index, note_date):
            continue
        token = SEPARATED.sub(lambda match: match[0].replace(",", ""), tokens_of((word,))[0])
        yield f"number:{token}"
        amount = AMOUNT.fullmatch(token)
        following = words[index + 1].core.casefold() if index + 1 < len(words) and not word.after else ""
        unit = UNITS.get(amount[3] or following) if amount else None
        if amount and unit:
            yield f"amount:{amount[1]}{amount[2]} {unit}"


def _is_part_of_a_date(words: tuple[Word, ...], index: int) -> bool:
    """Whether a day or year beside the name of a month; the date itself says it already."""
    around = words[max(0, index - 3) : index + 4]
    core = words[index].core.casefold().rstrip("stndrh.º")
    near_month = any(word.core.casefold().rstrip(".") in MONTHS for word in around)
    return near_month and core.isdigit() and (len(core) <= 2 or core[:2] in {"19", "20"})  # noqa: PLR2004 - a day


def _is_dotted(words: tuple[Word, ...], index: int, note_date: date) -> bool:
    """Whether `3.3.` is a date behind the word before it."""
    word = words[index]
    if not index or not DOTTED.fullmatch(word.core) or not word.after.startswith("."):
        return False
    text, days = days_in(f"{words[index - 1].core}{words[index - 1].after} {word.core}.", note_date)
    return bool(days) and days[-1].end == len(text)


def _names(words: tuple[Word, ...]) -> Iterator[str]:
    calendar = MONTHS.keys() | WEEKDAYS.keys() | RELATIVE.keys()
    for index, word in enumerate(words):
        core = re.sub(r"['’]s$", "", word.core)
        folded = core.casefold()
        exact = CJK.search(core) or LINK.match(core) or ADDRESS.fullmatch(core) or PATH.fullmatch(core)
        if exact or not any(char.isupper() for char in core):
            continue
        begins = index == 0 or any(sign in words[index - 1].after for sign in ".:;!?") or not words[index - 1].core
        if folded in calendar or folded.removesuffix("s") in calendar or folded == "i":
            continue
        if not (begins and folded in OPENING_WORDS):
            yield f"name:{folded}"
