"""
The register of outside text: a line stays outside when its tag is taken off, and when an agent quotes it.

`outside.jsonl` in private state is append-only. A row `{"at", "line"}` is the hash of a line that was written into a
note, a row `{"at", "seen"}` those of the sentences and of the runs of words of a text that was only read, one hash
after another; these are let go after fourteen days.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp
from daybook.guard import strangers
from daybook.guard.outside import MAX_CHARS, TAG, is_visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from daybook.workspace import Workspace

FILE = "outside.jsonl"
SEEN_KEPT = timedelta(days=14)
SEEN_CHARS = 16
# Labels that would make a line worth remembering: without its label a title says the same.
_LABELS = (
    r"(?:(?<!\w)(?:lessons?(?: learned)?|learned|decisions?|decided|preferences?|deadline|due|rule|remember|note"
    r"|important|lektion|gelernt|entscheidung|präferenz|frist|regel|merke|wichtig|leçon|décision|préférence|échéance|règle"
    r"|à retenir|lección|decisión|preferencia|plazo|regla|nota|lezione|decisione|preferenza|scadenza|regola|lição"
    r"|decisão|preferência|prazo|les|besluit|voorkeur)|教训|决定|偏好|截止|规则|记住|教訓|決定|好み|締切|規則|覚え書き)"
    r"\s*[:：]\s*"
)
MARKER = re.compile(f"^{_LABELS}", re.IGNORECASE)
# In the middle of a text what follows one is a statement of its own.
MARKED = re.compile(_LABELS, re.IGNORECASE)
LABEL = re.compile(r"^[^\W\d_][\w ]{0,30}[:：]\s*")
LEADING_TIME = re.compile(r"^\W*\d{1,2}:\d{2}(?:\s*[ap]m)?\W+", re.IGNORECASE)
BEHIND = re.compile(r"\s*\(https?://\S*\)\s*$")
# What has fewer words than these, or signs where words are not spaced, is no entry.
OWN_WORDS = 2
SENTENCE_WORDS = 4
# So many words of one clause are hardly somebody else's too.
PIECE_WORDS = 7
MAX_PIECES = 20
# Nobody puts more labels before a line, and each form is looked at whole.
MAX_FORMS = 32
CLAUSE_END = re.compile(r"(?<=[,;:.!?])\s+|(?<=[，、；：。！？])|\s[-–—]\s")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\s[-–—]\s|[\r\n]+")
MARKS = " |>*-•"
EDGE = ".,;:!?\"'()[]{}<>*_`-–—…。、，！？；：「」『』（） "
# Scripts without spaces between words: there a run is counted in signs.
UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]")


@dataclass(frozen=True)
class Runs:
    """
    How runs of words, or of signs, are told again: of each window of neighbouring runs the least hash is kept.

    Whatever two texts share is found from `length + window - 1` on (Schleimer, Wilkerson, Aiken: Winnowing, 2003).

    Attributes:
        length: Words or signs of one run.
        window: Neighbouring runs of which one is kept.
    """

    length: int
    window: int


WORDS, SIGNS = Runs(7, 4), Runs(12, 6)


@dataclass(frozen=True)
class Register:
    """
    What is known of outside text.

    Attributes:
        lines: Hashes of lines that were written, and of parts of them.
        seen: Hashes of sentences and runs of words of everything that was read.
    """

    lines: frozenset[str] = frozenset()
    seen: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.lines or self.seen)


def line_hash(text: str) -> str:
    """Hash of a line's words, independent of tag, case, spacing and edge punctuation."""
    return _hash(_words(text))


def write(workspace: Workspace, texts: Iterable[str], now: datetime) -> None:
    """Remember lines as outside text, before they are written anywhere; each also without what may be left off."""
    texts = list(texts)
    strangers.register(workspace, texts, now)
    hashes: dict[str, None] = {}
    for text in texts:
        # A tagged line is known without its tag however short it is.
        whole = {line_hash(text)} if TAG.search(text) and _words(text) else set()
        own = _hashes(_forms(text, (LEADING_TIME, MARKER, BEHIND)) | _marked(text))
        hashes |= dict.fromkeys(sorted(whole | own | _pieces(text)))
    at = stamp(now)
    rows = [json.dumps({"at": at, "line": digest}) for digest in hashes] + _seen_rows(texts, at)
    _append(workspace, rows)


def see(workspace: Workspace, texts: Iterable[str], now: datetime) -> None:
    """Remember outside text that was read and stands in no note: an agent may know it from elsewhere."""
    texts = list(texts)
    strangers.register(workspace, texts, now)
    _append(workspace, _seen_rows(texts, stamp(now)))


def read(workspace: Workspace) -> Register:
    """Read what is known of outside text so far."""
    lines, seen = set[str](), set[str]()
    for row in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # Text is registered before it is written anywhere, so a row torn by a crash stands for no line.
        try:
            found = json.loads(row)
            if "line" in found:
                lines.add(str(found["line"]))
            else:
                together = found["seen"]
                seen |= {together[at : at + SEEN_CHARS] for at in range(0, len(together), SEEN_CHARS)}
        except (ValueError, KeyError, TypeError):
            continue
    return Register(frozenset(lines), frozenset(seen))


