"""
Make a workspace, or adopt a folder that is there: nothing that is there is changed.

What Daybook writes itself it trusts; settings and a ledger that came with a folder wait for `daybook trust`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from daybook import files, folders, settings, trust, workspace
from daybook.clock import stamp
from daybook.curation.observing import observe
from daybook.errors import WorkspaceError
from daybook.finding import ID_FILE, OWN_DIR, restored_above, workspace_above
from daybook.ledger import append as ledger
from daybook.ledger.record import Curate
from daybook.ledger.replay import replay
from daybook.memory import longterm, topics
from daybook.memory.inbox import CLAIMED_PREFIX
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
IGNORED = f"runs/\n{files.TEMPORARY_MARK}*\n"
# Nothing here is worth keeping in a history, and an inbox that git merges would bring flushed lines back.
IGNORED_MEMORY = f"""_inbox.md
{CLAIMED_PREFIX}*
_pending.md
{files.TEMPORARY_MARK}*
"""
# Two machines that both append to a day: every line of either is kept. Curated files are merged by a person.
MERGED = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*.md merge=union\n"

Mode = Literal["all", "ours"]


@dataclass(frozen=True)
class Adopted:
    """
    What `init` did.

    Attributes:
        workspace: The workspace.
        made: Names of files it wrote.
        waits: Parts that wait for `daybook trust`.
        curate: Whose entries Daybook may curate.
        undecided: Memory holds entries, and nobody has said yet whose they are.
    """

    workspace: Workspace
    made: tuple[str, ...]
    waits: tuple[str, ...]
    curate: Mode
    undecided: bool


def adopt(path: Path, now: datetime, mode: Mode | None = None) -> Adopted:
    """
    Make a folder a workspace; a second time changes nothing but whose entries are curated.

    Args:
        path: The folder; made when missing.
        now: The present instant.
        mode: Whose entries may be curated; None leaves that as it is.

    Raises:
        WorkspaceError: The path is no folder, cannot be made, or is a part or a git worktree of a workspace.
    """
    root = path.expanduser().resolve()
    is_new = not root.exists()
    if not is_new:
        restored_above(str(root))
    _refuse_part(root)
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"{root} cannot be made a workspace: {error.strerror}; name another folder.") from error
    known = (root / OWN_DIR / ID_FILE).exists()
    brought = (root / OWN_DIR / "ledger.jsonl").exists()
    workspace.make_id(root)
    opened = workspace.open_workspace(str(root))
    made = _write_missing(opened, again=known and not is_new)
    hints = opened.private / planning.HINTS
    state = files.read_if_exists(opened.heartbeat_state)
    if state is not None and not hints.exists() and published.read_hints(state, now):
        files.replace(hints, state, expected=None, mode=files.PRIVATE_FILE_MODE)
    if not trust.known(opened):
        trust.grant(opened, settings={}, ledger=not brought)
    if mode is not None:
        curate(opened, mode, now)
    with opened.lock():
        # What stands there now is a version to go back to, should an agent rewrite it before the first run.
        observe(opened, "init", now)
    said = _said(opened)
    inert = settings.load(opened).inert
    waits = (*inert, *(() if trust.ledger_trusted(opened) else ("ledger",)))
    return Adopted(opened, made, waits, said or "ours", undecided=said is None and _has_entries(opened))


def curate(opened: Workspace, mode: Mode, now: datetime) -> None:
    """Record whose entries Daybook may curate from here on: every one, with undo, or only its own."""
    with opened.lock():
        if _said(opened) != mode:
            ledger.append(opened, [Curate(at=stamp(now), mode=mode)])


def _refuse_part(root: Path) -> None:
    around = workspace_above(str(root))
    if around is None or around == str(root):
        return
    what = "lies inside" if root.is_relative_to(around) else "is a git worktree of"
    raise WorkspaceError(f"{root} {what} the workspace {around}; use that, or name another folder.")


def _said(opened: Workspace) -> Mode | None:
    return replay(ledger.read(opened).records).mode


def _has_entries(opened: Workspace) -> bool:
    paths = (opened.longterm, *topics.topic_files(opened))
    return any(longterm.parse(files.read_if_exists(opened.readable(path)) or b"").entries for path in paths)


def _write_missing(opened: Workspace, *, again: bool) -> tuple[str, ...]:
    # What git needs to know came later than some workspaces; anything else that is gone was taken away.
    wanted = {} if again else {opened.longterm: MEMORY, opened.settings: SETTINGS, opened.own / ".gitignore": IGNORED}
    folders.make_dir(opened.memory_dir)
    wanted |= {opened.memory_dir / ".gitignore": IGNORED_MEMORY, opened.memory_dir / ".gitattributes": MERGED}
    made = []
    for path, text in wanted.items():
        # A link in the place of a file of git's is the operator's way to share it; one in MEMORY.md's is refused.
        if not (path.name.startswith(".git") and path.is_symlink()) and files.read_if_exists(path) is None:
            files.replace(path, text.encode(), expected=None)
            made.append(opened.relative(path))
    return tuple(made)
