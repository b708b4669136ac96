"""
Where a mailbox's password, or access token, comes from: an environment variable, a file of this user, or a command.

It is got anew for every look and kept nowhere, so a command that gives out fresh tokens is enough for OAuth 2.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files
from daybook.errors import DaybookError, SourceError
from daybook.guard.secrets import remember
from daybook.sources.login import owner, word
from daybook.sources.process import complaint, expanded, run, small_environment

if TYPE_CHECKING:
    from daybook.settings import Mailbox

COMMAND_TIMEOUT_S = 30.0
OUTPUT_BYTES = 4_096
# What password stores need beside the usual: where their agent and their files are. No key is among them.
STORE_VARIABLES = ("USER", "LOGNAME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "GNUPGHOME", "PASSWORD_STORE_DIR")
OTHERS_MAY = stat.S_IRWXG | stat.S_IRWXO


async def resolve(mailbox: Mailbox, cwd: Path) -> str:
    """
    Get the password, or the access token, of a mailbox.

    Args:
        mailbox: Names the one source of it.
        cwd: Current folder of a command; never one in a workspace.

    Raises:
        SourceError: There is none; the sentence names the setting to look at and holds no secret.
    """
    password = at_hand(mailbox)
    if password is None:
        password = await _from_command(mailbox, cwd)
    where = _where(mailbox)
    if not password:
        raise SourceError(f"The {word(mailbox)} of {owner(mailbox)} is missing: {where} is empty.", transient=False)
    if any(ord(char) < ord(" ") for char in password):
        raise SourceError(
            f"The {word(mailbox)} of {owner(mailbox)} holds a control character; "
            f"put it alone on the first line of {where}.",
            transient=False,
        )
    remember([password])
    return password


def at_hand(mailbox: Mailbox) -> str | None:
    """
    Get the password that stands in the environment or in a file, maybe an empty one; None where a command gives it.

    Raises:
        SourceError: The file cannot be read, or by others too.
    """
    if mailbox.password_env is not None:
        return os.environ.get(mailbox.password_env, "")
    return _from_file(mailbox.password_file) if mailbox.password_file is not None else None


def _where(mailbox: Mailbox) -> str:
    if mailbox.password_env is not None:
        return f"the environment variable {mailbox.password_env} (password_env)"
    if mailbox.password_file is not None:
        return f"{mailbox.password_file} (password_file)"
    return "the output of password_command"


def _from_file(name: str) -> str:
    reason = None
    try:
        path = Path(name).expanduser()
        mode = stat.S_IMODE(path.stat().st_mode)
        text = files.read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        reason = f"password_file {name} is no UTF-8 text; write the password alone into it."
    except FileNotFoundError:
        reason = f"password_file {name} is missing; make it or change the setting."
    except OSError as error:
        reason = f"password_file {name} cannot be read: {error.strerror}; change its owner or mode."
    except DaybookError as error:
        reason = f"password_file cannot be read: {error}"
    except (RuntimeError, ValueError):
        # The home of a user who is not, or a character that no name has.
        reason = f"password_file {name!r} names no file; write its whole path."
    # Raised out here because a decoding error carries the bytes it could not read.
    if reason is not None:
        raise SourceError(reason, transient=False)
    if mode & OTHERS_MAY:
        raise SourceError(f"password_file {name} can be read by others; run `chmod 600 {name}`.", transient=False)
    return _first_line(text)


async def _from_command(mailbox: Mailbox, cwd: Path) -> str:
    environment = small_environment() | {name: os.environ[name] for name in STORE_VARIABLES if name in os.environ}
    argv = expanded(mailbox.password_command or ())
    reason = None
    try:
        ended = await run(
            argv,
            cwd=cwd,
            timeout_s=COMMAND_TIMEOUT_S,
            output_bytes=OUTPUT_BYTES,
            env=environment,
        )
        text = ended.stdout.decode("utf-8")
    except UnicodeDecodeError:
        reason = "prints what is no UTF-8 text"
    except FileNotFoundError:
        reason = f"cannot be started: there is no program {argv[0]}"
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "bad arguments"
        reason = f"cannot be started: {argv[0]!r}, {why}"
    else:
        # What it prints is, or may be, the password, and a failing one may print it on either side.
        known = [line for line in ended.stdout.decode("utf-8", "replace").splitlines() if line.strip()]
        if ended.timed_out:
            reason = f"took longer than {COMMAND_TIMEOUT_S:.0f} s and was ended"
        elif ended.code:
            why = complaint(ended.stderr, known)
            reason = f"ended with exit code {ended.code}{why and f': {why}'}"
    if reason is not None:
        raise SourceError(f"password_command of {owner(mailbox)} {reason}; run it by hand.", transient=False)
    return _first_line(text)


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
