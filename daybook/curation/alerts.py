"""Say what the operator should know of memory, for as long as it holds; keys see to it that each is told once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from daybook import folders
from daybook.ledger import versions
from daybook.ledger.record import ID_CHARS
from daybook.notify import Notice

if TYPE_CHECKING:
    from daybook.curation.changes import Changes
    from daybook.ledger.replay import Owned, State
    from daybook.workspace import Workspace

KEPT_ASIDE = re.compile(r".+\.md\.kept-[0-9a-f]{8}")


def alerts(workspace: Workspace, state: State, changes: Changes, run: str) -> list[Notice]:
    """
    Say what the operator should know of; each has a key by which it is told once.

    Args:
        workspace: Whose memory.
        state: With what others did.
        changes: What others did.
        run: That looked.
    """
    found = [
        Notice(f"memory:{name}:{_last_good(workspace, name)}", sentence, urgent=True)
        for name, sentence in changes.held.items()
    ]
    found += [
        Notice(f"stale:{one.file}:{run}", f"{one.file} was saved from an old copy; what came since stands in it again.")
        for one in changes.stale
        if not one.quiet
    ]
    found += [
        Notice(
            f"forgotten:{file}:{statement}",
            f"What you had forgotten stands in {file} again, line {line}; `daybook forget` takes it out once more.",
        )
        for file, line, statement in changes.forbidden
    ]
    found += [
        Notice(
            f"kept:{name}",
            f"{name} holds what somebody saved while Daybook wrote the file; take what you need from it and delete it.",
        )
        for name in _kept_aside(workspace)
    ]
    return found + _vanished(state)


def _vanished(state: State) -> list[Notice]:
    """One notice per run that found entries missing, until they are restored or agreed with."""
    by_run: dict[str, list[Owned]] = {}
    for lineage, entry in state.vanished.items():
        by_run.setdefault(state.missed[lineage], []).append(entry)
    return [
        Notice(
            f"vanished:{run}",
            f"{len(entries)} entries of {', '.join(sorted({entry.file for entry in entries}))} are gone at once; none "
            "counts as forgotten. Bring them back with `daybook restore`, or agree with `daybook restore --keep`.",
            urgent=True,
        )
        for run, entries in by_run.items()
    ]


def _last_good(workspace: Workspace, name: str) -> str:
    latest = versions.latest(workspace, name)
    return f"{latest.sha[:ID_CHARS]}" if latest else "never"


def _kept_aside(workspace: Workspace) -> list[str]:
    """Saves that came in between, which were kept beside their file."""
    places = [(workspace.root, "MEMORY.md"), (workspace.memory_dir, ""), (workspace.topics_dir, "")]
    return [
        workspace.relative(folder / name)
        for folder, prefix in places
        for name in folders.listed(folder)
        if name.startswith(prefix) and KEPT_ASIDE.fullmatch(name)
    ]
