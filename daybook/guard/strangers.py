"""
Remember the addresses, hosts, numbers, paths and commands that came from outside first.

An agent that carries one of them on in words of its own does not make it trusted: what names a stranger waits for the
operator. After fourteen days, or once memory itself holds it, it is none any more.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from daybook import files
from daybook.clock import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from daybook.workspace import Workspace

KEPT = timedelta(days=14)
HASH_CHARS = 24
MIN_DIGITS = 7
# A number is told by its end: in front it may have a country's code, `00`, `(0)` or nothing.
TAIL_DIGITS = 8
ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
LINK = re.compile(r"[a-z][a-z0-9+.-]{1,20}://([^\s/?#<>\"'`)\]]+)(/[^\s<>\"'`)\]]*)?", re.IGNORECASE)
PAGE = re.compile(r"(?<![\w@.-])((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(/[^\s<>\"'`)\],;]+)", re.IGNORECASE)
HOST = re.compile(r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@-])", re.IGNORECASE)
SERVER = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
WHOLE_SERVER = re.compile(r"\d{8,10}|0x[0-9a-f]{8}")
HEX_SERVER = re.compile(r"(?<!\w)0x[0-9a-f]{8}(?!\w)", re.IGNORECASE)
ACCOUNT = re.compile(r"(?<!\w)(?:[A-Z]{2}[ .-]?|[a-z]{2})\d{2}(?:[ .-]?[A-Za-z0-9]{2,4}){3,8}(?!\w)")
NUMBER = re.compile(r"(?<![\w.,:])\+?\(?\d[\d ()/.-]{5,34}\d(?!\w)")
PATH = re.compile(
    r"(?<![\w:/.])(?:~|\.{1,2})?(?:/+[\w.@%+-]+){2,}/?|(?<![\w:/.@%+-])[\w@%+-]+(?:/+[\w.@%+-]+)+/+[\w@%+-]+\.\w{1,8}(?!\w)"
    r"|(?<!\w)[a-z]:\\[^\s\"'<>|]+|(?<![\w\\])(?:\\[\w.@%+-]+){2,}",
    re.IGNORECASE,
)
COMMAND = re.compile(r"`([^`\n]{3,200})`|(?:^|\s)\$ ([^\n]{3,200})")
_INSTALLER = (
    r"(?<![\w-])(?:pip3?|pipx|uv|uvx|npm|npx|pnpm|yarn|bun|brew|apt|apt-get|dnf|snap|gem|cargo|docker|conda|winget)"
)
INSTALL = re.compile(
    rf"{_INSTALLER}(?:\s+(?:install|add|get|i|pull|run|exec|tool|pip|-{{1,2}}[\w-]+))+\s+([\w@][\w@./:+-]+[\w])",
    re.IGNORECASE,
)
UNSPACED = re.compile(r"[぀-ヿ㐀-䶿一-鿿가-힯]+")
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4}|\d\d?/\d\d?/\d{4}")
# The address of a news item itself, which we put behind its title.
OWN_LINK = re.compile(r"^(\[news\].*?)\s+\(?https?://\S+\)?\s*$")
# Signs that look like Latin ones, and the dashes.
LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһкмтвнАВЕКМНОРСТУХІЈЅαορυνικτΑΒΕΖΗΙΚΜΝΟΡΤΥΧ‐‑‒–—―−",
    "aeopcyxijsdhkmtbhABEKMHOPCTYXIJSaopuviktABEZHIKMNOPTYX-------",
)
_AT = re.compile(r"\s*[\[({<]\s*(?:at|@|ät)\s*[\])}>]\s*|\s+@\s*(?=\w)|(?<=\w)@\s+(?=\w)", re.IGNORECASE)
_DOT = re.compile(r"\s*[\[({]\s*(?:dot|punkt|point|\.)\s*[\])}]\s*|(?<=[\w-])\s+\.\s*(?=\w)", re.IGNORECASE)
_SPOKEN = re.compile(r"(?<=[\w-])\s(?:dot|punkt)\s(?=[\w-])", re.IGNORECASE)
_SPOKEN_AT = re.compile(r"(?<![\w.+-])([\w.+-]{1,64})\sat\s(?=[\w-]{1,63}\.[\w-])", re.IGNORECASE)
# Names under which everybody may have a host of his own; they name nobody.
_SHARED = """
    co.uk org.uk ac.uk gov.uk com.au net.au co.nz co.jp co.in co.za com.br com.mx com.ar com.cn com.tr com.sg
    github.io gitlab.io pages.dev workers.dev vercel.app netlify.app herokuapp.com web.app firebaseapp.com onrender.com
    blogspot.com wordpress.com amazonaws.com cloudfront.net azurewebsites.net duckdns.org ngrok.io readthedocs.io
"""
SHARED = frozenset(_SHARED.split())
_COMMON = """
    github.com gitlab.com bitbucket.org codeberg.org google.com youtube.com youtu.be wikipedia.org wikimedia.org
    microsoft.com apple.com amazon.com amazon.de python.org pypi.org npmjs.com docker.com stackoverflow.com reddit.com
    ycombinator.com medium.com linkedin.com facebook.com instagram.com twitter.com x.com mozilla.org debian.org
    ubuntu.com kernel.org archive.org arxiv.org gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com
    icloud.com me.com gmx.de gmx.net gmx.at web.de t-online.de freenet.de aol.com proton.me protonmail.com posteo.de
    orange.fr free.fr libero.it openai.com anthropic.com
