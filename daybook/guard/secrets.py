"""
Redact secrets: by shape everywhere, and every secret we resolved ourselves by its value.

The shapes are those of the library redact-secret, which is a beta and therefore reached through here
only, and those of `shapes`. Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import re
from functools import cache, partial

import redact_secret

from daybook.guard.shapes import ABOUT, BARE, LONG_SHAPES, NAMED, SAYS, SHAPES, TAIL, TOKENS, VALUE

# Not typing's: that module alone would take a tenth of `daybook note`'s time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIN_VALUE_CHARS = 6
MAX_CLEAN = 1 << 16
MAX_CLEAN_CHARS = 500
# A placeholder can lay bare what no shape matched before; more rounds than these are never needed.
MAX_ROUNDS = 4
# What the library says is to be done with a finding; the rest it only warns of.
REPLACED = frozenset({"redact", "block"})
# The library's name for a value that only its name tells of.
CONTEXTUAL = "contextual_secret"

# A token may stand behind an escaped line break, as in logs, or behind an escaped sign, as in addresses.
BEFORE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt])|(?<=%[23][0-9A-F]))"
# Without a word of so many signs there is no token in a text, nor one half of it.
TOKEN_WORD_CHARS = 12
LONG_WORD_CHARS = 36
# The library takes quadratic time for some texts, so it gets them in pieces.
PIECE_CHARS = 4096
# A run of so many letters and digits is no word.
MIN_RUN_CHARS = 10
MIN_TOKEN_CHARS = 8
EDGE = ".:?!)("
# What names a place where the secret is, or is known to be none.
REFERENCE = (
    r"(?ai)[${(*%]|[a-z][\w+-]{0,15}://|0x|v?\d+(?:[.:/-]\d+)+\w{0,8}$|v\d|\d{4}-\d\d-\d\d"
    r"|~|\.|/[a-z]+/|sha\d+[:-]|\w+[.(][\w.]*\($"
    r"|(?:os|process|settings|config|secrets|env|self|keyring|vault|pass|file)[.:]|[1x]password|base\d+|oauth\d"
    r"|(?:x+|your|my|change|example|redacted)[_.-]|(?:sha|md|rsa|aes|utf|argon|ed|bcrypt)[_-]?\d+"
)
# Parts of names and of prose, as in `12-stellig`, `v2`, `my-app-2026`, `24h`.
WORD = r"[A-ZÄÖÜ]?[a-zà-ÿ]*\d{0,4}|[A-Z]+\d{0,4}|\d{1,4}(?:[A-Za-z]{0,2}|bits?|bytes?|chars?|days?)|\d*"
# What such a name tells of a secret besides its value.
ABOUT_IT = (
    r"(?ai)[_-](?:at|class|count|command|cmd|date|days?|expir\w*|endpoint|env|field|file|format|hint|id|issuer|label|len"
    r"|length|lifetime|limit|name|path|policy|prefix|provider|ref|reset|size|store|ttl|type|ur[il]|usage|version"
    r"|used|left|budget|per\w*|window)\b"
)


# Every secret this process resolved, so that no sink has to be told of each.
_known: set[str] = set()
# Short texts without a secret's shape: a line passes several sinks, and most lines of a batch are clean.
_clean: set[str] = set()


def remember(values: Iterable[str]) -> None:
    """Redact these by value from now on, in this process; those under 6 characters would hit ordinary words."""
    _known.update(value for value in values if len(value) >= MIN_VALUE_CHARS)


def redact(text: str, values: Iterable[str] = ()) -> str:
    """
    Replace every secret in *text* by `[redacted:<kind>]`.

    Prose about secrets stays as it is. Redacting twice changes nothing more. A text whose secret was hidden
    by invisible characters or full-width letters comes back without these.

    Args:
        text: Any text, also several lines.
        values: Secrets known by value, besides those remembered; those under 6 characters are left.
    """
    if not text.isascii():
        text = encodable(text)
    if values or _known:
        long_enough = (value for value in values if len(value) >= MIN_VALUE_CHARS)
        for value in sorted({*long_enough, *_known}, key=len, reverse=True):
            text = text.replace(value, "[redacted:known]")
    if text in _clean:
        return text
    redacted = _settled(text)
    if not text.isascii() and (plain := text.translate(_hidden())) != text:
        shown = _settled(plain)
        redacted = redacted if shown == plain else shown
    if redacted == text and len(text) <= MAX_CLEAN_CHARS:
        if len(_clean) >= MAX_CLEAN:
            _clean.clear()
        _clean.add(text)
    return redacted


def encodable(text: str) -> str:
    """Replace what no file or message can hold: half a pair of surrogates, as some encodings of mail can write."""
    return text.encode("utf-8", "replace").decode()


@cache
def _hidden() -> dict[int, int | str | None]:
    """Map what stands unseen in a text to nothing, and full-width letters, digits and signs to plain ones."""
    unseen = (0xAD, 0x2060, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    wide = (*b"+-./_~=", *range(0x30, 0x3A), *range(0x41, 0x5B), *range(0x61, 0x7B))
    return dict.fromkeys(unseen) | {code + 0xFEE0: code for code in wide}


def _settled(text: str) -> str:
    for _ in range(MAX_ROUNDS):
        redacted = _by_shape(text)
        if redacted == text:
            break
        text = redacted
    return text


def _by_shape(text: str) -> str:
    longest = len(max(text.split(), key=len, default=""))
    # Ours come first: the library ends some tokens early, and what is left of them has no shape.
    for kind, starts, signs, count in TOKENS if longest >= TOKEN_WORD_CHARS else ():
        if _holds(text, starts):
            text = re.sub(_token(starts, signs, count), partial(_hide_token, kind=kind, count=count), text)
    text = "".join(_without(piece, redact_secret.scan(piece)) for piece in _pieces(text))
    low = text.lower()
    for kind, hints, pattern in SHAPES:
        if _holds(low, hints):
            text = re.sub(pattern, partial(_hide, kind=kind), text)
    for strict, hints, names in NAMED:
        if _holds(low, hints):
            named = f"(?ai:(?:{names}){TAIL}(?:{ABOUT}{SAYS}|{BARE})){VALUE}"
            text = re.sub(named, partial(_hide_named, strict=strict), text)
    for kind, pattern in LONG_SHAPES if longest >= LONG_WORD_CHARS else ():
        text = re.sub(pattern, partial(_hide, kind=kind), text)
    return text


def _pieces(text: str) -> Iterable[str]:
    """Cut a long text where a line or a word ends, else anywhere."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = start + PIECE_CHARS
        cut = max(text.rfind("\n", start, end), text.rfind(" ", start + PIECE_CHARS // 2, end))
        yield text[start : cut + 1 or end]
        start = cut + 1 or end
    yield text[start:]


def _holds(text: str, hints: tuple[str, ...]) -> bool:
    # A loop, since a generator for each shape would cost more than the looking.
    for hint in hints:  # noqa: SIM110 - see above
        if hint in text:
            return True
    return False


def _without(text: str, findings: Sequence[redact_secret.Finding]) -> str:
    """Put placeholders in ourselves: the library refuses one that holds the secret, as for the password `pass`."""
    parts, end = [], 0
    for finding in sorted(findings, key=lambda one: one.start):
        prose = str(finding.type) == CONTEXTUAL and _names_one(text[finding.start : finding.end])
        if finding.action in REPLACED and finding.end > end and not prose:
            # What overlaps the one before is hidden with it.
            parts += [text[end : max(finding.start, end)], f"[redacted:{str(finding.type).replace('_', '-')}]"]
            end = finding.end
    return "".join((*parts, text[end:])) if parts else text


def _token(starts: tuple[str, ...], signs: str, count: int) -> str:
    """Give the pattern of a token, which a line break may wrap once."""
    some = f"[A-Za-z0-9{signs}]"
    rest = rf"{some}{{{count - 1},}}[A-Za-z0-9_=-]|{some}{{4,}}=?\r?\n[ \t>]*{some}{{4,}}"
    return rf"{BEFORE}(?P<secret>(?:{'|'.join(map(re.escape, starts))})(?P<rest>{rest}))"


def _hide_token(match: re.Match[str], kind: str, count: int) -> str:
    parts = match["rest"].split("\n")
    whole = len(parts) == 1 or (sum(map(len, parts)) >= count and _random(parts[1], MIN_VALUE_CHARS))
    return _hide(match, kind) if whole and _random(match["rest"], MIN_RUN_CHARS) else match[0]


def _hide_named(match: re.Match[str], *, strict: bool) -> str:
    value = match["secret"].rstrip(EDGE)
    says = (match["says"] or "").strip("\"'`»” \t\n")
    if re.match(REFERENCE, value) or re.match(ABOUT_IT, match["tail"] or ""):
        return match[0]
    found = _is_token(value, says) if strict else _is_password(value, says)
    return _hide(match, "assigned", len(match["secret"]) - len(value)) if found else match[0]


def _is_password(value: str, says: str) -> bool:
    """Whether that is a password: the clearer it is said, the less it has to look like one."""
    if len(value) < MIN_VALUE_CHARS:
        return False
    letters, digits = re.search(r"[^\W\d_]", value) is not None, re.search(r"\d", value) is not None
    signs = letters and re.search(r"[!@#$%^&*?~+=]", value) is not None
    if says.endswith(("=", "＝")):
        return digits or signs or _random(value, MIN_RUN_CHARS)
    if says.endswith((":", "：", ">")):
        names = re.search("[-_./]", value) is not None and not _unlike_words(value)
        return signs or (digits and not names) or _random(value, MIN_RUN_CHARS)
    if not says:
        return digits and letters and len(value) >= MIN_TOKEN_CHARS and _unlike_words(value)
    return letters and (signs or (digits and _unlike_words(value)))


def _is_token(value: str, says: str) -> bool:
    """Whether that is a token: a sign between name and value lets a shorter one count."""
    signed = says.endswith(tuple("=:：＝>"))
    if len(value) < (MIN_VALUE_CHARS if signed else MIN_TOKEN_CHARS):
        return False
    if not _unlike_words(value):
        return signed and re.fullmatch(r"[A-Za-z]{4,}\d{2,}", value) is not None
    return _random(value, MIN_RUN_CHARS) or (
        re.search(r"\d", value) is not None and re.search("[A-Za-z]", value) is not None
    )


def _names_one(value: str) -> bool:
    """Whether it is made of words that name a secret, as in `my-app-credentials`, and thus none itself."""
    words = re.search(r"(?i)(?<![a-z])(?:credential|secret|token|password|key)s?(?![a-z])", value)
    return words is not None and not any(map(_unlike_words, value.split()))


def _unlike_words(value: str) -> bool:
    return any(not re.fullmatch(WORD, part) for part in re.split(r"[-_./:+@~()=]", value))


def _random(text: str, least: int) -> bool:
    """Whether a run of letters and digits in it holds both, or letters of both cases."""
    runs = re.findall(f"[A-Za-z0-9]{{{least},}}", text)
    return any(re.search("[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z]", run) for run in runs)


def _hide(match: re.Match[str], kind: str, left: int = 0) -> str:
    if match["secret"].startswith("[redacted:"):
        return match[0]
    start, end = match.start("secret") - match.start(), match.end("secret") - match.start() - left
    return f"{match[0][:start]}[redacted:{kind}]{match[0][end:]}"
