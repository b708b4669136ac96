"""
Decide whether a statement says what its source says, by code alone.

Only a whole line does, its label and time left out or not: whatever else is left out may take the rest back, in more
ways than can be listed (`Scrap that.`, `pending approval`, `minus interns`). A *shortening*, a line with whole
clauses left out and nothing else done to it, is worth a second opinion; what is refused even here is the operator's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from daybook.language.clauses import Clause, border_offsets, clauses
from daybook.language.themes import label_end
from daybook.language.tokens import CJK, code_spans
from daybook.language.words import content_tokens, polarity_words

if TYPE_CHECKING:
    from collections.abc import Iterable

MIN_TOKENS = 2
# What has more is no note line, and each aside doubles the ways to read it.
MAX_CLAUSES = 200
# A shorter sentence is a heading for what follows ("Windows build. Use CRLF."), not a statement of its own.
MIN_SENTENCE_TOKENS = 3
LINE_START = re.compile(r"\s*(?:[-*+]\s+)?(?:\d{1,2}:\d{2}\s+[-–—]\s+(?!\d))?")

_SPEECH = """
    said says say saying told tells asked asks asking claimed claims claim wrote writes according reported reports
    announced announces argued argues insisted insists heard rumour rumor quote quoted quoting believes believed
    thinks
    thought suggests suggested proposes proposed recommends recommended mentioned mentions stated states replied
    answered
    sagt sagte sagten meint meinte behauptet behauptete laut zufolge schrieb schreibt fragte fragt glaubt erzählte
    dit disait selon affirme affirmait demande demandait écrit prétend d'après
    dice dijo según afirma afirmó preguntó escribió cree secondo disse afferma chiese scrive
    segundo afirmou perguntou escreveu acha zegt zei volgens beweert vroeg schreef
    сказал сказала говорит считает
"""
SPEECH = frozenset(_SPEECH.split())
CJK_SPEECH = re.compile("说|說|表示|认为|認為|据|問|问|言っ|によると")
CJK_TAKES_BACK = re.compile(
    "作废|作廢|取消|过期|過期|错误|錯誤|玩笑|前提|除了|除外|除非|如果|假如|条件|條件|冗談|嘘|間違"
)
_RESTRICTS = """
    in for on at with within without by per under over from to during as when where while who whom whose which that of
    through via among between against towards because or nor than like unless if until only effective starting
    für in im am an auf bei mit ohne von vom zu zum zur pro per unter über ab während als wenn wo weil oder laut gegen
    pour dans en sur avec sans par sous chez de des du depuis pendant quand où ou parce comme
    para en con sin por bajo desde durante cuando donde o porque como per in con senza da dal su sotto quando dove
    em no na com sem sob quando onde ou voor in op bij met zonder van per onder vanaf tijdens als wanneer waar of
    omdat
    для в на с без от по при когда где или если
"""
# A clause that begins so says when, where or for whom the rest holds.
RESTRICTS = frozenset(_RESTRICTS.split())
_TAKES_BACK = """
    moved moves move changed changes change correction corrected correct actually formerly former previously old
    rescheduled updated update joke joked joking jokes kidding lol sarcasm ironic irony myth lie lied pretended
    hoax fake fools nonsense dry test testing dummy sample instead now except dream dreamt dreamed nope nah scrap
    scrapped
    scratch strike struck void voided dropped drop dead died abandoned abandon vetoed veto overruled reversed wait
    withdrawn cancelled canceled superseded expired stale outdated wrong tbd tba pending provided given contingent
    subject depending barring assuming hypothetically excluding excluded minus aside apart otherwise fell failed
    rejected declined swapped
    verschoben verlegt geändert korrektur eigentlich ehemals früher jetzt scherz witz ironie spaß quatsch unsinn
    blödsinn verworfen erledigt hinfällig gestrichen abgelehnt abgeblasen geplatzt ungültig außer ausgenommen sofern
    vorausgesetzt vorbehaltlich falls ausstehend
    déplacé modifié correction ancien maintenant blague abandonné abandonnée caduc annulé annulée rejeté condition
    hormis sauf réserve
    cambiado corrección antes ahora broma descartado descartada abandonado abandonada anulado anulada salvo excepto
    siempre pendiente
    spostato cambiato scherzo purché annullato annullata abbandonato scartato tranne salvo
    alterado mudado correção agora piada abandonado abandonada cancelado exceto desde pendente
    verplaatst gewijzigd correctie nu grapje mits tenzij behalve vervallen geschrapt onzin afgewezen
    перенесён теперь шутка
"""
# What takes back, dates or unsays the rest of its line.
TAKES_BACK = frozenset(_TAKES_BACK.split())
_POINTS_BACK = """
    he she it they this that these those him her them his its their such there then so therefore thus hence both
    either
    same also too which who er sie es dies diese dieser dieses das ihn ihm ihnen deshalb daher dort beide dann
    il elle ils elles ce cela ça ceci celui celle ceux donc ainsi él ella ello ellos esto eso este ese esta esa
    entonces
    esso essa essi questo questa quello quella quindi perciò ele ela eles elas isto isso esse essa este então portanto
    hij zij het dit deze die dat daarom dus он она оно они это этот эта
