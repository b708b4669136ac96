"""
Say when a dated one-off or a deadline is over, so that it does not stay for ever.

Wrongly retired is worse than late: what recurs, what begins on a date, what was learned or done on it stays.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Literal

from daybook.language.dates import days_in
from daybook.language.themes import heading_theme, theme_of
from daybook.language.words import content_tokens
from daybook.review.operations import Operation
from daybook.review.verdict import Verdict

if TYPE_CHECKING:
    from daybook.curation.entries import Known, Memory
    from daybook.language.dates import Day
    from daybook.language.themes import Theme

REASON = "its date has passed"
Kind = Literal["until", "due", "event", "plain"]

_RECURS = """
    every each daily weekly monthly yearly annually annual quarterly nightly always usually birthday birthdays
    anniversary born jeden jede jedes jährlich täglich wöchentlich monatlich immer geburtstag jahrestag geboren chaque
    tous toutes annuel annuelle mensuel hebdomadaire quotidien anniversaire toujours né née cada todos todas anual
    mensual semanal diario cumpleaños aniversario siempre nacido nacida ogni tutti tutte annuale mensile settimanale
    quotidiano compleanno anniversario sempre nato nata mensal diário aniversário nascido nascida elke ieder iedere
    jaarlijks maandelijks wekelijks dagelijks verjaardag altijd
    fortnightly biweekly bi-weekly bimonthly halfyearly semiannual semiannually zweiwöchentlich vierzehntägig tägig
    quinzenal quincenal bimensuel bimestral quinzaine tweewekelijks veertiendaags namenstag todestag hochzeitstag
    gründungstag feiertag muttertag vatertag nationalfeiertag onomástico onomastico naamdag sterfdag feestdag férié
    festivo feriado festività easter christmas thanksgiving halloween ostern weihnachten silvester noël pâques
    navidad pascua natale pasqua natal páscoa kerst pasen
"""
_RECURRING = (
    r"(?<!\w)(?:(?:tax|fiscal|school|academic|financial|business|calendar) year|quarter ends|season|name ?day"
    r"|(?:independence|mother'?s|father'?s|national|valentine'?s|labou?r|wedding|memorial|boxing|new year'?s|bank"
    r"|public) (?:day|holiday)|\d+[- ]tägig|alle \w+ (?:tage|wochen|monate|jahre)"
    r"|om de (?:\w+ )?(?:dag|week|weken|maand)|settimane alterne|(?:geschäfts|steuer|schul)jahr|(?:boek|school)jaar"
    r"|année (?:fiscale|scolaire)|exercice (?:fiscal|comptable)|a[ñn]o (?:fiscal|escolar|letivo)"
    r"|anno (?:fiscale|scolastico)|fête (?:nationale|des)"
    r"|día de(?:l| la)|dia d[ao]s?|festa della|(?:two|2) weeks apart)(?!\w)"
)
RECURRING = re.compile(_RECURRING, re.IGNORECASE)
_EVENTS = """
    meeting meetup appointment call dentist doctor flight train trip travel visit visits visiting exam interview
    conference webinar workshop concert party wedding dinner lunch breakfast demo presentation lecture delivery parcel
    package arrives arrive arriving departs departure reservation booking ticket tickets holiday vacation maintenance
    outage downtime kickoff election vote match race inspection hearing ceremony funeral picnic barbecue event seminar
    offsite
    termin treffen besprechung sitzung zahnarzt arzt flug zug reise besuch besucht prüfung klausur konferenz konzert
    feier hochzeit abendessen mittagessen vortrag lieferung paket urlaub wartung veranstaltung wahl anruf ankunft
    réunion rendez-vous rdv dentiste médecin vol voyage visite examen entretien conférence fête mariage dîner déjeuner
    livraison colis vacances événement
    reunión cita dentista médico vuelo tren viaje visita entrevista conferencia concierto fiesta boda cena almuerzo
    entrega paquete vacaciones mantenimiento evento
    riunione appuntamento medico volo treno viaggio esame colloquio conferenza concerto festa matrimonio pranzo
    consegna pacco vacanze manutenzione
    reunião consulta voo trem comboio viagem exame conferência casamento jantar almoço pacote férias manutenção
    vergadering afspraak tandarts dokter vlucht trein reis bezoek gesprek conferentie feest bruiloft levering pakket
    vakantie onderhoud evenement
"""
_DUE = """
    due deadline expires expire expiry expiring ends submit frist fällig abgabe stichtag endet spätestens échéance
    expire limite plazo vence vencimiento caduca límite scadenza scade termine prazo vencimento expira termijn uiterlijk
    verloopt
