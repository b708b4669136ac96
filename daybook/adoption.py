"""
Make a workspace, or adopt a folder that is there: nothing that is there is changed.

What Daybook writes itself it trusts; settings and a ledger that came with a folder wait for `daybook trust`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from daybook import files, folders, settings, trust, workspace
from daybook.errors import WorkspaceError
from daybook.finding import ID_FILE, OWN_DIR, workspace_above
from daybook.schedule import planning, published

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from daybook.workspace import Workspace

MEMORY = """# Memory

What matters for long. Daybook keeps it: reviews add here, and what does not fit goes to memory/topics/.

## Preferences

## Decisions

## Lessons Learned

## Deadlines
"""
SETTINGS = """# Settings of Daybook; every one has a default. After a change of feeds, mailboxes, models, notices,
# network, prefect or a command, allow it on this machine with `daybook trust`.

# timezone = "Europe/Berlin"           # default: the machine's
# quiet_hours = "23:00-08:00"
# interests = ["home energy", "python"]

# [[feeds]]
# url = "https://example.org/feed.xml"

# [[mailboxes]]
# host = "imap.example.org"
# user = "me@example.org"
# password_command = ["pass", "show", "mail"]
# vip = ["boss@example.org"]

# [notify]
# urls = ["ntfy://topic"]

# [models]                             # default: Gemini when GEMINI_API_KEY is set, else no model at all
# review = ["google:gemini-flash-lite-latest", "extractive"]
"""
IGNORED = "runs/\n"


@dataclass(frozen=True)
class Adopted:
    """
    What `init` did.

    Attributes:
        workspace: The workspace.
        made: Names of files it wrote.
        waits: Parts that wait for `daybook trust`.
    """

    workspace: Workspace
    made: tuple[str, ...]
    waits: tuple[str, ...]


def adopt(path: Path, now: datetime) -> Adopted:
    """
    Make a folder a workspace; a second time changes nothing.

    Raises:
        WorkspaceError: The path is no folder, or cannot be made.
    """
    root = path.expanduser().resolve()
    around = workspace_above(str(root.parent))
    if around is not None and not (root / OWN_DIR / ID_FILE).exists():
        raise WorkspaceError(f"{root} lies inside the workspace {around}; use that, or name another folder.")
    is_new = not root.exists()
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{root} cannot be made a workspace: {error.strerror}; name another folder.") from error
    known = (root / OWN_DIR / ID_FILE).exists()
    brought = (root / OWN_DIR / "ledger.jsonl").exists()
    workspace.make_id(root)
    opened = workspace.open_workspace(str(root))
    made = () if known and not is_new else _write_missing(opened)
    hints = opened.private / planning.HINTS
    state = files.read_if_exists(opened.heartbeat_state)
    if state is not None and not hints.exists() and published.read_hints(state, now):
        files.replace(hints, state, expected=None, mode=files.PRIVATE_FILE_MODE)
    if not trust.known(opened):
        trust.grant(opened, settings={}, ledger=not brought)
    inert = settings.load(opened).inert
    waits = (*inert, *(() if trust.ledger_trusted(opened) else ("ledger",)))
    return Adopted(opened, made, waits)


def _write_missing(opened: Workspace) -> tuple[str, ...]:
    folders.make_dir(opened.memory_dir)
    wanted = {
        opened.longterm: MEMORY,
        opened.settings: SETTINGS,
        opened.own / ".gitignore": IGNORED,
    }
    made = []
    for path, text in wanted.items():
        if files.read_if_exists(path) is None:
            files.replace(path, text.encode(), expected=None)
            made.append(opened.relative(path))
    return tuple(made)
