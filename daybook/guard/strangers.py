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
ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
LINK = re.compile(r"[a-z][a-z0-9+.-]{1,20}://([^\s/?#<>\"'`)\]]+)", re.IGNORECASE)
HOST = re.compile(r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@-])", re.IGNORECASE)
SERVER = re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
ACCOUNT = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}(?!\w)")
NUMBER = re.compile(r"(?<![\w.,:])\+?\(?\d[\d ()/.-]{5,24}\d(?!\w)")
PATH = re.compile(r"(?<![\w:/.])(?:~|\.{1,2})?(?:/[\w.@%+-]+){2,}/?|(?<!\w)[a-z]:\\[^\s\"'<>|]+", re.IGNORECASE)
COMMAND = re.compile(r"`([^`\n]{3,200})`|(?:^|\s)\$ ([^\n]{3,200})")
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?\.\d\d?\.\d{4}|\d\d?/\d\d?/\d{4}")
# The address of a news item itself, which we put behind its title.
OWN_LINK = re.compile(r"^(\[news\].*?)\s+\(?https?://\S+\)?\s*$")


def names_in(text: str) -> frozenset[str]:
    """
    Give what a text names so exactly that it can be dialled, opened, paid to or run.

    Args:
        text: One line.
    """
    text = unicodedata.normalize("NFKC", OWN_LINK.sub(r"\1", text))
    found = {f"address {one.casefold()}" for one in ADDRESS.findall(text)}
    found |= {f"host {one.rpartition('@')[2].partition(':')[0].casefold()}" for one in LINK.findall(text)}
    found |= {f"host {one.casefold()}" for one in (*HOST.findall(text), *SERVER.findall(text))}
    found |= {f"account {''.join(one.split())}" for one in ACCOUNT.findall(text)}
    numbers = (re.sub(r"\D", "", one) for one in NUMBER.findall(DATE.sub(" ", text)))
    found |= {f"number {one}" for one in numbers if len(one) >= MIN_DIGITS}
    found |= {f"path {one.rstrip('/')}" for one in PATH.findall(LINK.sub(" ", text))}
    found |= {f"command {' '.join((one or other).split())}" for one, other in COMMAND.findall(text)}
    return frozenset(found)


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