"""
# Hosts that everybody names: there only a page, or an address, is a stranger.
COMMON = frozenset(_COMMON.split())
PAGE_PARTS = 2
# Without one of these signs nothing is named; a full stop at a word's end is none of them.
TELLING = re.compile(rf"[@:/\\`$\[({{<\d]|\.\w|\s\.|\s(?:dot|punkt)\s|{_INSTALLER}\s", re.IGNORECASE)


def names_in(text: str) -> frozenset[str]:
    """
    Give what a text names so exactly that it can be dialled, opened, paid to or run, however it is written.

    Args:
        text: One line.
    """
    text = OWN_LINK.sub(r"\1", text)
    if text.isascii() and not TELLING.search(text):
        return frozenset()
    # A soft hyphen is seen at the end of a line only.
    plain = {_plain(text), _plain(text.replace("\u00ad", "-"))}
    # Where words are not spaced, a name begins and ends without a space too.
    plain |= {UNSPACED.sub(r" \g<0> ", one) for one in plain}
    return frozenset().union(*(_names(one) for seen in plain for one in {seen, _joined(seen)}))


def _plain(text: str) -> str:
    """Fold what is written in another way and looks the same: invisible signs, wide ones, other alphabets, dashes."""
    if text.isascii():
        return text
    seen = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    return "".join(str(unicodedata.decimal(char, char)) for char in seen.translate(LOOK_ALIKES))


def _joined(text: str) -> str:
    """Put together what was taken apart so that it is no link: `a [at] b[.]c`, `a at b dot c`."""
    text = _SPOKEN.sub(".", _DOT.sub(".", _AT.sub("@", text)))
    return _SPOKEN_AT.sub(r"\1@", text)


def _names(text: str) -> frozenset[str]:
    found = set[str]()
    for one in ADDRESS.findall(text):
        user, _, host = one.casefold().rpartition("@")
        found |= {f"address {user.partition('+')[0]}@{host}", *_hosts(host)}
    for host, path in LINK.findall(text):
        found |= _linked(host.rpartition("@")[2].partition(":")[0].casefold(), path)
    found |= {_page(host.casefold(), path) for host, path in PAGE.findall(text)}
    for one in (*HOST.findall(text), *SERVER.findall(text), *HEX_SERVER.findall(text)):
        found |= _hosts(one.casefold())
    undated = DATE.sub(" ", text)
    numbers = map(_digits, (*ACCOUNT.findall(undated), *NUMBER.findall(undated)))
    found |= {f"number {one}" for one in numbers if len(one) >= MIN_DIGITS}
    paths = (re.sub(r"[/\\]+", "/", one).strip("/") for one in PATH.findall(LINK.sub(" ", text.casefold())))
    found |= {f"path {one}" for one in paths}
    found |= {f"command {' '.join((one or other).split())}" for one, other in COMMAND.findall(text)}
    found |= {f"package {one.casefold()}" for one in INSTALL.findall(text)}
    return frozenset(found)


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)[-TAIL_DIGITS:]


def _linked(host: str, path: str) -> set[str]:
    """A link's host; on one that everybody names, its page."""
    if WHOLE_SERVER.fullmatch(host):
        host = _server(host)
    return {_page(host, path)} | _hosts(host) if path.strip("/") else _hosts(host)


def _page(host: str, path: str) -> str:
    """The beginning of a page's address: the owner and the name of a repository."""
    pages = [part for part in path.casefold().split("?")[0].split("/") if part][:PAGE_PARTS]
    return f"page {'/'.join([host.removeprefix('www.'), *pages])}"


def _hosts(host: str) -> set[str]:
    """A host and what it is a part of: `c2.evil.example` is `evil.example`'s."""
    if WHOLE_SERVER.fullmatch(host):
        host = _server(host)
    if SERVER.fullmatch(host):
        return {f"host {host}"}
    parts = host.strip(".").split(".")
    wider = {".".join(parts[at:]) for at in range(len(parts) - 1)}
    return set() if wider & COMMON else {f"host {one}" for one in wider - SHARED}


def _server(number: str) -> str:
    """`3405803853` and `0xcb00714d` as `203.0.113.77`; what is too large stays as it is."""
    value = int(number, 0) if number.startswith("0x") else int(number)
    return ".".join(str(byte) for byte in value.to_bytes(4, "big")) if value < 2**32 else number


def register(workspace: Workspace, texts: Iterable[str], now: datetime) -> None:
    """Remember what outside lines name."""
    names = sorted({_hash(name) for text in texts for name in names_in(text)})
    rows = "".join(f"{json.dumps({'at': stamp(now), 'name': name})}\n" for name in names)
    if rows:
        files.append(_path(workspace), rows.encode(), mode=files.PRIVATE_FILE_MODE)


def registered(workspace: Workspace, now: datetime) -> frozenset[str]:
    """Hashes of what came from outside in the last fourteen days."""
    found = set()
    for row in (files.read_if_exists(_path(workspace)) or b"").splitlines():
        # A row torn by a kill was of a line that is not yet written anywhere.
        try:
            read = json.loads(row)
            if now - datetime.fromisoformat(read["at"]) < KEPT:
                found.add(str(read["name"]))
        except (ValueError, KeyError, TypeError):
            continue
    return frozenset(found)


def known_by(texts: Iterable[str]) -> frozenset[str]:
    """Hashes of what these texts name: none of it is a stranger to whoever wrote them."""
    return frozenset(_hash(name) for text in texts for name in names_in(text))


def names_a_stranger(text: str, strangers: frozenset[str]) -> bool:
    """Whether a text names something that came from outside first."""
    return bool(strangers) and not strangers.isdisjoint(map(_hash, names_in(text)))


def _hash(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:HASH_CHARS]


def _path(workspace: Workspace) -> str:
    return str(workspace.private / "strangers.jsonl")