def is_outside(text: str, known: Register) -> bool:
    """
    Whether a note line's text is outside: by a tag anywhere in it, or because its words are in the register.

    A label, a time or a link that somebody put around them, or took off, does not help, nor do words of one's own
    around a quotation of about ten words, nor sentences of one's own around one of its sentences.
    """
    folded = _folded(text)
    if TAG.search(folded) is not None:
        return True
    if not known:
        return False
    words = _split(folded)
    if words and _hash(words) in known.lines:
        return True
    # Almost every line has no other form than its own.
    others = _forms(text, (LEADING_TIME, LABEL, BEHIND))
    if not known.lines.isdisjoint(_hashes(others - {text})):
        return True
    if not known.seen:
        return False
    parts = {part for end in (SENTENCE_END, CLAUSE_END) for part in end.split(text)}
    labelled = (part for part in parts if ":" in part or "：" in part)
    said = parts.union(others, *(_forms(part, (LABEL,)) for part in labelled))
    return not known.seen.isdisjoint(_shorts(said, OWN_WORDS) | _runs(text, kept_only=False))


def _append(workspace: Workspace, rows: Sequence[str]) -> None:
    if rows:
        files.append(_path(workspace), ("\n".join(rows) + "\n").encode(), mode=files.PRIVATE_FILE_MODE)


def _seen_rows(texts: Iterable[str], at: str) -> list[str]:
    rows = []
    for text in texts:
        sentences = {part.strip(MARKS) for part in SENTENCE_END.split(text)}
        marked = {SENTENCE_END.split(part)[0] for part in _marked(text)}
        known = _shorts(sentences, SENTENCE_WORDS) | _shorts(CLAUSE_END.split(text), PIECE_WORDS)
        if found := known | _shorts(marked, OWN_WORDS) | _runs(text, kept_only=True):
            rows.append(json.dumps({"at": at, "seen": "".join(sorted(found))}))
    return rows


def _marked(text: str) -> set[str]:
    """Give what follows each label in a text, no more of it than an entry may have."""
    if ":" not in text and "：" not in text:
        return set()
    return {text[found.end() : found.end() + MAX_CHARS] for found in MARKED.finditer(text)}


def _shorts(texts: Iterable[str], least: int) -> set[str]:
    """Hashes of whole texts of at least so many words; too little of one is no text's own."""
    return {_short(words) for words in map(_words, texts) if _has(words, least)}


def _has(words: Sequence[str], least: int) -> bool:
    """Whether there are so many words; where these are not spaced, about so many as two signs make."""
    if least == OWN_WORDS:
        return len(words) >= least or len(UNSPACED.findall("".join(words))) >= least
    return sum(map(_weight, words)) >= least


def _weight(word: str) -> int:
    return max(len(UNSPACED.findall(word)) // 2, 1)


def _runs(text: str, *, kept_only: bool) -> set[str]:
    """Hashes of the runs of words and of signs in a text: all, or those that are kept."""
    folded = TAG.sub(" ", _folded(text))
    spaced = _split(UNSPACED.sub(" ", folded))
    signs = UNSPACED.findall(folded)
    return _runs_of(spaced, WORDS, kept_only=kept_only) | _runs_of(signs, SIGNS, kept_only=kept_only)


def _runs_of(tokens: Sequence[str], runs: Runs, *, kept_only: bool) -> set[str]:
    hashes = [_short(tokens[at : at + runs.length]) for at in range(len(tokens) - runs.length + 1)]
    if not kept_only or len(hashes) < runs.window:
        return set(hashes)
    return {min(hashes[at : at + runs.window]) for at in range(len(hashes) - runs.window + 1)}


def _folded(text: str) -> str:
    shown = unicodedata.normalize("NFKC", text)
    # Almost every line is printable whole, and looking at each of its characters is slow.
    if not shown.isprintable():
        shown = "".join(char for char in shown if char.isspace() or is_visible(char))
    return (shown if shown.isascii() else _bare(shown)).casefold()


def _bare(text: str) -> str:
    """Leave off accents and what chooses a sign's form, and write look-alikes of Latin letters as these."""
    apart = unicodedata.normalize("NFD", text.translate(strangers.LOOK_ALIKES))
    return unicodedata.normalize("NFC", "".join(char for char in apart if unicodedata.category(char) != "Mn"))


def _forms(text: str, patterns: tuple[re.Pattern[str], ...]) -> set[str]:
    """Give a text without its marks, and what is left of it without what the patterns find, which holds a colon."""
    whole = TAG.sub(" ", text).strip(MARKS)
    forms, left = {whole}, [whole]
    while left and len(forms) < MAX_FORMS:
        form = left.pop()
        if ":" in form or "：" in form:
            cut = {pattern.sub("", form).strip(MARKS) for pattern in patterns} - forms
            forms |= cut
            left += cut
    return forms


def _hashes(forms: set[str]) -> set[str]:
    """Hashes of texts; too little of one is no text's own."""
    return {_hash(words) for words in map(_words, forms) if _has(words, OWN_WORDS)}


def _pieces(text: str) -> set[str]:
    """Hashes of a text's clauses, and of all from each on: somebody may put half of it on a line of its own."""
    parts = CLAUSE_END.split(TAG.sub(" ", _folded(text)))
    tails = (" ".join(parts[at:]) for at in range(1, min(len(parts), MAX_PIECES)))
    return {_hash(words) for words in map(_words, (*parts[:MAX_PIECES], *tails)) if _has(words, PIECE_WORDS)}


def _hash(words: Sequence[str]) -> str:
    return hashlib.sha256(" ".join(words).encode()).hexdigest()


def _short(words: Sequence[str]) -> str:
    return hashlib.blake2b(" ".join(words).encode(), digest_size=SEEN_CHARS // 2).hexdigest()


def _words(text: str) -> list[str]:
    return _split(TAG.sub(" ", _folded(text)))


def _split(folded: str) -> list[str]:
    return [word for raw in folded.split() if (word := raw.strip(EDGE))]


def _path(workspace: Workspace) -> str:
    return str(workspace.private / FILE)