"""
# A sentence that begins so leans on the one before it.
POINTS_BACK = frozenset(_POINTS_BACK.split())


def is_shortening(text: str, line: str) -> bool:
    """
    Whether *text* is *line* with whole clauses left out, possibly none.

    The clauses kept are one stretch; from within it only an aside in brackets or between two dashes may go. Before it
    only a label (`Lesson:`) or whole sentences may go, behind it anything that neither restricts, attributes, asks nor
    takes back. The polarity words of the text are those of the whole line. A question states nothing.
    """
    said = polarity_words(text)
    if text == line and len(content_tokens(text)) > 1 and "?" not in said:
        return True
    line = line[line_start(line) :]
    if code_spans(text) and not set(code_spans(text)) <= set(code_spans(line)):
        return False
    if not enough(content_tokens(text)) or "?" in said or said != polarity_words(line):
        return False
    wanted, borders = content_tokens(text), border_offsets(text)
    parts = clauses(line)
    if len(parts) > MAX_CLAUSES or _has_other_numbers(wanted, parts):
        return False
    return any(_fits(parts[start:], wanted, borders) for start in starts(line, parts))


def _has_other_numbers(wanted: tuple[str, ...], parts: tuple[Clause, ...]) -> bool:
    """Whether a line has more numbers than the statement with a number: `19 degrees, 21 at weekends`."""
    said = [token for token in wanted if token[0].isdigit()]
    return bool(said) and sum(token[0].isdigit() for part in parts for token in part.tokens) > len(said)


def grounded(text: str, cited: Iterable[str]) -> bool:
    """Whether one of the cited lines, alone, says what *text* says; two lines are never spliced."""
    return any(is_shortening(text, line) for line in cited)


def line_start(line: str) -> int:
    """Index at which a note line's words begin, behind a bullet and a time."""
    match = LINE_START.match(line)
    return match.end() if match else 0


def enough(tokens: tuple[str, ...]) -> bool:
    """Whether tokens can state something; without spaces between words one may."""
    return len(tokens) >= MIN_TOKENS or any(CJK.search(token) for token in tokens)


def starts(line: str, parts: tuple[Clause, ...]) -> list[int]:
    """Indexes of a line's clauses at which a shortening may begin."""
    labels = len(clauses(line[: label_end(line)]))
    found = [0]
    if 0 < labels < len(parts):
        found.append(labels)
    sentence = 0
    for index in range(1, len(parts)):
        if parts[index - 1].aside or parts[index - 1].after not in {".", "?"}:
            continue
        left = parts[sentence:index]
        label = labels if sentence == 0 else 0
        if not all(map(may_go, left[label:])) or sum(len(part.tokens) for part in left) < MIN_SENTENCE_TOKENS:
            break
        sentence = index
        if parts[index].words and parts[index].tokens[0] not in POINTS_BACK:
            found.append(index)
            after_label = index + _label_clauses(parts[index:])
            found += [after_label] if after_label > index else []
    return found


def _label_clauses(parts: tuple[Clause, ...]) -> int:
    written = " ".join(word.before + word.core + word.after for part in parts for word in part.words)
    return min(len(clauses(written[: label_end(written)])), len(parts) - 1)


def _fits(parts: tuple[Clause, ...], wanted: tuple[str, ...], borders: frozenset[int]) -> bool:
    """Whether the clauses from the first on give the wanted tokens, with borders at the same places."""
    dashed = _dashed_aside(parts)
    states = {(0, False)}  # (tokens matched, whether a border must come next)
    for index, part in enumerate(parts):
        if any(at == len(wanted) for at, _ in states) and may_end(parts, index):
            return True
        reached = set()
        for at, bordered in states:
            if _keeps(part, wanted, borders, at, bordered=bordered or (part.aside and at > 0)):
                reached.add((at + len(part.tokens), part.aside or part.after != "" or _next_is_aside(parts, index)))
            if index and (part.aside or index == dashed) and may_go(part):
                left = _border_without(parts, index) or (parts[index - 1].aside and bordered)
                reached.add((at, left))
        states = reached
    return any(at == len(wanted) for at, _ in states)


def _keeps(part: Clause, wanted: tuple[str, ...], borders: frozenset[int], at: int, *, bordered: bool) -> bool:
    end = at + len(part.tokens)
    if wanted[at:end] != part.tokens or (at > 0 and (at in borders) != bordered):
        return False
    return frozenset(border - at for border in borders if at < border < end) == part.borders


def _next_is_aside(parts: tuple[Clause, ...], index: int) -> bool:
    return index + 1 < len(parts) and parts[index + 1].aside


def _border_without(parts: tuple[Clause, ...], index: int) -> bool:
    """Whether a border is left where an aside was: the comma behind `X (v2), only`."""
    part = parts[index]
    return part.aside and (part.before != "" or part.after != "")


def _dashed_aside(parts: tuple[Clause, ...]) -> int:
    """Index of the one clause between two dashes; 0 when dashes bound anything else."""
    dashes = [index for index, part in enumerate(parts) if index and part.before == "-"]
    two = len(dashes) == 2 and dashes[1] == dashes[0] + 1  # noqa: PLR2004 - an aside has two ends
    return dashes[0] if two else 0


def may_end(parts: tuple[Clause, ...], index: int) -> bool:
    """Whether a statement may end before this clause: what follows may go, and is no rest of the clause before."""
    dashed = _dashed_aside(parts)
    after = index
    while after < len(parts) and (parts[after].aside or (dashed and after == dashed)):
        after += 1
    last = parts[after - 1] if after else None
    # Behind an aside without a comma the clause before it goes on: `the pump (serial 8) belongs to Noor`.
    goes_on = last is not None and ((last.aside and last.after == "") or (dashed > 0 and after - 1 == dashed))
    return all(map(may_go, parts[index:])) and not (goes_on and after < len(parts))


def may_go(part: Clause) -> bool:
    """Whether leaving this clause out leaves the rest of its line as true as it was."""
    if part.after in {":", "?"} or part.tokens[0] in RESTRICTS:
        return False
    if any(token in SPEECH or token in TAKES_BACK for token in part.tokens):
        return False
    return not any(CJK_SPEECH.search(token) or CJK_TAKES_BACK.search(token) for token in part.tokens)
