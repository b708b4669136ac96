"""
Redact secrets: by shape everywhere, and every secret we resolved ourselves by its value.

The shapes are those of the library redact-secret, which is a beta and therefore reached through here
only, and the ones below, which it does not know. Imports stay few: `daybook note` runs through here.
"""

from __future__ import annotations

import re
from functools import partial

import redact_secret

# Not typing's: that module alone would take a tenth of `daybook note`'s time.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MIN_VALUE_CHARS = 6
MAX_CLEAN = 1 << 16
MAX_CLEAN_CHARS = 500
# What the library says is to be done with a finding; the rest it only warns of.
REPLACED = frozenset({"redact", "block"})


# Shapes the library does not know: the placeholder's kind; lower-case hints of which one must occur, since
# compiling a pattern costs more than looking; and the pattern, whose group `secret` is what is replaced.
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws-key-id", ("akia", "asia"), r"\b(?P<secret>(?:AKIA|ASIA)[A-Z2-7][A-Z0-9]{15})\b"),
    ("google-key", ("aq.",), r"\b(?P<secret>AQ\.[A-Za-z0-9_-]{20,})"),
    ("openai-key", ("sk-",), r"\b(?P<secret>sk-(?:proj|svcacct|admin|None)?-?[A-Za-z0-9_-]{20,})"),
    (
        "webhook",
        ("hooks.slack.com", "/api/webhooks/", "webhook.office.com", "hooks.zapier.com"),
        (
            r"(?P<secret>https://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
            r"|(?:\w+\.)?discord(?:app)?\.com/api/webhooks|[\w.-]*webhook\.office\.com"
            r"|hooks\.zapier\.com/hooks)/[^\s)>\]\"']+)"
        ),
    ),
    (
        "url-secret",
        ("token=", "key=", "secret=", "password=", "passwd=", "auth=", "sig=", "signature="),
        r"(?i)[?&;](?:[\w-]*(?:token|key|secret|password|passwd|auth|sig|signature))=(?P<secret>[^\s&#)\]\"'>]{4,})",
    ),
    ("url-password", ("://",), r"[a-z][a-z0-9+.-]*://[^\s/:@]*:(?P<secret>[^\s/@]{3,})@"),
    ("pypi-token", ("pypi-",), r"\b(?P<secret>pypi-[A-Za-z0-9_-]{16,})"),
    (
        "app-password",
        ("app password", "app-password", "app passwort"),
        r"(?i)app[ -]passwor[dt]\b\W{0,3}(?:is\b\W{0,3})?(?P<secret>[a-z]{4}(?:[ -][a-z]{4}){3})\b",
    ),
    (
        "assigned",
        ("password", "passwd", "passwort", "secret", "token", "api_key", "apikey", "api-key", "api key"),
        (
            r"(?i)\b[\w-]{0,40}(?:password|passwd|passwort|secret|token|api[_ -]?key)[\w-]{0,20}[\"']?"
            r"\s*(?:[:=]|\bis\b)\s*[\"'`]?"
            r"(?P<secret>(?=[^\s\"'`]*[0-9])(?=[^\s\"'`]*[A-Za-z])[^\s\"'`,;<>\[\]]{6,})"
        ),
    ),
    ("bearer", ("bearer ",), r"(?i)\bbearer\s+(?P<secret>(?=\S*\d)[A-Za-z0-9._~+/=-]{16,})"),
    (
        "private-key",
        ("private key-----",),
        r"(?P<secret>-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))",
    ),
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

    Prose about secrets stays as it is. Redacting twice changes nothing more.

    Args:
        text: Any text, also several lines.
        values: Secrets known by value, besides those remembered; those under 6 characters are left.
    """
    if values or _known:
        long_enough = (value for value in values if len(value) >= MIN_VALUE_CHARS)
        for value in sorted({*long_enough, *_known}, key=len, reverse=True):
            text = text.replace(value, "[redacted:known]")
    if text in _clean:
        return text
    redacted = _by_shape(text)
    if redacted == text and len(text) <= MAX_CLEAN_CHARS:
        if len(_clean) >= MAX_CLEAN:
            _clean.clear()
        _clean.add(text)
    return redacted


def _by_shape(text: str) -> str:
    text = _without(text, redact_secret.scan(text))
    low = text.lower()
    for kind, hints, pattern in SHAPES:
        for hint in hints:
            if hint in low:
                text = re.sub(pattern, partial(_hide, kind=kind), text, flags=re.DOTALL)
                break
    return text


def _without(text: str, findings: Sequence[redact_secret.Finding]) -> str:
    """Put placeholders in ourselves: the library refuses one that holds the secret, as for the password `pass`."""
    parts, end = [], 0
    for finding in sorted(findings, key=lambda one: one.start):
        if finding.action in REPLACED and finding.end > end:
            # What overlaps the one before is hidden with it.
            parts += [text[end : max(finding.start, end)], f"[redacted:{str(finding.type).replace('_', '-')}]"]
            end = finding.end
    return "".join((*parts, text[end:])) if parts else text


def _hide(match: re.Match[str], kind: str) -> str:
    if match["secret"].startswith("[redacted:"):
        return match[0]
    start, end = match.start("secret") - match.start(), match.end("secret") - match.start()
    return f"{match[0][:start]}[redacted:{kind}]{match[0][end:]}"
