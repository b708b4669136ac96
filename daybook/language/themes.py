"""
Recognise lines that say of themselves what they are: a lesson, a decision, a preference, a deadline.

By a label (`Lesson:`), by how they begin (`Decided to …`), or by the heading they stand under, in seven languages.
A question, a hedge and "nothing" are none of them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from daybook.language.words import polarity_words

if TYPE_CHECKING:
    from collections.abc import Sequence

Theme = Literal["lesson", "decision", "preference", "deadline"]

DEFAULT_SECTIONS: dict[Theme, str] = {
    "lesson": "Lessons Learned",
    "decision": "Decisions",
    "preference": "Preferences",
    "deadline": "Deadlines",
}
LABELS: dict[Theme, str] = {
    "lesson": r"lessons?(?: learn(?:ed|t))?|learn(?:ed|t|ings?)|til|insights?|take-?aways?|lektion(?:en)?|"
    r"gelernt|lehren?|erkenntnis(?:se)?|leçons?(?: apprises?)?|appris|lección|lecciones|lección aprendida|"
    r"aprendido|aprendizajes?|lezion[ei](?: appres[ae])?|imparato|lição|lições|lição aprendida|"
    r"aprendizados?|geleerd|geleerde les(?:sen)?|教训|经验教训",
    "decision": r"decisions?|decided|entscheidung(?:en)?|entschieden|beschlossen|beschluss|décisions?|"
    r"décidé|decisión|decisiones|decidido|decision[ei]|deciso|decisão|decisões|besluit(?:en)?|besloten|"
    r"beslissing(?:en)?|决定|决策",
    "preference": r"preferences?|präferenz(?:en)?|vorlieben?|préférences?|preferencias?|preferenz[ae]|"
    r"preferências?|voorkeur(?:en)?|偏好",
    "deadline": r"deadlines?|due(?: date)?|frist(?:en)?|fällig|stichtag|abgabe(?:termin)?|échéances?|"
    r"dates? limites?|fechas? límites?|plazos?|vencimientos?|scadenz[ae]|prazos?|vencimentos?|"
    r"termijn(?:en)?|uiterste datum|截止日期|期限",
}
_WE = (
    r"(?:(?:i|we|user|operator|team|wir|ich|man|nous|on|j'|je|se|hemos|noi|nós|ik|we) )?(?:(?:have|has|"
    r"haben|habe|hat|avons|ai|a|abbiamo|ho|hebben|heb) )?(?:(?:just|today|heute|finally|endlich) )?"
)
_WHO = (
    r"(?:the |der |die |l'|el |la |lo |il |o |a |de )?(?:user|operator|owner|human|i|we|nutzer(?:in)?|"
    r"benutzer(?:in)?|betreiber(?:in)?|ich|wir|utilisateur|utilisatrice|opérateur|opératrice|je|nous|"
    r"usuario|usuaria|operador|operadora|yo|utente|operatore|io|noi|utilizador|usuário|eu|nós|gebruiker|"
    r"ik|wij)"
)
OPENINGS: dict[Theme, str] = {
    "lesson": _WE + r"(?:learn(?:ed|t) (?:that|to|how|not|never|the hard way)|gelernt,? dass|appris (?:que|à)|"
    r"aprendí que|aprendimos que|aprendido que|imparato (?:che|a)|aprendi que|aprendemos que|geleerd dat)",
    "decision": _WE
    + r"(?:decided (?:to|on|that|not|against|for)|entschieden,? (?:dass|für|gegen)|beschlossen,? (?:dass|zu)|"
    r"décidé (?:de|que|d')|decidido|decidimos|decidió|decidí|deciso (?:di|che)|decidiu|besloten (?:om|dat))",
    "preference": _WHO + r" (?:\w+ly )?(?:prefers?|bevorzug(?:t|e|en)|préfèr(?:e|ons)|prefier(?:e|o)|preferimos|"
    r"preferisc(?:e|o)|prefere|prefiro|verkiest|verkies|geeft de voorkeur)",
    "deadline": r"(?:the |die )?deadline (?:is|for|of|ist|für)|due (?:on|by)|fällig (?:am|bis)|"
    r"(?:die )?frist (?:ist|endet|für)",
}
HEADINGS: dict[Theme, str] = {
    "lesson": r"lessons?|learned|learnt|learnings|insights|lektion\w*|gelernt\w*|erkenntniss?e?|lehren|"
    r"leçons?|lección|lecciones|aprendizajes|lezion[ei]|lição|lições|aprendizados|geleerd\w*|lessen|教训|"
    r"经验教训",
    "decision": r"decisions?|entscheidung(?:en)?|beschl[uü]sse?|décisions?|decisión|decisiones|"
    r"decision[ei]|decisão|decisões|besluit(?:en)?|beslissing(?:en)?|决定|决策",
    "preference": r"preferences?|präferenz(?:en)?|vorlieben|préférences?|preferencias?|preferenz[ae]|"
    r"preferências?|voorkeur(?:en)?|偏好",
    "deadline": r"deadlines?|due dates?|fristen?|stichtage?|échéances?|dates? limites?|fechas? límites?|"
    r"plazos|vencimientos|scadenze|prazos|vencimentos|termijnen|截止日期",
}
_GENERAL = """
    fact facts note notes general misc miscellaneous knowledge context
    fakten notizen allgemein allgemeines wissen verschiedenes
    fait faits général divers connaissances
    hecho hechos datos nota notas varios conocimientos
    fatti generale varie conoscenze
    fato fatos geral diversos conhecimentos
    feiten notities algemeen overig kennis
    事实 笔记 常识 其他