"""
# Something is otherwise from that date on, and stays so.
_CHANGES = """
    start starts begin begins launch launches live effective move moves switch switches become becomes take takes
    taking open opens rise rises change changes new migrate migrates replace replaces join joins leave leaves own owns
    must should policy rule cost costs
    beginnt startet zieht wechselt gilt tritt wird neu neue ändert übernimmt kostet
    commence démarre déménage devient change entre nouveau nouvelle coûte empieza comienza cambia pasa entra nuevo
    nueva cuesta inizia comincia diventa nuovo nuova costa começa inicia muda passa novo nova custa begint start
    verhuist wordt verandert gaat nieuw nieuwe kost
"""
_HAPPENED = """
    was were had did said told met went held paid sent bought began made found learned saw ran gave got took
    lived worked moved married founded encrypted signed booked
    war waren hatte hatten hat haben wurde wurden ging sagte était avait fue era había era aveva stato foi tinha was
    waren had hadden werd
"""
RECURS, EVENTS, DUE = frozenset(_RECURS.split()), frozenset(_EVENTS.split()), frozenset(_DUE.split())
CHANGES, HAPPENED = frozenset(_CHANGES.split()), frozenset(_HAPPENED.split())
STILL_TO_COME = frozenset(
    {"need", "needed", "scheduled", "planned", "booked", "expected", "postponed", "invited", "reserved", "closed"}
)
_AFTERWARDS = """
    then after afterwards thereafter unless danach dann anschließend nachher ensuite puis après sauf luego después
    entonces poi dopo depois então daarna dan support eol life baby renew renewed
    dob birthdate b geb nac est established dated issued version api pin release wed died graduates retires retired
    turns gegründet gründung heiratet stirbt fondée fondé fundada fundado fondata fondato opgericht clocks sign
"""
# Something begins where the rest ends, or the date itself is what matters.
AFTERWARDS = frozenset(_AFTERWARDS.split())
CJK_AFTERWARDS = re.compile("然后|之后|以后|随后|起|生于|创立|成立|结婚")
WORDS = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
CLOCK = re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?(?:am|pm|uhr|h)\b", re.IGNORECASE)
CJK_RECURS, CJK_EVENT = (
    re.compile("每|生日|诞辰|纪念日|一次|周年|節|节"),
    re.compile("会议|预约|面试|考试|航班|婚礼|音乐会|出差"),
)
CJK_DUE = re.compile("截止|到期|期限|之前|以前")
_ARTICLES = r"(?:\s(?:the|to|dem|den|zum|le|la|el|il|lo|o|de|del|en|met|et|on|am|incl\.?|including|[\w-]+day,?))*\s?$"
_UNTIL_WORDS = (
    "until|till|til|through|thru|up to|bis|jusqu'au|jusqu'à|jusque|hasta|fino al|fino a|até|tot|t/m|до|直到|到"
)
_BY_WORDS = (
    "by|before|no later than|not later than|latest|vor|avant|antes|antes del|prima|prima del|entro|vóór|voor|spätestens"
    "|uiterlijk"
)
_OPEN_WORDS = (
    "since|from|starting|beginning|effective|as of|as from|after|ab|seit|von|vom|nach|per|depuis|dès|à partir d[ue]"
    "|après|desde|a partir d[eo]l?|después|a partire dal|dal|da|dopo|depois|vanaf|sinds|с|после|从|自"
)
_UNTIL, _BY, _OPENS = (
    re.compile(rf"(?:^|\W)(?:{words}){_ARTICLES}", re.IGNORECASE) for words in (_UNTIL_WORDS, _BY_WORDS, _OPEN_WORDS)
)
_RANGE = re.compile(r"\W*(?:to|until|till|through|bis|au|al|hasta|a|até|tot|[-–—])\W*", re.IGNORECASE)
SHORT_TOKENS = 12
LONG_AGO = date(2000, 1, 1)
ALLOWED: dict[Theme | None, frozenset[Kind]] = {
    None: frozenset({"until", "due", "event"}),
    "deadline": frozenset({"until", "due", "event", "plain"}),
    "decision": frozenset({"until", "due"}),
    "preference": frozenset({"until"}),
    "lesson": frozenset(),
}


def expires_on(text: str, note_date: date, theme: Theme | None) -> date | None:
    """
    Give the last day on which a statement matters; None if it has none, or in doubt.

    Args:
        text: The statement.
        note_date: Date of the note that says so: what it names lies on that day or ahead.
        theme: What the line is marked as.
    """
    found = _end(text, note_date)
    if found is None:
        return None
    # A plain day that is over keeps a new statement out; of one that stands it takes nothing away.
    plain = found[1] == "plain" and theme is None
    return found[0] if plain or found[1] in ALLOWED[theme] else None


def entry_expires_on(entry: Known) -> date | None:
    """
    Give the last day on which an entry matters, as `expires_on`.

    Only dates with their month count, since an entry is read for long. Of an adopted entry nobody knows when it was
    written: its date needs a year, and must be a deadline's.
    """
    known = min(entry.dates, default="") if not entry.adopted else ""
    noted = date.fromisoformat(known) if known else LONG_AGO
    _, days = days_in(entry.text, noted)
    if any(day.how == "relative" or (not known and day.how != "year") for day in days):
        return None
    theme, section = theme_of(entry.text), heading_theme(entry.section)
    allowed = ALLOWED[theme or (section if section != "lesson" else None)]
    if not known:
        allowed &= {"until", "due"}
    found = _end(entry.text, noted)
    if found is None or found[1] not in allowed:
        return None
    # First contact takes nothing away: what was past already when it was adopted stays until somebody says otherwise.
    stayed = entry.adopted and found[0].isoformat() < min(entry.dates, default="")
    return None if stayed else found[0]


def is_over(entry: Known, today: date) -> bool:
    """Whether an entry's date has passed."""
    last = entry_expires_on(entry) if any(char.isdigit() for char in entry.text) else None
    return last is not None and last < today


