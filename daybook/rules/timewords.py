"""
Words with which people write how often something is done, in English, German, French and Spanish.

Everything here matches what `plain` makes of a line: casefolded, without emphasis, on one line.
"""

from __future__ import annotations

import re
import unicodedata

from daybook.language.dates import WEEKDAYS

LINE_CHARS = 300
HOUR_S, DAY_S, WEEK_S, MONTH_S = 3_600, 86_400, 604_800, 2_592_000

_UNITS = """
    1 s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos
    60 m min mins minute minutes minuten minuto minutos
    3600 h hr hrs hour hours std stunde stunden heure heures hora horas
    86400 d day days tag tage tagen jour jours día dia días dias
    604800 w wk week weeks woche wochen semaine semaines semana semanas
    2592000 month months monat monate monaten mois mes meses
"""
_ADVERBS = """
    3600 hourly stündlich horaire
    86400 daily nightly täglich quotidien quotidiennement diario diaria diariamente
    604800 weekly wöchentlich hebdomadaire semanal semanalmente
    2592000 monthly monatlich mensuel mensuellement mensual mensualmente
"""
_NUMBERS = """
    0.5 half halbe halben demi demie media
    1 one eine einen einem une una un uno
    2 two other second zwei zweite zweiten deux dos
    3 three third drei dritte dritten trois tres
    4 four vier quatre cuatro
    5 five fünf cinq cinco
    6 six sechs seis
    8 eight acht huit ocho
    10 ten zehn dix diez
    12 twelve zwölf douze doce
    15 fifteen fünfzehn quinze quince
    20 twenty zwanzig vingt veinte
    30 thirty dreissig trente treinta
"""
_COUNTS = """
    1 once einmal
    2 twice zweimal
    3 thrice dreimal
    4 viermal
"""
_SHORT_DAYS = """
    0 mon lun mo
    1 tue tues mar di
    2 wed mer mié mie mi
    3 thu thur thurs jeu jue do
    4 fri ven vie fr
    5 sat sam sáb sab sa
    6 sun dim dom so
"""


def _numbered(table: str) -> dict[str, float]:
    rows = (line.split() for line in table.strip().splitlines())
    return {word: float(row[0]) for row in rows for word in row[1:]}