"""
# Where a plain fact may stand: `## Notes`, but not `## Release notes`.
GENERAL = frozenset(_GENERAL.split())
BESIDE_GENERAL = frozenset({"and", "und", "et", "y", "e", "en", "key", "useful", "important", "other", "my"})
# A heading of what is not settled, or no longer counts, is none of ours.
OTHER_HEADINGS = re.compile(
    r"\b(?:open|pending|proposed|rejected|old|past|former|archived?|tbd|no|offene?|ausstehende?|"
    r"verworfene?|alte|en attente|ouvertes|pendientes|abiertas|in sospeso|aperte|pendentes|abertas|"
    r"openstaande)\b"
)
NOTHING = re.compile(
    r"(?:(?:decided|learned|entschieden|gelernt|décidé|decidido|deciso|besloten|decision|"
    r"entscheidung)\W+)?(?:still\W+)?(?:nothing|none|n/?a|pending|tbd|open|postponed|deferred|undecided|"
    r"nichts|offen|vertagt|rien|nada|niente|niets|-+|(?:no|keine|pas de|aucune|ninguna|nessuna|nenhuma|"
    r"geen)(?: \w+)?|noch offen)(?: (?:yet|so far|today|new|decided|learned|made|entschieden|gelernt|"
    r"heute|beschlossen)){0,2}\W*"
)
_HEDGES = """
    may maybe might probably could would consider propose suggest plan intend hope think unsure uncertain unclear
    undecided unknown tentative draft whether vielleicht möglicherweise vermutlich wahrscheinlich könnte würde erwägen
    überlegen vorgeschlagen unklar peut-être probablement pourrait envisagé proposé quizás probablemente podría
    considerado propuesto forse probabilmente potrebbe previsto proposto talvez provavelmente poderia proposta misschien
    waarschijnlijk zou overwogen voorgesteld deny alleged supposed joke kidding
"""
HEDGES = frozenset(_HEDGES.split())
HEDGED_WORDS = 4

_EDGE = r"\s*+(?:[-+*]\s++)?[\s>*_\[(#]*+(?:[\U0001f300-\U0001faff\u2600-\u27bf]\ufe0f?\s*+)?[\s*_\[(#]*+"
_SEPARATOR = r"[*_\])]*\s*(?:[:：][*_]*|\]|\s[-–—]\s)\s*"


def _any_of(words: dict[Theme, str]) -> str:
    """Match the words of any theme, in a group by the theme's name; of two that match, the first theme."""
    return "|".join(f"(?P<{theme}>{one})" for theme, one in words.items())


_LABEL = re.compile(f"{_EDGE}(?:{_any_of(LABELS)}){_SEPARATOR}", re.IGNORECASE)
_OPENING = re.compile(rf"{_EDGE}(?:{_any_of(OPENINGS)})(?!\w)", re.IGNORECASE)
_HEADING = {theme: re.compile(rf"(?<!\w)(?:{words})(?!\w)") for theme, words in HEADINGS.items()}


def theme_of(text: str, heading: str = "") -> Theme | None:
    """
    Say what a line is marked as; None for an ordinary one.

    Args:
        text: A note line without its time.
        heading: The heading it stands under.
    """
    text = unicodedata.normalize("NFC", text).strip()
    theme, rest = _by_words(text)
    theme = theme or heading_theme(heading)
    if theme is None or "?" in text or "？" in text or NOTHING.fullmatch(rest.casefold()):
        return None
    hedged = not HEDGES.isdisjoint(polarity_words(" ".join(rest.split()[:HEDGED_WORDS])))
    return None if hedged or not rest else theme


# Lines stand under few headings.
@lru_cache(maxsize=256)
def heading_theme(heading: str) -> Theme | None:
    """Say which theme a heading is for, as in `## Lessons` and `## Operator Preferences`."""
    folded = unicodedata.normalize("NFC", heading).casefold()
    if OTHER_HEADINGS.search(folded):
        return None
    return next((theme for theme, pattern in _HEADING.items() if pattern.search(folded)), None)


def section_for(theme: Theme, headings: Sequence[str]) -> str:
    """Choose the heading an entry of this theme goes under: one that is there, else the usual one."""
    default = DEFAULT_SECTIONS[theme]
    exact = (heading for heading in headings if heading.strip().casefold() == default.casefold())
    fitting = (heading for heading in headings if heading_theme(heading) == theme)
    return next(exact, None) or next(fitting, default)


def general_heading(headings: Sequence[str]) -> str | None:
    """Find a heading for plain facts that are none of the themes."""
    return next((heading for heading in headings if _is_general(heading)), None)


def _is_general(heading: str) -> bool:
    words = set(re.findall(r"[^\W\d_]+", unicodedata.normalize("NFC", heading).casefold()))
    return bool(words & GENERAL) and words <= GENERAL | BESIDE_GENERAL


def unmarked(text: str) -> str:
    """Take the label off (`Lesson: x` is `x`); a deadline keeps it, since a bare date says little."""
    label = _LABEL.match(text)
    if label is None or label.lastgroup == "deadline":
        return text
    return text[label.end() :].strip() or text


def label_end(text: str) -> int:
    """Index at which the text after a label begins; 0 when there is no label."""
    label = _LABEL.match(text)
    return label.end() if label else 0


def _by_words(text: str) -> tuple[Theme | None, str]:
    """Theme by label or beginning, and the text to judge: what follows the label, or all after the opening's verb."""
    if label := _LABEL.match(text):
        return _named(label), text[label.end() :].strip(" *_")
    if opening := _OPENING.match(text):
        return _named(opening), text[opening.end() :].strip() or text
    return None, text


def _named(match: re.Match[str]) -> Theme:
    return next(theme for theme in DEFAULT_SECTIONS if match[theme] is not None)
