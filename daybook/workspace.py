"""
A workspace: the folder people see, and the private state that git, sync tools and agents cannot roll back.

The id in `.daybook/id` is random. Private state remembers the folder's path: a second living folder with
the same id is a copy and gets an id of its own.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from daybook import files, folders
from daybook.errors import UnreadableFileError, WorkspaceError
from daybook.finding import ID_FILE, OWN_DIR, find_root, state_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, datetime

MACHINE_ID_FILES = ("/etc/machine-id", "/var/lib/dbus/machine-id")
ID_CHARS = frozenset("0123456789abcdef")
ID_LENGTH = 32
RUN_ID_LENGTH = 12


@dataclass(frozen=True)
class Workspace:
    """
    One workspace and every name Daybook may read or write for it.

    Attributes:
        root: The folder, absolute, symlinks resolved.
        id: 32 hex digits from `.daybook/id`.
        private: Folder of its private state, mode 0700.
    """

    root: Path
    id: str
    private: Path

    @property
    def own(self) -> Path:
        """Daybook's folder inside the workspace."""
        return self.root / OWN_DIR

    @property
    def memory_dir(self) -> Path:
        """Folder of notes and state."""
        return self.root / "memory"

    @property
    def longterm(self) -> Path:
        """MEMORY.md."""
        return self.root / "MEMORY.md"

    @property
    def inbox(self) -> Path:
        """Staging file for things just learned."""
        return self.memory_dir / "_inbox.md"

    @property
    def pending(self) -> Path:
        """Proposals that wait for the operator."""
        return self.memory_dir / "_pending.md"

    @property
    def archive(self) -> Path:
        """What is no longer true."""
        return self.memory_dir / "archive.md"

    @property
    def topics_dir(self) -> Path:
        """What does not fit MEMORY.md."""
        return self.memory_dir / "topics"

    @property
    def heartbeat_state(self) -> Path:
        """Published times of the checks."""
        return self.memory_dir / "heartbeat-state.json"

    @property
    def source_tracking(self) -> Path:
        """Published validators and failures of feeds and mailboxes."""
        return self.memory_dir / "source-tracking.json"

    @property
    def settings(self) -> Path:
        """daybook.toml."""
        return self.root / "daybook.toml"

    @property
    def prompts_dir(self) -> Path:
        """The operator's own versions of prompts."""
        return self.root / "prompts"

    @property
    def ledger(self) -> Path:
        """The ledger's copy that git tracks."""
        return self.own / "ledger.jsonl"

    @property
    def private_ledger(self) -> Path:
        """The ledger's copy that git cannot roll back."""
        return self.private / "ledger.jsonl"

    @property
    def runs_dir(self) -> Path:
        """Run records for people and agents."""
        return self.own / "runs"

    @property
    def claims_dir(self) -> Path:
        """Files that make a slot happen once."""
        return self.private / "claims"

    @property
    def logs_dir(self) -> Path:
        """Logs of the server and the runner."""
        return self.private / "logs"

    @property
    def prefect_home(self) -> Path:
        """Prefect's own folder: its database and profiles."""
        return self.private / "prefect"

    @cached_property
    def home(self) -> str | None:
        """Id of the machine that runs the schedule; None before the first `init`."""
        text = files.read_if_exists(self.own / "home")
        return text.decode("ascii", "replace").strip() if text else None

    def daily_note(self, day: date) -> Path:
        """The note of a date."""
        return self.memory_dir / f"{day.isoformat()}.md"

    def topic(self, slug: str) -> Path:
        """The topic file of a section."""
        return self.topics_dir / f"{slug}.md"

    def readable(self, path: Path) -> Path:
        """Where to read a name of the operator's: a link is followed if it stays within the workspace."""
        return path.resolve() if path.is_symlink() and path.resolve().is_relative_to(self.root) else path

    def sweep(self, now: datetime) -> list[str]:
        """
        Remove what killed writers left behind; the caller holds the workspace lock.

        Returns:
            One sentence per save of somebody's that was found among it, and kept.
        """
        own = (self.root, self.own, self.memory_dir, self.topics_dir, self.private)
        kept = [path for folder in own for path in folders.sweep_temporary(folder, now.timestamp())]
        return [f"{path} holds what was saved while a run was killed; take what you need from it." for path in kept]

    def relative(self, path: Path) -> str:
        """Path as it is written in ledger, records and messages."""
        return path.relative_to(self.root).as_posix()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the workspace lock: one writer of memory at a time, freed by the kernel on a kill."""
        with files.locked(self.private / "workspace.lock"):
            yield

    def require_home(self) -> None:
        """
        Refuse to act on a schedule away from home.

        Raises:
            WorkspaceError: Another machine is this workspace's home.
        """
        if self.home is None:
            raise WorkspaceError(
                f"{self.root} has no home machine yet; run `daybook init {self.root}` on the one it shall have."
            )
        if self.home != machine_id():
            raise WorkspaceError(
                f"{self.root} is at home on another machine (id {self.home}), which alone runs its checks; "
                "run this there, or move it with `daybook up --take-over`."
            )


def open_workspace(named: str | None = None, *, cwd: str | None = None) -> Workspace:
    """
    Open the workspace that is meant (see `finding.find_root`).

    Raises:
        WorkspaceError: There is none, or a folder in it leads out of it.
    """
    root = Path(find_root(named, cwd=cwd))
    id_file = root / OWN_DIR / ID_FILE
    text = files.read_bytes(id_file).decode("ascii", "replace").strip()
    if len(text) != ID_LENGTH or not set(text) <= ID_CHARS:
        raise WorkspaceError(f"{id_file} does not hold a workspace id; delete it and run `daybook init {root}`.")
    _refuse_escapes(root)
    private = Path(state_home()) / text
    if _is_copy(root, text, private):
        text = _new_id()
        files.replace(id_file, f"{text}\n".encode(), expected=files.read_bytes(id_file))
        private = Path(state_home()) / text
    _remember(root, private)
    return Workspace(root=root, id=text, private=private)


def make_id(root: Path) -> None:
    """
    Give a folder its id and its home, if it has none; changes nothing that is there.

    Raises:
        WorkspaceError: A folder in it leads out of it.
    """
    _refuse_escapes(root)
    folders.make_dir(root / OWN_DIR)
    for name, value in ((ID_FILE, _new_id()), ("home", machine_id())):
        path = root / OWN_DIR / name
        if files.read_if_exists(path) is None:
            files.replace(path, f"{value}\n".encode(), expected=None)


def new_run_id() -> str:
    """Name a run, for ledger and records."""
    return os.urandom(RUN_ID_LENGTH // 2).hex()


def machine_id() -> str:
    """
    Name this machine: `DAYBOOK_MACHINE`, else derived from its machine id, else one kept in private state.

    The operating system's id is hashed, as its manual asks, since ours is written into shared folders.
    """
    if named := os.environ.get("DAYBOOK_MACHINE"):
        return named
    for path in MACHINE_ID_FILES:
        try:
            found = Path(path).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if found:
            return _hashed(found)
    folders.make_private_dir(state_home())
    own = Path(state_home()) / "machine"
    if files.read_if_exists(own) is None:
        files.replace(own, f"{_new_id()}\n".encode(), expected=None, mode=files.PRIVATE_FILE_MODE)
    return files.read_bytes(own).decode("ascii").strip()


def _new_id() -> str:
    return os.urandom(ID_LENGTH // 2).hex()


def _hashed(text: str) -> str:
    import hashlib  # noqa: PLC0415 - start-up time

    return hashlib.sha256(f"daybook:{text}".encode()).hexdigest()[:ID_LENGTH]


def _remembered(private: Path) -> Path | None:
    text = files.read_if_exists(private / "path")
    return Path(os.fsdecode(text.removesuffix(b"\n"))) if text else None


def _is_copy(root: Path, text: str, private: Path) -> bool:
    known = _remembered(private)
    if known is None or known == root:
        return False
    try:
        if not known.is_dir():
            return False
    except OSError as error:
        raise UnreadableFileError(files.sentence("look into", known, error)) from error
    # An original that cannot be read is an error: taking it for gone would give its private state to the copy.
    other = files.read_if_exists(known / OWN_DIR / ID_FILE) if (known / OWN_DIR).is_dir() else None
    return other is not None and other.decode("ascii", "replace").strip() == text


def _remember(root: Path, private: Path) -> None:
    known = _remembered(private)
    if known == root:
        return
    folders.make_private_dir(private)
    old = files.read_if_exists(private / "path")
    files.replace(private / "path", os.fsencode(root) + b"\n", expected=old, mode=files.PRIVATE_FILE_MODE)


def _refuse_escapes(root: Path) -> None:
    own, memory = root / OWN_DIR, root / "memory"
    for folder in (own, own / "runs", memory, memory / "topics"):
        if folder.is_symlink() and not folder.resolve().is_relative_to(root):
            raise WorkspaceError(f"{folder} is a link that leads out of the workspace; put the folder itself there.")
