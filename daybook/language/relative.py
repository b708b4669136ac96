"""
Recognise what only the note's own date tells: `tomorrow`, `on Friday`, `next week`, `two days ago`.

Kept in memory as it is, it would mean something else later.
"""

from __future__ import annotations

import re
from datetime import date

from daybook.language.dates import told_days
from daybook.language.glance import DAY_NAMES, may_name_a_day

_COUNT = """
    \\d{1,3} an? one two three four five six seven ten few some couple
    ein(e[mnr]?)? zwei drei vier fünf sechs sieben zehn einigen
    une? deux trois quatre cinq six sept dix quelques
    una? dos tres cuatro cinco seis siete diez unos unas
    due tre quattro cinque sei sette dieci
    uma? dois duas três quatro sete dez
    een twee drie vijf zes zeven tien enkele
"""
# One alternative a line; {n} stands for a number of things.
_PHRASES = """
    (next|this|last|coming|following|past|previous) (week|weekend|month|year|quarter|morning|afternoon|evening|night)
    (next|this|last|coming|past) (spring|summer|autumn|fall|winter)
    in {n} (of )?(days?|weeks?|months?|years?)
    {n} (of )?(minutes?|hours?|days?|weeks?|months?|years?) ago
    {n} (days?|weeks?|months?) from (now|today)
    end of (the|this|next) (day|week|month|quarter|year)
    (by|until) eo[dwmy]
    the other day
    (on|by|until|next|this|last) (mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)
    (on|by|until|before|after|from) the \\d{1,2}(st|nd|rd|th)(?! of)

    (nächste|kommende|diese|letzte|vorige|vergangene)[nrs]? (woche|wochenende|monats?|jahre?s?|quartal|nacht)
    (nächste|kommende|diese|letzte|vorige|vergangene)[nrs]? (sommer|winter|frühling|herbst)
    (in|vor) {n} (tag|tagen|woche|wochen|monat|monaten|jahr|jahren|stunden)
    ende (der|dieser|nächster) woche
    ende (des|dieses|nächsten) (monats|jahres)
    am \\d{1,2}\\.(?! ?\\w)

    (semaine|année) (prochaine|dernière)
    (mois|an|week-end|trimestre) (prochain|dernier)
    ce (soir|matin|week-end|mois)(-ci)?
    cet (après-midi|été|hiver|automne)
    cette (semaine|nuit|année)
    fin (du mois|de la semaine|de l'année)
    (dans|il y a|d'ici) {n} (jours?|semaines?|mois|ans?|heures?)

    (próxima|pasada|passada) semana
    semana (que viene|que vem|próxima|pasada|passada)
    (próximo|pasado|passado) (mes|mês|año|ano)
    (mes|mês|año|ano) (que viene|que vem|próximo|pasado|passado)
    est[ea] (semana|noche|tarde|mes|año|noite|manhã|mês|ano|fin de semana|fim de semana)
    (dentro de|hace|daqui a|há|en|em) {n} (días?|semanas?|meses|mes|años?|dias?|mês|anos?)

    (prossima|scorsa) settimana
    settimana (prossima|scorsa)
    (prossimo|scorso) (mese|anno)
    (mese|anno) (prossimo|scorso)
    quest[ao] (settimana|sera|mattina|notte|mese|anno|fine settimana|weekend)
    stasera
    stamattina
    stanotte
    (tra|fra) {n} (giorni|giorno|settiman[ae]|mes[ei]|ann[io])
    {n} (giorni|settimane|mesi|anni|ore) fa

    (volgende?|vorige?|deze|dit|komende?|afgelopen) (week|maand|jaar|weekend|nacht|kwartaal)
    van(avond|morgen|middag|nacht|ochtend)
    over {n} (dagen|dag|weken|week|maanden|maand|jaar)
    {n} (dagen|weken|maanden|jaar|uur) geleden

    на (следующей|этой|прошлой) неделе
    в (следующем|этом|прошлом) (месяце|году)
    через \\w+ (дня|дней|неделю|недели|месяц)
"""
# Each alternative holds one of these.
_SPANS = """
    day days week weeks weekend month months year years quarter morning afternoon evening night spring summer autumn
    fall winter ago eod eow eom eoy mon tue tues wed thu thur thurs fri sat sun st nd rd th
    woche wochen wochenende monat monats monaten jahr jahre jahres jahren quartal nacht sommer frühling herbst tag tagen
    stunden am
    semaine semaines année mois an ans trimestre soir matin midi été hiver automne nuit jour jours heure heures
    semana semanas mes mês meses año años ano anos noche tarde noite manhã fin fim día días dia dias
    settimana settimane mese mesi anno anni sera mattina notte stasera stamattina stanotte giorno giorni fa
    maand maanden jaar kwartaal vanavond vanmorgen vanmiddag vannacht vanochtend dag dagen weken geleden
    неделе месяце году дня дней неделю недели месяц
"""
_CJK_PHRASE = re.compile(
    r"[上下本这這](?:个|個)?(?:周|週|星期|礼拜|月|季度)|[今明去后後]年|[今昨明]晚"
    r"|[一二三四五六七八九十两几\d]+(?:天|周|个月|年)[后後前]|来週|先週|今週|来月|先月|今月|来年|昨夜|今夜|\d+日[後前]"
)
# What is quoted or code is spoken of, not said.
_MENTIONED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)'[^']*'(?!\w)")
SOME_DAY = date(2000, 1, 1)

_alternatives = [line.strip() for line in _PHRASES.splitlines() if line.strip()]
_phrases = "|".join(_alternatives).replace("{n}", f"(?:{'|'.join(_COUNT.split())})")
# Groups that need not be kept are a third faster.
_PHRASE = re.compile(re.sub(r"\((?!\?)", "(?:", rf"(?<![\w-])(?:{_phrases})(?![\w-])"))
DAY_WORDS = DAY_NAMES | set(_SPANS.split())


def is_relative(text: str) -> bool:
    """
    Whether a text names a day or a span of time that only its own date tells.

    `hier` is yesterday in French and a plain word in German, so it does not count.
    """
    said = " ".join(_MENTIONED.sub(" ", text).casefold().replace("hier", "").split())
    if _PHRASE.search(said) or (not said.isascii() and _CJK_PHRASE.search(said)):
        return True
    return any(not day.value.startswith("weekday") for day in told_days(said, SOME_DAY))


def may_be_relative(words: frozenset[str]) -> bool:
    """
    Whether a text can be relative at all: a cheap look before a costly one.

    Args:
        words: Its runs of letters, casefolded.
    """
    return not words.isdisjoint(DAY_WORDS) or may_name_a_day(words)
