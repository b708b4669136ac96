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
from daybook.sources.login import word
from daybook.sources.process import expanded, run, small_environment

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
    if mailbox.password_env is not None:
        password = os.environ.get(mailbox.password_env, "")
        where = f"the environment variable {mailbox.password_env} (password_env)"
    elif mailbox.password_file is not None:
        password = _from_file(mailbox.password_file)
        where = f"{mailbox.password_file} (password_file)"
    else:
        password = await _from_command(mailbox, cwd)
        where = "the output of password_command"
    if not password:
        raise SourceError(f"The {word(mailbox)} of {mailbox.user} is missing: {where} is empty.", transient=False)
    if any(ord(char) < ord(" ") for char in password):
        raise SourceError(
            f"The {word(mailbox)} of {mailbox.user} holds a control character; "
            f"put it alone on the first line of {where}.",
            transient=False,
        )
    remember([password])
    return password


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
    reason = None
    try:
        ended = await run(
            expanded(mailbox.password_command or ()),
            cwd=cwd,
            timeout_s=COMMAND_TIMEOUT_S,
            output_bytes=OUTPUT_BYTES,
            env=environment,
        )
        text = ended.stdout.decode("utf-8")
    except UnicodeDecodeError:
        reason = "prints what is no UTF-8 text"
    except (OSError, ValueError) as error:
        reason = f"cannot be started ({(isinstance(error, OSError) and error.strerror) or 'bad arguments'})"
    else:
        if ended.timed_out:
            reason = f"took longer than {COMMAND_TIMEOUT_S:.0f} s"
        elif ended.code:
            reason = f"ended with exit code {ended.code}"
    if reason is not None:
        raise SourceError(f"password_command of {mailbox.user} {reason}; run it by hand.", transient=False)
    return _first_line(text)


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