def expired(memory: Memory, today: date) -> list[Verdict]:
    """Retire what is over: Daybook's own entries that nobody has edited, accepted or protected."""
    return [
        Verdict("apply", Operation(kind="retire", entry=entry.id, sources=()), (), entry, reason=REASON)
        for entry in memory.entries
        if may_leave(entry) and is_over(entry, today)
    ]


def may_leave(entry: Known) -> bool:
    """Whether an entry may be retired without the operator."""
    return entry.owned and not (entry.protected or entry.edited or entry.accepted)


def _end(text: str, note_date: date) -> tuple[date, Kind] | None:
    """The end of a statement, and what says that it has one."""
    shown, days = days_in(text, note_date)
    words = frozenset(word.casefold() for word in WORDS.findall(shown))
    recurs = not words.isdisjoint(RECURS) or any(sign.search(shown) for sign in (CJK_RECURS, RECURRING))
    if not days or recurs or any(day.value.startswith("weekday") for day in days):
        return None
    if not words.isdisjoint(AFTERWARDS | HAPPENED) or CJK_AFTERWARDS.search(shown):
        return None
    until = [day for day in days if _UNTIL.search(shown[: day.start])]
    if len(until) == 1 and until[0].value == max(day.value for day in days):
        return _ahead(until[0], note_date, "until")
    last = days[-1]
    is_range = len(days) == 2 and _RANGE.fullmatch(shown[days[0].end : last.start])  # noqa: PLR2004 - two ends
    if not is_range and (len({day.value for day in days}) > 1 or any(_OPENS.search(shown[: d.start]) for d in days)):
        return None
    kind = _kind(shown, days, words, note_date)
    return _ahead(last, note_date, kind) if kind else None


def _kind(shown: str, days: tuple[Day, ...], words: frozenset[str], note_date: date) -> Kind | None:
    ahead = days[-1].value > note_date.isoformat()
    if _BY.search(shown[: days[-1].start]) or not words.isdisjoint(DUE) or CJK_DUE.search(shown):
        return "due"
    if not ahead and not _still_to_come(shown, days, words):
        return None
    plain = words.isdisjoint(CHANGES) and len(content_tokens(shown)) <= SHORT_TOKENS
    if not words.isdisjoint(EVENTS) or CJK_EVENT.search(shown):
        return "event"
    return "plain" if plain and ahead else None


def _ahead(day: Day, note_date: date, kind: Kind) -> tuple[date, Kind] | None:
    last = date.fromisoformat(day.value)
    return (last, kind) if last >= note_date else None


def _still_to_come(shown: str, days: tuple[Day, ...], words: frozenset[str]) -> bool:
    """Whether what is dated on the note's own day was yet to happen: it says so, and tells nothing that did."""
    told = any(word.endswith("ed") and word not in STILL_TO_COME for word in words)
    when = CLOCK.search(shown) is not None or any(day.how == "relative" for day in days)
    return when and not told and words.isdisjoint(HAPPENED) and len(content_tokens(shown)) <= SHORT_TOKENS
