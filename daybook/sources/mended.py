"""
With what each mailbox was last asked in vain: `mailboxes.json` in private state.

A setting or a password that was mended is tried at once, however long the mailbox was to be left alone. Kept is a
keyed hash and never the password, and nothing in memory/source-tracking.json, which git publishes. A password that a
command gives out is not part of it: the command may ask somebody, so it is not run to find out whether it changed.
Losing the file costs a wait, no more.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from daybook import files
from daybook.errors import SourceError
from daybook.guard.cleaning import clean
from daybook.sources import passwords
from daybook.sources.login import owner

if TYPE_CHECKING:
    from daybook.settings import Mailbox
    from daybook.workspace import Workspace

FILE = "mailboxes.json"
LOCK_FILE = "mailboxes.lock"
KEY_BYTES = 32
WHY_CHARS = 160
# How a mailbox is reached and opened; whose mail is urgent mends nothing.
SETTINGS = frozenset(
    {"host", "port", "user", "security", "folder", "auth", "password_env", "password_file", "password_command"}
)


class Refused(BaseModel):
    """
    The last look that failed.

    Attributes:
        mark: Keyed hash of what the mailbox was asked with.
        why: What went wrong, in a few words of ours.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)
    mark: str
    why: str = ""


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")
    version: int = 1
    key: str = Field(default="", pattern=r"^([0-9a-f]{64})?$")
    mailboxes: dict[str, Refused] = Field(default_factory=dict)


def given(mailbox: Mailbox) -> bytes:
    """Give what a mailbox is asked with now: settings, and the password where no command is to be run for it."""
    try:
        secret = passwords.at_hand(mailbox) or ""
    except SourceError as error:
        # A file that could not be read and now can is mended too.
        secret = f"\0{error}"
    return json.dumps([mailbox.model_dump(mode="json", include=set(SETTINGS)), secret], sort_keys=True).encode()


def is_mended(workspace: Workspace, mailbox: str, asked_with: bytes) -> bool:
    """Whether a mailbox, by its key, would be asked with something else than failed; False where that is unknown."""
    known = _read(workspace)
    refused = known.mailboxes.get(mailbox)
    return refused is not None and not hmac.compare_digest(refused.mark, _mark(known.key, asked_with))


def why(workspace: Workspace, mailbox: str) -> str:
    """Say in a few words why a mailbox, by its key, failed when it last did; empty where that is unknown."""
    refused = _read(workspace).mailboxes.get(mailbox)
    return refused.why if refused is not None else ""


def remember(workspace: Workspace, mailbox: str, asked_with: bytes, reason: str) -> None:
    """
    Remember a look that failed.

    Args:
        workspace: Whose.
        mailbox: Its key.
        asked_with: What `given` gave before the look.
        reason: A few words, without a secret.
    """
    path = workspace.private / FILE
    with files.locked(workspace.private / LOCK_FILE):
        known = _read(workspace)
        known.key = known.key or secrets.token_hex(KEY_BYTES)
        known.mailboxes[mailbox] = Refused(mark=_mark(known.key, asked_with), why=reason)
        files.replace(
            path,
            f"{known.model_dump_json(indent=1)}\n".encode("utf-8", "replace"),
            expected=files.read_if_exists(path),
            mode=files.PRIVATE_FILE_MODE,
        )


def few_words(mailbox: Mailbox, sentence: str) -> str:
    """Take from a sentence of ours what to do about it, and what is known where it is told again: whose mailbox."""
    words = sentence.partition("; ")[0].rstrip(".")
    for known in (f"The mailbox of {mailbox.user} at {mailbox.host}:{mailbox.port}", f"{mailbox.host}:{mailbox.port}"):
        words = words.removeprefix(f"{known} ")
    for known in (f" of {owner(mailbox)}", f" of {mailbox.user}"):
        words = words.replace(known, "", 1)
    # It is told in brackets.
    return clean(words.removeprefix(f"{mailbox.host} ").replace(" (", ": ").replace(")", ""), limit=WHY_CHARS)


def _mark(key: str, asked_with: bytes) -> str:
    return hmac.new(bytes.fromhex(key), asked_with, hashlib.sha256).hexdigest()


def _read(workspace: Workspace) -> _File:
    try:
        return _File.model_validate_json(files.read_if_exists(workspace.private / FILE) or b"{}")
    except ValidationError:
        return _File()