def _either(words: dict[str, float] | dict[str, int]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


UNITS, ADVERBS, NUMBERS, COUNTS = map(_numbered, (_UNITS, _ADVERBS, _NUMBERS, _COUNTS))
DAYS = {name: int(day) for name, day in _numbered(_SHORT_DAYS).items()} | WEEKDAYS
# Two letters are other words too (`do`, `so`, `mi`).
UNSURE_DAY_CHARS = 2
# As adverbs these say how often wherever they stand; the others are often a mere part of a name ("the daily note").
SURE_ADVERBS = "stündlich|täglich|wöchentlich|monatlich|quotidiennement|diariamente|semanalmente|mensualmente"

EVERY = r"(?:every|each|alle|aller|jede[nrsm]?|toutes les|tous les|chaque|cada|todas las|todos los)"
_B, _E = r"(?<![\w/.-])", r"(?![\w'/-])"
_N = rf"(?:\d{{1,4}}(?:[.,]\d)?|{_either(NUMBERS)})"
_UNIT = rf"(?P<unit>{_either(UNITS)})\.?{_E}"
_ADVERB = rf"(?P<adverb>{_either(ADVERBS)}){_E}"
LENGTH = rf"(?P<n>{_N})(?: an?)?\s*-?\s*{_UNIT}"

INTERVAL = re.compile(rf"{_B}{EVERY}[ =:]*(?:(?P<n>{_N})(?: an?)?\s*-?\s*)?{_UNIT}")
LENGTH_ALONE = re.compile(rf"(?:ca\.?|about|~|circa)?\s*{LENGTH}")
FREQUENCY = re.compile(
    rf"{_B}(?P<count>{_either(COUNTS)}|(?P<times>\d{{1,2}}|{_either(NUMBERS)})\s?(?:x|times?|mal|fois|vez|veces))"
    r"(?:\s*/\s*|\s+(?:(?:an?|per|every|each|pro|am|im|in der|par|al|por|a la|à la|el|le)\s+)?)"
    rf"(?:{_UNIT}|{_ADVERB})"
)
ADVERB = re.compile(rf"(?<![\w-]){_ADVERB}")
# Where an adverb is a rule and no part of a name: alone in its clause, at the end, or before a time or a day.
_AFTER = rf"(?=\s*(?:$|[:;,.!)(\]@|-]|(?:at|um|à|a las?|on|am|in the|between|from|les?|los)\b|\d|{_either(WEEKDAYS)}))"
ADVERB_ALONE = re.compile(
    rf"(?:^|[(\[;:,|-]\s*){_ADVERB}{_AFTER}|{_B}(?P<last>{_either(ADVERBS)})[.!)]*$"
    rf"|{_B}(?P<sure>{SURE_ADVERBS}){_E}"
)
_MORE = rf"(?:>=?|more than|over|at least|mehr als|über|länger als|älter als|plus de|más de)\s*{LENGTH}"
_LAST = rf"{_B}(?:since|ago|last|seit|her|letzt\w*|zuletzt|depuis|dernier\w*|desde|últim\w*){_E}"
SINCE = (
    re.compile(rf"{_MORE}.{{0,24}}?{_LAST}"),
    re.compile(rf"{_LAST}.{{0,40}}?{_MORE}"),
    re.compile(
        r"(?:\bnot|n't|\bnicht|\bpas|\bno)\b.{0,30}?\b(?:in|for|since|seit|depuis|desde)\s(?:the last |over )?" + LENGTH
    ),
)
EACH_BEAT = re.compile(
    rf"{_B}(?:(?:{EVERY}|at each|bei jedem|on every) (?:heartbeat|beat|tick|poll|herzschlag)"
    rf"|à chaque (?:heartbeat|battement)|en cada (?:heartbeat|latido)){_E}"
)

PARTS = {
    "morning": r"morning|morgen|matin|mañana",
    "noon": r"noon|midday|mittag|midi|mediodía",
    "afternoon": r"afternoon|nachmittag|après-midi|tarde",
    "evening": r"evening|abend|soir",
    "night": r"night|nacht|nuit|noche",
}
_ADVERBIAL = {
    "morning": "mornings|morgens",
    "noon": "mittags",
    "afternoon": "afternoons|nachmittags",
    "evening": "evenings|abends",
    "night": "nights|nachts|nightly",
}
EVERY_PART = {
    part: re.compile(rf"{_B}(?:{EVERY} (?:{words})s?|{_ADVERBIAL[part]}){_E}") for part, words in PARTS.items()
}

DAY = re.compile(rf"(?<!\w)(?P<day>{_either(DAYS)})(?P<more>s)?(?![\w'])")
DAY_BEFORE = re.compile(rf"(?:{EVERY}|\bles?|\blos)\s$")
SHORT_BEFORE = re.compile(r"(?:^|[(:|,]\s*|\bon |\bam )$")
JOIN = re.compile(r"\s*(?:[/,&+]|and|und|et|y|, and)\s*")
RANGE = re.compile(r"\s*(?:-|to|through|thru|bis|à|au|a|al)\s*")
WORKDAYS = re.compile(
    rf"{_B}(?:(?:{EVERY} )?(?:weekdays?|workdays?|business days|werktags?|wochentags?|werktage)"
    rf"|en semaine|jours ouvrés|entre semana|días laborables){_E}"
)
WEEKENDS = re.compile(rf"{_B}(?:weekends|(?:{EVERY} )weekend|am wochenende|fins de semana|les week-ends?){_E}")
# Days that no interval and no list of weekdays can say.
BEYOND = re.compile(
    rf"\b(?:first|second|third|last|other|\d(?:st|nd|rd)|erste\w*|zweite\w*|letzte\w*|premier|dernier|primer|último)\s"
    rf"(?:{_either(WEEKDAYS)}|weekday)\b|\bof (?:the|each|every) month\b|\bdes monats\b|\bdu mois\b|\bdel mes\b"
)

CRON = re.compile(
    r"(?<!\S)((?:[\d*/,-]+ ){3}(?:[\d*/,-]+|[a-z]{3}(?:[-,][a-z]{3})*) (?:[\d*/,#-]+|[a-z]{3}(?:[-,][a-z]{3})*))(?!\S)"
)

_LABELS = (
    r"frequency|interval|schedule|cadence|how often|häufigkeit|intervall|turnus|rhythmus|zeitplan|fréquence|intervalle"
    r"|frecuencia|intervalo"
)
# Behind these stands a time, understood or not; behind `When:` there may be anything.
LABEL = re.compile(rf"(?:(?P<always>{_LABELS})|when|every|runs?|wann|quand|cuándo)\s*[:=]\s*(?P<value>.+)")
COLUMN = re.compile(rf"\b(?:{_LABELS})\b|^(?:when|every|wann|quand|cuándo)$")
STATE = re.compile(
    r"(?:last|next|letzte[rs]?|zuletzt|nächste[rs]?|derni[eè]re?|prochaine?|últim[ao]|próxim[ao])\b[^:]{0,30}:"
)
PAST = re.compile(
    r"\b(?:yesterday|gestern|vorgestern|ayer|anteayer|avant-hier"
    rf"|last (?:week|night|month|year|time|{_either(WEEKDAYS)})"
    r"|(?:letzte|vorige|vergangene)[nrs]? (?:woche|nacht|monat|jahr)|semaine dernière|semana pasada)\b"
)
MAYBE_PAST = re.compile(
    r"\b(?:was|were|had|ran|happened|went|wurde|wurden|war|waren|hatte|fue|fueron|était|étaient|a été|ont été|ago)\b"
)
NO_RULE = re.compile(
    r"\b(?:don't|do not|does not|never|nicht|kein\w*|ne pas|nunca|at most|no more than|maximum|max\.?|höchstens|maximal"
    r"|au plus|au maximum|como máximo|instead of)(?= |$)"
)
LEADS = re.compile(rf"(?:^|\()(?:{EVERY}\b|(?:{_either(ADVERBS)})\b|(?:{_either(COUNTS)})\b|\d+\s?x\b)")
# How far one looks, how long something takes, how old it is and when it was say nothing of when.
HORIZON = re.compile(
    r"\b\d{4}-\d\d-\d\d[t ]\d\d:\d\d|\b(?:next|last|past|coming|within|in|for|takes?|up to|older than|newer than"
    r"|timeout|nächsten|letzten|innerhalb|in den"
    rf"|älter als|dauert|prochaine?s|derni[eè]re?s|dans les|próximos|próximas|últimos|últimas)\s(?:the )?~?{_N}\s*-?\s*"
    rf"(?:{_either(UNITS)})\b"
)
NAMES = re.compile(
    r"\b(?:daily|weekly|monthly)[ -](?:notes?|logs?|memory|files?|stand-?ups?)\b|tägliche\w* notiz\w*|notas? diarias?"
)
SMELLS = re.compile(
    rf"{_B}{EVERY} (?:few|couple|some|paar|quelques|pocos|pocas|\d|(?:{_either(UNITS)}|{_either(NUMBERS)}"
    rf"|{'|'.join(PARTS.values())}){_E})|{_B}(?:{_either(ADVERBS)}|{_either(WEEKDAYS)})s?{_E}"
    r"|\b(?:quarterly|yearly|annually|fortnightly|biweekly|regularly|periodically|overnight|daytime|regelmässig"
    r"|régulièrement|regularmente|weekdays?|weekends?|werktags?|wochentags?|jährlich)\b"
    rf"|\b(?:{_either(COUNTS)}|times|mal|fois|veces) (?:an?|per|pro|par|al|por) |>\s*\d+\s?(?:{_either(UNITS)})\b"
    r"|(?:\b(?:at|after|before|between|until|by|um|ab|nach|vor|zwischen|bis|à|après|avant|entre|a las?|hasta) |@ ?)"
    r"\d{1,2}(?:[:.h]\d\d|h\b| ?(?:am|pm|uhr)\b|(?=[ ,.;)]|$)(?! [a-z]{3,}))"
    r"|\b\d{1,2}(?::\d\d\b(?!:)| ?(?:am|pm)\b)"
    r"|\b(?:mornings?|evenings?|nights?|noon|abends?|morgens|nachts|matin|soir|nuit|noche)\b"
    r"|每|毎|ごと"
)

_AP = r"(?:\s?(?P<half>am|pm|a\.m\.|p\.m\.))?"
_AT = r"(?:\b(?:at|around|um|gegen|ab|à|vers|a las?|from|between|zwischen|entre|and|und|et|y|to|until|bis)\s|@\s?)"
CLOCK = re.compile(
    rf"(?:(?P<at>{_AT})(?P<bare>\d{{1,2}})(?:\s?(?:h|uhr))?(?![\w%/-]|[:.]\d|\s?[ap]\.?m\b)(?!\s(?:{_either(UNITS)})\b))"
    rf"|(?<![\d:.])(?P<hour>\d{{1,2}})(?::|h|\.(?=\d\d\s?uhr))(?P<minute>\d\d)(?![\d:]){_AP}"
    r"|(?<![\d:.])(?P<hours>\d{1,2})\s?(?:(?P<halves>am|pm|a\.m\.|p\.m\.)|uhr)(?!\w)"
    r"|(?P<word>\b(?:at noon|midday|at midnight|mitternacht|à midi|à minuit|mediodía|medianoche)\b)"
)
MIDNIGHT = re.compile(r"midnight|mitternacht|minuit|medianoche")
SPAN = re.compile(r"\s*(?:-|to|until|bis|à|hasta)\s*")
AND = re.compile(r"\s*(?:and|und|et|y)\s*")
BETWEEN = re.compile(r"\b(?:between|from|zwischen|entre) ?$")
FOLLOWS = re.compile(r"(?:and|und|et|y|to|until|bis)\b")


def plain(text: str) -> str:
    """Make a line comparable: NFC, casefolded, without emphasis, code signs and links, at most 300 characters."""
    text = unicodedata.normalize("NFC", text[:LINE_CHARS]).casefold()
    text = re.sub(r"!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text)
    text = text.translate({ord("’"): "'", ord("–"): "-", ord("—"): "-", ord("≥"): ">=", ord("×"): "x", ord("`"): None})
    # Underscores and asterisks of emphasis stand at a word's edge; those of a cron line stand alone.
    text = re.sub(r"(?<!\S)[*_]{1,3}(?=\S)(?![\d*/ ])|(?<=[^\s*])[*_]{1,3}(?=[\s:.,;)]|$)", "", text)
    return " ".join(text.split())
