"""
What its writer says in a mail: without the mail that is answered, and without a signature.

Every rule looks at one line and at most a few beside it, so that the time grows with the length and no faster. Where
a rule leaves nothing, the whole text stands: what was sent is never nothing.
"""

from __future__ import annotations

import re

QUOTED = re.compile(r"\s*>")
QUOTE_MARKS = re.compile(r"^\s*>[>\s]*")
SIGNATURE = re.compile(r"--[ \u00a0]?")
# Two dashes alone may also part one piece of a text from the next.
SIGNATURE_LINES = 12
SHORT_LINE_CHARS = 120
SENT_FROM = re.compile(
    r"(?:sent from (?:my|outlook|yahoo|mail for|proton)|get outlook for|von meinem .{1,30} gesendet"
    r"|(?:gesendet|diese nachricht wurde) (?:mit|von|aus) |holen sie sich outlook"
    r"|envoyé de(?:puis)? mon |envoyé à partir d|enviado desde |obtener outlook|inviato da(?:l mio)? "
    r"|ver(?:zonden|stuurd) vanaf mijn|enviado do meu|obter o? ?outlook|wysłane? ze? "
    r"|(?:iphone|ipad|android|スマートフォン)から送信|从我的|發自我的|发自我的|發送自我的).{0,60}",
    re.IGNORECASE,
)

# "On … wrote:": when it was, who it was by name or address, and a colon at the end, over up to four lines.
ATTRIBUTION_LINES = 4
ATTRIBUTION_CHARS = 400
WHEN = re.compile(r"\d{1,2}[:.h]\d{2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\b(?:19|20)\d{2}\b|\d\s?[年日월]")
ADDRESS = re.compile(r"<[^<>\s]{1,100}@[^<>\s]{1,100}>")
WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|écrit|escribió|ha scritto|scrive|schreef|geschreven|escreveu|napisała?)\b"
    r"|\bpisze\b|napisał\(a\)|書きました|のメール|写道|寫道|작성",
    re.IGNORECASE,
)
BEGINS = re.compile(r"(?:(?:on|am|den|le|el|il|op|em|no dia|w dniu|dnia)\s|[在于於]|\d{4}年)", re.IGNORECASE)
COLONS = (":", "：")

# "-----Original Message-----", and a block of From, Sent, To, Subject.
ORIGINAL = re.compile(
    r"-{2,}\s*(?:original (?:message|mail|appointment)|ursprüngliche (?:nachricht|mail)|urspr\. (?:nachricht|mail)"
    r"|message d'origine|message original|mensaje original|messaggio originale|oorspronkelijk bericht"
    r"|mensagem original|(?:oryginalna )?wiadomość(?: oryginalna)?|元のメッセージ|原始邮件|原始郵件|原邮件)\s*-{2,}",
    re.IGNORECASE,
)
LABEL_LINES = 6
FROM = re.compile(r"[\s*]{0,3}(?:from|von|de|da|van|od|差出人|发件人|寄件者|寄件人)\s?\*?[:：]", re.IGNORECASE)
SUBJECT = re.compile(
    r"[\s*]{0,3}(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|temat|件名|主题|主旨)\s?\*?[:：]",
    re.IGNORECASE,
)
WHEN_OR_WHOM = re.compile(
    r"[\s*]{0,3}(?:sent|date|to|gesendet|datum|an|envoyé|à|enviado(?: el| em)?|fecha|para|inviato|data|a|verzonden|aan"
    r"|wysłano|do|送信日時|日時|宛先|发送时间|日期|收件人|寄件日期|收件者)\s?\*?[:：]",
    re.IGNORECASE,
)
RULE = re.compile(r"[\s_*-]{3,}")
FORWARDED = re.compile(r"(?:fwd?|wg|tr|rv|i|enc|doorst|pd|転送|转发|轉寄)\s?[:：]", re.IGNORECASE)
FORWARD = re.compile(
    r"(?:-{2,}\s*)?(?:(?:begin )?forwarded message|(?:anfang der )?weitergeleitete[n]? nachricht"
    r"|(?:début du )?message (?:transféré|réexpédié)|(?:inicio del )?mensaje reenviado|(?:inizio )?messaggio inoltrato"
    r"|(?:begin )?doorgestuurd bericht|mensagem (?:encaminhada|reencaminhada)|przekazana wiadomość|転送されたメッセージ"
    r"|转发的邮件|轉寄的郵件)(?:\s*-{2,}|\s?[:：])",
    re.IGNORECASE,
)


def own_words(text: str, subject: str) -> str:
    """
    Cut quotes and signatures.

    In what was forwarded the mail below is what the operator is to read: there only lines with `>` and signatures go.

    Args:
        text: Lines; quoted ones begin with `>`.
        subject: May tell that it was forwarded.
    """
    lines = text.splitlines()
    kept = _without_signature(_without_answered(lines, forwarded=FORWARDED.match(subject.strip()) is not None))
    own = "\n".join(line for line in kept if line.strip())
    return own or "\n".join(QUOTE_MARKS.sub("", line) for line in lines).strip()


def _without_answered(lines: list[str], *, forwarded: bool) -> list[str]:
    kept: list[str] = []
    for at, line in enumerate(lines):
        if QUOTED.match(line):
            continue
        forwarded = forwarded or _is_line(FORWARD, line)
        said = _attribution(kept, line)
        quotes = bool(said) and _quote_follows(lines, at)
        # Without a quote behind it, it may be any sentence.
        if quotes or (not forwarded and _is_sure(said)):
            del kept[len(kept) + 1 - len(said) :]
            if not quotes:
                return kept
        elif not forwarded and (_is_line(ORIGINAL, line) or _header_block(lines, at)):
            while kept and (not kept[-1].strip() or RULE.fullmatch(kept[-1])):
                kept.pop()
            return kept
        else:
            kept.append(line)
    return kept


def _attribution(before: list[str], line: str) -> list[str]:
    """Give the lines, this one and some before it, that say who wrote what is quoted when; none where none do."""
    if not line.rstrip().endswith(COLONS):
        return []
    said: list[str] = [line]
    found: list[str] = []
    while sum(map(len, said)) <= ATTRIBUTION_CHARS:
        text = " ".join(said)
        if WHEN.search(text) and (ADDRESS.search(text) or WROTE.search(text)):
            found = found or said
            if BEGINS.match(text.strip()):
                return said
        if len(said) == ATTRIBUTION_LINES or len(said) > len(before) or not before[-len(said)].strip():
            break
        said = [before[-len(said)], *said]
    return found


def _is_sure(said: list[str]) -> bool:
    text = " ".join(said).strip()
    return WROTE.search(text) is not None and (BEGINS.match(text) or ADDRESS.search(text)) is not None


def _is_line(pattern: re.Pattern[str], line: str) -> bool:
    return len(line) <= SHORT_LINE_CHARS and pattern.fullmatch(line.strip(" *_\t")) is not None


def _quote_follows(lines: list[str], at: int) -> bool:
    following = next((line for line in lines[at + 1 : at + 1 + ATTRIBUTION_LINES] if line.strip()), "")
    return QUOTED.match(following) is not None


def _header_block(lines: list[str], at: int) -> bool:
    if FROM.match(lines[at]) is None:
        return False
    block = lines[at + 1 : at + LABEL_LINES]
    # A subject too: a plan of a journey has the other labels.
    return any(map(SUBJECT.match, block)) and any(map(WHEN_OR_WHOM.match, block))


def _without_signature(lines: list[str]) -> list[str]:
    for at, line in enumerate(lines):
        left = len(lines) - at - 1
        if SIGNATURE.fullmatch(line) and (len(line) > len("--") or left <= SIGNATURE_LINES):
            lines = lines[:at]
            break
    return [line for line in lines if not _is_line(SENT_FROM, line)]
